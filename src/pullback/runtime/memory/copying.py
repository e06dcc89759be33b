"""Whole arrays stored into parts of others. Numba's own assignment takes seconds to compile, for its error message."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from pullback.runtime.codegen.borrowed_arguments import overload_with_borrowed
from pullback.runtime.codegen.compiled import compiled, is_array, kernel
from pullback.runtime.codegen.slice_assignment import HELPER
from pullback.runtime.memory.strided import (
    address,
    broadcast_strides,
    collect,
    flat_to,
    load_at,
    product,
    shaped,
    store_at,
    view,
)


def copy_into(out: Any, value: Any) -> None:
    """out[...] = value, also where they share memory. Raises ValueError if `value` cannot be broadcast."""
    out[...] = value


def none_for_arrays(out: Any, value: Any) -> Any:
    return types.none if is_array(out) and is_array(value) and value.ndim <= out.ndim else None


def copy_for(out: Any, value: Any) -> Any:
    if out.dtype != value.dtype or out.layout != "C":
        return copy_elements
    return copy_bytes if value.layout == "C" and value.ndim == out.ndim else copy_collected


overload_with_borrowed(copy_into, none_for_arrays, copy_for, 2)


def copy_alike(out: Any, value: Any) -> None:
    """The same for arrays of one shape and dtype. Raises ValueError if the shapes differ."""
    if out.shape != value.shape:
        raise ValueError("the array that is stored has another shape than its place")
    out[...] = value


def equal_sizes_for(out: Any, value: Any) -> Any:
    return copy_block if out.layout == value.layout == "C" else copy_for(out, value)


overload_with_borrowed(copy_alike, none_for_arrays, equal_sizes_for, 2)


def add_alike(out: Any, value: Any) -> None:
    """out += value for arrays of one shape and dtype that share no memory. Raises ValueError if the shapes differ."""
    if out.shape != value.shape:
        raise ValueError("the array that is added has another shape than its place")
    out += value


def none_for_additions(out: Any, value: Any) -> Any:
    return types.none if is_array(out) and is_array(value) and out.ndim == value.ndim <= 2 else None


overload_with_borrowed(add_alike, none_for_additions, lambda out, value: add_vector if out.ndim == 1 else add_matrix, 2)


def add_vector(out: Any, value: Any) -> None:
    if out.shape != value.shape:
        raise ValueError("the array that is added has another shape than its place")
    for i in range(out.shape[0]):
        out[i] += value[i]


def add_matrix(out: Any, value: Any) -> None:
    if out.shape != value.shape:
        raise ValueError("the array that is added has another shape than its place")
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] += value[i, j]


def copy_block(out: Any, value: Any) -> None:
    if out.shape != value.shape:
        raise ValueError("the array that is stored has another shape than its place")
    move(out, value)


def copy_elements(out: Any, value: Any) -> None:
    strides = broadcast_strides(value.shape, value.strides, out.shape)
    if may_overlap(out, value):
        apart = shaped(collect(value, 0, out.shape, strides), out.shape)
        spread(out, apart, apart.strides)
    else:
        spread(out, value, strides)


def store_part(x: Any, index: Any, value: Any) -> None:
    """x[index] = value for an index of slices, integers, None and ... ; `x` and `value` may share memory."""
    part = x[index]
    if not lies_alike(part, value):  # as x[index] += y leaves it
        copy_into(part, value)


def lies_alike(a: Any, b: Any) -> bool:
    """Whether two arrays have their elements in the same places."""
    return a.shape == b.shape and a.strides == b.strides and a.ctypes.data == b.ctypes.data


@compiled(lies_alike)
def _lies_alike(a: Any, b: Any) -> Any:
    if a.ndim != b.ndim or a.dtype != b.dtype:
        return lambda a, b: False
    return lambda a, b: address(a) == address(b) and a.shape == b.shape and a.strides == b.strides


HELPER.append(store_part)


def spread(out: Any, value: Any, strides: Any) -> None:
    """Stores an array of these byte strides, which has the shape of `out`, into `out`, element by element."""
    out[...] = view(value, 0, out.shape, strides)


@compiled(spread)
def _spread(out: Any, value: Any, strides: Any) -> Any:
    return {1: spread_vector, 2: spread_matrix}.get(out.ndim, spread_rows)


def spread_vector(out: Any, value: Any, strides: Any) -> None:
    for i in range(out.shape[0]):
        store_at(out, i * out.strides[0], load_at(value, i * strides[0]))


def spread_matrix(out: Any, value: Any, strides: Any) -> None:
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            place = i * out.strides[0] + j * out.strides[1]
            store_at(out, place, load_at(value, i * strides[0] + j * strides[1]))


def spread_rows(out: Any, value: Any, strides: Any) -> None:
    axes = out.ndim
    rows, columns = product(out.shape, 0, axes - 1), out.shape[axes - 1]
    to, step = out.strides[axes - 1], strides[axes - 1]
    for row in range(rows):
        target = source = 0
        rest = row
        for axis in range(axes - 2, -1, -1):
            index = rest % out.shape[axis]
            target += index * out.strides[axis]
            source += index * strides[axis]
            rest //= out.shape[axis]
        for j in range(columns):
            store_at(out, target + j * to, load_at(value, source + j * step))


@kernel
def may_overlap(a, b):
    """Whether the memory between the first and the last bytes of two arrays is shared."""
    first, end = extent(a)
    other_first, other_end = extent(b)
    return first < other_end and other_first < end


@kernel
def extent(a):
    """The addresses of the first byte of an array, and of that after its last one."""
    first = end = address(a)
    for axis in range(a.ndim):
        length = (a.shape[axis] - 1) * a.strides[axis]
        first += min(length, 0)
        end += max(length, 0)
    return first, end + a.itemsize


def copy_bytes(out: Any, value: Any) -> None:
    if out.shape == value.shape:
        move(out, value)
    else:
        move(out, flat_to(value, out.shape))


def copy_collected(out: Any, value: Any) -> None:
    move(out, flat_to(value, out.shape))


@intrinsic
def move(context: Any, out: Any, value: Any) -> Any:
    """Copies the memory of an array into that of another; both are C-contiguous and equally large."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, source = (make_array(t)(context, builder, a) for t, a in zip(signature.args, arguments, strict=True))
        cgutils.raw_memmove(builder, target.data, source.data, target.nitems, target.itemsize)
        return context.get_dummy_value()

    return types.none(out, value), build
