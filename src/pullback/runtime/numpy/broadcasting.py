"""Arrays whose elements are repeated: along new or reduced axes, to a shape, or a number of times each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem

from pullback.runtime.codegen.compiled import (
    axes_of,
    axis_of,
    compiled,
    constant,
    is_array,
    is_integer,
    is_scalar,
    kernel,
)
from pullback.runtime.memory.strided import (
    NEW_AXIS,
    NO_STRIDE,
    broadcast_strides,
    collect,
    flat,
    integer_tuple,
    permuted,
    product,
    shaped,
    view,
)


def broadcast_along(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
    """Array of `shape` with `y_bar`, the cotangent of a reduction over `axis`, repeated along the reduced axes.

    Under NumPy a read-only view, compiled a fresh C-contiguous array.
    """
    if axis is not None and not keepdims:
        y_bar = np.expand_dims(y_bar, tuple(i % len(shape) for i in (axis if isinstance(axis, tuple) else (axis,))))
    return np.broadcast_to(y_bar, shape)


@compiled(broadcast_along)
def _broadcast_along(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
    if not isinstance(shape, types.BaseTuple):
        return None
    ndim = len(shape)
    axes = axes_of(axis, ndim)
    if is_scalar(y_bar):
        to = types.unliteral(y_bar)
        return lambda y_bar, shape, axis=None, keepdims=False: np.full(integer_tuple(shape), to(y_bar))
    if not is_array(y_bar):
        return None
    if y_bar.ndim == 0:
        return lambda y_bar, shape, axis=None, keepdims=False: np.full(integer_tuple(shape), y_bar[()])
    kept = [i for i in range(ndim) if i not in axes]
    if not constant(keepdims) and y_bar.ndim == len(kept):
        ones = tuple(kept.index(i) if i in kept else NEW_AXIS for i in range(ndim))
        zeros = tuple(kept.index(i) if i in kept else NO_STRIDE for i in range(ndim))

        def insert(y_bar: Any, shape: Any, axis: Any = None, keepdims: Any = False) -> Any:
            target = integer_tuple(shape)
            y = view(y_bar, 0, permuted(y_bar.shape, ones), permuted(y_bar.strides, zeros))
            return shaped(collect(y, 0, target, broadcast_strides(y.shape, y.strides, target)), target)

        return insert
    return lambda y_bar, shape, axis=None, keepdims=False: broadcast_to(y_bar, shape)


def broadcast_to(a: Any, shape: Any) -> Any:
    """Fresh array of `shape` filled with `a`, a scalar or an array that broadcasts to it."""
    return np.broadcast_to(a, shape).copy()


@compiled(broadcast_to)
def _broadcast_to(a: Any, shape: Any) -> Any:
    if is_scalar(a):
        to = types.unliteral(a)
        return lambda a, shape: np.full(integer_tuple(shape), to(a))
    if not is_array(a):
        return None
    if a.ndim == 0:
        return lambda a, shape: np.full(integer_tuple(shape), a[()])

    def repeat_elements(a: Any, shape: Any) -> Any:
        target = integer_tuple(shape)
        return shaped(collect(a, 0, target, broadcast_strides(a.shape, a.strides, target)), target)

    return repeat_elements


def full_like_shape(value: Any, shape: Any) -> Any:
    """np.full(shape, value) with the dtype of the scalar `value`."""
    return np.full(shape, value)


@compiled(full_like_shape)
def _full_like_shape(value: Any, shape: Any) -> Any:
    if not is_scalar(value):
        return None
    to = types.unliteral(value)
    return lambda value, shape: np.full(integer_tuple(shape), to(value))


@kernel
def repeat_middle(x: Any, rows: int, count: int, columns: int, n: int) -> Any:
    """1-d array of `x`, of shape (rows, count, columns), with each element of the middle axis taken n times."""
    out = np.empty(rows * count * n * columns, x.dtype)
    place = 0
    for i in range(rows * count):
        for _ in range(n):
            for j in range(columns):
                out[place] = x[i * columns + j]
                place += 1
    return out


def repeat(a: Any, n: Any, axis: Any = None) -> Any:
    """`a` with each element taken `n` (an integer) times along `axis`; flattened first for None."""
    return np.repeat(a, n, axis)


@compiled(repeat)
def _repeat(a: Any, n: Any, axis: Any = None) -> Any:
    if not is_integer(n):
        return None
    if is_scalar(a) and constant(axis) is None:
        return lambda a, n, axis=None: repeat(np.full(1, a), n)
    if not is_array(a):
        return None
    if constant(axis) is None:

        def repeat_all(a: Any, n: Any, axis: Any = None) -> Any:
            if n < 0:
                raise ValueError("repeats may not contain negative values.")
            return repeat_middle(flat(a), 1, a.size, 1, n)

        return repeat_all
    ndim, position = a.ndim, axis_of(axis, a.ndim)

    def repeat_axis(a: Any, n: Any, axis: Any = None) -> Any:
        if n < 0:
            raise ValueError("repeats may not contain negative values.")
        rows, count = product(a.shape, 0, position), a.shape[position]
        out = repeat_middle(flat(a), rows, count, product(a.shape, position + 1, ndim), n)
        return shaped(out, tuple_setitem(a.shape, position, count * n))

    return repeat_axis
