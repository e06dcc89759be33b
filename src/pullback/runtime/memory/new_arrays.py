"""New arrays: what `np.empty`, `np.zeros` and their like are in compiled code. Numba's own take ten times as long to
compile, and stand in full wherever they are called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, impl_ret_new_ref
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numba.np.numpy_support import as_dtype

from pullback.runtime.codegen.array_expressions import PARTS
from pullback.runtime.codegen.compiled import compiled, is_array, is_integer, is_scalar, kernel
from pullback.runtime.codegen.substitution import OWN
from pullback.runtime.memory.strided import (
    broadcast_strides,
    common_shape,
    integer_tuple,
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


# Compiled code finds ours under the names of NumPy, and calls Numba's under these.
numpy_empty, numpy_zeros, numpy_empty_like, numpy_zeros_like = np.empty, np.zeros, np.empty_like, np.zeros_like
numpy_ones, numpy_full, numpy_eye, numpy_arange = np.ones, np.full, np.eye, np.arange
PARTS |= {made.__name__: made for made in (common_shape, broadcast_strides, empty, shaped, load_at)}
OWN |= {made.__name__: made for made in (empty, zeros, empty_like, zeros_like, ones, full, eye, arange)}


def bytes_of(sizes: Any, itemsize: int) -> int:
    """The bytes of an array of these sizes. ValueError where NumPy raises it."""
    for size in sizes:
        if size < 0:
            raise ValueError("negative dimensions are not allowed")
        # Divided only where the product of two words might be too large.
        if (size | itemsize) >= 2**31 and size > 0 and itemsize > LARGEST // size:
            raise ValueError("array is too big")
        itemsize *= size
    return itemsize


@compiled(bytes_of, prefer_literal=False)
def _bytes_of(sizes: Any, itemsize: Any) -> Any:
    return bytes_of if len(sizes) else lambda sizes, itemsize: itemsize


@intrinsic
def new_block(context: Any, like: Any, size: Any) -> Any:
    """Memory of some bytes for elements of this type. MemoryError if there is none."""
    result = types.MemInfoPointer(like.dtype)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        align = ir.Constant(ir.IntType(32), context.get_preferred_array_alignment(like.dtype))
        block = context.nrt.meminfo_alloc_aligned(builder, arguments[1], align)
        return impl_ret_new_ref(context, builder, result, block)

    return result(like, types.intp), build


@intrinsic
def array_in(context: Any, block: Any, sizes: Any) -> Any:
    """The C-contiguous array of these sizes that a block of memory holds."""
    result = types.Array(block.dtype, len(sizes), "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, shape = arguments
        element = context.get_data_type(block.dtype)
        lengths = cgutils.unpack_tuple(builder, shape, len(sizes))
        itemsize = context.get_constant(types.intp, context.get_abi_sizeof(element))
        made = make_array(result)(context, builder)
        populate_array(
            made,
            data=builder.bitcast(context.nrt.meminfo_data(builder, pointer), element.as_pointer()),
            shape=lengths,
            strides=strides_in_c_order(builder, lengths, itemsize),
            itemsize=itemsize,
            meminfo=pointer,
        )
        return impl_ret_borrowed(context, builder, result, made._getvalue())

    return result(block, sizes), build


@intrinsic
def cleared(context: Any, array: Any) -> Any:
    """The C-contiguous array, whose bytes are 0 now."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = make_array(array)(context, builder, arguments[0])
        cgutils.memset(builder, made.data, builder.mul(made.nitems, made.itemsize), 0)
        return impl_ret_borrowed(context, builder, array, arguments[0])

    return array(array), build


def element_of(dtype: Any) -> Any:
    return types.float64 if dtype is None or isinstance(dtype, types.Omitted) else parse_dtype(dtype)


def itemsize_of(element: Any) -> int:
    return int(as_dtype(element).itemsize)


@compiled(empty, prefer_literal=False, inlined=True)
def _empty(shape: Any, dtype: Any = None) -> Any:
    element = element_of(dtype)
    if element is None or parse_shape(shape) is None:
        return lambda shape, dtype=np.float64: numpy_empty(shape, dtype)
    itemsize = itemsize_of(element)

    def made(shape, dtype=np.float64):
        sizes = integer_tuple(shape)
        return array_in(new_block(element, bytes_of(sizes, itemsize)), sizes)

    return made


@compiled(zeros, prefer_literal=False, inlined=True)
def _zeros(shape: Any, dtype: Any = None) -> Any:
    element = element_of(dtype)
    if element is None or parse_shape(shape) is None:
        return lambda shape, dtype=np.float64: numpy_zeros(shape, dtype)
    return lambda shape, dtype=np.float64: cleared(empty(shape, element))


@compiled(empty_like, prefer_literal=False, inlined=True)
def _empty_like(x: Any, dtype: Any = None) -> Any:
    if dtype is not None or not is_array(x) or x.layout == "F":
        return lambda x, dtype=None: numpy_empty_like(x, dtype)
    return lambda x: empty(x.shape, x.dtype)


@compiled(zeros_like, prefer_literal=False, inlined=True)
def _zeros_like(x: Any, dtype: Any = None) -> Any:
    if dtype is not None or not is_array(x) or x.layout == "F":
        return lambda x, dtype=None: numpy_zeros_like(x, dtype)
    return lambda x: zeros(x.shape, x.dtype)


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
    if M is not None or not isinstance(k, int) or dtype is not None or not is_integer(N):
        return lambda N, M=None, k=0, dtype=np.float64: numpy_eye(N, M, k, dtype)

    def made(N: int) -> Any:
        out = zeros((N, N))
        for i in range(N):
            out[i, i] = 1.0
        return out

    return made


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
