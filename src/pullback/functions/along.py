"""Functions of functions: along an axis, for each element, of positions. Their texts stand for their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.composed import extent
from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, numbers_to


@composes(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function makes of each vector along an axis, in its place. Raises ValueError for an empty array."""
    moved = np.moveaxis(as_array(arr), axis, -1)
    lines = np.reshape(moved, (extent(moved.shape[:-1]), moved.shape[-1]))
    if lines.shape[0] == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = []
    for k in range(lines.shape[0]):
        made.append(func1d(lines[k], *args))
    found = as_array(made)
    beside = np.shape(moved)[:-1]
    if np.ndim(found) == 1:
        return np.reshape(found, beside)[()]
    whole = np.reshape(found, beside + np.shape(found)[1:])
    own = axes_of_result(axis, np.ndim(moved), np.ndim(found) - 1)
    return np.moveaxis(whole, own[0], own[1])


@planning
def axes_of_result(axis, rank, count):
    """Where the axes of what a function returns stand, and where they belong."""
    first = axis % rank
    return tuple(range(rank - 1, rank - 1 + count)), tuple(range(first, first + count))


@composes(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    """What a function makes of an array over one axis after the other, each of which stays with one element."""
    a = as_array(a)
    for axis in axes if isinstance(axes, (list, tuple)) else (axes,):
        y = func(a, axis)
        a = y if np.ndim(y) == np.ndim(a) else np.expand_dims(y, axis)
    return a


def element_by_element(function, *arrays):
    """np.vectorize(function)(*arrays): one call for each element of the arrays in their common shape."""
    spread = np.broadcast_arrays(*arrays)
    shape = np.shape(spread[0])
    if np.size(spread[0]) == 0:
        raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
    rows = []
    for array in spread:
        rows.append(np.ravel(array))
    made = []
    for j in range(rows[0].shape[0]):
        made.append(function(*[row[j] for row in rows]))
    return np.reshape(np.array(made), shape)


def each_element(function, dtype, *given):
    """A ufunc that `numba.vectorize` made: one call for each element of the arguments in their common shape."""
    spread = np.broadcast_arrays(*[one for one in given if np.ndim(one)])
    shape = np.shape(spread[0]) if len(spread) else (1,)
    rows, left = [], 0
    for one in given:
        if np.ndim(one):
            rows.append(np.ravel(spread[left]))
            left += 1
        else:
            rows.append(one)
    made = np.empty(extent(shape), dtype)
    for j in range(made.shape[0]):
        made[j] = function(*[row[j] if np.ndim(row) else row for row in rows])
    return np.reshape(made, shape) if len(spread) else made[0]


def each_part(function, ranks, dtypes, sizes, given, out):
    """A function that `numba.guvectorize` made: one call for each place along the axes before those of a part.

    ranks: of each argument the axes in a part, and those that the function takes: a part of no axes may be an array of
    one element. sizes: for each result the argument and the axis that each of its sizes is that of. out: the arrays to
    write to, or none.
    """
    shapes = []
    for one, rank in zip(given, ranks, strict=True):
        shapes.append(np.shape(one)[: np.ndim(one) - rank[0]])
    leading = np.broadcast_shapes(*shapes)
    count = extent(leading)
    parts = []
    for one, rank in zip(given, ranks, strict=True):
        own = np.shape(one)[np.ndim(one) - rank[0] :]
        parts.append(np.reshape(np.broadcast_to(one, leading + own), (count, *own, *(1,) * (rank[1] - rank[0]))))
    wholes, made = [], []
    for k in numbers_to(len(sizes)):
        own = tuple([np.shape(given[number])[axis] for number, axis in sizes[k]])
        wholes.append(leading + own)
        rows = (count, *own) if len(own) else (count, 1)
        made.append(np.reshape(out[k], rows).copy() if len(out) else np.empty(rows, dtypes[k]))
    for j in range(count):
        function(*[part[j] for part in parts], *[one[j] for one in made])
    results = []
    for k in numbers_to(len(sizes)):
        result = np.reshape(made[k], wholes[k])
        if len(out):
            out[k][...] = result
            result = out[k]
        results.append(result if np.ndim(result) else result[()])
    return results[0] if len(results) == 1 else tuple(results)


@composes(np.fromfunction)
def fromfunction(function, shape, *, dtype=float):
    """What a function makes of the positions along each axis."""
    return function(*positions(shape, dtype))


def positions(shape, dtype):
    """For each axis the positions along it, spread over the others."""
    made = []
    grid = np.indices(shape, dtype)
    for k in numbers_to(len(shape)):
        made.append(grid[k])
    return made


known(
    np.apply_along_axis,
    np.apply_over_axes,
    np.fromfunction,
    of_complex=True,
)
