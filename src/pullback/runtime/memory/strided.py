"""Array memory by byte offset: views with other shape and strides, loads and stores, copies of any layout."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic
from numba.np.arrayobj import load_item, make_array, populate_array, store_item

from pullback.runtime.codegen.compiled import compiled, constant, is_array, kernel


@intrinsic
def integer_tuple(context: Any, shape: Any) -> Any:
    """`shape` (an integer or a tuple of integers of any types) as a tuple of intp."""
    is_tuple = isinstance(shape, types.BaseTuple)
    items = tuple(shape) if is_tuple else (shape,)
    if not all(isinstance(types.unliteral(item), types.Integer) for item in items):
        return None
    result = types.UniTuple(types.intp, len(items)) if items else types.Tuple(())

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (value,) = arguments
        values = cgutils.unpack_tuple(builder, value, len(items)) if is_tuple else [value]
        cast = [context.cast(builder, v, t, types.intp) for v, t in zip(values, items, strict=True)]
        return context.make_tuple(builder, result, cast)

    return result(shape), build


@intrinsic
def view(context: Any, a: Any, offset: Any, shape: Any, strides: Any) -> Any:
    """The memory of `a` from byte `offset` with another shape and other byte strides; no check is made."""
    result = a.copy(ndim=len(shape), layout="C" if len(shape) == 0 else "A")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(a)(context, builder, arguments[0])
        made = make_array(result)(context, builder)
        populate_array(
            made,
            data=cgutils.pointer_add(builder, array.data, arguments[1], return_type=array.data.type),
            shape=cgutils.unpack_tuple(builder, arguments[2], len(shape)),
            strides=cgutils.unpack_tuple(builder, arguments[3], len(shape)),
            itemsize=array.itemsize,
            meminfo=array.meminfo,
            parent=array.parent,
        )
        return impl_ret_borrowed(context, builder, result, made._getvalue())

    return result(a, types.intp, shape, strides), build


@intrinsic
def shaped(context: Any, a: Any, shape: Any) -> Any:
    """The memory of a C-contiguous array with another shape of as many elements; no check is made."""
    result = a.copy(ndim=len(shape), layout="C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(a)(context, builder, arguments[0])
        made = make_array(result)(context, builder)
        lengths = cgutils.unpack_tuple(builder, arguments[1], len(shape))
        populate_array(
            made,
            data=array.data,
            shape=lengths,
            strides=strides_in_c_order(builder, lengths, array.itemsize),
            itemsize=array.itemsize,
            meminfo=array.meminfo,
            parent=array.parent,
        )
        return impl_ret_borrowed(context, builder, result, made._getvalue())

    return (result(a, shape), build) if a.layout == "C" else None


def strides_in_c_order(builder: Any, lengths: list[Any], itemsize: Any) -> list[Any]:
    """The strides in bytes of a C-contiguous array with axes of these lengths."""
    strides, step = [], itemsize
    for length in reversed(lengths):
        strides.append(step)
        step = builder.mul(step, length)
    return strides[::-1]


@intrinsic
def address(context: Any, array: Any) -> Any:
    """Where the first element of an array lies."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = make_array(signature.args[0])(context, builder, arguments[0])
        return builder.ptrtoint(made.data, ir.IntType(64))

    return types.intp(array), build


