"""Functions of NumPy that join, repeat, insert and leave out: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, before, is_number, place_of, shape_along


@composes(np.append)
def append(arr, values, axis=None):
    """The values behind those of an array, both flattened where no axis is named."""
    arr, values = as_array(arr), as_array(values)
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((arr, values), axis=axis)


@composes(np.dstack)
def dstack(tup):
    """Arrays one behind the other along the third axis."""
    parts = []
    for array in tup:
        parts.append(np.atleast_3d(array))
    return np.concatenate(tuple(parts), axis=2)


@composes(np.column_stack)
def column_stack(tup):
    """Vectors as columns beside each other, and beside the columns of matrices."""
    parts = []
    for array in tup:
        array = as_array(array)
        parts.append(np.reshape(array, (-1, 1)) if np.ndim(array) < 2 else array)
    return np.concatenate(tuple(parts), axis=1)


@composes(np.block)
def block(arrays):
    """Nested lists of arrays, the innermost joined along the last axis."""
    depth = depth_of(arrays)
    return blocks(arrays, depth, max(depth, most_axes(arrays)))


def depth_of(arrays):
    """How deep lists are nested."""
    return 1 + depth_of_first(arrays) if isinstance(arrays, list) else 0


def depth_of_first(arrays):
    """How deep lists are nested in the first item."""
    return 1 + depth_of_row(arrays[0]) if isinstance(arrays[0], list) else 0


def depth_of_row(arrays):
    """How deep lists are nested in the first item of the first item."""
    return 1 if isinstance(arrays[0], list) else 0


def most_axes(arrays):
    """The most axes of any array in lists that are nested twice at the most."""
    if not isinstance(arrays, list):
        return np.ndim(arrays)
    ranks = [0]
    for row in arrays:
        if isinstance(row, list):
            for cell in row:
                ranks.append(np.ndim(as_array(cell)))
        else:
            ranks.append(np.ndim(row))
    return largest_of(ranks)


@planning
def largest_of(ranks):
    """The largest of these numbers."""
    return max(ranks)


def blocks(arrays, depth, rank):
    """The arrays of lists that are nested so deep, joined, with so many axes."""
    if depth == 0:
        return np.copy(of_rank(arrays, rank))
    if depth > 2:
        return refused("np.block is followed for lists in lists, and no deeper")
    rows = []
    for row in arrays:
        if depth == 1:
            rows.append(of_rank(row, rank))
        else:
            cells = []
            for cell in row:
                cells.append(of_rank(cell, rank))
            rows.append(np.concatenate(tuple(cells), axis=-1))
    return np.concatenate(tuple(rows), axis=-depth)


def of_rank(array, rank):
    """An array with axes of one element before its own."""
    array = as_array(array)
    return np.reshape(array, axes_of_one(rank - np.ndim(array)) + np.shape(array))


@planning
def axes_of_one(count):
    """So many axes of one element."""
    return (1,) * max(count, 0)


@composes(np.resize)
def resize(a, new_shape):
    """The elements in a row, again and again until the shape is full. Raises ValueError for negative sizes."""
    a = np.ravel(as_array(a))
    shape = (new_shape,) if is_number(new_shape) else tuple(new_shape)
    count = 1
    for extent in shape:
        if extent < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        count = count * extent
    if a.shape[0] == 0:
        return np.zeros(shape, dtype=a.dtype)
    return np.reshape(a[np.arange(count) % a.shape[0]], shape)


@composes(np.delete)
def delete(arr, obj, axis=None):
    """The elements of an axis but those at positions, in a slice or where a mask is true."""
    arr = as_array(arr)
    if axis is None:
        arr = np.ravel(arr)
        axis = 0
    whole, extent = before(axis, np.ndim(arr)), np.shape(arr)[axis]
    kept = np.ones(extent, dtype=np.bool_)
    if isinstance(obj, slice):
        kept[obj] = False
    elif is_number(obj):
        if obj < -extent or obj >= extent:
            raise IndexError("index is out of bounds for the axis")
        place = obj + extent if obj < 0 else obj
        return np.concatenate((arr[*whole, :place], arr[*whole, place + 1 :]), axis=axis)
    else:
        obj = positions_in(obj)
        if obj.dtype == np.bool_ and np.shape(obj)[0] != extent:
            raise ValueError("boolean array argument obj to delete must be one dimensional and match the axis length")
        kept[obj] = False
    return arr[*whole, np.flatnonzero(kept)]


def positions_in(obj):
    """Positions as an array; no positions are integers too."""
    return np.zeros(0, dtype=np.int64) if isinstance(obj, (list, tuple)) and len(obj) == 0 else as_array(obj)


@composes(np.insert)
def insert(arr, obj, values, axis=None):
    """The elements of an axis with others before positions, which count without those that are inserted."""
    arr = as_array(arr)
    if axis is None:
        arr = np.ravel(arr)
        axis = -1
    axis = place_of(axis, np.ndim(arr))
    extent, values = np.shape(arr)[axis], as_array(values)
    if isinstance(obj, slice):
        obj = np.arange(extent)[obj]
    if is_number(obj):
        if obj < -extent or obj > extent:
            raise IndexError("index is out of bounds for the axis")
        place = obj + extent if obj < 0 else obj
        if np.ndim(values) > 0:
            values = np.moveaxis(of_rank(values, np.ndim(arr)), 0, axis)
        return between(arr, place, values, axis)
    obj = as_array(obj)
    if obj.dtype == np.bool_:
        obj = np.flatnonzero(obj)
    if np.any(obj < -extent) or np.any(obj > extent):
        raise IndexError("index is out of bounds for the axis")
    return spread(arr, np.where(obj < 0, obj + extent, obj), values, axis)


def between(arr, place, values, axis):
    """The array with values before one position of an axis: a number for the whole line, or what fits beside it."""
    whole = before(axis, np.ndim(arr))
    count = np.shape(values)[axis] if np.ndim(values) > 0 else 1
    new = np.broadcast_to(values, shape_along(arr, axis, count)).astype(arr.dtype)
    return np.concatenate((arr[*whole, :place], new, arr[*whole, place:]), axis=axis)


def spread(arr, places, values, axis):
    """The array with one value before each of the positions of an axis."""
    whole, count, extent = before(axis, np.ndim(arr)), places.shape[0], np.shape(arr)[axis]
    new = np.broadcast_to(values, shape_along(arr, axis, count)).astype(arr.dtype)
    order = np.argsort(places, kind="stable")
    at = np.empty(count, dtype=np.int64)
    at[order] = places[order] + np.arange(count)
    source = np.ones(extent + count, dtype=np.int64)
    source[at] = 0
    source = np.cumsum(source) - 1
    source[at] = extent + np.arange(count)
    return np.concatenate((arr, new), axis=axis)[*whole, source]


@composes(np.unstack)
def unstack(x, /, *, axis=0):
    """The parts of an array along an axis, as a tuple: so many as only the run knows."""
    return refused("np.unstack gives as many arrays as only the run knows: unpack, index or iterate over the array")


@planning
def refused(reason):
    """Raises NotImplementedError."""
    raise NotImplementedError(reason)


# Lists whose length the run decides: their arrays are the rows of one


def rows_stacked(rows, axis=0):
    """np.stack of the rows."""
    check_some(rows, "need at least one array to stack")
    return np.moveaxis(rows, 0, axis)


def rows_concatenated(rows, axis=0):
    """np.concatenate of the rows."""
    check_some(rows, "need at least one array to concatenate")
    if axis is None:
        return np.ravel(rows)
    if axis < 0:
        axis = axis + np.ndim(rows) - 1
    parts = np.moveaxis(rows, 0, axis)
    shape = np.shape(parts)
    return np.reshape(parts, shape[:axis] + (shape[axis] * shape[axis + 1],) + shape[axis + 2 :])


def rows_below_each_other(tup):
    """np.vstack of the rows."""
    check_some(tup, "need at least one array to concatenate")
    if np.ndim(tup) > 2:
        return rows_concatenated(tup)
    return np.reshape(tup, (-1, 1)) if np.ndim(tup) == 1 else np.copy(tup)


def rows_beside_each_other(tup):
    """np.hstack of the rows."""
    check_some(tup, "need at least one array to concatenate")
    return rows_concatenated(tup, 1) if np.ndim(tup) > 2 else np.ravel(tup)


def rows_as_columns(tup):
    """np.column_stack of the rows."""
    check_some(tup, "need at least one array to concatenate")
    if np.ndim(tup) > 2:
        return rows_concatenated(tup, 1)
    return np.reshape(tup, (1, -1)) if np.ndim(tup) == 1 else np.copy(np.transpose(tup))


def check_some(rows, message):
    """ValueError where there are no rows."""
    if rows.shape[0] == 0:
        raise ValueError(message)


OF_ROWS = {
    np.stack: rows_stacked,
    np.concatenate: rows_concatenated,
    np.vstack: rows_below_each_other,
    np.hstack: rows_beside_each_other,
    np.column_stack: rows_as_columns,
}
"""The text for each function that joins arrays, given one array of them."""


def in_dtype(arrays, dtype, casting):
    """The arrays in a dtype. Raises TypeError where that is not to be cast to."""
    if dtype is None:
        return tuple(arrays)
    parts = []
    for array in arrays:
        array = np.reshape(array, ()) if np.ndim(array) == 0 else as_array(array)
        check_cast(array.dtype, dtype, casting)
        parts.append(array.astype(dtype))
    return tuple(parts)


@planning
def check_cast(given, dtype, casting):
    """Raises TypeError where NumPy does not cast one dtype to another."""
    if not np.can_cast(given, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {given!r} to {np.dtype(dtype)!r} according to the rule {casting!r}"
        )


def has_dtype(ranks):
    """Whether a call names a dtype."""
    return "dtype" in ranks


@composes(np.concatenate, text_when=has_dtype)
def concatenate_in(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis, in a dtype."""
    return np.concatenate(in_dtype(arrays, dtype, casting), axis=axis)


@composes(np.stack, text_when=has_dtype)
def stack_in(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along a new axis, in a dtype."""
    return np.stack(in_dtype(arrays, dtype, casting), axis=axis)


@composes(np.hstack, text_when=has_dtype)
def hstack_in(tup, *, dtype=None, casting="same_kind"):
    """Arrays beside each other, in a dtype."""
    return np.hstack(in_dtype(tup, dtype, casting))


@composes(np.vstack, text_when=has_dtype)
def vstack_in(tup, *, dtype=None, casting="same_kind"):
    """Arrays below each other, in a dtype."""
    return np.vstack(in_dtype(tup, dtype, casting))


known(
    np.append,
    np.dstack,
    np.column_stack,
    np.block,
    np.resize,
    np.delete,
    np.insert,
    of_complex=True,
)
