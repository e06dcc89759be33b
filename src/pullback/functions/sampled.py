"""Functions of NumPy on samples: interpolation, differences, spacing. Their texts stand for their calls."""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import composes, known, linear, planning
from pullback.functions.parts import as_array, before
from pullback.functions.quantiles import has_fractions


@composes(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    """The line through the two points on either side of each place; constant beyond the first and last point."""
    x, xp, fp = floats(x), floats(xp), floats(fp)
    if np.size(xp) == 0:
        raise ValueError("array of sample points is empty")
    if np.size(xp) != np.size(fp):
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = np.abs(period)
        x, xp = x % period, xp % period
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = np.concatenate((fp[-1:], fp, fp[:1]))
    count = np.size(xp)
    lower = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, max(count - 2, 0))
    upper = np.minimum(lower + 1, count - 1)
    width = xp[upper] - xp[lower]
    slope = (fp[upper] - fp[lower]) / np.where(width == 0, 1.0, width)
    inside = slope * (x - xp[lower]) + fp[lower]
    inside = np.where(x == xp[-1], fp[-1], inside)
    if period is not None:
        return inside[()]
    inside = np.where(x < xp[0], fp[0] if left is None else floats(left), inside)
    return np.where(x > xp[-1], fp[-1] if right is None else floats(right), inside)[()]


def floats(x):
    """Numbers or an array with 64 bits."""
    return as_array(x) * 1.0 if isinstance(x, (int, float)) else as_array(x).astype(np.float64)


