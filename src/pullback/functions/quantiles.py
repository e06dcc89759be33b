"""Medians, quantiles and percentiles: positions among the sorted elements, between two of which a line is drawn.

    np.quantile(a, 0.3)    →    s = sort(a), k = 0.3 (n - 1):  s[⌊k⌋] + (k - ⌊k⌋) (s[⌊k⌋ + 1] - s[⌊k⌋])

The derivative goes to the elements that stand at these positions.
"""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array, is_number


@composes(np.median)
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle one of the sorted elements, or the mean of the two middle ones; NaN where there is one."""
    a = with_fractions(as_array(a))
    lines = in_lines(a, axis)
    count = np.shape(lines)[-1]
    if count == 0:
        return beside_reduced(np.mean(lines, axis=-1), axis, np.ndim(a), keepdims)
    ordered = np.sort(lines, axis=-1)
    last = ordered[..., -1]
    middle = (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
    return beside_reduced(np.where(np.isnan(last), last, middle)[()], axis, np.ndim(a), keepdims)


@composes(np.nanmedian)
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The median of the elements that are not NaN."""
    a = with_fractions(as_array(a))
    lines = in_lines(a, axis)
    if lines.shape[-1] == 0:
        return beside_reduced(np.mean(lines, axis=-1), axis, np.ndim(a), keepdims)
    ordered = np.sort(lines, axis=-1)
    count = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    lower = np.take_along_axis(ordered, np.maximum(count - 1, 0) // 2, -1)[..., 0]
    upper = np.take_along_axis(ordered, np.minimum(count // 2, np.maximum(count - 1, 0)), -1)[..., 0]
    return beside_reduced((lower + upper) / 2, axis, np.ndim(a), keepdims)


@composes(np.percentile)
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The quantiles of hundredths."""
    part = as_array(q) / 100
    if np.any(part < 0) or np.any(part > 1):
        raise ValueError("Percentiles must be in the range [0, 100]")
    return quantile(a, part, axis, None, False, method, keepdims, weights=weights)


@composes(np.quantile)
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The elements below which lie these parts of all; NaN where there is one."""
    a, q = as_array(a), as_array(q)
    check_parts(q)
    lines = in_lines(a, axis)
    if weights is not None:
        check_method_of_weights(method)
        weights = lines_of_weights(as_array(weights), a, axis)
        return rearranged(weighted(lines, q, weights), q, axis, np.ndim(a), keepdims)
    if is_discrete(method):
        found = at_places(np.sort(lines, axis=-1), discrete(np.shape(lines)[-1], q, method), q)
    else:
        found = between_places(with_fractions(lines), np.shape(lines)[-1], q, method)
    return rearranged(found, q, axis, np.ndim(a), keepdims)


@composes(np.nanpercentile)
def nanpercentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The quantiles of hundredths, of the elements that are not NaN."""
    return nanquantile(a, as_array(q) / 100, axis, None, False, method, keepdims, weights=weights)


@composes(np.nanquantile)
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The quantiles of the elements that are not NaN."""
    a, q = as_array(a), as_array(q)
    check_parts(q)
    no_weights(weights)
    lines = in_lines(a, axis)
    if lines.shape[-1] == 0:
        lines = np.full(np.shape(lines)[:-1] + (1,), np.nan, lines.dtype)
    ordered = np.sort(lines, axis=-1)
    count = np.sum(~np.isnan(ordered), axis=-1, keepdims=True)
    if is_discrete(method):
        found = along_lines(ordered, discrete(count, q, method), count, q)
    else:
        place = virtual_place(count, q, method)
        lower = np.floor(place).astype(np.int64)
        share = share_of(place - lower, method)
        if is_number(q) and is_weak(q):
            share = share.astype(a.dtype)
        share = share[..., 0] if is_number(q) else share
        found = line_between(along_lines(ordered, lower, count, q), along_lines(ordered, lower + 1, count, q), share)
    return rearranged(found, q, axis, np.ndim(a), keepdims)


def along_lines(ordered, places, count, q):
    """The elements at places that each line has of its own, the last one of the line for later ones."""
    found = np.take_along_axis(ordered, np.clip(places, 0, np.maximum(count - 1, 0)), -1)
    return found[..., 0] if is_number(q) else found


@planning
def no_weights(weights):
    """Raises NotImplementedError where there are any."""
    if weights is not None:
        raise NotImplementedError("'weights' of np.nanquantile has no derivative rule")


def is_weak(q):
    """Whether this is a number of Python's, which leaves the dtype of what it meets."""
    return isinstance(q, (int, float)) and not isinstance(q, np.generic)


def with_fractions(a):
    """An array of floats."""
    return a if has_fractions(a.dtype) else a.astype(np.float64)


@planning
def has_fractions(dtype):
    """Whether the elements are floats, or complex numbers."""
    return np.dtype(dtype).kind in "fc"


@planning
def real_dtype(dtype):
    """A dtype of floats, of 64 bits where none is named. Raises NotImplementedError for another kind."""
    dtype = np.dtype(np.float64 if dtype is None else dtype)
    if dtype.kind != "f":
        raise NotImplementedError(f"computing in {dtype} has no derivative rule")
    return dtype


def in_lines(a, axis):
    """The array with the axes that are reduced as one, the last."""
    if axis is None:
        return np.reshape(a, (-1,))
    order, left = axes_last(axis, np.ndim(a))
    moved = np.transpose(a, order)
    count = 1
    for extent in np.shape(moved)[left:]:
        count = count * extent
    return np.reshape(moved, np.shape(moved)[:left] + (count,))


@planning
def axes_last(axis, rank):
    """The order with some axes last, and how many others there are."""
    chosen = axis if isinstance(axis, tuple) else (axis,)
    if not all(-rank <= k < rank for k in chosen):
        raise np.exceptions.AxisError(chosen[0], rank)
    chosen = tuple(k % rank for k in chosen)
    if len(set(chosen)) < len(chosen):
        raise ValueError("repeated axis")
    left = tuple(k for k in range(rank) if k not in chosen)
    return left + tuple(sorted(chosen)), len(left)


def beside_reduced(y, axis, rank, keepdims):
    """The result of a reduction with axes of one element in the place of those that were reduced, where asked for."""
    return np.expand_dims(y, axes_kept(axis, rank)) if keepdims and rank > 0 else y


@planning
def axes_kept(axis, rank):
    """The axes that a reduction leaves with one element."""
    return tuple(range(rank)) if axis is None else axis


def rearranged(found, q, axis, rank, keepdims):
    """The results for several quantiles, which stand last, as NumPy has them: first."""
    if is_number(q):
        return beside_reduced(found, axis, rank, keepdims)
    found = np.moveaxis(found, -1, 0)
    return np.expand_dims(found, later(axes_kept(axis, rank), rank)) if keepdims and rank > 0 else found


@planning
def later(axes, rank):
    """Axes behind a new first one."""
    return tuple(k % rank + 1 for k in (axes if isinstance(axes, tuple) else (axes,)))


def check_parts(q):
    """Raises ValueError where a quantile is no part of a whole, or stands in a table."""
    at_most_a_vector(np.ndim(q))
    if np.any(q < 0) or np.any(q > 1):
        raise ValueError("Quantiles must be in the range [0, 1]")


@planning
def at_most_a_vector(rank):
    """Raises NotImplementedError for quantiles in a table, and ValueError for more axes."""
    if rank == 2:
        raise NotImplementedError("a table of quantiles has no derivative rule")
    if rank > 2:
        raise ValueError("q must be a scalar or 1d")


@planning
def check_method_of_weights(method):
    """Raises ValueError for a method that takes no weights."""
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")


def lines_of_weights(weights, a, axis):
    """The weights of elements in lines: as many as elements, or one for each place along one axis."""
    if np.ndim(weights) == np.ndim(a):
        if np.shape(weights) != np.shape(a):
            raise TypeError("Shape of weights must be that of a, or consistent with it along specified axis.")
        return in_lines(weights, axis)
    return weights


def weighted(lines, q, weights):
    """The elements at which the sum of weights, in their order, reaches these parts of the whole."""
    weights = np.broadcast_to(weights, np.shape(lines)).astype(np.float64)
    order = np.argsort(lines, axis=-1, kind="stable")
    reached = np.cumsum(np.take_along_axis(weights, order, -1), axis=-1)
    reached = reached / reached[..., -1:]
    ordered = np.take_along_axis(lines, order, -1)
    reached = np.where(reached == 0, -1.0, reached)
    if is_number(q):
        place = np.minimum(np.sum(reached < q, axis=-1, keepdims=True), np.shape(lines)[-1] - 1)
        return np.take_along_axis(ordered, place, -1)[..., 0]
    places = np.minimum(np.sum(reached[..., None] < q, axis=-2), np.shape(lines)[-1] - 1)
    return np.take_along_axis(ordered, places, -1)


_OFFSETS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""α and β of Hyndman and Fan (1996), Sample quantiles in statistical packages."""

_DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


@planning
def is_discrete(method):
    """Whether a quantile is one of the elements. Raises ValueError for an unknown method."""
    if method not in (*_DISCRETE, *_OFFSETS, "linear", "midpoint", "averaged_inverted_cdf"):
        raise ValueError(f"{method!r} is not a valid method.")
    return method in _DISCRETE


def discrete(count, q, method):
    """The places of quantiles that are elements themselves."""
    if method == "lower":
        return np.floor((count - 1) * q).astype(np.int64)
    if method == "higher":
        return np.ceil((count - 1) * q).astype(np.int64)
    if method == "nearest":
        return np.rint((count - 1) * q).astype(np.int64)
    place = count * q - 1 if method == "inverted_cdf" else count * q - 1.5
    lower = np.floor(place)
    exact = place == lower
    if method == "closest_observation":
        exact = exact & (lower % 2 == 1)
    return np.maximum(np.where(exact, lower, lower + 1), 0).astype(np.int64)


def at_places(ordered, places, q):
    """The elements at places that are the same for all lines; NaN for a line in which there is one."""
    places = np.minimum(places, np.shape(ordered)[-1] - 1)
    found, last = ordered[..., places], ordered[..., -1]
    if not has_fractions(ordered.dtype):
        return found
    if not is_number(q):
        last = last[..., None]
    return np.where(np.isnan(last), last, found)[()]


def between_places(lines, count, q, method):
    """The numbers at places between elements of each line."""
    ordered, place = np.sort(lines, axis=-1), virtual_place(count, q, method)
    lower = place // 1
    share = share_of(place - lower, method)
    lower = lower.astype(np.int64) if np.ndim(q) > 0 else int(lower)
    first, second = np.clip(lower, 0, count - 1), np.clip(lower + 1, 0, count - 1)
    found, last = line_between(ordered[..., first], ordered[..., second], share), ordered[..., -1]
    if not is_number(q):
        last = last[..., None]
    return np.where(np.isnan(last), last, found)[()]


def virtual_place(count, q, method):
    """The place of a quantile among so many elements, which may lie between two."""
    if method == "linear":
        return (count - 1) * q
    if method == "midpoint":
        place = (count - 1) * q
        return 0.5 * (place // 1 - (-place) // 1)
    if method == "averaged_inverted_cdf":
        return count * q - 1
    alpha, beta = offsets_of(method)
    return count * q + (alpha + q * (1 - alpha - beta)) - 1


@planning
def offsets_of(method):
    """α and β of a method."""
    return _OFFSETS[method]


def share_of(fraction, method):
    """How far from the lower to the upper element a quantile lies."""
    if method == "midpoint":
        return 0.5 * (fraction != 0)
    if method == "averaged_inverted_cdf":
        return 1.0 - 0.5 * (fraction == 0)
    return fraction


def line_between(lower, upper, share):
    """From the nearer end of a line, so that it is met exactly."""
    step = upper - lower
    return np.where(share >= 0.5, upper - step * (1 - share), lower + step * share)
