"""Elementwise functions become their partial derivatives, one for each argument.

The transform multiplies by `y_bar` and sums broadcasting out. A form that reuses the result `y` spares a second call;
a form that mentions little keeps little. Values at kinks, ties and limits are golden data: `POINTS` in
tests/rule_samples.py. Formulas: Abramowitz and Stegun (1964), 3.3, 4.1 to 4.6.
"""

from __future__ import annotations

import builtins
import math
import operator

import numpy as np

from pullback import runtime
from pullback.functions.complex_numbers import real_part
from pullback.functions.declare import composes, helper, known, linear, partials, vjp
from pullback.functions.operands import (
    has_vector_power,
    needs_complex_division,
    needs_division,
    needs_numpy_division,
    needs_power,
)
from pullback.runtime import power_slope, sigmoid, where

partials(np.add, lambda x1, x2: (1, 1), operator="Add", on_numbers=operator.add)
partials(np.subtract, lambda x1, x2: (1, -1), operator="Sub", on_numbers=operator.sub)
partials(np.multiply, lambda x1, x2: (x2, x1), operator="Mult", on_numbers=operator.mul)
partials(
    np.true_divide,
    lambda x1, x2, *, y: (1 / x2, -y / x2),
    operator="Div",
    on_numbers=operator.truediv,
    compiled=helper(runtime.complex_quotient, when=needs_complex_division),
)
partials(
    np.remainder,
    lambda x1, x2: (1, -np.floor_divide(x1, x2)),
    operator="Mod",
    on_numbers=operator.mod,
    compiled=helper(runtime.remainder_of_integers, when=needs_numpy_division)
    + helper(runtime.remainder, when=needs_division),
)
partials(np.fmod, lambda x1, x2: (1, -np.trunc(x1 / x2)), spellings=(math.fmod,))
partials(np.negative, lambda x: -1, operator="USub", on_numbers=operator.neg)
partials(np.positive, lambda x: 1, operator="UAdd", on_numbers=operator.pos)
partials(np.square, lambda x: 2 * x)
partials(np.reciprocal, lambda x, *, y: -y * y)

partials(np.nextafter, lambda x1, x2: (1, 0))
composes(np.divmod, parameters=("x1", "x2"))(lambda x1, x2: (np.floor_divide(x1, x2), np.remainder(x1, x2)))


@linear(np.ldexp, has_order=True)
def ldexp(x1, x2, *, y_bar):
    """x1 2^x2, of which the exponent is an integer."""
    return np.ldexp(y_bar, x2)


# Powers, exponentials and logarithms
partials(np.sqrt, lambda x, *, y: 0.5 / y, spellings=(math.sqrt,))
partials(
    np.cbrt,
    lambda x, *, y: 1 / (3 * y * y),
    spellings=(math.cbrt,),
    compiled=helper(runtime.cbrt),
    vector=True,
    loop=True,
)
partials(np.exp, lambda x, *, y: y, spellings=(math.exp,), vector=True, loop=True)
partials(
    np.exp2,
    lambda x, *, y: y * 0.6931471805599453,  # log 2
    spellings=(math.exp2,),
    compiled=helper(runtime.exp2),
    vector=True,
    loop=True,
)
partials(np.expm1, lambda x, *, y: y + 1, spellings=(math.expm1,), vector=True, loop=True)
partials(np.log, lambda x: 1 / x, vector=True, loop=True)
partials(np.log2, lambda x: 1.4426950408889634 / x, spellings=(math.log2,), vector=True, loop=True)  # 1 / log 2
partials(np.log10, lambda x: 0.4342944819032518 / x, spellings=(math.log10,), vector=True, loop=True)  # 1 / log 10
partials(np.log1p, lambda x: 1 / (1 + x), spellings=(math.log1p,), vector=True, loop=True)


def shares_of_sum(x1, x2):
    """e^x1 and e^x2 over their sum, by e^(-|x1 - x2|), which `np.logaddexp` computes too."""
    d = x1 - x2
    return where(x1 == np.inf, np.nan, sigmoid(d)), where(x2 == np.inf, np.nan, sigmoid(-d))


