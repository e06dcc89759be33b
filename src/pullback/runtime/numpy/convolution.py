"""Convolutions of two vectors: the longer one times each element of the shorter one, which is vectorised."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, constant, dtype_of, is_array, kernel


def convolution(a: Any, v: Any, mode: Any = "full") -> Any:
    """np.convolve(a, v, mode). Raises ValueError if one has no elements."""
    return np.convolve(a, v, mode)


@compiled(convolution)
def _convolution(a: Any, v: Any, mode: Any = "full") -> Any:
    dtypes = [dtype_of(array) for array in (a, v) if is_array(array) and array.ndim == 1]
    if len(dtypes) < 2 or any(dtype.kind not in "fc" for dtype in dtypes):
        return lambda a, v, mode="full": np.convolve(a, v, mode)
    dtype, ends = np.result_type(*dtypes), _ENDS[constant(mode)]

    def convolved(a: Any, v: Any, mode: Any = "full") -> Any:
        if len(a) == 0:
            raise ValueError("a cannot be empty")
        if len(v) == 0:
            raise ValueError("v cannot be empty")
        begin, end = ends(max(len(a), len(v)), min(len(a), len(v)))
        if len(a) < len(v):
            return sum_of_products(v, a, begin, end, dtype)
        return sum_of_products(a, v, begin, end, dtype)

    return convolved


@kernel
def ends_of_all(n: Any, m: Any) -> Any:
    """Where the elements begin that are wanted of all n + m - 1, and where they end. m is at most n."""
    return 0, n + m - 1


@kernel
def ends_of_as_many(n: Any, m: Any) -> Any:
    """The ends of as many elements as the longer vector has."""
    return (m - 1) // 2, (m - 1) // 2 + n


@kernel
def ends_of_whole_sums(n: Any, m: Any) -> Any:
    """The ends of the elements that all of the shorter vector has a part in."""
    return m - 1, n


_ENDS = {"full": ends_of_all, "same": ends_of_as_many, "valid": ends_of_whole_sums}


@kernel
def sum_of_products(longer: Any, shorter: Any, begin: Any, end: Any, dtype: Any) -> Any:
    """Σ longer[k - j] shorter[j] for k from `begin` up to `end`."""
    total = np.zeros(end - begin, dtype)
    for j in range(len(shorter)):
        first = max(begin, j)
        last = min(end, len(longer) + j)
        factor = shorter[j]
        for k in range(first, last):
            total[k - begin] += factor * longer[k - j]
    return total