@composes(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """Central differences, one-sided at the ends, along each axis that is named, or all."""
    f = as_array(f)
    no_truth_values(f.dtype)
    f = f if has_fractions(f.dtype) else f.astype(np.float64)
    axes = axes_of_differences(np.ndim(f), axis, len(varargs), edge_order)
    made = []
    for k, along in enumerate(axes):
        spacing = 1.0
        if len(varargs) > 0:
            spacing = varargs[k if len(varargs) > 1 else 0]
        spacing = as_array(spacing)
        real_beside(np.iscomplexobj(spacing) and not np.iscomplexobj(f))
        if len(varargs) == 1 and len(axes) > 1:
            one_for_all(np.ndim(spacing))
        made.append(differences(f, spacing, along, edge_order))
    return made[0] if len(made) == 1 else tuple(made)


@planning
def no_truth_values(dtype):
    """Raises TypeError for truth values, as NumPy does."""
    if dtype == np.bool_:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported")


@planning
def axes_of_differences(rank, axis, spacings, edge_order):
    """The axes of differences. Raises as NumPy does where something does not fit."""
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    if not all(-rank <= k < rank for k in axes):
        raise np.exceptions.AxisError(axes[0], rank)
    if spacings not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    return tuple(k % rank for k in axes)


@planning
def real_beside(is_complex):
    """Raises NotImplementedError for complex spacings of real numbers, of whose quotients NumPy drops a part."""
    if is_complex:
        raise NotImplementedError("np.gradient of real numbers is followed for real spacings")


@planning
def one_for_all(rank):
    """Raises TypeError where one spacing for several axes is an array."""
    if rank > 0:
        raise TypeError("invalid number of arguments")


def differences(f, spacing, axis, edge_order):
    """The differences along one axis, of places that are evenly spaced or not."""
    if np.shape(f)[axis] < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    whole = before(axis, np.ndim(f))
    below, at, above = f[*whole, :-2], f[*whole, 1:-1], f[*whole, 2:]
    if np.ndim(spacing) == 0:
        first, last = edges(f, spacing, spacing, spacing, spacing, axis, edge_order)
        return np.concatenate((first, (above - below) / (2.0 * spacing), last), axis=axis)
    if np.shape(spacing)[0] != np.shape(f)[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    steps = np.diff(spacing)
    first, last = edges(f, steps[0], steps[min(1, steps.shape[0] - 1)], steps[-2:][0], steps[-1], axis, edge_order)
    one, two = np.reshape(steps[:-1], own(axis, np.ndim(f))), np.reshape(steps[1:], own(axis, np.ndim(f)))
    if np.all(steps == steps[0]):
        inner = (above - below) / (2.0 * steps[0])
    else:
        inner = -two / (one * (one + two)) * below + (two - one) / (one * two) * at + one / (two * (one + two)) * above
    return np.concatenate((first, inner, last), axis=axis)


@planning
def own(axis, rank):
    """The shape of an array that varies along one axis."""
    return (1,) * axis + (-1,) + (1,) * (rank - 1 - axis)


def edges(f, first_step, second_step, last_but_one, last_step, axis, edge_order):
    """The differences at the ends of an axis, of the two or three elements there."""
    whole = before(axis, np.ndim(f))
    if edge_order == 1:
        first = (f[*whole, 1:2] - f[*whole, 0:1]) / first_step
        return first, (f[*whole, -1:] - f[*whole, -2:-1]) / last_step
    one, two = first_step, second_step
    first = -(2.0 * one + two) / (one * (one + two)) * f[*whole, 0:1]
    first = first + (one + two) / (one * two) * f[*whole, 1:2] - one / (two * (one + two)) * f[*whole, 2:3]
    one, two = last_but_one, last_step
    last = two / (one * (one + two)) * f[*whole, -3:-2] - (two + one) / (one * two) * f[*whole, -2:-1]
    return first, last + (2.0 * two + one) / (two * (one + two)) * f[*whole, -1:]


@composes(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours in a row, with others before and behind them."""
    row = np.ravel(as_array(ary))
    parts = [] if to_begin is None else [np.ravel(as_array(to_begin)).astype(row.dtype)]
    parts.append(row[1:] - row[:-1])
    if to_end is not None:
        parts.append(np.ravel(as_array(to_end)).astype(row.dtype))
    return np.concatenate(tuple(parts)) if len(parts) > 1 else parts[0]


@composes(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2 * np.pi):
    """The angles with whole periods added, so that neighbours differ by less than half of one."""
    p = as_array(p)
    whole = before(axis, np.ndim(p))
    high, jump = period / 2, period / 2 if discont is None else discont
    step = np.diff(p, axis=axis)
    within = (step + high) % period - high
    within = np.where((within == -high) & (step > 0), high, within)
    correction = np.where(np.abs(step) < jump, 0, within - step)
    first = p[*whole, :1]
    return np.concatenate((first, p[*whole, 1:] + np.cumsum(correction, axis=axis)), axis=axis)


@linear(np.bincount, linear_in=(1,))
def bincount(x, weights=None, minlength=0, *, y_bar):
    """Each weight went to the sum that its number names."""
    return None, y_bar[x].astype(weights.dtype)


@composes(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers between two with the same ratio between neighbours, and both ends exactly."""
    start, stop = np.float64(1.0) * as_array(start), np.float64(1.0) * as_array(stop)
    if np.any(start == 0) or np.any(stop == 0):
        raise ValueError("Geometric sequence cannot include zero")
    sign = np.sign(start)
    exponents = np.linspace(np.log10(start / sign), np.log10(stop / sign), num, endpoint)
    points = np.power(10.0, exponents) * sign
    if num > 0:
        ends = [np.broadcast_to(start, np.shape(points)[1:])[None], points[1:]]
        points = np.concatenate(tuple(ends))
    if num > 1 and endpoint:
        ends = [points[:-1], np.broadcast_to(stop, np.shape(points)[1:])[None]]
        points = np.concatenate(tuple(ends))
    points = np.moveaxis(points, 0, axis)
    return points if dtype is None else points.astype(dtype)


@composes(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """The powers of a base with evenly spaced exponents."""
    exponents = np.linspace(start, stop, num, endpoint, axis=axis)
    one_base(np.ndim(base))
    points = np.power(base, exponents)
    return points if dtype is None else points.astype(dtype)


@planning
def one_base(rank):
    """Raises NotImplementedError for several bases."""
    if rank > 0:
        raise NotImplementedError("np.logspace with an array of bases has no derivative rule")


known(
    np.gradient,
    np.ediff1d,
    of_complex=True,
)
