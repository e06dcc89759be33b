"""How the functions of a distribution are made of those of its standard form: for `scipy.stats`.

What lies outside of the support has the density 0, and parameters that mean nothing give NaN, as in SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.functions.declare import known
from pullback.functions.parts import as_array
from pullback.runtime import where

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Law:
    """The standard form of a distribution, as functions of a place and of the tuple of shape parameters.

    log_density: of a place in the support. cdf, sf, logcdf, logsf: inside of it; no logarithms are those of cdf and sf.
    ppf, isf: the inverses of cdf and sf. low, high: the ends of the support, from the shapes. good: whether these mean
    something. discrete: whether places are whole numbers.
    """

    log_density: Formula
    cdf: Formula
    sf: Formula
    ppf: Formula | None = None
    isf: Formula | None = None
    logcdf: Formula | None = None
    logsf: Formula | None = None
    low: Formula = lambda shapes: -np.inf
    high: Formula = lambda shapes: np.inf
    good: Formula = lambda shapes: True
    discrete: bool = False


def declare_law(distribution: Any, law: Law, count: int = 0) -> None:
    """Declare the functions of a distribution with so many shape parameters by those of its standard form."""
    density = law.log_density, law.low, law.high, law.good
    ends = law.low, law.high, law.good
    made = {
        "cdf": _distribution(law.cdf, 0.0, 1.0, law.discrete, *ends),
        "sf": _distribution(law.sf, 1.0, 0.0, law.discrete, *ends),
        "logcdf": _distribution(law.logcdf or _logarithm(law.cdf), -np.inf, 0.0, law.discrete, *ends),
        "logsf": _distribution(law.logsf or _logarithm(law.sf), 0.0, -np.inf, law.discrete, *ends),
    }
    if law.discrete:
        made |= {"pmf": _mass(*density), "logpmf": _log_mass(*density)}
    else:
        made |= {"pdf": _density(*density), "logpdf": _log_density(*density)}
        if law.ppf is not None:
            made["ppf"] = _inverse(law.ppf, *ends)
        if law.isf is not None:
            made["isf"] = _inverse(law.isf, law.high, law.low, law.good)
    given = (_without_shapes, _with_a_shape, _with_two_shapes)[count]
    for name, general in made.items():
        known(getattr(distribution, name), text=(_of_counts if law.discrete else given)(general, count))


def _logarithm(function: Formula) -> Formula:
    return lambda z, shapes: np.log(function(z, shapes))


# The functions of places, with shapes in a tuple


def _density(log_density, low, high, good):
    def pdf(x, shapes, loc, scale):
        z = (wide(x) - loc) / scale
        y = np.exp(log_density(inside_of(z, low(shapes), high(shapes)), shapes)) / scale
        return where(good(shapes) & (scale > 0), within(z, low(shapes), high(shapes), y, 0.0), np.nan)

    return pdf


def _log_density(log_density, low, high, good):
    def logpdf(x, shapes, loc, scale):
        z = (wide(x) - loc) / scale
        y = log_density(inside_of(z, low(shapes), high(shapes)), shapes) - np.log(scale)
        return where(good(shapes) & (scale > 0), within(z, low(shapes), high(shapes), y, -np.inf), np.nan)

    return logpdf


def _mass(log_density, low, high, good):
    def pmf(k, shapes, loc, scale):
        z = wide(k) - loc
        whole = np.floor(z)
        y = where(z == whole, np.exp(log_density(inside_of(whole, low(shapes), high(shapes)), shapes)), 0.0)
        return where(good(shapes), within(z, low(shapes), high(shapes), y, 0.0), np.nan)

    return pmf


def _log_mass(log_density, low, high, good):
    def logpmf(k, shapes, loc, scale):
        z = wide(k) - loc
        whole = np.floor(z)
        y = where(z == whole, log_density(inside_of(whole, low(shapes), high(shapes)), shapes), -np.inf)
        return where(good(shapes), within(z, low(shapes), high(shapes), y, -np.inf), np.nan)

    return logpmf


def _distribution(function, below, above, discrete, low, high, good):
    def cdf(x, shapes, loc, scale):
        z = (wide(x) - loc) / scale
        z = np.floor(z) if discrete else z
        first, last = low(shapes), high(shapes)
        y = function(inside_of(z, first, last), shapes)
        y = where(z < first, below, where(z >= last, above, y)) if discrete else within(z, first, last, y, below)
        y = y if discrete else where(z >= last, above, y)
        return where((z == z) & good(shapes) & (scale > 0), y, np.nan)

    return cdf


def _inverse(function, low, high, good):
    def ppf(q, shapes, loc, scale):
        q = wide(q)
        inside = (q > 0) & (q < 1)
        y = function(where(inside, q, 0.5), shapes) * scale + loc
        y = where(inside, y, where(q == 0, low(shapes) * scale + loc, high(shapes) * scale + loc))
        return where(good(shapes) & (scale > 0) & (q >= 0) & (q <= 1), y, np.nan)

    return ppf


def wide(x):
    """An array or number of floats of 64 bits, which distributions compute with."""
    x = as_array(x)
    return x if isinstance(x, (int, float)) or x.dtype == np.float64 else x.astype(np.float64)


def within(z, low, high, y, outside):
    """y inside of a support, what stands outside and at infinity, and NaN for NaN."""
    return where(z == z, where((z >= low) & (z <= high) & (np.abs(z) < np.inf), y, outside), np.nan)


def inside_of(z, low, high):
    """A place in the support: that which is given, or one where all is finite."""
    return where((z >= low) & (z <= high) & (np.abs(z) < np.inf), z, inner_place(low, high))


def inner_place(low, high):
    if isinstance(low, float) and low == -np.inf:
        return 0.0
    return low + 1.0 if isinstance(high, float) and high == np.inf else (low + high) / 2


# With the parameters that SciPy's functions have


def _without_shapes(general: Formula, count: int) -> Formula:
    def text(x, loc=0, scale=1):
        return general(x, (), wide(loc), wide(scale))

    return text


def _with_a_shape(general: Formula, count: int) -> Formula:
    def text(x, shape, loc=0, scale=1):
        return general(x, (wide(shape),), wide(loc), wide(scale))

    return text


def _with_two_shapes(general: Formula, count: int) -> Formula:
    def text(x, first, second, loc=0, scale=1):
        return general(x, (wide(first), wide(second)), wide(loc), wide(scale))

    return text


def _of_counts(general: Formula, count: int) -> Formula:
    def of_one(k, shape, loc=0):
        return general(k, (wide(shape),), wide(loc), 1)

    def of_two(k, first, second, loc=0):
        return general(k, (wide(first), wide(second)), wide(loc), 1)

    return of_one if count == 1 else of_two
