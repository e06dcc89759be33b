"""Functions of NumPy that choose elements by conditions and numbers: their texts stand in the place of their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.composed import common_shape
from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, before, is_number, numbers_to, split


@composes(np.hsplit)
def hsplit(ary, indices_or_sections):
    """np.split along the second axis, or the only one."""
    rank_for_split(np.ndim(ary), 1, "hsplit only works on arrays of 1 or more dimensions")
    return split(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0)


@composes(np.vsplit)
def vsplit(ary, indices_or_sections):
    """np.split along the first axis."""
    rank_for_split(np.ndim(ary), 2, "vsplit only works on arrays of 2 or more dimensions")
    return split(ary, indices_or_sections, 0)


@composes(np.dsplit)
def dsplit(ary, indices_or_sections):
    """np.split along the third axis."""
    rank_for_split(np.ndim(ary), 3, "dsplit only works on arrays of 3 or more dimensions")
    return split(ary, indices_or_sections, 2)


@planning
def rank_for_split(rank, least, message):
    """Raises ValueError for an array of fewer axes."""
    if rank < least:
        raise ValueError(message)


@composes(np.select)
def select(condlist, choicelist, default=0):
    """From the first choice whose condition holds, element by element."""
    count = equally_many(len(condlist), len(choicelist))
    chosen = default
    for k in numbers_to(count):
        chosen = np.where(condlist[count - 1 - k], as_array(choicelist[count - 1 - k]), chosen)
    return chosen


@planning
def equally_many(conditions, choices):
    """So many choices. Raises ValueError where there are others, or none."""
    if conditions != choices:
        raise ValueError("list of cases must be same length as list of conditions")
    if choices == 0:
        raise ValueError("select with an empty condition list is not possible")
    return choices


@composes(np.choose)
def choose(a, choices, out=None, mode="raise"):
    """From the choice that each number names, element by element."""
    a = as_array(a)
    if isinstance(choices, (list, tuple)):
        count = len(choices)
        numbers = number_within(a, count, mode)
        chosen = as_array(choices[0])
        for k in numbers_to(count):
            chosen = np.where(numbers == k, as_array(choices[k]), chosen)
        return chosen
    numbers = number_within(a, np.shape(choices)[0], mode)
    if np.ndim(choices) == 1:
        return choices[numbers]
    beside = common_shape((tuple(np.shape(choices))[1:], np.shape(numbers)))
    places = np.reshape(np.broadcast_to(numbers, beside), (1,) + beside)
    choices = np.broadcast_to(choices, (np.shape(choices)[0],) + beside)
    return np.take_along_axis(choices, places, 0)[0]


def number_within(a, count, mode):
    """The numbers of choices. Raises ValueError where one is none."""
    if mode == "wrap":
        return a % count
    if mode == "clip":
        return np.clip(a, 0, count - 1)
    if np.any(a < 0) or np.any(a >= count):
        raise ValueError("invalid entry in choice array")
    return a


@composes(np.compress, is_method=True, parameters=("condition", "a", "axis", "out"))
def compress(condition, a, axis=None, out=None):
    """The parts along an axis for which a condition holds, or the elements in a row."""
    condition, a = as_array(condition), as_array(a)
    if axis is None:
        a = np.ravel(a)
        axis = 0
    return a[*before(axis, np.ndim(a)), np.flatnonzero(condition)]


@composes(np.extract)
def extract(condition, arr):
    """The elements for which a condition holds."""
    return np.ravel(as_array(arr))[np.flatnonzero(as_array(condition))]


@composes(np.piecewise)
def piecewise(x, condlist, funclist, *args):
    """For each condition what a function makes of the elements for which it holds, or a number; the last wins."""
    x = as_array(x)
    conditions = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    chosen = np.zeros_like(x)
    if has_otherwise(len(conditions), len(funclist)):
        otherwise = funclist[len(funclist) - 1]
        chosen = np.zeros_like(x) + (otherwise(x, *args) if callable(otherwise) else otherwise)
    for k in numbers_to(len(conditions)):
        piece = funclist[k]
        chosen = np.where(conditions[k], piece(x, *args) if callable(piece) else piece, chosen)
    return chosen.astype(x.dtype)


@planning
def has_otherwise(conditions, functions):
    """Whether there is a function for where no condition holds."""
    if functions not in (conditions, conditions + 1):
        raise ValueError(
            f"with {conditions} condition(s), either {conditions} or {conditions + 1} functions are expected"
        )
    return functions == conditions + 1


@composes(np.ix_)
def ix_(*args):
    """Each vector of positions along an axis of its own; truth values stand for the positions where they hold."""
    made = []
    for k, positions in enumerate(args):
        positions = as_array(positions)
        if positions.dtype == np.bool_:
            positions = np.flatnonzero(positions)
        made.append(np.reshape(positions, own_axis(k, len(args))))
    return tuple(made)


@planning
def own_axis(k, count):
    """The shape of an array that varies along axis k of so many."""
    return (1,) * k + (-1,) + (1,) * (count - 1 - k)


def has_no_choices(ranks):
    """Whether a call of np.where gives a condition alone."""
    return ranks.keys() == {"condition"}


@composes(np.where, text_when=has_no_choices)
def where(condition, x=None, y=None):
    """The positions where a condition holds, one array for each axis."""
    return nonzero(condition)


def has_counts(ranks):
    """Whether a call of np.repeat gives a count for each element."""
    return ranks.get("repeats", 0) > 0


@composes(np.repeat, text_when=has_counts)
def repeat(a, repeats, axis=None):
    """Each element as often as its own count says."""
    a, repeats = as_array(a), as_array(repeats)
    if axis is None:
        a = np.ravel(a)
        axis = 0
    repeats = np.broadcast_to(repeats, (np.shape(a)[axis],))
    if np.any(repeats < 0):
        raise ValueError("repeats may not contain negative values.")
    ends = np.cumsum(repeats)
    places = np.searchsorted(ends, np.arange(np.sum(repeats)), side="right")
    return a[*before(axis, np.ndim(a)), places]


@composes(np.nonzero, is_method=True)
def nonzero(a):
    """The positions of elements that are not 0, one array for each axis."""
    a = as_array(a)
    return places_of(np.flatnonzero(a), np.shape(a))


def places_of(numbers, shape):
    """The positions along each axis of elements that are numbered in a row."""
    made = []
    for extent in reversed(shape):
        made.append(numbers % extent)
        numbers = numbers // extent
    made.reverse()
    return tuple(made)


def number_of_places(shape):
    """The number of elements of an array."""
    count = 1
    for extent in shape:
        count = count * extent
    return count


@composes(np.unravel_index)
def unravel_index(indices, shape, order="C"):
    """The positions along each axis of elements that are numbered in a row. Raises ValueError for numbers beyond."""
    indices = as_array(indices)
    shape = (shape,) if is_number(shape) else tuple(shape)
    count = number_of_places(shape)
    if np.any(indices < 0) or np.any(indices >= count):
        raise ValueError("index is out of bounds for the array")
    if in_columns(order):
        return tuple(reversed(places_of(indices, tuple(reversed(shape)))))
    return places_of(indices, shape)


@planning
def in_columns(order):
    """Whether the first axis varies fastest. Raises ValueError for an order that is unknown."""
    if order not in ("C", "F"):
        raise ValueError("only 'C' or 'F' order is permitted")
    return order == "F"


@composes(np.tril_indices)
def tril_indices(n, k=0, m=None):
    """The positions on and below a diagonal of a matrix."""
    return nonzero(np.tri(n, m, k) > 0)


@composes(np.triu_indices)
def triu_indices(n, k=0, m=None):
    """The positions on and above a diagonal of a matrix."""
    return nonzero(np.tri(n, m, k - 1) == 0)


@composes(np.tril_indices_from)
def tril_indices_from(arr, k=0):
    """The positions on and below a diagonal of this matrix."""
    return tril_indices(np.shape(arr)[0], k, np.shape(arr)[1])


@composes(np.triu_indices_from)
def triu_indices_from(arr, k=0):
    """The positions on and above a diagonal of this matrix."""
    return triu_indices(np.shape(arr)[0], k, np.shape(arr)[1])


@composes(np.diag_indices)
def diag_indices(n, ndim=2):
    """The positions on the diagonal of an array that is as long along each axis."""
    return (np.arange(n),) * ndim


@composes(np.diag_indices_from)
def diag_indices_from(arr):
    """The positions on the diagonal of this array."""
    shape = np.shape(arr)
    for extent in shape:
        if extent != shape[0]:
            raise ValueError("All dimensions of input must be of equal length")
    return (np.arange(np.shape(arr)[0]),) * np.ndim(arr)


@composes(np.indices)
def indices(dimensions, dtype=int, sparse=False):
    """For each axis of a shape the positions along it, spread over the others."""
    made = []
    for k, extent in enumerate(dimensions):
        places = np.reshape(np.arange(extent).astype(dtype), own_axis(k, len(dimensions)))
        made.append(places if sparse else np.broadcast_to(places, tuple(dimensions)))
    return tuple(made) if sparse else np.stack(tuple(made))


@composes(np.ravel_multi_index)
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """The number in a row of the element at these positions along each axis. Raises ValueError for those beyond."""
    dims = (dims,) if is_number(dims) else tuple(dims)
    if in_columns(order):
        multi_index, dims = tuple(reversed(multi_index)), tuple(reversed(dims))
    numbers = 0
    for positions, extent in zip(multi_index, dims, strict=True):
        positions = as_array(positions)
        if mode == "wrap":
            positions = positions % extent
        elif mode == "clip":
            positions = np.clip(positions, 0, extent - 1)
        elif np.any(positions < 0) or np.any(positions >= extent):
            raise ValueError("invalid entry in coordinates array")
        numbers = numbers * extent + positions
    return numbers


known(
    np.hsplit,
    np.vsplit,
    np.dsplit,
    np.select,
    np.choose,
    np.compress,
    np.extract,
    np.piecewise,
    of_complex=True,
)
