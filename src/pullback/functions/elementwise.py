"""Elementwise functions become their partial derivatives, one for each argument.

The transform multiplies by `y_bar` and sums broadcasting out. A form that reuses the result `y` spares a second call;
a form that mentions little keeps little. Values at kinks, ties and limits are golden data: `POINTS` in
tests/rule_samples.py. Formulas: Abramowitz and Stegun (1964), 3.3, 4.1 to 4.6.
"""

from __future__ import annotations

import numpy as np

from pullback.functions.declare import linear, partials, vjp
from pullback.runtime import where

partials(
    {
        np.add: lambda x1, x2: (1, 1),
        np.subtract: lambda x1, x2: (1, -1),
        np.multiply: lambda x1, x2: (x2, x1),
        np.negative: lambda x: -1,
        np.positive: lambda x: 1,
        np.remainder: lambda x1, x2: (1, -np.floor_divide(x1, x2)),
        np.fmod: lambda x1, x2: (1, -np.trunc(x1 / x2)),
        np.square: lambda x: 2 * x,
        np.real: lambda val: 1,
        np.conjugate: lambda x: 1,
    }
)

partials(
    {
        np.exp: lambda x, *, y: y,
        np.exp2: lambda x, *, y: y * 0.6931471805599453,  # log 2
        np.expm1: lambda x, *, y: y + 1,
        np.logaddexp: lambda x1, x2, *, y: (np.exp(x1 - y), np.exp(x2 - y)),
        np.logaddexp2: lambda x1, x2, *, y: (np.exp2(x1 - y), np.exp2(x2 - y)),
        np.deg2rad: lambda x: 0.017453292519943295,  # π / 180
        np.radians: lambda x: 0.017453292519943295,
        np.rad2deg: lambda x: 57.29577951308232,  # 180 / π
        np.degrees: lambda x: 57.29577951308232,
    }
)

partials(
    {
        np.sin: lambda x: np.cos(x),
        np.cos: lambda x: -np.sin(x),
        np.tan: lambda x, *, y: 1 + y * y,
        np.arctan: lambda x: 1 / (1 + x * x),
        np.arctan2: lambda x1, x2: (x2 / (x1 * x1 + x2 * x2), -x1 / (x1 * x1 + x2 * x2)),
        np.sinh: lambda x: np.cosh(x),
        np.cosh: lambda x: np.sinh(x),
        np.tanh: lambda x, *, y: 1 - y * y,
        np.arcsinh: lambda x: 1 / np.sqrt(x * x + 1),
    }
)

partials(
    {
        np.true_divide: lambda x1, x2, *, y: (1 / x2, -y / x2),
        np.reciprocal: lambda x, *, y: -y * y,
        np.sqrt: lambda x, *, y: 0.5 / y,
        np.cbrt: lambda x, *, y: 1 / (3 * y * y),
        np.log: lambda x: 1 / x,
        np.log2: lambda x: 1.4426950408889634 / x,  # 1 / log 2
        np.log10: lambda x: 0.4342944819032518 / x,  # 1 / log 10
        np.log1p: lambda x: 1 / (1 + x),
        # (1 - x) (1 + x) keeps the digits near 1 that 1 - x² loses.
        np.arcsin: lambda x: 1 / np.sqrt((1 - x) * (1 + x)),
        np.arccos: lambda x: -1 / np.sqrt((1 - x) * (1 + x)),
        np.arccosh: lambda x: 1 / np.sqrt((x - 1) * (x + 1)),
        np.arctanh: lambda x: 1 / ((1 - x) * (1 + x)),
    }
)


def power_partials(x1, x2, *, y):
    """x2 x1^(x2 - 1) and y log x1; 0 by the base at (0, 0), 0 by an exponent ≥ 0 of the base 0.

    Only the base is replaced, and only at those points: the second derivatives beside them stay right. For a constant
    exponent other than 0 the first test is known before the run, and `x2 * x1 ** (x2 - 1)` is left.
    """
    base = where(x2 == 0, where(x1 == 0, 1, x1), x1)
    base_of_log = where(x1 == 0, where(x2 >= 0, 1, x1), x1)
    return x2 * base ** (x2 - 1), y * np.log(base_of_log)


partials({np.power: power_partials, np.float_power: power_partials})

# Kinks. At a tie both arguments get half, so that f(x, x) has the derivative of x.
partials(
    {
        np.absolute: lambda x: np.sign(x),  # 0 at 0: the midpoint of the subdifferential
        np.fabs: lambda x: np.sign(x),
        np.copysign: lambda x1, x2: (np.sign(x1) * np.copysign(1, x2), None),
        np.heaviside: lambda x1, x2: (None, where(x1 == 0, 1.0, 0.0)),
        np.maximum: lambda x1, x2: (
            where(x1 > x2, 1.0, where(x1 == x2, 0.5, 0.0)),
            where(x2 > x1, 1.0, where(x1 == x2, 0.5, 0.0)),
        ),
        np.minimum: lambda x1, x2: (
            where(x1 < x2, 1.0, where(x1 == x2, 0.5, 0.0)),
            where(x2 < x1, 1.0, where(x1 == x2, 0.5, 0.0)),
        ),
        # A NaN loses against a number.
        np.fmax: lambda x1, x2: (
            where((x1 > x2) | np.isnan(x2), 1.0, where(x1 == x2, 0.5, 0.0)),
            where((x2 > x1) | np.isnan(x1), 1.0, where(x1 == x2, 0.5, 0.0)),
        ),
        np.fmin: lambda x1, x2: (
            where((x1 < x2) | np.isnan(x2), 1.0, where(x1 == x2, 0.5, 0.0)),
            where((x2 < x1) | np.isnan(x1), 1.0, where(x1 == x2, 0.5, 0.0)),
        ),
        # 0 at (0, 0), where both lengths are 0: a subgradient, as for the norm.
        np.hypot: lambda x1, x2, *, y: (x1 / (y + (y == 0)), x2 / (y + (y == 0))),
    }
)


def clip_partials(a, a_min=None, a_max=None):
    """1 between the bounds and on them; outside, the bound that is the result gets 1."""
    if a_min is None and a_max is None:
        return 1, None, None
    if a_max is None:
        return a >= a_min, a < a_min, None
    if a_min is None:
        return a <= a_max, None, a > a_max
    return (a >= a_min) & (a <= a_max), (a < a_min) & (a_min <= a_max), (a > a_max) | (a_min > a_max)


def sinc_partial(x, *, y):
    """(cos πx - y) / x for y = sin(πx) / (πx); near 0, where that cancels, four terms of its series."""
    s = (np.pi * x) ** 2
    series = -np.pi * np.pi * x * (1 / 3 - s * (1 / 30 - s * (1 / 840 - s / 45360)))
    return where(np.abs(x) < 0.03, series, (np.cos(np.pi * x) - y) / (x + (x == 0)))


partials({np.clip: clip_partials, np.sinc: sinc_partial})


@vjp(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None, *, y_bar):
    """The cotangent of a number that is kept; exactly 0 where another stands for it."""
    return np.where(np.isfinite(x), y_bar, 0)


@linear(np.where, where)
def where_(condition, x1, x2, *, y_bar):
    """The cotangent goes to the side that was chosen, and the other gets exactly 0."""
    if np.ndim(y_bar) == 0:
        return None, where(condition, y_bar, 0), where(condition, 0, y_bar)
    return None, np.where(condition, y_bar, 0), np.where(condition, 0, y_bar)
