"""The logarithm of a sum of exponentials along axes, as SciPy computes it: the largest terms stand beside the sum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.numpy.reductions import define_reduction, mean_dtype

__all__ = ["logsumexp_over"]


def logsumexp_over(a: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """scipy.special.logsumexp(a, axis, keepdims=keepdims)."""
    return scipy.special.logsumexp(a, axis=axis, keepdims=keepdims)


@kernel
def logsumexp_middle(x: Any, rows: int, count: int, columns: int, zero: Any) -> Any:
    out = np.full(rows * columns, zero)
    for row in range(rows):
        for column in range(columns):
            start = row * count * columns + column
            largest, ties = -math.inf, 0
            for k in range(count):
                term = x[start + k * columns]
                if term > largest or term != term:
                    largest, ties = term, 1
                elif term == largest:
                    ties += 1
            others = 0.0
            if -math.inf < largest < math.inf:
                for k in range(count):
                    term = x[start + k * columns]
                    if term != largest:
                        others += math.exp(term - largest)
                out[row * columns + column] = math.log1p(others / ties) + math.log(ties) + largest
            else:
                out[row * columns + column] = largest
    return out


define_reduction(logsumexp_over, logsumexp_middle, mean_dtype)
