"""New arrays: what `np.empty`, `np.zeros` and their like are in compiled code. Numba's own take ten times as long to
compile, and stand in full wherever they are called.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.np.arrayobj import make_array, populate_array, store_item
from numba.np.numpy_support import as_dtype

from pullback.runtime.codegen.array_expressions import PARTS
from pullback.runtime.codegen.callees import OPTIONS, Built, call, compiled_callee
from pullback.runtime.codegen.compiled import compiled, constant, is_array, is_integer, is_scalar, kernel
from pullback.runtime.codegen.substitution import OWN
from pullback.runtime.memory.strided import (
    broadcast_strides,
    common_shape,
    load_at,
    shaped,
    strides_in_c_order,
)

LARGEST = 2**63 - 1


def empty(shape: Any, dtype: Any = np.float64) -> Any:
    """np.empty(shape, dtype)."""
    return np.empty(shape, dtype)


def zeros(shape: Any, dtype: Any = np.float64) -> Any:
    """np.zeros(shape, dtype)."""
    return np.zeros(shape, dtype)


def local_empty(shape: Any, dtype: Any = np.float64) -> Any:
    """np.empty(shape, dtype) of a constant shape; compiled, in the frame of the caller, which it must not outlive."""
    return np.empty(shape, dtype)


def local_zeros(shape: Any, dtype: Any = np.float64) -> Any:
    """np.zeros(shape, dtype) in the same way."""
    return np.zeros(shape, dtype)


def column_empty(shape: Any, dtype: Any = np.float64) -> Any:
    """np.empty(shape, dtype) of a matrix, column by column in memory."""
    return np.empty(shape, dtype, order="F")


def column_zeros(shape: Any, dtype: Any = np.float64) -> Any:
    """np.zeros(shape, dtype) in the same way."""
    return np.zeros(shape, dtype, order="F")


def in_columns(x: Any) -> Any:
    """The matrix x column by column in memory."""
    return np.asfortranarray(x)


def in_rows(x: Any) -> Any:
    """The matrix x row by row in memory."""
    return np.ascontiguousarray(x)


def empty_like(x: Any) -> Any:
    """np.empty_like(x)."""
    return np.empty_like(x)


def zeros_like(x: Any) -> Any:
    """np.zeros_like(x)."""
    return np.zeros_like(x)


def ones(shape: Any, dtype: Any = np.float64) -> Any:
    """np.ones(shape, dtype)."""
    return np.ones(shape, dtype)


def full(shape: Any, fill_value: Any) -> Any:
    """np.full(shape, fill_value)."""
    return np.full(shape, fill_value)


def eye(n: int) -> Any:
    """np.eye(n)."""
    return np.eye(n)


def arange(stop: Any) -> Any:
    """np.arange(stop)."""
    return np.arange(stop)


def array(items: Any) -> Any:
    """np.array(items)."""
    return np.array(items)


# Compiled code finds ours under the names of NumPy, and calls Numba's under these.
numpy_empty, numpy_zeros, numpy_empty_like, numpy_zeros_like = np.empty, np.zeros, np.empty_like, np.zeros_like
numpy_ones, numpy_full, numpy_eye, numpy_arange, numpy_array = np.ones, np.full, np.eye, np.arange, np.array
PARTS |= {made.__name__: made for made in (common_shape, broadcast_strides, empty, shaped, load_at)}
OWN |= {made.__name__: made for made in (empty, zeros, empty_like, zeros_like, ones, full, eye, arange, array)}


@kernel
def grown(size: int, count: int) -> int:
    """The bytes of `count` times as much. ValueError where NumPy raises it."""
    if count < 0:
        raise ValueError("negative dimensions are not allowed")
    # Divided only where the product of two words might be too large.
    if (count | size) >= 2**31 and count > 0 and size > LARGEST // count:
        raise ValueError("array is too big")
    return size * count


def new_array(context: Any, builder: Any, result: Any, lengths: list[Any], clear: bool) -> Any:
    """A C-contiguous array of a type and lengths, all bytes 0 if `clear`. MemoryError if there is no room."""
    element = context.get_data_type(result.dtype)
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(element))
    size = itemsize
    for length in lengths:
        growth = compiled_callee(grown, (types.intp, types.intp), OPTIONS)
        size = call(context, builder, growth, [size, length])
    align = ir.Constant(ir.IntType(32), context.get_preferred_array_alignment(result.dtype))
    block = context.nrt.meminfo_alloc_aligned(builder, size, align)
    data = builder.bitcast(context.nrt.meminfo_data(builder, block), element.as_pointer())
    if clear:
        cgutils.memset(builder, data, size, 0)
    made = make_array(result)(context, builder)
    strides = strides_in_c_order(builder, lengths, itemsize)
    populate_array(made, data=data, shape=lengths, strides=strides, itemsize=itemsize, meminfo=block)
    return impl_ret_new_ref(context, builder, result, made._getvalue())


def built_of_shape(shape: Any, dtype: Any, clear: bool) -> Built | None:
    """What builds an array of a shape, an integer or a tuple of some; None for what Numba only knows."""
    element = element_of(dtype)
    items = tuple(shape) if isinstance(shape, types.BaseTuple) else (shape,)
    if element is None or not all(map(is_integer, items)):
        return None
    result = types.Array(element, len(items), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = signature.args[0]
        is_tuple = isinstance(given, types.BaseTuple)
        values = cgutils.unpack_tuple(builder, arguments[0], len(items)) if is_tuple else [arguments[0]]
        kinds = tuple(given) if is_tuple else (given,)
        lengths = [context.cast(builder, v, t, types.intp) for v, t in zip(values, kinds, strict=True)]
        return new_array(context, builder, result, lengths, clear)

    return Built(result, build)


def built_in_frame(shape: Any, dtype: Any, clear: bool) -> Built:
    """What takes an array of a constant shape from the caller's frame; it has no record of references."""
    lengths = constant(shape)
    result = types.Array(element_of(dtype), len(lengths), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_data_type(result.dtype)
        sizes = [context.get_constant(types.intp, length) for length in lengths]
        itemsize = context.get_abi_sizeof(element)
        with builder.goto_entry_block():
            room = builder.alloca(ir.ArrayType(element, math.prod(lengths)))
        room.align = context.get_preferred_array_alignment(result.dtype)
        data = builder.bitcast(room, element.as_pointer())
        if clear:
            cgutils.memset(builder, data, context.get_constant(types.intp, math.prod(lengths) * itemsize), 0)
        made = make_array(result)(context, builder)
        item = context.get_constant(types.intp, itemsize)
        strides = strides_in_c_order(builder, sizes, item)
        populate_array(made, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=None)
        return made._getvalue()

    return Built(result, build)


def built_like(x: Any, clear: bool) -> Built:
    result = types.Array(x.dtype, x.ndim, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lengths = cgutils.unpack_tuple(builder, make_array(x)(context, builder, arguments[0]).shape, x.ndim)
        return new_array(context, builder, result, lengths, clear)

    return Built(result, build)


def element_of(dtype: Any) -> Any:
    return types.float64 if dtype is None or isinstance(dtype, types.Omitted) else parse_dtype(dtype)


@compiled(empty, prefer_literal=False)
def _empty(shape: Any, dtype: Any = None) -> Any:
    built = built_of_shape(shape, dtype, clear=False)
    return built or (lambda shape, dtype=np.float64: numpy_empty(shape, dtype))


@compiled(zeros, prefer_literal=False)
def _zeros(shape: Any, dtype: Any = None) -> Any:
    built = built_of_shape(shape, dtype, clear=True)
    return built or (lambda shape, dtype=np.float64: numpy_zeros(shape, dtype))


@compiled(local_empty)
def _local_empty(shape: Any, dtype: Any = None) -> Any:
    return built_in_frame(shape, dtype, clear=False)


@compiled(local_zeros)
def _local_zeros(shape: Any, dtype: Any = None) -> Any:
    return built_in_frame(shape, dtype, clear=True)


@compiled(column_empty, prefer_literal=False)
def _column_empty(shape: Any, dtype: Any = None) -> Any:
    return lambda shape, dtype=np.float64: np.empty((shape[1], shape[0]), dtype).T


@compiled(column_zeros, prefer_literal=False)
def _column_zeros(shape: Any, dtype: Any = None) -> Any:
    return lambda shape, dtype=np.float64: np.zeros((shape[1], shape[0]), dtype).T


@compiled(in_columns, prefer_literal=False)
def _in_columns(x: Any) -> Any:
    return lambda x: np.asfortranarray(x)


@compiled(in_rows, prefer_literal=False)
def _in_rows(x: Any) -> Any:
    return lambda x: np.ascontiguousarray(x)


@compiled(empty_like, prefer_literal=False)
def _empty_like(x: Any, dtype: Any = None) -> Any:
    if dtype is not None or not is_array(x) or x.layout == "F":
        return lambda x, dtype=None: numpy_empty_like(x, dtype)
    return built_like(x, clear=False)


@compiled(zeros_like, prefer_literal=False)
def _zeros_like(x: Any, dtype: Any = None) -> Any:
    if dtype is not None or not is_array(x) or x.layout == "F":
        return lambda x, dtype=None: numpy_zeros_like(x, dtype)
    return built_like(x, clear=True)


@compiled(ones, prefer_literal=False)
def _ones(shape: Any, dtype: Any = None) -> Any:
    element = element_of(dtype)
    if element is None or parse_shape(shape) is None:
        return lambda shape, dtype=np.float64: numpy_ones(shape, dtype)
    one = as_dtype(element).type(1)
    return lambda shape, dtype=np.float64: filled(empty(shape, element), one)


@compiled(full, prefer_literal=False)
def _full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    if dtype is not None or parse_shape(shape) is None or not is_scalar(fill_value):
        return lambda shape, fill_value, dtype=None: numpy_full(shape, fill_value, dtype)
    element = types.unliteral(fill_value)
    return lambda shape, fill_value: filled(empty(shape, element), fill_value)


@kernel
def filled(array: Any, value: Any) -> Any:
    elements = shaped(array, (array.size,))
    for i in range(elements.size):
        elements[i] = value
    return array


@compiled(eye, prefer_literal=False)
def _eye(N: Any, M: Any = None, k: Any = 0, dtype: Any = None) -> Any:
    element = element_of(dtype)
    if M is not None or not isinstance(k, int) or element is None or not is_integer(N):
        return lambda N, M=None, k=0, dtype=np.float64: numpy_eye(N, M, k, dtype)

    def made(N: int, M: None = None, k: int = 0, dtype: Any = np.float64) -> Any:
        out = zeros((N, N), element)
        for i in range(N):
            out[i, i] = 1
        return out

    return made


@compiled(array, prefer_literal=False)
def _array(object: Any, dtype: Any = None) -> Any:
    items, lengths = items_in(object), lengths_of(object)
    kinds = set(map(types.unliteral, items))
    if dtype is not None or len(kinds) != 1 or lengths is None or not all(map(is_scalar, items)):
        return lambda object, dtype=None: numpy_array(object, dtype)
    (element,) = kinds
    result = types.Array(element, len(lengths), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        sizes = [context.get_constant(types.intp, length) for length in lengths]
        made = new_array(context, builder, result, sizes, clear=False)
        data = make_array(result)(context, builder, made).data
        for k, value in enumerate(values_in(builder, signature.args[0], arguments[0])):
            place = builder.gep(data, [context.get_constant(types.intp, k)])
            store_item(context, builder, result, value, place)
        return made

    return Built(result, build)


def items_in(t: Any) -> list[Any]:
    """The types of what nested tuples hold."""
    return [inner for item in t for inner in items_in(item)] if isinstance(t, types.BaseTuple) else [t]


def lengths_of(t: Any) -> tuple[int, ...] | None:
    """The lengths of the axes of nested tuples, None where they differ."""
    if not isinstance(t, types.BaseTuple):
        return ()
    inner = {lengths_of(item) for item in t}
    found = inner.pop() if len(inner) == 1 else None
    return None if found is None else (len(t), *found)


def values_in(builder: Any, t: Any, value: Any) -> Iterator[Any]:
    """The numbers in nested tuples, in order."""
    if not isinstance(t, types.BaseTuple):
        yield value
        return
    for item, part in zip(t, cgutils.unpack_tuple(builder, value, len(t)), strict=True):
        yield from values_in(builder, item, part)


def numbas_arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    made: Any = numpy_arange(start, stop, step, dtype)  # type: ignore[call-overload]
    return made


@compiled(arange, prefer_literal=False)
def _arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None) -> Any:
    if not (stop is step is dtype is None and is_integer(start) and start.signed and start.bitwidth == 64):
        return numbas_arange

    def made(start: int) -> Any:
        out = empty(max(start, 0), np.int64)
        for i in range(out.size):
            out[i] = i
        return out

    return made
