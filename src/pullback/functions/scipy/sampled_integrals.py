"""Integrals of sampled values along an axis: of `scipy.integrate`."""

from __future__ import annotations

import numpy as np
from scipy import integrate

from pullback.functions.declare import composes, planning
from pullback.functions.parts import as_array


@composes(integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """Σ dx (y[k] + y[k + 1]) / 2, in the dtype of y."""
    y = np.moveaxis(as_array(y), axis, -1)
    step = steps_of(x, dx, y, axis).astype(floats_of(y.dtype))
    return np.sum(step * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)


def steps_of(x, dx, y, axis):
    """The distances between places along the last axis: of a vector for all lines, of an array, or all the same."""
    if x is None:
        return np.ones(max(y.shape[-1] - 1, 0), floats_of(y.dtype)) * dx
    x = as_array(x)
    return np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(x, axis, -1), axis=-1)


@planning
def floats_of(dtype):
    """A dtype of floats, or the one that integers are computed in with them."""
    return dtype if np.dtype(dtype).kind == "f" else np.dtype(np.float64)


def ratio_of(a, b):
    """a / b, and 0 where b is 0."""
    return np.where(b == 0, 0, a / np.where(b == 0, 1, b))


@composes(integrate.simpson)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    """By parabolas through three points each; where one interval is left, by that through the last three.

    Cartwright (2017), Simpson's rule cumulative integration with MS Excel and irregularly-spaced data, 3.
    """
    y = np.moveaxis(as_array(y), axis, -1)
    count = y.shape[-1]
    step = steps_of(x, dx, y, axis) if x is None else steps_of(x, dx, y, axis).astype(np.float64)
    if count == 2:
        return np.sum(0.5 * step * (y[..., 1:] + y[..., :-1]), axis=-1)
    stop = count - 2 if count % 2 == 0 else count - 1
    first, second = step[..., 0:stop:2], step[..., 1:stop:2]
    both = first + second
    at, middle, end = y[..., 0:stop:2], y[..., 1 : stop + 1 : 2], y[..., 2 : stop + 1 : 2]
    ratio = ratio_of(first, second)
    parts = at * (2.0 - ratio_of(1.0, ratio)) + middle * (both * ratio_of(both, first * second)) + end * (2.0 - ratio)
    total = np.sum(both / 6.0 * parts, axis=-1)
    if count % 2 == 0:
        before, last = step[..., -2], step[..., -1]
        of_end = ratio_of(2 * last**2 + 3 * before * last, 6 * (before + last))
        of_middle = ratio_of(last**2 + 3 * before * last, 6 * before)
        of_first = ratio_of(last**3, 6 * before * (before + last))
        total = total + of_end * y[..., -1] + of_middle * y[..., -2] - of_first * y[..., -3]
    return total


@composes(integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    """The sums of trapezia up to each place but the first, or to all with 0 for that."""
    y = np.moveaxis(as_array(y), axis, -1)
    nothing_or_zero(initial)
    sums = np.cumsum(steps_of(x, dx, y, axis) * (y[..., 1:] + y[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        sums = np.concatenate((np.zeros_like(y[..., :1]).astype(sums.dtype), sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


@planning
def nothing_or_zero(initial):
    """Raises ValueError for a first value that is none."""
    if initial is not None and initial != 0:
        raise ValueError("`initial` must be `None` or `0`.")


@composes(integrate.cumulative_simpson)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    """The integrals up to each place, by parabolas through three points.   Cartwright (2017), 2 and 3."""
    y = np.moveaxis(as_array(y), axis, -1)
    y = y.astype(floats_of(y.dtype))
    step = steps_of(x, dx, y, axis).astype(np.float64) if x is None else steps_of(x, dx, y, axis)
    if x is not None and y.shape[-1] > 2 and np.any(step <= 0):
        raise ValueError("Input x must be strictly increasing.")
    if y.shape[-1] < 3:
        parts = step * (y[..., 1:] + y[..., :-1]) / 2.0
    else:
        step = step + np.zeros_like(y[..., 1:])
        forth = of_first_intervals(y, step)
        back = of_first_intervals(y[..., ::-1], step[..., ::-1])[..., ::-1]
        parts = np.zeros_like(step)
        parts[..., :-1:2], parts[..., 1::2], parts[..., -1] = forth[..., ::2], back[..., ::2], back[..., -1]
    sums = np.cumsum(parts, axis=-1)
    if initial is not None:
        sums = np.concatenate((np.zeros_like(sums[..., :1]), sums), axis=-1) + initial
    return np.moveaxis(sums, -1, axis)


def of_first_intervals(y, step):
    """The integrals over the first interval of the parabolas through each three points."""
    one, two = step[..., :-1], step[..., 1:]
    ratio = one / (one + two)
    further = ratio * (one / two)
    weighted = (3 - ratio) * y[..., :-2] + (3 + further + ratio) * y[..., 1:-1] - further * y[..., 2:]
    return one / 6 * weighted