partials(
    np.logaddexp,
    lambda x1, x2, *, y: (np.exp(x1 - y), np.exp(x2 - y)),
    preaccumulated=shares_of_sum,
    compiled=helper(runtime.logaddexp),
    vector=True,
    loop=True,
)
partials(
    np.logaddexp2,
    lambda x1, x2, *, y: (np.exp2(x1 - y), np.exp2(x2 - y)),
    compiled=helper(runtime.logaddexp2),
    loop=True,
)


def power_partials(x1, x2, *, y):
    """x2 x1^(x2 - 1) and y log x1; 0 by the base at (0, 0), 0 by an exponent ≥ 0 of the base 0.

    Only the base is replaced, and only at those points: the second derivatives beside them stay right. For a constant
    exponent other than 0 the first test is known before the run, and `x2 * x1 ** (x2 - 1)` is left.
    """
    base = where(x2 == 0, where(x1 == 0, 1, x1), x1)
    base_of_log = without_zero(x1, x2)
    return x2 * base ** (x2 - 1), y * np.log(base_of_log)


def power_partials_by_quotient(x1, x2, *, y):
    """The same, with y / x1 for x1^(x2 - 1) wherever that is accurate."""
    return x2 * power_slope(x1, x2, y), y * np.log(without_zero(x1, x2))


def without_zero(x1, x2):
    """The base of the logarithm: 1 in the place of 0 for exponents >= 0."""
    return where(x1 == 0, where(real_part(x2) >= 0, 1, x1), x1)


partials(
    np.power,
    power_partials,
    branching=power_partials_by_quotient,
    operator="Pow",
    on_numbers=operator.pow,
    spellings=(math.pow, builtins.pow),
    compiled=helper(runtime.power, when=needs_power),
    vector=has_vector_power,
    loop=True,
)
partials(np.float_power, power_partials)
known(power_slope, is_elementwise=True)

# Trigonometric and hyperbolic functions
partials(np.sin, lambda x: np.cos(x), spellings=(math.sin,), vector=True, loop=True)
partials(np.cos, lambda x: -np.sin(x), spellings=(math.cos,), vector=True, loop=True)
partials(np.tan, lambda x, *, y: 1 + y * y, spellings=(math.tan,), vector=True, loop=True)
# (1 - x) (1 + x) keeps the digits near 1 that 1 - x² loses.
partials(np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x)), spellings=(math.asin,), vector=True, loop=True)
partials(np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x)), spellings=(math.acos,), vector=True, loop=True)
partials(np.arctan, lambda x: 1 / (1 + x * x), spellings=(math.atan,), vector=True, loop=True)
partials(
    np.arctan2,
    lambda x1, x2: (x2 / (x1 * x1 + x2 * x2), -x1 / (x1 * x1 + x2 * x2)),
    spellings=(math.atan2,),
    vector=True,
    loop=True,
)
partials(np.sinh, lambda x: np.cosh(x), spellings=(math.sinh,), vector=True, loop=True)
partials(np.cosh, lambda x: np.sinh(x), spellings=(math.cosh,), vector=True, loop=True)
partials(np.tanh, lambda x, *, y: 1 - y * y, spellings=(math.tanh,), vector=True, loop=True)
partials(np.arcsinh, lambda x: 1 / np.sqrt(x * x + 1), spellings=(math.asinh,), vector=True, loop=True)
partials(np.arccosh, lambda x: 1 / np.sqrt((x - 1) * (x + 1)), spellings=(math.acosh,), vector=True, loop=True)
partials(np.arctanh, lambda x: 1 / ((1 - x) * (1 + x)), spellings=(math.atanh,), vector=True, loop=True)
partials(np.deg2rad, lambda x: 0.017453292519943295, compiled=helper(runtime.deg2rad), loop=True)  # π / 180
partials(np.rad2deg, lambda x: 57.29577951308232, compiled=helper(runtime.rad2deg), loop=True)  # 180 / π
partials(
    np.radians,
    lambda x: 0.017453292519943295,
    spellings=(math.radians,),
    compiled=helper(runtime.deg2rad),
    loop=True,
)
partials(
    np.degrees,
    lambda x: 57.29577951308232,
    spellings=(math.degrees,),
    compiled=helper(runtime.rad2deg),
    loop=True,
)


def sinc_partial(x, *, y):
    """(cos πx - y) / x for y = sin(πx) / (πx); near 0, where that cancels, four terms of its series."""
    s = (np.pi * x) ** 2
    series = -np.pi * np.pi * x * (1 / 3 - s * (1 / 30 - s * (1 / 840 - s / 45360)))
    return where(np.abs(x) < 0.03, series, (np.cos(np.pi * x) - y) / (x + (x == 0)))


