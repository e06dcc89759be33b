"""Stacks: what a loop of unknown length keeps, one value an iteration. They grow in place, and are never rebound.

Numba sees a stack as a reference-counted memory block of its own kind that can be moved, as its lists are; the block
knows its address and its size. `contents` is an array in that block, which the stack must not outgrow while it is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed, impl_ret_new_ref
from numba.core.runtime.nrtdynmod import _meminfo_struct_type
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from pullback.runtime.codegen.compiled import compiled, dtype_of, element_type

SMALLEST = 16
_DATA, _SIZE = 3, 4  # fields of Numba's memory block


class Stack:
    """Room for values of one dtype, which is made as they come."""

    __slots__ = ("values",)

    def __init__(self, dtype: Any) -> None:
        self.values = np.empty(SMALLEST, dtype)


def growing(dtype: Any) -> Stack:
    """A stack of this dtype."""
    return Stack(dtype)


def keep(stack: Stack, k: int, value: Any) -> None:
    """Stores `value` as the k-th of a stack; k is not negative."""
    if k >= stack.values.shape[0]:
        larger = np.empty(2 * k, stack.values.dtype)
        larger[: stack.values.shape[0]] = stack.values
        stack.values = larger
    stack.values[k] = value


def contents(stack: Stack, count: int) -> Any:
    """View of the first `count` values of a stack."""
    return stack.values[:count]


def _fields(context: Any, builder: Any, block: Any, itemsize: int) -> tuple[Any, Any, Any]:
    """Where a block's address and its size in bytes stand, and the size of an element."""
    record = builder.bitcast(block, _meminfo_struct_type.as_pointer())
    address, size = (cgutils.gep_inbounds(builder, record, 0, field) for field in (_DATA, _SIZE))
    return address, size, context.get_constant(types.intp, itemsize)


@intrinsic
def new_block(context: Any, dtype: Any) -> Any:
    """A block with room for the first values."""
    element = element_type(dtype_of(dtype.dtype))
    result = types.MemInfoPointer(element)

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        itemsize = context.get_abi_sizeof(context.get_data_type(element))
        size = context.get_constant(types.intp, SMALLEST * itemsize)
        return impl_ret_new_ref(context, builder, result, context.nrt.meminfo_new_varsize(builder, size))

    return result(dtype), build


@intrinsic
def keep_in_block(context: Any, block: Any, k: Any, value: Any) -> Any:
    """Stores the k-th value; in a block that has been made larger and moved, if it had no room."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, number, item = arguments
        element = context.get_data_type(block.dtype)
        address, size, itemsize = _fields(context, builder, pointer, context.get_abi_sizeof(element))
        offset = builder.mul(number, itemsize)
        with builder.if_then(builder.icmp_unsigned(">=", offset, builder.load(size)), likely=False):
            larger = builder.mul(builder.add(offset, itemsize), ir.Constant(itemsize.type, 2))
            context.nrt.meminfo_varsize_realloc(builder, pointer, larger)
        place = builder.gep(builder.bitcast(builder.load(address), element.as_pointer()), [number])
        context.pack_value(builder, block.dtype, item, place)
        return context.get_dummy_value()

    return types.none(block, types.intp, block.dtype), build


@intrinsic
def block_as_array(context: Any, block: Any, count: Any) -> Any:
    """The first `count` values of a block as an array that shares it."""
    result = types.Array(block.dtype, 1, "C")

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer, length = arguments
        element = context.get_data_type(block.dtype)
        address, _, itemsize = _fields(context, builder, pointer, context.get_abi_sizeof(element))
        made = make_array(result)(context, builder)
        populate_array(
            made,
            data=builder.bitcast(builder.load(address), element.as_pointer()),
            shape=[length],
            strides=[itemsize],
            itemsize=itemsize,
            meminfo=pointer,
        )
        return impl_ret_borrowed(context, builder, result, made._getvalue())

    return result(block, types.intp), build


@compiled(growing, prefer_literal=False)
def _growing(dtype: Any) -> Any:
    return lambda dtype: new_block(dtype)


@compiled(keep, prefer_literal=False)
def _keep(stack: Any, k: Any, value: Any) -> Any:
    return lambda stack, k, value: keep_in_block(stack, k, value)


@compiled(contents, prefer_literal=False)
def _contents(stack: Any, count: Any) -> Any:
    return lambda stack, count: block_as_array(stack, count)