@intrinsic
def load_at(context: Any, a: Any, offset: Any) -> Any:
    """The element of `a` that starts `offset` bytes after its first one."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(a)(context, builder, arguments[0])
        place = cgutils.pointer_add(builder, array.data, arguments[1], return_type=array.data.type)
        return load_item(context, builder, a, place)

    return a.dtype(a, types.intp), build


@intrinsic
def store_at(context: Any, a: Any, offset: Any, value: Any) -> Any:
    """Stores `value` in the element of `a` that starts `offset` bytes after its first one."""
    if not a.mutable:
        return None

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = make_array(a)(context, builder, arguments[0])
        place = cgutils.pointer_add(builder, array.data, arguments[1], return_type=array.data.type)
        store_item(context, builder, a, arguments[2], place)
        return context.get_dummy_value()

    return types.none(a, types.intp, a.dtype), build


@kernel
def product(shape: Any, start: int, stop: int) -> int:
    """shape[start] * … * shape[stop - 1]."""
    n = 1
    for i in range(start, stop):
        n *= shape[i]
    return n


@kernel
def collect(a: Any, offset: int, shape: Any, strides: Any) -> Any:
    """Fresh 1-d array of the elements of view(a, offset, shape, strides) in C order."""
    axes = len(shape)
    rows = product(shape, 0, axes - 1)
    columns = shape[axes - 1]
    step = strides[axes - 1]
    out = np.empty(rows * columns, a.dtype)
    for row in range(rows):
        place = offset
        rest = row
        for axis in range(axes - 2, -1, -1):
            place += (rest % shape[axis]) * strides[axis]
            rest //= shape[axis]
        for j in range(columns):
            out[row * columns + j] = load_at(a, place + j * step)
    return out


@kernel
def vector_copy(a: Any) -> Any:
    """Fresh 1-d array of the elements of one."""
    out = np.empty(a.size, a.dtype)
    for i in range(a.size):
        out[i] = a[i]
    return out


def flat(a: Any) -> Any:
    """1-d array of the elements of `a` in C order: a view if `a` is C-contiguous, else a copy."""
    return np.ravel(a)


@compiled(flat, prefer_literal=False)
def _flat(a: Any) -> Any:
    if not is_array(a):
        return None
    if a.layout == "C":
        return (lambda a: a) if a.ndim == 1 else lambda a: shaped(a, (a.size,))
    if a.ndim == 1:
        return lambda a: vector_copy(a)
    return lambda a: collect(a, 0, a.shape, a.strides)


NEW_AXIS = -2  # stands for the constant 1 in the order given to `permuted`
NO_STRIDE = -1  # stands for the constant 0


@intrinsic(prefer_literal=True)
def permuted(context: Any, items: Any, order: Any) -> Any:
    """Tuple of items[order[0]], items[order[1]], … for a constant `order`; an entry -k gives k - 1.

    So `permuted((5, 6), (1, NEW_AXIS, 0))` is (6, 1, 5).
    """
    picks = constant(order)
    result = types.UniTuple(types.intp, len(picks)) if picks else types.Tuple(())

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = cgutils.unpack_tuple(builder, arguments[0], len(items))
        chosen = [values[k] if k >= 0 else context.get_constant(types.intp, -k - 1) for k in picks]
        return context.make_tuple(builder, result, chosen)

    return result(items, order), build


@kernel
def broadcast_strides(shape: Any, strides: Any, target: Any) -> Any:
    """Byte strides under which an array of `shape` and `strides` fills `target`; ValueError if it cannot."""
    result = target
    lead = len(target) - len(shape)
    for i in range(len(target)):
        step = 0
        if i >= lead:
            n = shape[i - lead]
            if n == target[i]:
                step = strides[i - lead]
            elif n != 1:
                raise ValueError("operands could not be broadcast together")
        result = tuple_setitem(result, i, step)
    return result


@kernel
def common_shape_of_two(a: Any, b: Any) -> Any:
    """Broadcast shape of two shapes, len(a) >= len(b); ValueError if there is none."""
    lead = len(a) - len(b)
    for i in range(len(b)):
        n = b[i]
        if n != 1:
            if a[i + lead] != 1 and a[i + lead] != n:
                raise ValueError("operands could not be broadcast together")
            a = tuple_setitem(a, i + lead, n)
    return a


def common_shape(a: Any, b: Any) -> Any:
    """Broadcast shape of two shapes; ValueError if there is none."""
    return np.broadcast_shapes(a, b)


@compiled(common_shape, prefer_literal=False)
def _common_shape(a: Any, b: Any) -> Any:
    if len(b) == 0:
        return lambda a, b: a
    if len(a) == 0:
        return lambda a, b: b
    if len(a) >= len(b):
        return lambda a, b: common_shape_of_two(a, b)
    return lambda a, b: common_shape_of_two(b, a)


def same_shape(a: Any, b: Any) -> bool:
    """Whether two shapes are equal."""
    return tuple(a) == tuple(b)


@compiled(same_shape, prefer_literal=False)
def _same_shape(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        return lambda a, b: False
    if len(a) == 0:
        return lambda a, b: True
    return lambda a, b: a == b


def flat_to(a: Any, shape: Any) -> Any:
    """1-d array of the elements of `a` broadcast to `shape`: a view where that is possible, else a copy."""
    return np.ravel(np.broadcast_to(a, shape))


@compiled(flat_to, prefer_literal=False)
def _flat_to(a: Any, shape: Any) -> Any:
    if not is_array(a):
        return None
    if a.ndim > len(shape):
        raise TypingError("an array cannot be broadcast to fewer dimensions")
    if len(shape) == 0:
        return lambda a, shape: shaped(a, (1,))
    if a.ndim == 0:

        def fill(a: Any, shape: Any) -> Any:
            return np.full(product(shape, 0, len(shape)), a[()])

        return fill
    if a.ndim == len(shape) == 1:

        def repeat(a: Any, shape: Any) -> Any:
            if a.size == shape[0]:
                return flat(a)
            if a.size != 1:
                raise ValueError("operands could not be broadcast together")
            return np.full(shape[0], a[0])

        return repeat
    if a.ndim == len(shape) and a.layout == "C":

        def reuse(a: Any, shape: Any) -> Any:
            if a.shape == shape:
                return shaped(a, (a.size,))
            return collect(a, 0, shape, broadcast_strides(a.shape, a.strides, shape))

        return reuse
    return lambda a, shape: collect(a, 0, shape, broadcast_strides(a.shape, a.strides, shape))


def item(a: Any, i: Any) -> Any:
    """Element `i` of a 1-d or 0-d array; a scalar is returned as it is."""
    return np.ravel(a)[i] if np.ndim(a) else a


@compiled(item, prefer_literal=False)
def _item(a: Any, i: Any) -> Any:
    if not is_array(a):
        return lambda a, i: a
    if a.ndim == 0:
        return lambda a, i: a[()]
    return lambda a, i: a[i]