partials(np.sinc, sinc_partial, compiled=helper(runtime.sinc), loop=True)

# Kinks. At a tie both arguments get half, so that f(x, x) has the derivative of x.
# 0 at 0: the midpoint of the subdifferential
partials(
    np.absolute,
    lambda x, *, y: np.conjugate(x) / (y + (y == 0)) if np.iscomplexobj(x) else np.sign(x),
    on_numbers=abs,
)
partials(np.fabs, lambda x: np.sign(x), spellings=(math.fabs,))
partials(
    np.copysign,
    lambda x1, x2: (np.sign(x1) * np.copysign(1, x2), None),
    spellings=(math.copysign,),
    compiled=helper(runtime.copysign),
)
partials(
    np.heaviside,
    lambda x1, x2: (None, where(x1 == 0, 1.0, 0.0)),
    compiled=helper(runtime.heaviside),
)
partials(
    np.maximum,
    lambda x1, x2: (
        where(x1 > x2, 1.0, where(x1 == x2, 0.5, 0.0)),
        where(x2 > x1, 1.0, where(x1 == x2, 0.5, 0.0)),
    ),
    compiled=helper(runtime.maximum),
)
partials(
    np.minimum,
    lambda x1, x2: (
        where(x1 < x2, 1.0, where(x1 == x2, 0.5, 0.0)),
        where(x2 < x1, 1.0, where(x1 == x2, 0.5, 0.0)),
    ),
    compiled=helper(runtime.minimum),
)
# A NaN loses against a number.
partials(
    np.fmax,
    lambda x1, x2: (
        where((x1 > x2) | np.isnan(x2), 1.0, where(x1 == x2, 0.5, 0.0)),
        where((x2 > x1) | np.isnan(x1), 1.0, where(x1 == x2, 0.5, 0.0)),
    ),
    compiled=helper(runtime.fmax),
)
partials(
    np.fmin,
    lambda x1, x2: (
        where((x1 < x2) | np.isnan(x2), 1.0, where(x1 == x2, 0.5, 0.0)),
        where((x2 < x1) | np.isnan(x1), 1.0, where(x1 == x2, 0.5, 0.0)),
    ),
    compiled=helper(runtime.fmin),
)
# 0 at (0, 0), where both lengths are 0: a subgradient, as for the norm.
partials(
    np.hypot,
    lambda x1, x2, *, y: (x1 / (y + (y == 0)), x2 / (y + (y == 0))),
    spellings=(math.hypot,),
    compiled=helper(runtime.hypot),
    loop=True,
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


partials(
    np.clip,
    clip_partials,
    is_elementwise=True,
    is_method=True,
    renamed={"min": "a_min", "max": "a_max"},
    compiled=helper(runtime.clip),
)


@vjp(np.nan_to_num, chosen=slice(0, 1))
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None, *, y_bar):
    """The cotangent of a number that is kept; exactly 0 where another stands for it."""
    return np.where(np.isfinite(x), y_bar, 0)


@linear(
    np.where,
    where,
    linear_in=(1, 2),
    is_elementwise=True,
    chosen=slice(1, None),
    compiled=helper(runtime.where),
)
def where_(condition, x1, x2, *, y_bar):
    """The cotangent goes to the side that was chosen, and the other gets exactly 0."""
    if np.ndim(y_bar) == 0:
        return None, where(condition, y_bar, 0), where(condition, 0, y_bar)
    return None, np.where(condition, y_bar, 0), np.where(condition, 0, y_bar)


known(
    np.add,
    np.subtract,
    np.multiply,
    np.true_divide,
    np.negative,
    np.positive,
    np.square,
    np.reciprocal,
    np.sqrt,
    np.exp,
    np.exp2,
    np.expm1,
    np.log,
    np.log2,
    np.log10,
    np.log1p,
    np.power,
    np.float_power,
    np.sin,
    np.cos,
    np.tan,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.sinh,
    np.cosh,
    np.tanh,
    np.arcsinh,
    np.arccosh,
    np.arctanh,
    np.sinc,
    np.absolute,
    np.where,
    where,
    of_complex=True,
)
