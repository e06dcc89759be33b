"""Filters, convolutions and smoothing of `scipy.signal` by programs: derivatives are those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import signal

import pullback as pb
from differences import assert_slopes, weighted

RNG = np.random.default_rng(0)
X, ROWS, STATE, WEIGHTS = RNG.normal(size=12), RNG.normal(size=(3, 12)), RNG.normal(size=3), RNG.normal(size=200)
B, A = np.array([0.3, 0.2, -0.1]), np.array([1.3, -0.5, 0.2, 0.1])
KERNEL, LONG, TABLE, SMALL = RNG.normal(size=4), RNG.normal(size=15), RNG.normal(size=(5, 6)), RNG.normal(size=(2, 3))
SECTIONS = signal.butter(4, 0.3, output="sos")

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "window": (lambda x: signal.windows.hann(x.shape[0], sym=False) * x, (X,)),
    "lfilter": (lambda b, a, x: signal.lfilter(b, a, x), (B, A, X)),
    "columns": (lambda b, a, x: signal.lfilter(b, a, x, axis=0), (B, A, ROWS)),
    "smoothed": (lambda x: signal.lfilter([0.1], [1.0, -0.9], x), (X,)),
    "values from a state": (lambda b, a, x, zi: signal.lfilter(b, a, x, zi=zi)[0], (B, A, X, STATE)),
    "state behind": (lambda b, a, x, zi: signal.lfilter(b, a, x, zi=zi)[1], (B, A, X, STATE)),
    "lfilter_zi": (lambda b, a: signal.lfilter_zi(b, a), (B, A)),
    "filtfilt": (lambda b, a, x: signal.filtfilt(b, a, x, padlen=7), (B, A, ROWS)),
    "filtfilt even": (lambda b, a, x: signal.filtfilt(b, a, x, padtype="even", padlen=5), (B, A, X)),
    "filtfilt constant": (lambda b, a, x: signal.filtfilt(b, a, x, padtype="constant", padlen=5), (B, A, X)),
    "filtfilt none": (lambda b, a, x: signal.filtfilt(b, a, x, padtype=None), (B, A, X)),
    "sections": (lambda x: signal.sosfilt(SECTIONS, x), (ROWS,)),
    "designed": (lambda x: signal.filtfilt(signal.butter(2, 0.3)[0], signal.butter(2, 0.3)[1], x, padlen=5), (X,)),
    "designed sections": (lambda x: signal.sosfilt(signal.cheby1(3, 1.0, 0.4, output="sos"), x), (X,)),
    "designed window": (lambda x: signal.convolve(x, signal.firwin(5, [0.2, 0.6], pass_zero=False)), (X,)),
    "detrend": (lambda x: signal.detrend(x), (ROWS,)),
    "mean": (lambda x: signal.detrend(x, type="constant", axis=0), (ROWS,)),
    "breakpoints": (lambda x: signal.detrend(x, bp=[4, 7]), (X,)),
    "savgol": (lambda x: signal.savgol_filter(x, 5, 2), (ROWS,)),
    "slopes": (lambda x: signal.savgol_filter(x, 5, 3, deriv=1, delta=0.5, axis=0), (ROWS.T,)),
    "savgol mirror": (lambda x: signal.savgol_filter(x, 5, 2, mode="mirror"), (X,)),
    "savgol constant": (lambda x: signal.savgol_filter(x, 5, 2, mode="constant", cval=0.7), (X,)),
    "convolve": (lambda x, k: signal.convolve(x, k), (X, KERNEL)),
    "convolve same": (lambda x, k: signal.convolve(x, k, mode="same"), (X, LONG)),
    "convolve valid": (lambda x, k: signal.convolve(x, k, "valid"), (TABLE, SMALL)),
    "correlate": (lambda x, k: signal.correlate(x, k), (TABLE, SMALL)),
    "correlate same": (lambda x, k: signal.correlate(x, k, "same", method="direct"), (X, KERNEL)),
    "correlate valid": (lambda x, k: signal.correlate(x, k, "valid"), (X, LONG)),
    "fftconvolve": (lambda x, k: signal.fftconvolve(x, k, "same"), (TABLE, SMALL)),
    "fftconvolve along an axis": (lambda x, k: signal.fftconvolve(x, k[None], axes=1), (ROWS, KERNEL)),
    "oaconvolve": (lambda x, k: signal.oaconvolve(x, k, "valid"), (X, KERNEL)),
    "convolve2d": (lambda x, k: signal.convolve2d(x, k, "same", "fill", 0.5), (TABLE, SMALL)),
    "convolve2d wrap": (lambda x, k: signal.convolve2d(x, k, boundary="wrap"), (TABLE, SMALL)),
    "correlate2d": (lambda x, k: signal.correlate2d(x, k, "same"), (TABLE, SMALL)),
    "correlate2d symm": (lambda x, k: signal.correlate2d(x, k, "same", "symm"), (TABLE, SMALL)),
    "correlate2d valid": (lambda x, k: signal.correlate2d(x, k, "valid"), (SMALL, TABLE)),
}


@pytest.mark.drawn(14)
@pytest.mark.parametrize("name", CALLS)
def test_a_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", CALLS)
def test_a_compiled_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=True)


def compare(name: str, jit: bool) -> None:
    function, given = CALLS[name]
    every = tuple(range(len(given)))
    y, pull = pb.vjp(pb.differentiable(jit=jit)(function), every)(*given)
    expected = function(*given)
    np.testing.assert_allclose(y, expected, 1e-11, 1e-12)
    weights = WEIGHTS[: expected.size].reshape(expected.shape)
    x_bars = pull(weights)
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(function, given, weights), given, k)
    tangents = tuple(np.cos(np.arange(x.size)).reshape(x.shape) for x in given)
    _, y_dot = pb.jvp(pb.differentiable(jit=jit)(function), given, tangents)
    there = sum(np.sum(a * b) for a, b in zip(x_bars, tangents, strict=True))
    np.testing.assert_allclose(np.sum(y_dot * weights), there, 1e-12, 1e-12)


@pytest.mark.drawn(11)
@pytest.mark.parametrize(
    "name", [name for name in CALLS if name not in ("window", "filtfilt", "sections", "designed", "designed sections")]
)
def test_a_value_has_scipys_dtype(name: str) -> None:
    function, arguments = CALLS[name]
    given = [argument.astype(np.float32) for argument in arguments]
    y, _ = pb.vjp(pb.differentiable(jit=False)(function))(*given)
    expected = function(*given)
    assert (y.dtype, y.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(y, expected, 2e-4, 2e-4)


def test_a_second_derivative_is_that_of_differences() -> None:
    def loss(a: Any) -> Any:
        return np.sum(signal.lfilter([1.0], a, X) ** 2)

    product = pb.grad(lambda a: np.sum(pb.grad(loss)(a) * A))(A)
    assert_slopes(product, weighted(pb.grad(loss), (A,), A), (A,), 0)


def test_what_is_not_followed_is_refused() -> None:
    with pytest.raises(pb.LanguageError, match="odd window_length"):
        pb.grad(lambda x: np.sum(signal.savgol_filter(x, 4, 2)))(X)
    with pytest.raises(pb.LanguageError, match="method='pad'"):
        pb.grad(lambda x: np.sum(signal.filtfilt([1.0], [1.0, 0.5], x, method="gust")))(X)
    with pytest.raises(ValueError, match="ones"):
        pb.grad(lambda x: np.sum(signal.sosfilt(2 * SECTIONS, x)))(X)
