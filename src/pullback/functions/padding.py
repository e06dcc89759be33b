"""np.pad by parts that are joined, one axis after the other, so that corners come from what stands beside them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.functions.declare import composes, known, planning
from pullback.functions.parts import as_array, before, is_number, shape_along

_MODES = {
    *("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "median", "linear_ramp"),
}


@composes(np.pad)
def pad(array, pad_width, mode="constant", *, constant_values=0, end_values=0, reflect_type="even", stat_length=None):
    """The array with so many elements before and behind each axis, of the kind that `mode` says."""
    array, mode, is_made = as_array(array), known_mode(mode), False
    if isinstance(pad_width, dict):
        pad_width = widths_named(np.ndim(array), tuple(pad_width.items()))
    ends = end_values if mode == "linear_ramp" else constant_values
    for axis, (count_before, count_behind) in enumerate(widths(np.ndim(array), pad_width)):
        if count_before > 0 or count_behind > 0:
            array = padded(array, axis, count_before, count_behind, mode, ends, reflect_type, stat_length)
            is_made = True
    return array if is_made else np.copy(array)


def padded(array, axis, count_before, count_behind, mode, ends, reflect_type, stat_length):
    """The array with elements before and behind one axis."""
    extent = np.shape(array)[axis]
    whole = before(axis, np.ndim(array))
    if mode != "constant" and extent == 0:
        raise ValueError(f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'")
    if mode in ("edge", "reflect", "symmetric", "wrap"):
        positions = np.arange(-count_before, extent + count_behind)
        if is_odd(reflect_type) and mode in ("reflect", "symmetric"):
            return about_the_ends(array, axis, positions, mode)
        return array[*whole, sources(positions, extent, mode)]
    ahead, behind = shape_along(array, axis, count_before), shape_along(array, axis, count_behind)
    if mode == "constant":
        first, last = ends_of(ends, axis)
        return joined(np.broadcast_to(first, ahead), array, np.broadcast_to(last, behind), axis)
    if mode == "linear_ramp":
        first, last = ends_of(ends, axis)
        rising = np.linspace(first, array[*whole, 0], count_before, False, axis=axis)
        falling = np.flip(np.linspace(last, array[*whole, -1], count_behind, False, axis=axis), axis)
        return joined(rising, array, falling, axis)
    first, last = lengths(stat_length, axis)
    of_first = statistic_along(array[*whole, : extent if first is None else first], axis, mode)
    of_last = statistic_along(array[*whole, 0 if last is None else max(extent - last, 0) :], axis, mode)
    return joined(np.broadcast_to(of_first, ahead), array, np.broadcast_to(of_last, behind), axis)


def about_the_ends(array, axis, positions, mode):
    """The array turned about its end elements: what stands as far on the other side, taken from twice the end."""
    whole, extent = before(axis, np.ndim(array)), np.shape(array)[axis]
    period = 2 * extent if mode == "symmetric" else max(2 * extent - 2, 1)
    beyond, last = positions // period, extent - 1
    around = positions % period
    is_turned = np.reshape(around > last, own_axis(axis, np.ndim(array)))
    elements = array[*whole, np.where(around > last, (period - 1 if mode == "symmetric" else period) - around, around)]
    first_end, last_end = array[*whole, :1], array[*whole, last:]
    further = np.reshape(2 * beyond, own_axis(axis, np.ndim(array))).astype(array.dtype) * (last_end - first_end)
    return np.where(is_turned, 2 * last_end - elements, elements) + further


@planning
def own_axis(axis, rank):
    """The shape of an array that varies along one axis."""
    return (1,) * axis + (-1,) + (1,) * (rank - 1 - axis)


@planning
def is_odd(reflect_type):
    """Whether elements are taken from twice the end. Raises ValueError for another type."""
    if reflect_type not in ("even", "odd"):
        raise ValueError(f"unsupported reflect_type {reflect_type!r}")
    return reflect_type == "odd"


@planning
def lengths(stat_length, axis):
    """Of how many elements a statistic is before and behind an axis; None for all."""
    if stat_length is None or isinstance(stat_length, int):
        return stat_length, stat_length
    row = stat_length if isinstance(stat_length[0], int) else stat_length[axis if len(stat_length) > 1 else 0]
    return row[0], row[-1]


def sources(positions, extent, mode):
    """Which element of an axis stands at positions before, on and behind it."""
    if mode == "edge":
        return np.clip(positions, 0, extent - 1)
    if mode == "wrap":
        return positions % extent
    if mode == "symmetric":
        around = positions % (2 * extent)
        return np.minimum(around, 2 * extent - 1 - around)
    period = max(2 * extent - 2, 1)
    around = positions % period
    return np.minimum(around, period - around) if extent > 1 else around


def statistic_along(array, axis, mode):
    """What stands for all elements of each line along an axis."""
    if mode == "maximum":
        return np.max(array, axis=axis, keepdims=True)
    if mode == "minimum":
        return np.min(array, axis=axis, keepdims=True)
    if mode == "median":
        return np.median(array, axis=axis, keepdims=True)
    return np.mean(array, axis=axis, keepdims=True)


def joined(first, array, last, axis):
    """Three arrays one behind the other, in the dtype of the second."""
    return np.concatenate((first.astype(array.dtype), array, last.astype(array.dtype)), axis=axis)


def ends_of(values, axis):
    """What stands before and behind an axis: one number for all, a pair for all, or a pair for each."""
    if is_number(values):
        return values, values
    row = values if is_number(values[0]) else values[axis if len(values) > 1 else 0]
    return row[0], row[-1]


@planning
def known_mode(mode: Any) -> str:
    """The mode. Raises NotImplementedError for one that no text is known of."""
    if mode not in _MODES:
        raise NotImplementedError(f"np.pad with mode={mode!r} has no derivative rule")
    return str(mode)


@planning
def widths_named(rank: int, items: Any) -> tuple[Any, ...]:
    """Widths that are named by axes; 0 for others."""
    found: dict[int, Any] = {axis % rank: width for axis, width in items}
    pairs = [found.get(axis, 0) for axis in range(rank)]
    return tuple((pair, pair) if isinstance(pair, int) else tuple(pair) for pair in pairs)


@planning
def widths(rank: int, pad_width: Any) -> tuple[tuple[int, int], ...]:
    """How many elements stand before and behind each axis.

    >>> widths(2, 1), widths(2, ((1, 2), (0, 3)))
    (((1, 1), (1, 1)), ((1, 2), (0, 3)))
    """
    given = np.asarray(pad_width)
    if given.dtype.kind not in "iu":
        raise TypeError("`pad_width` must be of integral type.")
    if given.min(initial=0) < 0:
        raise ValueError("index can't contain negative values")
    return tuple((int(a), int(b)) for a, b in np.broadcast_to(given, (rank, 2)))


known(
    np.pad,
    of_complex=True,
)
