"""Points that fill the unit cube evenly."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import number


def sobol_sample(dim: Any, num_results: Any, skip: Any = 0, dtype: Any = np.float32, name: str | None = None) -> Tensor:
    """`num_results` points of Sobol's sequence in `dim` dimensions, a row each, after the first `skip`, of a `dtype`.

    The sequence begins with the point behind the origin.

    >>> import pullback.tf as tf
    >>> tf.math.sobol_sample(2, 2)
    <Tensor [[0.5  0.5 ]
     [0.75 0.25]], float32>
    """
    from scipy.stats import qmc  # takes half a second, which only those who call this wait for

    sequence = qmc.Sobol(int(number(dim)), scramble=False, bits=32).fast_forward(int(number(skip)) + 1)
    return Tensor(sequence.random(int(number(num_results))).astype(dtype))
