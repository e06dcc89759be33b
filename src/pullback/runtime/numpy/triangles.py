"""Copies of matrices without what lies above or below a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, is_array, kernel
from pullback.runtime.memory.strided import flat, shaped


@kernel
def keep_triangle(x: Any, rows: int, columns: int, k: int, is_lower: bool) -> Any:
    """Copy of `x`, matrices of rows × columns in a row, with the elements above (below) diagonal `k` set to zero."""
    out = np.zeros_like(x)
    if rows * columns == 0:
        return out
    for start in range(0, x.size, rows * columns):
        for i in range(rows):
            for j in range(columns):
                if (j - i <= k) if is_lower else (j - i >= k):
                    out[start + i * columns + j] = x[start + i * columns + j]
    return out


def define_triangle(function: Any, is_lower: bool) -> None:
    """The overload of `tril` or `triu`."""

    @compiled(function, prefer_literal=False)
    def typed(a: Any, k: Any = 0) -> Any:
        if not is_array(a) or a.ndim == 0:
            return None
        if a.ndim == 1:
            return lambda a, k=0: function(np.broadcast_to(a, (a.size, a.size)), k)
        m, n = a.ndim - 2, a.ndim - 1
        return lambda a, k=0: shaped(keep_triangle(flat(a), a.shape[m], a.shape[n], k, is_lower), a.shape)


def tril(a: Any, k: Any = 0) -> Any:
    """Copy of `a` with zeros above the `k`-th diagonal of its last two axes; a vector stands for each row."""
    return np.tril(a, k)


def triu(a: Any, k: Any = 0) -> Any:
    """Copy of `a` with zeros below the `k`-th diagonal of its last two axes; a vector stands for each row."""
    return np.triu(a, k)


define_triangle(tril, True)
define_triangle(triu, False)
