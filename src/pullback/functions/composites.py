"""Rules of a function of a function, where the two rules one after the other would compute more, or lose digits.

>>> import numpy as np, pullback as pb
>>> pb.grad(lambda a: np.log(np.linalg.det(a)))(1e-200 * np.eye(2))
array([[ 1.e+200, -0.e+000],
       [-0.e+000,  1.e+200]])

The determinant underflows there: a division by it, and then a multiplication, would give NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def log_det(a, *, y_bar):
    """From y = log det a:  ā = ȳ a⁻ᵀ.   Giles (2008), 2.2.4. Raises LinAlgError if `a` is singular."""
    if a.ndim == 2:
        return y_bar * np.linalg.inv(a).T
    return y_bar[..., None, None] * np.linalg.inv(a).mT


COMPOSITE_RULES: dict[tuple[Callable[..., Any], Callable[..., Any]], Callable[..., Any]] = {
    (np.log, np.linalg.det): log_det,
}
"""By the outer and the inner function."""
