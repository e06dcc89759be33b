"""Interpolants of `scipy.interpolate` that a function makes: coefficients, which are differentiated by the data."""

from __future__ import annotations

import numpy as np
from scipy import interpolate, linalg

from pullback.functions.declare import planning
from pullback.functions.objects import makes
from pullback.functions.scipy.interpolants import Lines, Piecewise, floats


@planning
def one_row(rank, axis):
    """Raises NotImplementedError for values that are no vector."""
    if rank != 1 or axis not in (0, -1):
        raise NotImplementedError(
            "an interpolant that is made in a function goes through numbers: make one for each row"
        )


@makes(interpolate.interp1d)
def interp1d(x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False):
    x, y = floats(x), floats(y)
    one_row(np.ndim(y), axis)
    if x.shape[0] != y.shape[0]:
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if not assume_sorted:
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    goes_on = isinstance(fill_value, str)
    checks = not goes_on if bounds_error is None else bounds_error
    return Lines(x, y, kind, checks, goes_on, fill_value)


@makes(interpolate.CubicSpline)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    """From the slopes that make second derivatives continuous.   de Boor (1978), A practical guide to splines, IV."""
    x, y = floats(x), floats(y)
    one_row(np.ndim(y), axis)
    first, last = conditions(bc_type)
    increasing(x, y)
    count = x.shape[0]
    if count < 4:
        raise ValueError("a CubicSpline that is made in a function has 4 points or more")
    step = np.diff(x)
    slope = np.diff(y) / step
    bands, right = np.zeros((3, count)), np.zeros(count)
    bands[0, 2:], bands[1, 1:-1], bands[2, :-2] = step[:-1], 2 * (step[:-1] + step[1:]), step[1:]
    right[1:-1] = 3 * (step[1:] * slope[:-1] + step[:-1] * slope[1:])
    bands[1, 0], bands[0, 1], right[0] = of_end(first, step[0], step[1], slope[0], slope[1])
    bands[1, -1], bands[2, -2], right[-1] = of_end(last, step[-1], step[-2], slope[-1], slope[-2])
    slopes = linalg.solve_banded((1, 1), bands, right)
    bend = (slopes[:-1] + slopes[1:] - 2 * slope) / step
    c = np.stack((bend / step, (slope - slopes[:-1]) / step - bend, slopes[:-1], y[:-1]))
    return Piecewise(c, x, True if extrapolate is None else extrapolate, 0)


def increasing(x, y):
    """Raises ValueError where the points have no order, or not one value each."""
    if x.shape[0] != y.shape[0]:
        raise ValueError("The length of `y` along `axis`=0 doesn't match the length of `x`")
    if np.any(np.diff(x) <= 0):
        raise ValueError("`x` must be strictly increasing sequence.")


@planning
def conditions(bc_type):
    """What holds at both ends."""
    both = (bc_type, bc_type) if isinstance(bc_type, str) else tuple(bc_type)
    if len(both) != 2 or not all(kind in ("not-a-knot", "natural", "clamped") for kind in both):
        raise NotImplementedError("a CubicSpline is made in a function with 'not-a-knot', 'natural' or 'clamped' ends")
    return both


def of_end(kind, step, further, slope, next_slope):
    """The coefficients of the slope at an end and of the next one, and the right-hand side."""
    if kind == "not-a-knot":
        both = step + further
        return further, both, ((step + 2 * both) * further * slope + step**2 * next_slope) / both
    return (2.0, 1.0, 3 * slope) if kind == "natural" else (1.0, 0.0, 0.0)


@makes(interpolate.PchipInterpolator)
def pchip(x, y, axis=0, extrapolate=None):
    """Slopes that are harmonic means, so that nothing overshoots.   Fritsch and Butland (1984), section 2."""
    x, y = floats(x), floats(y)
    one_row(np.ndim(y), axis)
    increasing(x, y)
    if x.shape[0] < 3:
        raise ValueError("a PchipInterpolator that is made in a function has 3 points or more")
    step = np.diff(x)
    slope = np.diff(y) / step
    turns = slope[:-1] * slope[1:] <= 0
    later, earlier = 2 * step[1:] + step[:-1], step[1:] + 2 * step[:-1]
    divisors = np.where(turns, 1.0, slope[:-1]), np.where(turns, 1.0, slope[1:])
    inverse = (later / divisors[0] + earlier / divisors[1]) / (later + earlier)
    slopes = np.zeros_like(y)
    slopes[1:-1] = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, inverse))
    slopes[0] = slope_at_end(step[0], step[1], slope[0], slope[1])
    slopes[-1] = slope_at_end(step[-1], step[-2], slope[-1], slope[-2])
    bend = (slopes[:-1] + slopes[1:] - 2 * slope) / step
    c = np.stack((bend / step, (slope - slopes[:-1]) / step - bend, slopes[:-1], y[:-1]))
    return Piecewise(c, x, True if extrapolate is None else extrapolate, 0)


def slope_at_end(step, further, slope, next_slope):
    """That of the parabola through three points, as far as it keeps the shape."""
    found = ((2 * step + further) * slope - step * next_slope) / (step + further)
    if np.sign(found) != np.sign(slope):
        return 0.0 * found
    if np.sign(slope) != np.sign(next_slope) and np.abs(found) > 3 * np.abs(slope):
        return 3 * slope
    return found
