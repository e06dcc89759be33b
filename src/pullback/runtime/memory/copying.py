"""Whole arrays stored into parts of others. Numba's own assignment takes seconds to compile, for its error message."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from pullback.runtime.codegen.borrowed_arguments import overload_with_borrowed
from pullback.runtime.codegen.compiled import is_array
from pullback.runtime.memory.strided import flat_to


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
    out[...] = value


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
