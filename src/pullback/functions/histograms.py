"""Histograms of one, two and more axes: the texts stand for their calls. Only weights have a derivative."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array, is_number, numbers_to
from pullback.functions.quantiles import has_fractions


@composes(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """How many elements, or which weights of them, lie between each two edges; and the edges."""
    a = np.ravel(as_array(a))
    at = edges_of(a, bins, range, a.dtype)
    numbers = bin_of(a, at)
    count = np.shape(at)[0] - 1
    if weights is None:
        found = np.bincount(numbers, minlength=count + 1)[:count]
    else:
        weights = as_array(weights)
        if np.size(weights) != np.size(a):
            raise ValueError("weights should have the same shape as a.")
        found = np.bincount(numbers, np.ravel(weights), count + 1)[:count].astype(weights.dtype)
    if density:
        return found / np.diff(at).astype(np.float64) / np.sum(found), at
    return found, at


@composes(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """The edges of np.histogram."""
    row = np.ravel(as_array(a))
    return edges_of(row, bins, range, row.dtype)


@composes(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """How many points lie in each cell of a grid; and the edges along both axes."""
    x, y = as_array(x), as_array(y)
    if np.shape(x) != np.shape(y):
        raise ValueError("x and y must have the same length.")
    both = bins if isinstance(bins, (list, tuple)) else (bins, bins)
    ranges = (None, None) if range is None else range
    first = edges_along(x, both[0], ranges[0])
    second = edges_along(y, both[1], ranges[1])
    rows, columns = np.shape(first)[0] - 1, np.shape(second)[0] - 1
    row, column = bin_of(x, first), bin_of(y, second)
    numbers = np.where((row < rows) & (column < columns), row * columns + column, rows * columns)
    if weights is None:
        found = np.bincount(numbers, minlength=rows * columns + 1)
    else:
        found = np.bincount(numbers, as_array(weights), rows * columns + 1)
    table = np.reshape(found[:-1].astype(np.float64), (rows, columns))
    if density:
        total = np.sum(table)
        table = table / np.diff(first)[:, None] / np.diff(second)[None, :] / total
    return table, first, second


@composes(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """How many points lie in each cell of a grid over any number of axes; and the edges along each."""
    columns = coordinates(sample, bins)
    axes = numbers_to(len(columns))
    edges, extents = [], []
    count, numbers, is_inside = 1, np.zeros_like(columns[0], dtype=np.int64), True
    for k in axes:
        own_bins = bins[k] if isinstance(bins, (list, tuple)) else bins
        at = edges_along(columns[k], own_bins, None if range is None else range[k])
        extent = np.shape(at)[0] - 1
        place = bin_of(columns[k], at)
        is_inside = is_inside & (place < extent)
        numbers = numbers * extent + place
        count = count * extent
        edges.append(at)
        extents.append(extent)
    numbers = np.where(is_inside, numbers, count)
    if weights is None:
        found = np.bincount(numbers, minlength=count + 1)
    else:
        found = np.bincount(numbers, as_array(weights), count + 1)
    table = np.reshape(found[:-1].astype(np.float64), tuple(extents))
    if density:
        total = np.sum(table)
        for k in axes:
            table = table / np.reshape(np.diff(edges[k]), own_axis(k, len(columns)))
        table = table / total
    return table, edges


def coordinates(sample, bins):
    """The coordinates of points along each axis: the columns of a table, or vectors as they are."""
    columns = []
    if isinstance(sample, (list, tuple)):
        for column in sample:
            column = as_array(column)
            one_for_each_point(np.ndim(column))
            if np.shape(column) != np.shape(sample[0]):
                raise ValueError("the coordinates of points along the axes differ in their number")
            columns.append(column)
    else:
        for k in numbers_to(number_of_axes(np.ndim(sample), bins)):
            columns.append(sample[:, k])
        if len(columns) != np.shape(sample)[1]:
            raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")
    if isinstance(bins, (list, tuple)):
        as_many(len(bins), len(columns))
    return columns


@planning
def one_for_each_point(rank):
    """Raises NotImplementedError where coordinates are no vector."""
    if rank != 1:
        raise NotImplementedError("np.histogramdd of numbers or tables has no derivative rule: pass vectors")


@planning
def number_of_axes(rank, bins):
    """How many axes bins are named for. Raises NotImplementedError where one number stands for all."""
    if rank != 2:
        raise NotImplementedError("np.histogramdd of what is no table of points has no derivative rule")
    if not isinstance(bins, (list, tuple)):
        raise NotImplementedError("only the run knows how many axes np.histogramdd has here: write bins=(10, 10, …)")
    return len(bins)


@planning
def as_many(bins, axes):
    """Raises ValueError where bins are not named for each axis."""
    if bins != axes:
        raise ValueError("The dimension of bins must be equal to the dimension of the sample x.")


@planning
def own_axis(axis, rank):
    """The shape of an array that varies along one axis."""
    return (1,) * axis + (-1,) + (1,) * (rank - 1 - axis)


def edges_along(a, bins, span):
    """The edges of bins along one of several axes: with 64 bits where they lie between numbers of Python."""
    return edges_of(a, bins, span, a.dtype if span is None else np.float64)


def edges_of(a, bins, span, dtype):
    """The edges of bins: as many as a number says between the ends, in a dtype of floats, or those that are given."""
    named_bins(bins)
    if not is_number(bins):
        at = as_array(bins)
        if np.any(at[:-1] > at[1:]):
            raise ValueError("`bins` must increase monotonically, when an array")
        return at
    at_least_one(bins)
    if span is not None:
        first, last = span[0] * 1.0, span[1] * 1.0
        if first > last:
            raise ValueError("max must be larger than min in range parameter.")
    elif np.size(a) == 0:
        first, last = 0.0, 1.0
    else:
        first, last = np.min(a), np.max(a)
        if not np.isfinite(first) or not np.isfinite(last):
            raise ValueError("autodetected range is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return np.linspace(first, last, bins + 1).astype(dtype if has_fractions(dtype) else np.float64)


@planning
def named_bins(bins):
    """Raises NotImplementedError for bins that are chosen by a rule with a name."""
    if isinstance(bins, str):
        raise NotImplementedError("the number of bins that a rule chooses is known in the run only: write the number")


def at_least_one(bins):
    """Raises ValueError where there is no bin."""
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")


def bin_of(a, at):
    """The number of the bin of each element, of which the last one has its upper edge too; their count for others."""
    count = np.shape(at)[0] - 1
    numbers = np.searchsorted(at, a, side="right") - 1
    numbers = np.where(a == at[-1], count - 1, numbers)
    return np.where((a >= at[0]) & (a <= at[-1]), numbers, count)
