"""Growing 1-d buffers for residuals whose number is not known in advance."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, is_array, kernel
from pullback.runtime.memory.copying import copy_alike
from pullback.runtime.memory.strided import flat, integer_tuple, product, shaped

SMALLEST = 16


@kernel
def grown(buffer: Any, size: int) -> Any:
    """Copy of `buffer` with at least `size` elements: doubled until they fit."""
    capacity = max(2 * buffer.shape[0], SMALLEST)
    while capacity < size:
        capacity *= 2
    larger = np.empty(capacity, buffer.dtype)
    for i in range(buffer.shape[0]):
        larger[i] = buffer[i]
    return larger


def push(buffer: Any, k: Any, value: Any) -> Any:
    """`buffer` with buffer[k] = value stored in place; a larger copy, of at least twice the size, if it is full."""
    if k >= buffer.shape[0]:
        buffer = grown(buffer, k + 1)
    buffer[k] = value
    return buffer


@compiled(push, prefer_literal=False)
def _push(buffer: Any, k: Any, value: Any) -> Any:
    def store(buffer: Any, k: Any, value: Any) -> Any:
        if k >= buffer.shape[0]:
            buffer = grown(buffer, k + 1)
        if k < 0:
            raise IndexError("push outside the buffer")
        buffer[k] = value
        return buffer

    return store


def reserve(buffer: Any, size: Any) -> Any:
    """`buffer`, or a larger copy with room for `size` elements, of at least twice the size."""
    return buffer if size <= buffer.shape[0] else grown(buffer, size)


@compiled(reserve, prefer_literal=False)
def _reserve(buffer: Any, size: Any) -> Any:
    def room(buffer: Any, size: Any) -> Any:
        if size > buffer.shape[0]:
            buffer = grown(buffer, size)
        return buffer

    return room


def push_row(buffer: Any, k: Any, row: Any) -> Any:
    """`buffer` with buffer[k] = row stored in place; a larger copy if it is full. All rows have one shape.

    Raises ValueError where a row has another shape than those before it.
    """
    if buffer.shape[0] == 0:
        buffer = np.zeros((SMALLEST, *row.shape), buffer.dtype)
    if buffer.shape[1:] != row.shape:
        raise ValueError("the arrays in this list do not have one shape: fill them up, or join them")
    if k >= buffer.shape[0]:
        larger = np.zeros((2 * buffer.shape[0], *buffer.shape[1:]), buffer.dtype)
        larger[: buffer.shape[0]] = buffer
        buffer = larger
    buffer[k] = row
    return buffer


@compiled(push_row, prefer_literal=False)
def _push_row(buffer: Any, k: Any, row: Any) -> Any:
    if not is_array(row):
        return None

    def store(buffer, k, row):
        if buffer.shape[0] == 0:
            buffer = np.zeros((SMALLEST,) + row.shape, buffer.dtype)
        if buffer.shape[1:] != row.shape:
            raise ValueError("the arrays in this list do not have one shape: fill them up, or join them")
        if k >= buffer.shape[0]:
            larger = np.zeros((2 * buffer.shape[0],) + row.shape, buffer.dtype)
            copy_alike(larger[: buffer.shape[0]], buffer)
            buffer = larger
        copy_alike(buffer[k], row)
        return buffer

    return store


def push_block(buffer: Any, top: Any, block: Any) -> Any:
    """`buffer` with the elements of the array `block` stored from `top` on; a larger copy if they do not fit."""
    if top + block.size > buffer.shape[0]:
        buffer = grown(buffer, top + block.size)
    buffer[top : top + block.size] = block.ravel()
    return buffer


@compiled(push_block, prefer_literal=False)
def _push_block(buffer: Any, top: Any, block: Any) -> Any:
    if not is_array(block):
        return None

    def store(buffer: Any, top: Any, block: Any) -> Any:
        values = flat(block)
        if top < 0:
            raise IndexError("push outside the buffer")
        if top + values.size > buffer.shape[0]:
            buffer = grown(buffer, top + values.size)
        for i in range(values.size):
            buffer[top + i] = values[i]
        return buffer

    return store


def block_of(buffer: Any, top: Any, shape: Any) -> Any:
    """View of the elements of `buffer` from `top` on as an array of `shape`, as `push_block` stored them.

    Of an array that had no value nothing was stored, and nobody reads what this gives.
    """
    size = int(np.prod(shape))
    block = buffer[top : top + size]
    return (block if block.size == size else np.zeros(size, buffer.dtype)).reshape(shape)


@compiled(block_of, prefer_literal=False)
def _block_of(buffer: Any, top: Any, shape: Any) -> Any:
    def block(buffer: Any, top: Any, shape: Any) -> Any:
        target = integer_tuple(shape)
        size = product(target, 0, len(target))
        values = buffer[top : top + size]
        if values.size < size:
            values = np.zeros(size, buffer.dtype)
        return shaped(values, target)

    return block
