"""Functions of NumPy that select or part elements, by an index: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, known, planning
from pullback.runtime.numpy.nested_lists import array_of


def as_array(x):
    """A list or tuple of numbers and arrays as one array."""
    return array_of(x) if isinstance(x, (list, tuple)) else x


def shows(made, source):
    """What is made of an array, where NumPy has a view of that: neither may be written while the other is used."""
    return made


@planning
def before(axis, rank):
    """The whole of each axis that stands before one, as items of an index."""
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return (slice(None),) * (axis % rank)


@planning
def numbers_to(count):
    """The numbers from 0, less than `count`."""
    return tuple(range(count))


@composes(np.trim_zeros)
def trim_zeros(filt, trim="fb", axis=None):
    """A vector without the zeros that it begins and ends with."""
    filt = as_array(filt)
    ahead, behind = ends_to_trim(trim, np.ndim(filt))
    first, last = 0, np.shape(filt)[0]
    if behind:
        while last > 0 and filt[last - 1] == 0:
            last -= 1
    if ahead:
        while first < last and filt[first] == 0:
            first += 1
    return filt[first:last]


@planning
def ends_to_trim(trim, rank):
    """Whether zeros go at the beginning, and at the end. Raises NotImplementedError for an array of several axes."""
    if rank != 1:
        raise NotImplementedError("np.trim_zeros of an array of several axes has no derivative rule")
    return "f" in trim.lower(), "b" in trim.lower()


@composes(np.take, is_method=True)
def take(a, indices, axis=None, out=None, mode="raise"):
    """The elements at positions along an axis, or of all elements in a row."""
    a = as_array(a)
    if axis is None or np.ndim(a) == 0:
        a = np.reshape(a, (-1,))
        axis = 0
    whole = before(axis, np.ndim(a))
    positions = positions_within(indices, np.shape(a)[axis], known_mode(mode))
    part = a[*whole, positions]
    return np.copy(part) if np.ndim(positions) == 0 and np.ndim(part) > 0 else part


@planning
def known_mode(mode):
    """What happens to positions beyond the ends. Raises ValueError for another mode."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    return mode


def positions_within(indices, extent, mode):
    """The positions that indices mean on an axis of this extent; truth values and Python's floats are numbers of it."""
    if isinstance(indices, (list, tuple)):
        indices = array_of(indices)
        indices = indices.astype(np.int64) if indices.dtype == np.float64 else indices
    if isinstance(indices, (bool, np.bool_, float)):
        indices = int(indices)
    if np.ndim(indices) > 0 and indices.dtype == np.bool_:
        indices = np.where(indices, 1, 0)
    if mode == "wrap":
        return indices % extent
    if mode == "clip":
        return np.clip(indices, 0, extent - 1)
    return indices


@composes(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """For each line of positions along the axis, the elements there; both arrays are broadcast beside the axis."""
    indices = as_array(indices)
    if axis is None:
        arr = np.reshape(arr, (-1,))
        axis = 0
    along = place_of(axis, lines(np.ndim(arr), np.ndim(indices), indices.dtype == np.bool_))
    places = []
    for k, (own, extent) in enumerate(zip(shapes_beside(np.ndim(arr)), np.shape(arr), strict=True)):
        places.append(indices if k == along else np.reshape(np.arange(extent), own))
    return arr[tuple(places)]


@planning
def lines(rank, rank_of_positions, are_truth_values):
    """The rank of an array and of positions in it. Raises as NumPy does where they do not go together."""
    if rank != rank_of_positions:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    if are_truth_values:
        raise IndexError("`indices` must be an integer array")
    return rank


@planning
def place_of(axis, rank):
    """The number of an axis, counted from the first."""
    return len(before(axis, rank))


@planning
def shapes_beside(rank):
    """For each axis the shape of an array that varies along it alone."""
    return tuple((1,) * k + (-1,) + (1,) * (rank - 1 - k) for k in range(rank))


@composes(np.split)
def split(ary, indices_or_sections, axis=0):
    """As np.array_split, but the sections are equal. Raises ValueError where they cannot be."""
    ary = as_array(ary)
    if not is_number(indices_or_sections):
        return array_split(ary, indices_or_sections, axis)
    whole, extent = before(axis, np.ndim(ary)), np.shape(ary)[axis]
    if extent % indices_or_sections != 0:
        raise ValueError("array split does not result in an equal division")
    length = extent // indices_or_sections
    parts = []
    start = 0
    for k in numbers_to(sections(indices_or_sections)):
        stop = length * (k + 1)
        parts.append(ary[*whole, start:stop])
        start = stop
    return parts


@composes(np.array_split)
def array_split(ary, indices_or_sections, axis=0):
    """The parts between positions along an axis, or so many sections, the first of which may have an element more."""
    ary = as_array(ary)
    whole, extent = before(axis, np.ndim(ary)), np.shape(ary)[axis]
    stops = []
    if is_number(indices_or_sections):
        least, longer = extent // indices_or_sections, extent % indices_or_sections
        for k in numbers_to(sections(indices_or_sections) - 1):
            stops.append(least * (k + 1) + min(k + 1, longer))
    else:
        for position in positions(indices_or_sections):
            stops.append(position)
    parts = []
    start = 0
    for stop in stops:
        parts.append(ary[*whole, start:stop])
        start = stop
    parts.append(ary[*whole, start:])
    return parts


def is_number(x):
    """Whether this is one number, and no sequence of them."""
    return not isinstance(x, (list, tuple)) and np.ndim(x) == 0


def positions(indices):
    """Where an array is split; those of an array are known before the run, or the parts would be of unknown shapes."""
    return indices if isinstance(indices, (list, tuple)) else split_positions(indices)


@planning
def split_positions(indices):
    """The numbers in an array."""
    return tuple(int(index) for index in indices)


@planning
def sections(count):
    """So many sections. Raises ValueError for none."""
    if count <= 0:
        raise ValueError("number sections must be larger than 0.")
    return int(count)


@composes(np.diff)
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The parts of an array without its first and without its last element, one less the other, n times."""
    a = as_array(a)
    if n == 0:
        return a
    times = order(n, np.ndim(a))
    whole = before(axis, np.ndim(a))
    parts = [end_of(prepend, a, axis)] if prepend is not None else []
    parts.append(a)
    if append is not None:
        parts.append(end_of(append, a, axis))
    a = np.concatenate(tuple(parts), axis=axis) if len(parts) > 1 else a
    for _ in numbers_to(times):
        later, earlier = a[*whole, 1:], a[*whole, :-1]
        a = later != earlier if a.dtype == np.bool_ else later - earlier
    return a


@planning
def order(n, rank):
    """So many differences. Raises ValueError for a negative number, and for numbers, which have no axis."""
    if rank == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    return n


def end_of(part, a, axis):
    """What stands before or behind the elements along an axis: an array, or one number for all lines."""
    part = as_array(part)
    if np.ndim(part) > 0:
        return part
    return np.broadcast_to(part, shape_along(a, axis, 1))


def shape_along(array, axis, count):
    """The shape of an array with so many elements along one axis."""
    k = place_of(axis, np.ndim(array))
    return np.shape(array)[:k] + (count,) + np.shape(array)[k + 1 :]


known(
    np.take,
    np.take_along_axis,
    np.split,
    np.array_split,
    np.diff,
    of_complex=True,
)
