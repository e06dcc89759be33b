"""Copies of an array beside and below each other, and the diagonal of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem

from pullback.runtime.codegen.compiled import compiled, is_array, is_integer, is_scalar
from pullback.runtime.memory.strided import collect, integer_tuple, shaped, view


def tile(a: Any, reps: Any) -> Any:
    """np.tile(a, reps): `reps` copies along each axis, of which the shorter of shape and `reps` has further ones."""
    return np.tile(a, reps)


@compiled(tile, prefer_literal=False)
def _tile(a: Any, reps: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a, reps: np.full(integer_tuple(reps), to(a))
    if not is_array(a):
        return None
    count = 1 if is_integer(reps) else len(reps)
    rank = max(a.ndim, count)
    new, missing = rank - a.ndim, rank - count
    zeros, pairs = (0,) * rank, (0,) * (2 * rank)

    def copies(a: Any, reps: Any) -> Any:
        given = integer_tuple(reps)
        shape, sizes, strides = integer_tuple(zeros), integer_tuple(pairs), integer_tuple(pairs)
        for k in range(rank):
            n = a.shape[k - new] if k >= new else 1
            times = max(given[k - missing], 0) if k >= missing else 1
            sizes = tuple_setitem(tuple_setitem(sizes, 2 * k, times), 2 * k + 1, n)
            strides = tuple_setitem(strides, 2 * k + 1, a.strides[k - new] if k >= new else 0)
            shape = tuple_setitem(shape, k, times * n)
        return shaped(collect(a, 0, sizes, strides), shape)

    return copies if a.ndim > 0 else lambda a, reps: np.full(integer_tuple(reps), a[()])


def diagonal(a: Any, offset: Any = 0) -> Any:
    """View of the elements a[k, k + offset] of a matrix."""
    return np.diagonal(a, offset)


@compiled(diagonal, prefer_literal=False)
def _diagonal(a: Any, offset: Any = 0) -> Any:
    if not is_array(a) or a.ndim != 2:
        return None

    def along(a: Any, offset: Any = 0) -> Any:
        row, column = max(-offset, 0), max(offset, 0)
        n = max(min(a.shape[0] - row, a.shape[1] - column), 0)
        start = row * a.strides[0] + column * a.strides[1] if n > 0 else 0
        return view(a, start, (n,), (a.strides[0] + a.strides[1],))

    return along
