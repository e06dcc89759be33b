"""Interpolants of `scipy.interpolate` as records of their coefficients, which are evaluated by polynomials.

A derivative by the place is that of the polynomial there; at a breakpoint of the one on its right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import interpolate

from pullback.functions.declare import composes, planning
from pullback.functions.objects import stands_for
from pullback.functions.parts import as_array, numbers_to


@stands_for(
    *(interpolate.PPoly, interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.Akima1DInterpolator),
    interpolate.CubicHermiteSpline,
)
@dataclass
class Piecewise:
    """c[p, k] (x - x_k)^(m - p) from one breakpoint x_k to the next."""

    c: Any
    x: Any
    extrapolate: Any
    axis: Any

    __pullback_title__ = "a piecewise polynomial"
    __pullback_static__ = ("extrapolate", "axis")

    def __call__(self, x, nu=0, extrapolate=None):
        if extrapolate is None:
            extrapolate = self.extrapolate
        x = floats(x)
        shape, at = np.shape(x), within_period(np.ravel(x), self.x[0], self.x[-1], extrapolate)
        c, last = differentiated(self.c, nu), self.x.shape[0] - 1
        k = np.clip(np.searchsorted(self.x, at, side="right") - 1, 0, last - 1)
        step = np.reshape(at - self.x[k], as_rows(np.ndim(c) - 2))
        power, y = np.ones_like(step), np.zeros((at.shape[0],) + tuple(np.shape(c)[2:]))
        for p in range(c.shape[0]):
            y = y + c[c.shape[0] - 1 - p][k] * power
            power = power * step
        y = only_inside(y, at, self.x[0], self.x[-1], extrapolate)
        return in_place(np.reshape(y, tuple(shape) + tuple(np.shape(c)[2:])), np.ndim(x), self.axis)

    def derivative(self, nu=1):
        return Piecewise(differentiated(self.c, nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        once(nu)
        exponents = np.arange(self.c.shape[0], 0, -1)
        c = np.moveaxis(np.moveaxis(self.c, 0, -1) / exponents, -1, 0)
        step, whole = np.diff(self.x), np.zeros(np.shape(c)[1:])
        for p in range(c.shape[0]):
            whole = np.moveaxis((np.moveaxis(whole, 0, -1) + np.moveaxis(c[p], 0, -1)) * step, -1, 0)
        before = np.concatenate((np.zeros_like(whole[:1]), np.cumsum(whole, axis=0)[:-1]))
        return Piecewise(np.concatenate((c, before[None])), self.x, self.extrapolate, self.axis)

    def integrate(self, a, b, extrapolate=None):
        whole = self.antiderivative()
        not_periodic(self.extrapolate if extrapolate is None else extrapolate)
        return whole(b, 0, extrapolate) - whole(a, 0, extrapolate)


@stands_for(interpolate.BSpline)
@dataclass
class Spline:
    """Σ c[j] B_j(x) with B-splines of degree k on the knots t."""

    t: Any
    c: Any
    k: Any
    extrapolate: Any
    axis: Any

    __pullback_title__ = "a spline"
    __pullback_static__ = ("k", "extrapolate", "axis")

    def __call__(self, x, nu=0, extrapolate=None):
        if extrapolate is None:
            extrapolate = self.extrapolate
        x = floats(x)
        first, last = self.t[self.k], self.t[self.t.shape[0] - self.k - 1]
        at = within_period(np.ravel(x), first, last, extrapolate)
        y = only_inside(of_degree(self.t, self.c, self.k, at, nu), at, first, last, extrapolate)
        return in_place(np.reshape(y, tuple(np.shape(x)) + tuple(np.shape(self.c)[1:])), np.ndim(x), self.axis)


@composes(interpolate.splev)
def splev(x, tck, der=0, ext=0):
    """A spline that is given by its knots, coefficients and degree."""
    return beyond(floats(x), tck[0], as_array(tck[1]), tck[2], der, ext)


@stands_for(*(interpolate.UnivariateSpline, interpolate.InterpolatedUnivariateSpline, interpolate.LSQUnivariateSpline))
@dataclass
class Univariate:
    """The same, with what is to happen beyond the ends."""

    _eval_args: Any
    ext: Any

    __pullback_title__ = "a spline"
    __pullback_static__ = ("ext",)

    def __call__(self, x, nu=0, ext=None):
        t, c, k = self._eval_args
        return beyond(floats(x), t, c, k, nu, self.ext if ext is None else ext)


@stands_for(interpolate.interp1d)
@dataclass
class Lines:
    """The lines from one point to the next."""

    x: Any
    y: Any
    _kind: Any
    bounds_error: Any
    _extrapolate: Any
    fill_value: Any

    __pullback_title__ = "an interp1d"
    __pullback_static__ = ("_kind", "bounds_error", "_extrapolate")

    def __call__(self, x):
        linear_through_numbers(self._kind, np.ndim(self.y))
        at = floats(x)
        if self.bounds_error:
            if np.any(at < self.x[0]):
                raise ValueError("A value in x_new is below the interpolation range.")
            if np.any(at > self.x[-1]):
                raise ValueError("A value in x_new is above the interpolation range.")
        upper = np.clip(np.searchsorted(self.x, at), 1, self.x.shape[0] - 1)
        lower = upper - 1
        slope = (self.y[upper] - self.y[lower]) / (self.x[upper] - self.x[lower])
        y = slope * (at - self.x[lower]) + self.y[lower]
        if not self.bounds_error and not self._extrapolate:
            fill = self.fill_value
            below, above = fill if isinstance(fill, tuple) else (fill, fill)
            y = np.where(at > self.x[-1], one_of(above), np.where(at < self.x[0], one_of(below), y))
        return y


def one_of(fill):
    """A number that may be an array with one element."""
    return np.ravel(fill)[0] if np.ndim(fill) > 0 else fill


def floats(x):
    """Numbers or an array with 64 bits."""
    return as_array(x) * 1.0 if isinstance(x, (int, float)) else as_array(x).astype(np.float64)


@planning
def as_rows(rank):
    """The shape of an array with so many axes of one element behind the first."""
    return (-1,) + (1,) * rank


@planning
def once(nu):
    """Raises NotImplementedError for several integrals, one over the other."""
    if nu != 1:
        raise NotImplementedError("antiderivative is followed for nu=1: call it again for the next one")


@planning
def not_periodic(extrapolate):
    if extrapolate == "periodic":
        raise NotImplementedError("the integral of a periodic piecewise polynomial is not followed")


@planning
def times(nu):
    """How often a polynomial is differentiated. Raises NotImplementedError for an integral."""
    if nu < 0:
        raise NotImplementedError("the derivative nu of an interpolant is not negative")
    return tuple(range(nu))


@planning
def linear_through_numbers(kind, rank):
    """Raises NotImplementedError for what is no line between numbers."""
    if kind != "linear" or rank != 1:
        raise NotImplementedError(
            f"interp1d is followed with kind='linear' through numbers, not {kind!r}: use make_interp_spline"
        )


def differentiated(c, nu):
    """The coefficients of the derivative of a piecewise polynomial."""
    for _ in times(nu):
        exponents = np.arange(c.shape[0] - 1, 0, -1)
        c = np.moveaxis(np.moveaxis(c[:-1], 0, -1) * exponents, -1, 0)
    return c


def within_period(at, first, last, extrapolate):
    """Places in the first period, where an interpolant is periodic."""
    return first + (at - first) % (last - first) if is_periodic(extrapolate) else at


@planning
def is_periodic(extrapolate):
    return isinstance(extrapolate, str) and extrapolate == "periodic"


@planning
def goes_on(extrapolate):
    """Whether there are values beyond the ends."""
    return bool(extrapolate)


def only_inside(y, at, first, last, extrapolate):
    """Values, and NaN beyond the ends where nothing is known there."""
    if goes_on(extrapolate):
        return y
    inside = np.reshape((at >= first) & (at <= last), as_rows(np.ndim(y) - 1))
    return np.where(inside, y, np.nan)


def in_place(y, rank, axis):
    """Values with the axes of places where the axis of the data was."""
    return np.transpose(y, order_of_axes(np.ndim(y), rank, axis)) if np.ndim(y) > 0 else y


@planning
def order_of_axes(count, rank, axis):
    """The axes of places behind so many others, all counted."""
    axes = tuple(range(count))
    return axes[rank : rank + axis] + axes[:rank] + axes[rank + axis :]


def of_degree(t, c, k, at, nu):
    """The derivative nu of a spline at places in a row, by the algorithm of de Boor.

    de Boor (1978), A practical guide to splines, chapter X.
    """
    count = t.shape[0] - k - 1
    c = c[:count]
    if nu > k:
        return np.zeros((at.shape[0],) + tuple(np.shape(c)[1:]))
    for done in times(nu):
        degree = k - done
        width = t[degree + 1 : -1] - t[1 : -degree - 1]
        width = np.reshape(np.where(width == 0, np.inf, width), as_rows(np.ndim(c) - 1))
        c, t = degree * (c[1:] - c[:-1]) / width, t[1:-1]
    degree = k - nu
    i = np.clip(np.searchsorted(t, at, side="right") - 1, degree, c.shape[0] - 1)
    values = []
    for j in numbers_to(degree + 1):
        values.append(c[i - degree + j])
    for level in numbers_to(degree):
        for j in from_the_last(degree, level):
            left = t[i - degree + j]
            share = np.reshape((at - left) / (t[i + j - level] - left), as_rows(np.ndim(c) - 1))
            values[j] = (1.0 - share) * values[j - 1] + share * values[j]
    return values[degree]


@planning
def from_the_last(degree, level):
    """The numbers from a degree down to the one above a level."""
    return tuple(range(degree, level, -1))


def beyond(x, t, c, k, nu, ext):
    """A spline, and beyond its ends the value that `ext` says: 0 for its own, 1 for 0, 3 for the one at the end."""
    at, kind = np.ravel(x), known_ext(ext)
    first, last = t[k], t[t.shape[0] - k - 1]
    if kind == 2 and np.any((at < first) | (at > last)):
        raise ValueError("Error code returned by spev: 1")
    y = of_degree(t, c, k, np.clip(at, first, last) if kind == 3 else at, nu)
    if kind == 1:
        y = np.where((at < first) | (at > last), 0.0, y)
    return np.reshape(y, np.shape(x))


@planning
def known_ext(ext):
    """The number that a name of what happens beyond the ends has."""
    known = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}
    return known.get(ext, ext)
