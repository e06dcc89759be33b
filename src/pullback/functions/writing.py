"""Functions of NumPy that write into an array: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.composed import check_positions
from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, place_of, shapes_beside
from pullback.functions.selecting import number_of_places, places_of


@composes(np.put)
def put(a, ind, v, mode="raise"):
    """Values at positions among all elements in a row; too few of them are repeated."""
    size = number_of_places(np.shape(a))
    ind, v = np.ravel(as_array(ind)), np.ravel(as_array(v))
    if known_mode(mode) == "wrap":
        ind = ind % size
    elif mode == "clip":
        ind = np.clip(ind, 0, size - 1)
    elif np.any(ind < -size) or np.any(ind >= size):
        raise IndexError("index is out of bounds for axis 0")
    ind = np.where(ind < 0, ind + size, ind)
    if ind.shape[0] > 0 and v.shape[0] > 0:
        a[places_of(ind, np.shape(a))] = v[np.arange(ind.shape[0]) % v.shape[0]]


@planning
def known_mode(mode):
    """What happens to positions beyond the ends. Raises ValueError for another mode."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return mode


def of_the_shape(y, out):
    """The result of a call. Raises ValueError where the array that it goes to has another shape."""
    if np.shape(y) != np.shape(out):
        raise ValueError("the result has another shape than the array that it is written into")
    return y


@composes(np.place)
def place(arr, mask, vals):
    """One value after the other where a mask is true, from the first again where there are too few."""
    mask, vals = as_array(mask), np.ravel(as_array(vals))
    if np.size(mask) != np.size(arr):
        raise ValueError("place: mask and data must be the same size")
    at = np.flatnonzero(mask)
    if at.shape[0] > 0:
        if vals.shape[0] == 0:
            raise ValueError("Cannot insert from an empty array!")
        arr[places_of(at, np.shape(arr))] = vals[np.arange(at.shape[0]) % vals.shape[0]].astype(arr.dtype)


@composes(np.putmask, parameters=("a", "mask", "values"))
def putmask(a, mask, values):
    """The value of the same place where a mask is true, of those repeated to as many as there are elements."""
    mask, values = as_array(mask), np.ravel(as_array(values))
    if np.size(mask) != np.size(a):
        raise ValueError("putmask: mask and data must be the same size")
    at = np.flatnonzero(mask)
    if at.shape[0] > 0 and values.shape[0] > 0:
        a[places_of(at, np.shape(a))] = values[at % values.shape[0]].astype(a.dtype)


@composes(np.copyto, parameters=("dst", "src", "casting", "where"))
def copyto(dst, src, casting="same_kind", where=True):
    """The values of one array into another, all or where a mask is true."""
    if isinstance(where, bool):
        if where:
            dst[...] = src
    else:
        dst[...] = np.where(where, src, dst)


@composes(np.fill_diagonal)
def fill_diagonal(a, val, wrap=False):
    """The value, or one value after the other, on the diagonal; with `wrap` again below the last column."""
    rank = at_least_two_axes(np.ndim(a))
    shape = np.shape(a)
    if rank > 2:
        for extent in shape:
            if extent != shape[0]:
                raise ValueError("All dimensions of input must be of equal length")
    count = min(shape[0], shape[1])
    if rank == 2 and wrap:
        count = (shape[0] * shape[1] + shape[1]) // (shape[1] + 1)
    along = np.arange(count)
    val = np.ravel(as_array(val))
    values = val[along % val.shape[0]].astype(a.dtype)
    if rank == 2 and wrap:
        a[places_of(along * (shape[1] + 1), shape)] = values
    else:
        a[(along,) * rank] = values


@planning
def at_least_two_axes(rank):
    """The rank. Raises ValueError for vectors and numbers."""
    if rank < 2:
        raise ValueError("array must be at least 2-d")
    return rank


@composes(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    """For each line of positions along the axis, values there."""
    indices = as_array(indices)
    along = place_of(axis, np.ndim(arr))
    places = []
    for k, (own, extent) in enumerate(zip(shapes_beside(np.ndim(arr)), np.shape(arr), strict=True)):
        places.append(indices if k == along else np.reshape(np.arange(extent), own))
    arr[tuple(places)] = values


def sorted_in_place(a, axis=-1, kind=None, order=None, *, stable=None):
    """`a.sort()`."""
    a[...] = np.sort(a, axis=axis)


def partitioned_in_place(a, kth, axis=-1, kind="introselect", order=None):
    """`a.partition(kth)`: all elements in order, which is one of the orders that this allows."""
    check_positions(kth, a, np.shape(a)[axis])
    a[...] = np.sort(a, axis=axis)


def put_in_place(a, indices, values, mode="raise"):
    """`a.put(indices, values)`."""
    put(a, indices, values, mode)


def filled_in_place(a, value):
    """`a.fill(value)`."""
    a[...] = value


IN_PLACE = {
    "fill": filled_in_place,
    "partition": partitioned_in_place,
    "put": put_in_place,
    "sort": sorted_in_place,
}
"""Methods that write into the array."""


known(
    np.put,
    np.place,
    np.putmask,
    np.copyto,
    np.fill_diagonal,
    np.put_along_axis,
    put_in_place,
    filled_in_place,
    partitioned_in_place,
    sorted_in_place,
    of_complex=True,
)
