"""Designs of filters by numbers that are known before the run: constants of `scipy.signal`."""

from __future__ import annotations

import numpy as np
from scipy import signal

from pullback.functions.declare import composes, planning


@composes(signal.butter)
def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    return as_arrays(butter_numbers(N, Wn, btype, analog, kind_of(output), fs), kind_of(output))


@composes(signal.cheby1)
def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):
    return as_arrays(cheby1_numbers(N, rp, Wn, btype, analog, kind_of(output), fs), kind_of(output))


@composes(signal.firwin)
def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    return np.array(firwin_numbers(numtaps, cutoff, width, window, pass_zero, scale, fs))


@planning
def kind_of(output):
    """Raises NotImplementedError for a description that is complex."""
    if output not in ("ba", "sos"):
        raise NotImplementedError(f"a filter is designed in a function with output='ba' or 'sos', not {output!r}")
    return output


@planning
def butter_numbers(N, Wn, btype, analog, output, fs):
    return in_tuples(signal.butter(N, Wn, btype, analog, output, fs))


@planning
def cheby1_numbers(N, rp, Wn, btype, analog, output, fs):
    return in_tuples(signal.cheby1(N, rp, Wn, btype, analog, output, fs))


@planning
def firwin_numbers(numtaps, cutoff, width, window, pass_zero, scale, fs):
    return in_tuples(
        signal.firwin(numtaps, cutoff, width=width, window=window, pass_zero=pass_zero, scale=scale, fs=fs)
    )


def in_tuples(numbers):
    return tuple(map(in_tuples, numbers)) if np.ndim(numbers) or isinstance(numbers, tuple) else float(numbers)


def as_arrays(numbers, output):
    """Two rows of coefficients, or one table of sections."""
    return np.array(numbers) if output == "sos" else (np.array(numbers[0]), np.array(numbers[1]))
