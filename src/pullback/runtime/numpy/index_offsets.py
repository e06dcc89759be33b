"""Indices of an array become the byte offsets of the elements that they select, and the shape of the result.

An index is cut into pieces, one for each axis of the result and one for all its arrays; the offsets are the sums of one
entry from each piece.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError

from pullback.runtime.codegen.compiled import is_array, is_integer, kernel
from pullback.runtime.memory.strided import common_shape, flat, flat_to, product


@kernel
def checked_index(k: int, n: int) -> int:
    """Non-negative form of the index `k` of an axis of length `n`. IndexError outside."""
    if k < -n or k >= n:
        raise IndexError("index is out of bounds for its axis")
    return k + n if k < 0 else k


@kernel
def outer_sum(a: Any, b: Any) -> Any:
    """1-d array of a[i] + b[j], `j` running faster."""
    if a.size == 1:
        b += a[0]
        return b
    out = np.empty(a.size * b.size, np.intp)
    for i in range(a.size):
        for j in range(b.size):
            out[i * b.size + j] = a[i] + b[j]
    return out


@kernel
def slice_offsets(bounds: Any, stride: int) -> Any:
    """Byte offsets of the positions of a slice, given as (start, stop, step)."""
    start, stop, step = bounds
    count = max(0, (stop - start + step - (1 if step > 0 else -1)) // step)
    out = np.empty(count, np.intp)
    for i in range(count):
        out[i] = (start + i * step) * stride
    return out


@kernel
def add_offsets(out: Any, indices: Any, n: int, stride: int) -> None:
    """Adds to `out` the byte offsets of the checked `indices` of an axis."""
    for i in range(out.size):
        out[i] += checked_index(indices[i], n) * stride


@kernel
def mask_positions(mask: Any) -> Any:
    """Positions of the true elements of a 1-d array."""
    count = 0
    for i in range(mask.size):
        if mask[i]:
            count += 1
    out = np.empty(count, np.intp)
    count = 0
    for i in range(mask.size):
        if mask[i]:
            out[count] = i
            count += 1
    return out


@kernel
def mask_offsets(mask: Any, shape: Any, strides: Any, first: int, rank: int) -> Any:
    """Byte offsets of the true elements of the flattened `mask` of the axes first, …, first + rank - 1."""
    out = mask_positions(mask)
    for i in range(out.size):
        rest, offset = out[i], 0
        for axis in range(first + rank - 1, first - 1, -1):
            offset += (rest % shape[axis]) * strides[axis]
            rest //= shape[axis]
        out[i] = offset
    return out


def is_mask(t: Any) -> bool:
    return is_array(t) and isinstance(t.dtype, types.Boolean)


def is_index_array(t: Any) -> bool:
    return is_array(t) and isinstance(t.dtype, types.Integer)


def is_slice(t: Any) -> bool:
    return isinstance(t, (types.SliceType, types.SliceLiteral))


def consumed(t: Any) -> int:
    """Number of axes that an item of an index stands for."""
    if is_mask(t):
        return t.ndim
    return 0 if isinstance(t, (types.NoneType, types.EllipsisType)) else 1


def placed(index: Any, ndim: int) -> list[tuple[int, Any, int]]:
    """(position in the tuple or -1 for a full slice, type, first axis) of each item, with `...` written out."""
    for t in index:
        if not (is_integer(t) or is_slice(t) or is_mask(t) or is_index_array(t) or consumed(t) == 0):
            raise TypingError(f"an index of type {t} is not supported")
    missing = ndim - sum(consumed(t) for t in index)
    if missing < 0:
        raise TypingError("too many indices for the array")
    full: list[tuple[int, Any]] = [(-1, None)] * missing
    items: list[tuple[int, Any]] = []
    has_ellipsis = False
    for k, t in enumerate(index):
        if isinstance(t, types.EllipsisType):
            if has_ellipsis:
                raise TypingError("an index can only have a single ellipsis ('...')")
            has_ellipsis = True
            items += full
        else:
            items.append((k, t))
    if not has_ellipsis:
        items += full
    result, axis = [], 0
    for k, t in items:
        result.append((k, t, axis))
        axis += 1 if t is None else consumed(t)
    return result


def pieces_of(index: Any, ndim: int) -> list[Any]:
    """Kernels (x, index) -> (offsets, shape), in the order of the axes of the result."""
    items = placed(index, ndim)
    arrays = [n for n, (_, t, _) in enumerate(items) if t is not None and (is_mask(t) or is_index_array(t))]
    advanced = [n for n, (_, t, _) in enumerate(items) if n in arrays or (t is not None and is_integer(t))]
    pieces = [
        basic_piece(*item)
        for n, item in enumerate(items)
        if not (arrays and n in advanced) and not is_whole_number(item)
    ]
    if not arrays:
        numbers = [number_piece(k, axis) for k, t, axis in items if t is not None and is_integer(t)]
        return numbers + pieces
    is_together = advanced == list(range(advanced[0], advanced[-1] + 1))
    position = advanced[0] if is_together else 0
    pieces.insert(position, advanced_piece([items[n] for n in advanced]))
    return pieces


def is_whole_number(item: tuple[int, Any, int]) -> bool:
    return item[1] is not None and is_integer(item[1])


def number_piece(k: int, axis: int) -> Any:
    def piece(x: Any, index: Any) -> Any:
        return np.full(1, checked_index(np.intp(index[k]), x.shape[axis]) * x.strides[axis]), ()

    return kernel(piece)


def basic_piece(k: int, t: Any, axis: int) -> Any:
    if isinstance(t, types.NoneType):
        return kernel(lambda x, index: (np.zeros(1, np.intp), (1,)))
    if t is None:

        def whole(x: Any, index: Any) -> Any:
            n = x.shape[axis]
            return slice_offsets((0, n, 1), x.strides[axis]), (n,)

        return kernel(whole)

    def part(x: Any, index: Any) -> Any:
        offsets = slice_offsets(index[k].indices(x.shape[axis]), x.strides[axis])
        return offsets, (offsets.size,)

    return kernel(part)


def advanced_piece(items: list[tuple[int, Any, int]]) -> Any:
    if len(items) == 1:
        k, t, axis = items[0]
        if is_mask(t):
            return mask_piece(k, axis, t.ndim)
        return array_piece(k, axis)
    if all(is_index_array(t) and t.ndim == 1 for _, t, _ in items):
        return vectors_piece([(k, axis) for k, _, axis in items])
    shapes = [index_shape(k, t) for k, t, _ in items]
    shape = shapes[0]
    for other in shapes[1:]:
        shape = common_shape_of(shape, other)
    add = nothing
    for k, t, axis in items:
        add = then_add(add, k, t, axis)

    def piece(x: Any, index: Any) -> Any:
        target = shape(index)
        out = np.zeros(product(target, 0, len(target)), np.intp)
        add(x, index, out, target)
        return out, target

    return kernel(piece)


def vectors_piece(items: list[tuple[int, int]]) -> Any:
    """Of arrays of one axis, given by their places in the index and the axes that they stand for."""
    offsets = first_offset
    for k, axis in items:
        offsets = then_vector(offsets, k, axis)

    def piece(x: Any, index: Any) -> Any:
        found = offsets(x, index)
        return found, (found.size,)

    return kernel(piece)


@kernel
def first_offset(x: Any, index: Any) -> Any:
    return np.zeros(1, np.intp)


def then_vector(before: Any, k: int, axis: int) -> Any:
    """Kernel of the offsets with those of one more array of one axis."""
    return kernel(lambda x, index: with_vector(before(x, index), index[k], x.shape[axis], x.strides[axis]))


@kernel
def with_vector(offsets: Any, indices: Any, n: int, stride: int) -> Any:
    """The offsets and those of the checked `indices` of an axis, spread over a common length. IndexError if none."""
    size = offsets.size if indices.size == 1 else indices.size
    if offsets.size != size and offsets.size != 1:
        raise IndexError("the arrays of an index could not be broadcast together")
    step, pace = 0 if offsets.size == 1 else 1, 0 if indices.size == 1 else 1
    out = np.empty(size, np.intp)
    for i in range(size):
        out[i] = offsets[i * step] + checked_index(indices[i * pace], n) * stride
    return out


def array_piece(k: int, axis: int) -> Any:
    def piece(x: Any, index: Any) -> Any:
        out = np.zeros(index[k].size, np.intp)
        add_offsets(out, flat(index[k]), x.shape[axis], x.strides[axis])
        return out, index[k].shape

    return kernel(piece)


def mask_piece(k: int, axis: int, rank: int) -> Any:
    def piece(x: Any, index: Any) -> Any:
        check_mask(index[k].shape, x.shape, axis)
        out = mask_offsets(flat(index[k]), x.shape, x.strides, axis, rank)
        return out, (out.size,)

    return kernel(piece)


@kernel
def check_mask(mask_shape: Any, shape: Any, first: int) -> None:
    for i in range(len(mask_shape)):
        if mask_shape[i] != shape[first + i]:
            raise IndexError("boolean index did not match indexed array")


def index_shape(k: int, t: Any) -> Any:
    """Kernel of an index: the shape of its item `k`, a mask counting as its true positions."""
    if is_mask(t):
        return kernel(lambda index: (mask_positions(flat(index[k])).size,))
    return kernel((lambda index: index[k].shape) if is_array(t) else (lambda index: ()))


def common_shape_of(a: Any, b: Any) -> Any:
    return kernel(lambda index: common_shape(a(index), b(index)))


@kernel
def nothing(x: Any, index: Any, out: Any, target: Any) -> None:
    """No offsets."""


def then_add(before: Any, k: int, t: Any, axis: int) -> Any:
    """Kernel that adds the offsets of one more item of an index of arrays."""
    if is_mask(t):
        rank = t.ndim

        def add_mask(x: Any, index: Any, out: Any, target: Any) -> Any:
            before(x, index, out, target)
            check_mask(index[k].shape, x.shape, axis)
            found = mask_offsets(flat(index[k]), x.shape, x.strides, axis, rank)
            out += flat_to(found, target)

        return kernel(add_mask)
    if is_array(t):

        def add_array(x: Any, index: Any, out: Any, target: Any) -> Any:
            before(x, index, out, target)
            add_offsets(out, flat_to(index[k], target), x.shape[axis], x.strides[axis])

        return kernel(add_array)

    def add_number(x: Any, index: Any, out: Any, target: Any) -> Any:
        before(x, index, out, target)
        out += checked_index(np.intp(index[k]), x.shape[axis]) * x.strides[axis]

    return kernel(add_number)


@functools.cache
def selection(index: Any, ndim: int) -> Any:
    """Kernel (x, index) -> (byte offsets, shape) of the selected elements in C order, for an array of `ndim` axes."""
    pieces = pieces_of(index, ndim)
    if not pieces:
        return kernel(lambda x, index: (np.zeros(1, np.intp), ()))
    combined = pieces[0]
    for piece in pieces[1:]:
        combined = combination(combined, piece)
    return combined


def combination(first: Any, second: Any) -> Any:
    def combined(x: Any, index: Any) -> Any:
        a, a_shape = first(x, index)
        b, b_shape = second(x, index)
        return outer_sum(a, b), a_shape + b_shape

    return kernel(combined)


def result_rank(x: Any, index: Any) -> int:
    """Rank of x[index]."""
    items = placed(index, x.ndim)
    arrays = [t for _, t, _ in items if t is not None and (is_mask(t) or is_index_array(t))]
    others = sum(1 for _, t, _ in items if t is None or isinstance(t, types.NoneType) or is_slice(t))
    return others + max((1 if is_mask(t) else t.ndim for t in arrays), default=0)
