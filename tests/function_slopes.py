"""The gradient of a weighted sum of what a function returns, as a function that can be differentiated once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cells
import pullback as pb

TEXT = """
def total({names}):
    return np.sum(call({names}) * weight)
"""


def slope_of(call: Callable[..., Any], names: Sequence[str], numbers: tuple[int, ...], weight: Any) -> Any:
    """The gradients, interpreted, by the arguments with these numbers."""
    total = cells.run(TEXT.format(names=", ".join(names)), np=np, call=call, weight=weight)["total"]
    return pb.grad(pb.differentiable(total, jit=False), argnums=numbers)
