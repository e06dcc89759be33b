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
