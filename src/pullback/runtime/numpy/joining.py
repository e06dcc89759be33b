"""Arrays joined along an axis of theirs or along a new one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.cpython.unsafe.tuple import tuple_setitem

from pullback.runtime.codegen.compiled import (
    axis_of,
    compiled,
    constant,
    dtype_of,
    element_type,
    is_array,
    is_scalar,
    kernel,
    result_dtype,
)
from pullback.runtime.memory.strided import flat, item, permuted, product, store_at


def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """The arrays of a tuple joined along `axis`, in their common dtype. ValueError if the other lengths differ."""
    return np.concatenate(arrays, axis)


@kernel
def store_part(out: Any, offset: int, strides: Any, part: Any) -> None:
    """Stores the elements of `part` in the memory of `out` from byte `offset`, under `strides`."""
    values = flat(part)
    shape = part.shape
    axes = len(shape)
    columns = shape[axes - 1]
    step = strides[axes - 1]
    for row in range(product(shape, 0, axes - 1)):
        place = offset
        rest = row
        for axis in range(axes - 2, -1, -1):
            place += (rest % shape[axis]) * strides[axis]
            rest //= shape[axis]
        for j in range(columns):
            store_at(out, place + j * step, values[row * columns + j])


def store_parts(out: Any, parts: Any, axis: int, start: int) -> None:
    """Stores the parts one after the other along `axis` of `out`, from position `start` on."""
    raise NotImplementedError


@compiled(store_parts, prefer_literal=False)
def _store_parts(out: Any, parts: Any, axis: int, start: int) -> Any:
    if len(parts) == 0:
        return lambda out, parts, axis, start: None

    def store(out: Any, parts: Any, axis: Any, start: Any) -> Any:
        part = parts[0]
        for i in range(part.ndim):
            if i != axis and part.shape[i] != out.shape[i]:
                raise ValueError("all the input array dimensions except for the concatenation axis must match exactly")
        store_part(out, start * out.strides[axis], out.strides, part)
        store_parts(out, parts[1:], axis, start + part.shape[axis])

    return store


def lengths_along(parts: Any, axis: int) -> int:
    """Sum of the lengths of the parts along `axis`."""
    raise NotImplementedError


@compiled(lengths_along, prefer_literal=False)
def _lengths_along(parts: Any, axis: int) -> Any:
    if len(parts) == 1:
        return lambda parts, axis: parts[0].shape[axis]
    return lambda parts, axis: parts[0].shape[axis] + lengths_along(parts[1:], axis)


def raveled(arrays: Any) -> Any:
    """The elements of each array of a tuple in a row."""
    return tuple(np.ravel(a) for a in arrays)


@compiled(raveled)
def _raveled(arrays: Any) -> Any:
    if len(arrays) == 0:
        return lambda arrays: ()
    return lambda arrays: (flat(arrays[0]), *raveled(arrays[1:]))


@compiled(concatenate)
def _concatenate(arrays: Any, axis: Any = 0) -> Any:
    if not isinstance(arrays, types.BaseTuple) or not all(is_array(part) for part in arrays):
        return None
    if constant(axis) is None:
        return lambda arrays, axis=0: concatenate(raveled(arrays), 0)
    ndim = arrays[0].ndim
    if ndim == 0 or any(part.ndim != ndim for part in arrays):
        raise TypingError("all the input arrays must have the same number of dimensions, at least one")
    position = axis_of(axis, ndim)
    dtype = element_type(result_dtype(*arrays))

    def join(arrays: Any, axis: Any = 0) -> Any:
        shape = tuple_setitem(arrays[0].shape, position, lengths_along(arrays, position))
        out = np.empty(shape, dtype)
        store_parts(out, arrays, position, 0)
        return out

    return join


def stack(arrays: Any, axis: Any = 0) -> Any:
    """The arrays (or scalars) of a tuple joined along a new axis, in their common dtype. ValueError if they differ."""
    return np.stack(arrays, axis)


def store_layers(out: Any, shape: Any, strides: Any, step: int, parts: Any, k: int) -> None:
    """Stores the parts in `out` at byte k * step, (k + 1) * step, …, each of `shape`, under `strides`."""
    raise NotImplementedError


@compiled(store_layers, prefer_literal=False)
def _store_layers(out: Any, shape: Any, strides: Any, step: int, parts: Any, k: int) -> Any:
    if len(parts) == 0:
        return lambda out, shape, strides, step, parts, k: None

    if len(strides) == 0:

        def store_scalar(out: Any, shape: Any, strides: Any, step: Any, parts: Any, k: Any) -> Any:
            out[k] = item(parts[0], 0)
            store_layers(out, shape, strides, step, parts[1:], k + 1)

        return store_scalar

    def store(out: Any, shape: Any, strides: Any, step: Any, parts: Any, k: Any) -> Any:
        if parts[0].shape != shape:
            raise ValueError("all input arrays must have the same shape")
        store_part(out, k * step, strides, parts[0])
        store_layers(out, shape, strides, step, parts[1:], k + 1)

    return store


@compiled(stack)
def _stack(arrays: Any, axis: Any = 0) -> Any:
    if not isinstance(arrays, types.BaseTuple) or not all(is_array(part) or is_scalar(part) for part in arrays):
        return None
    ndims = {part.ndim if is_array(part) else 0 for part in arrays}
    if len(ndims) != 1:
        raise TypingError("all input arrays must have the same shape")
    ndim = ndims.pop() + 1
    position = axis_of(axis, ndim)
    dtype = element_type(np.result_type(*(dtype_of(part) for part in arrays)))
    count = len(arrays)
    if ndim == 1:

        def stack_scalars(arrays: Any, axis: Any = 0) -> Any:
            out = np.empty(count, dtype)
            store_layers(out, (), (), 0, arrays, 0)
            return out

        return stack_scalars
    ones = (*range(position), -count - 1, *range(position, ndim - 1))
    rest = tuple(i for i in range(ndim) if i != position)

    def stack_arrays(arrays: Any, axis: Any = 0) -> Any:
        out = np.empty(permuted(arrays[0].shape, ones), dtype)
        store_layers(out, arrays[0].shape, permuted(out.strides, rest), out.strides[position], arrays, 0)
        return out

    return stack_arrays
