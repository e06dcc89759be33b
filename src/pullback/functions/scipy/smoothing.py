"""Trends and local polynomials along an axis: of `scipy.signal`."""

from __future__ import annotations

import numpy as np
from scipy import signal

from pullback.functions.declare import composes, known, planning
from pullback.functions.padding import padded
from pullback.functions.parts import as_array

known(signal.savgol_coeffs)


@composes(signal.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    """The values less their mean, or less the line of least squares, in each section between breakpoints."""
    data = np.moveaxis(as_array(data), axis, -1)
    if kind_of_trend(type) == "constant":
        return np.moveaxis(data - np.mean(data, axis=-1, keepdims=True), -1, axis)
    parts = []
    breaks = breakpoints(bp)
    if breaks[-1] > data.shape[-1]:
        raise ValueError("Breakpoints must be less than length of data along given axis.")
    for start, stop in zip(breaks, breaks[1:] + (None,), strict=True):
        parts.append(without_line(data[..., start:stop]))
    return np.moveaxis(np.concatenate(tuple(parts), axis=-1), -1, axis)


@planning
def kind_of_trend(type):
    """Raises ValueError for a kind that is none."""
    if type not in ("linear", "l", "constant", "c"):
        raise ValueError("Trend type must be 'linear' or 'constant'.")
    return "constant" if type in ("constant", "c") else "linear"


@planning
def breakpoints(bp):
    """The first places of sections, in order."""
    return tuple(sorted({0, *((bp,) if isinstance(bp, int) else bp)}))


def without_line(part):
    """Values less the line of least squares through them."""
    count = part.shape[-1]
    places = np.arange(count) - (count - 1) / 2
    slope = np.sum(places * part, axis=-1, keepdims=True) / max(np.sum(places * places), 1.0)
    return (part - np.mean(part, axis=-1, keepdims=True) - slope * places).astype(part.dtype)


@composes(signal.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    """At each place the polynomial of least squares through its neighbours, or a derivative of it."""
    x = np.moveaxis(as_array(x), axis, -1)
    x = x if known_floats(x.dtype) else x.astype(np.float64)
    half = half_of(window_length)
    coefficients = signal.savgol_coeffs(window_length, polyorder, deriv, delta).astype(x.dtype)
    padding = padding_of(mode)
    if padding != "interp":
        return np.moveaxis(
            slid(padded(x, np.ndim(x) - 1, half, half, padding, cval, "even", None), coefficients), -1, axis
        )
    if window_length > x.shape[-1]:
        raise ValueError("If mode is 'interp', window_length must be less than or equal to the size of x.")
    inner = slid(x, coefficients)
    first, last = [], []
    for k in range(half):
        at = signal.savgol_coeffs(window_length, polyorder, deriv, delta, k, "dot").astype(x.dtype)
        first.append(x[..., :window_length] @ at)
        at = signal.savgol_coeffs(window_length, polyorder, deriv, delta, window_length - half + k, "dot")
        last.append(x[..., -window_length:] @ at.astype(x.dtype))
    ends = np.moveaxis(np.array(first), 0, -1), np.moveaxis(np.array(last), 0, -1)
    return np.moveaxis(np.concatenate((ends[0], inner, ends[1]), axis=-1), -1, axis)


@planning
def half_of(window_length):
    """How many neighbours are on one side. Raises NotImplementedError for an even number of values."""
    if window_length % 2 == 0:
        raise NotImplementedError("scipy.signal.savgol_filter is followed with an odd window_length")
    return window_length // 2


@planning
def known_floats(dtype):
    """Whether a dtype is computed with as it is."""
    return np.dtype(dtype) in (np.float32, np.float64)


@planning
def padding_of(mode):
    """What `np.pad` calls it; "interp" where there is none. Raises ValueError for a mode that is none."""
    known_modes = {"mirror": "reflect", "constant": "constant", "nearest": "edge", "wrap": "wrap", "interp": "interp"}
    if mode not in known_modes:
        raise ValueError("mode must be 'mirror', 'constant', 'nearest' 'wrap' or 'interp'.")
    return known_modes[mode]


def slid(x, coefficients):
    """The sum of products with coefficients, at each place where they fit; the last one meets the first value."""
    count = coefficients.shape[0]
    y = coefficients[count - 1] * x[..., : x.shape[-1] - count + 1]
    for k in range(1, count):
        y = y + coefficients[count - 1 - k] * x[..., k : x.shape[-1] - count + 1 + k]
    return y
