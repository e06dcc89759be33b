"""Linear filters along an axis: of `scipy.signal`.

A filter computes a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + … - a[1] y[n - 1] - …; its transpose runs backwards.
"""

from __future__ import annotations

import numpy as np
from scipy import signal

from pullback.functions.declare import composes, planning, vjp
from pullback.functions.parts import as_array, place_of


@vjp(signal.lfilter)
def lfilter(b, a, x, axis=-1, *, y, y_bar):
    """x̄ = flip(h * flip(ȳ));  b̄[k] = Σ w[n - k] ȳ[n],  ā[k] = -Σ v[n - k] ȳ[n], w and v being x and y over a."""
    along = place_of(axis, np.ndim(x))
    x_bar = np.flip(signal.lfilter(b, a, np.flip(y_bar, along), along), along)
    one = np.ones(1, a.dtype)
    of_inputs = np.moveaxis(signal.lfilter(one, a, x, along), along, -1)
    of_outputs = np.moveaxis(signal.lfilter(one, a, y, along), along, -1)
    rows = np.moveaxis(y_bar, along, -1)
    return delayed_products(of_inputs, rows, b), -delayed_products(of_outputs, rows, a), x_bar


def delayed_products(signals, y_bar, like):
    """Σ w[n - k] ȳ[n] over all rows, for each of the delays k that an array has."""
    products = np.zeros_like(like)
    count = signals.shape[-1]
    for k in range(min(like.shape[0], count)):
        products[k] = np.sum(signals[..., : count - k] * y_bar[..., k:])
    return products


def has_state(ranks):
    """Whether a call gives the state that a filter begins with."""
    return ranks.get("zi", -1) >= 0


@composes(signal.lfilter, text_when=has_state)
def lfilter_from(b, a, x, axis=-1, zi=None):
    """The filtered values and the state at the end: by the transposed direct form II."""
    b, a, x, zi = as_array(b), as_array(a), np.moveaxis(as_array(x), axis, -1), np.moveaxis(as_array(zi), axis, -1)
    dtype = common_dtype(b.dtype, a.dtype, x.dtype, zi.dtype)
    order = max(b.shape[0], a.shape[0]) - 1
    if zi.shape[-1] != order:
        raise ValueError("Unexpected shape for zi: its length along the axis is not the order of the filter")
    of_inputs, of_outputs = lengthened(b / a[0], order + 1, dtype), lengthened(a / a[0], order + 1, dtype)
    state = np.zeros(tuple(x.shape[:-1]) + (order + 1,), dtype)
    state[..., :order] = zi
    y = np.zeros(x.shape, dtype)
    for n in range(x.shape[-1]):
        y[..., n] = state[..., 0] + of_inputs[0] * x[..., n]
        for k in range(order):
            state[..., k] = state[..., k + 1] + of_inputs[k + 1] * x[..., n] - of_outputs[k + 1] * y[..., n]
    return np.moveaxis(y, -1, axis), np.moveaxis(state[..., :order].copy(), -1, axis)


@planning
def common_dtype(*dtypes):
    """The dtype that arrays of these are computed with."""
    return np.result_type(*dtypes)


def lengthened(coefficients, count, dtype):
    """So many coefficients, of which zeros stand last."""
    return np.concatenate((coefficients, np.zeros(count - coefficients.shape[0], dtype))).astype(dtype)


@composes(signal.lfilter_zi)
def lfilter_zi(b, a):
    """The state in which a filter answers a constant input of 1 with a constant output."""
    b, a = np.ravel(as_array(b)), np.ravel(as_array(a))
    count = max(b.shape[0], a.shape[0])
    dtype = common_dtype(b.dtype, a.dtype, np.dtype("float32"))
    b, a = lengthened(b / a[0], count, dtype), lengthened(a / a[0], count, dtype)
    companion = np.eye(count - 1, dtype=dtype)
    companion[:, 0] += a[1:]
    companion[:-1, 1:] -= np.eye(count - 2, dtype=dtype)
    return np.linalg.solve(companion, b[1:] - a[1:] * b[0])


@composes(signal.sosfilt, text_when=lambda ranks: not has_state(ranks))
def sosfilt(sos, x, axis=-1):
    """One filter of second order after the other."""
    sos, y = as_array(sos), as_array(x)
    check_sections(sos)
    for k in range(sos.shape[0]):
        y = signal.lfilter(sos[k, :3], sos[k, 3:], y, axis)
    return y


def check_sections(sos):
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not np.all(sos[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")


@composes(signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad"):
    """Forwards and backwards, so that nothing is delayed, each from the state of a constant input."""
    b, a, x = as_array(b), as_array(a), np.moveaxis(as_array(x), axis, -1)
    by_padding(method)
    edge = 0 if padtype is None else 3 * max(b.shape[0], a.shape[0]) if padlen is None else padlen
    if x.shape[-1] <= edge:
        raise ValueError("The length of the input vector x must be greater than padlen")
    ext = extended(x, edge, padtype)
    state = signal.lfilter_zi(b, a)
    y, _ = signal.lfilter(b, a, ext, -1, state * ext[..., :1])
    y, _ = signal.lfilter(b, a, y[..., ::-1], -1, state * y[..., -1:])
    y = y[..., ::-1]
    return np.moveaxis(y[..., edge : edge + x.shape[-1]].copy(), -1, axis)


@planning
def by_padding(method):
    """Raises NotImplementedError for another way to find the initial states."""
    if method != "pad":
        raise NotImplementedError(f"scipy.signal.filtfilt is followed with method='pad', not {method!r}")


def extended(x, edge, padtype):
    """The values with so many more at both ends: mirrored there, in the point at the end or in the line through it."""
    kind = kind_of_padding(padtype)
    if kind is None:
        return x
    last = x.shape[-1]
    if kind == "constant":
        left, right = 0.0 * x[..., 1 : edge + 1] + x[..., :1], 0.0 * x[..., last - edge - 1 : -1] + x[..., -1:]
    else:
        left, right = x[..., edge:0:-1], x[..., last - 2 : last - edge - 2 : -1]
    if kind == "odd":
        left, right = 2 * x[..., :1] - left, 2 * x[..., -1:] - right
    return np.concatenate((left, x, right), axis=-1)


@planning
def kind_of_padding(padtype):
    """Raises ValueError for a kind that is none."""
    if padtype not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{padtype}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    return padtype
