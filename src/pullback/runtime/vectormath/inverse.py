"""arcsin, arccos, arctan, arctan2, arcsinh, arccosh, arctanh: polynomials near 0, reduced arguments elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import (
    copy_sign,
    fma,
    is_finite,
    kernel,
    magnitude,
    polynomial,
    select,
    square_root,
)
from pullback.runtime.vectormath.hyperbolic import odd
from pullback.runtime.vectormath.lifting import define, define_binary
from pullback.runtime.vectormath.logarithmic import log1p_of_sum

# pi/2 and pi: the double nearest, and the double nearest to what remains.
HALF_PI, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
PI, PI_LOW = 3.141592653589793, 1.2246467991473532e-16
LN2 = 0.6931471805599453

# From here on arcsinh(x) and arccosh(x) are log(2 x), and log(1 + x) is log(x); the square of less does not overflow.
HUGE = 2.0**60

# (f(x) / x - 1) / x^2 as a polynomial in x^2: arctan on [-1, 1], fitted; arcsin, arcsinh and arctanh on [-1/2, 1/2],
# interpolated; errors of f(x) / x below 2^-57.
ARCTAN_TAIL = polynomial(
    -0.3333333333333305,
    0.19999999999948692,
    -0.14285714282430603,
    0.11111111003070195,
    -0.09090906936789253,
    0.07692279100140803,
    -0.06666398235336478,
    0.05880494215121533,
    -0.05253372740204917,
    0.047218377827638054,
    -0.042179326019381215,
    0.036616927426597876,
    -0.029864802868332926,
    0.02193745271999353,
    -0.013856385748353765,
    0.007165514589975707,
    -0.0028690958167492484,
    0.00082577409857579,
    -0.0001509669088532969,
    1.3106194468563715e-05,
)
ARCSIN_TAIL = polynomial(
    0.16666666666666666,
    0.07500000000000118,
    0.044642857142551895,
    0.03038194447553234,
    0.02237215744350722,
    0.017352816540325496,
    0.01396378001220357,
    0.011566459612121669,
    0.009621842970100282,
    0.009319560794767446,
    0.0030448799094556773,
    0.019554513336123378,
    -0.01924167174674304,
    0.02961201126495512,
)
ARCSINH_TAIL = polynomial(
    -0.16666666666666666,
    0.0749999999999992,
    -0.044642857142677225,
    0.030381944428513684,
    -0.022372158355736263,
    0.0173527441556904,
    -0.013964483323351326,
    0.011547475926257406,
    -0.009725716144151688,
    0.00818236764637779,
    -0.0064746008466359025,
    0.00413835813140252,
    -0.0014988358499957474,
)
ARCTANH_TAIL = polynomial(
    0.3333333333333333,
    0.19999999999999934,
    0.14285714285734208,
    0.11111111108774245,
    0.09090909234076455,
    0.07692302426298539,
    0.0666679262425516,
    0.05880296593962229,
    0.05286736995315698,
    0.0456935407180027,
    0.05468265249637926,
    -0.005783645920519892,
    0.16366841241041946,
    -0.18450627783481666,
    0.22653799107253964,
)


def arcsin(x: Any) -> Any:
    """Inverse sine in [-pi/2, pi/2]: arcsin(±0) = ±0, NaN outside [-1, 1]. Error <= 1.5 ulp.

    From 1/2 on: pi/2 - 2 arcsin(sqrt((1 - |x|) / 2)), as in FreeBSD's e_asin.c.
    """
    return np.arcsin(x)


def arccos(x: Any) -> Any:
    """Inverse cosine in [0, pi]: NaN outside [-1, 1]. Error <= 1.5 ulp.

    2 arcsin(sqrt((1 - x) / 2)) from 1/2 on, its complement to pi up to -1/2, as in FreeBSD's e_acos.c.
    """
    return np.arccos(x)


def arctan(x: Any) -> Any:
    """Inverse tangent in [-pi/2, pi/2]: arctan(±0) = ±0, arctan(±inf) = ±pi/2. Error <= 1.5 ulp.

    pi/2 - arctan(1 / |x|) from 1 on.   Abramowitz and Stegun (1964), 4.4.8.
    """
    return np.arctan(x)


def arctan2(x1: Any, x2: Any) -> Any:
    """The angle of the point (x2, x1), in [-pi, pi]; zeros and infinities as in C99's atan2. Error <= 2 ulp.

    arctan of the smaller coordinate over the larger one, then reflected into its octant.
    """
    return np.arctan2(x1, x2)


def arcsinh(x: Any) -> Any:
    """Inverse hyperbolic sine: arcsinh(±0) = ±0, arcsinh(±inf) = ±inf. Error <= 2 ulp.

    log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|, as in FreeBSD's s_asinh.c.
    """
    return np.arcsinh(x)


def arccosh(x: Any) -> Any:
    """Inverse hyperbolic cosine: arccosh(1) = 0, arccosh(inf) = inf, NaN below 1. Error <= 2 ulp.

    log1p(t + sqrt(2 t + t^2)) with t = x - 1, as in FreeBSD's e_acosh.c.
    """
    return np.arccosh(x)


def arctanh(x: Any) -> Any:
    """Inverse hyperbolic tangent: arctanh(±0) = ±0, arctanh(±1) = ±inf, NaN outside [-1, 1]. Error <= 1.5 ulp.

    log1p(2 a / (1 - a)) / 2 with a = |x|, as in FreeBSD's e_atanh.c.
    """
    return np.arctanh(x)


@kernel
def arcsin_parts(x: Any) -> Any:
    """(s, low, tail): arcsin(s + low) = s + tail, with s = |x| up to 1/2 and sqrt((1 - |x|) / 2) from there on."""
    a = magnitude(x)
    far = a > 0.5
    z = select(far, 0.5 - 0.5 * a, a * a)
    s = select(far, square_root(z), a)
    # The error of the square root; 1 for 0 / 0.
    low = select(far, fma(-s, s, z) / select(s > 0.0, s + s, 1.0), 0.0)
    return s, fma(s * z, ARCSIN_TAIL(z), low)


@kernel
def arcsin_of(x: Any) -> Any:
    s, tail = arcsin_parts(x)
    far = HALF_PI - 2.0 * s
    lost = (HALF_PI - far) - 2.0 * s
    y = select(magnitude(x) > 0.5, far + (fma(-2.0, tail, HALF_PI_LOW) + lost), s + tail)
    return copy_sign(y, x)


@kernel
def arccos_of(x: Any) -> Any:
    s, tail = arcsin_parts(x)
    far = magnitude(x) > 0.5
    # pi - 2 (s + tail), 2 (s + tail), or pi/2 - (s + tail) with the sign of x.
    factor = select(far, select(x < 0.0, -2.0, 2.0), select(x < 0.0, 1.0, -1.0))
    start = select(far, select(x < 0.0, PI, 0.0), HALF_PI)
    start_low = select(far, select(x < 0.0, PI_LOW, 0.0), HALF_PI_LOW)
    y = fma(factor, s, start)
    lost = fma(factor, s, start - y)
    return y + (fma(factor, tail, start_low) + lost)


@kernel
def arctan_of(x: Any) -> Any:
    a = magnitude(x)
    far = a > 1.0
    r = select(far, -1.0, a) / select(far, a, 1.0)
    tail = fma(r * (r * r), ARCTAN_TAIL(r * r), select(far, HALF_PI_LOW, 0.0))
    start = select(far, HALF_PI, 0.0)
    y = start + r
    return copy_sign(y + (tail + (r - (y - start))), x)


@kernel
def arctan2_of(y: Any, x: Any) -> Any:
    a, b = magnitude(y), magnitude(x)
    steep, left = a > b, copy_sign(1.0, x) < 0.0
    small, large = select(steep, b, a), select(steep, a, b)
    # 0 / 0 is 0 and inf / inf is 1 here.
    both = (small == math.inf) & (large == math.inf)
    r = select(both, 1.0, small) / select(both, 1.0, select(large == 0.0, 1.0, large))
    # pi/2 ± arctan(r) next to the vertical axis, 0 + arctan(r) or pi - arctan(r) next to the horizontal one.
    r = select(steep == left, r, -r)
    r = select(steep, r, select(left, -magnitude(r), magnitude(r)))
    start = select(steep, HALF_PI, select(left, PI, 0.0))
    start_low = select(steep, HALF_PI_LOW, select(left, PI_LOW, 0.0))
    tail = fma(r * (r * r), ARCTAN_TAIL(r * r), start_low)
    angle = start + r
    angle = angle + (tail + (r - (angle - start)))
    return copy_sign(select((y != y) | (x != x), y + x, angle), y)


@kernel
def arcsinh_of(x: Any) -> Any:
    a = magnitude(x)
    large = a > HUGE
    b = select(large, 1.0, a)
    square = b * b
    s = square_root(square + 1.0)
    quotient = square / (1.0 + s)
    t = select(large, a, b + quotient)
    far = log1p_of_sum(t, select(large, 0.0, quotient - (t - b))) + select(large, LN2, 0.0)
    near = select(a < 0.5, a, 0.0)
    y = select(a < 0.5, odd(near, ARCSINH_TAIL(near * near)), far)
    return copy_sign(select(is_finite(a), y, a), x)


@kernel
def arccosh_of(x: Any) -> Any:
    large = x > HUGE
    t = select(large, 1.0, x - 1.0)
    square = fma(t, t, t + t)
    s = square_root(square)
    # The error of the square root (1 for 0 / 0), and of the sum.
    low = fma(-s, s, square) / select(s > 0.0, s + s, 1.0)
    total = t + s
    lost = select(s > t, t - (total - s), s - (total - t))
    y = log1p_of_sum(select(large, x, total), select(large, 0.0, lost + low)) + select(large, LN2, 0.0)
    return select((x >= 1.0) & is_finite(x), y, select(x < 1.0, math.nan, x))


@kernel
def arctanh_of(x: Any) -> Any:
    a = magnitude(x)
    near = select(a < 0.5, a, 0.0)
    b = select(a < 1.0, a, 0.5)
    far = 0.5 * log1p_of_sum((b + b) / (1.0 - b), 0.0)
    y = select(a < 0.5, odd(near, ARCTANH_TAIL(near * near)), far)
    limit = select(a == 1.0, math.inf, math.nan)
    return copy_sign(select(a < 1.0, y, limit), x)


define(arcsin, arcsin_of)
define(arccos, arccos_of)
define(arctan, arctan_of)
define_binary(arctan2, arctan2_of)
define(arcsinh, arcsinh_of)
define(arccosh, arccosh_of)
define(arctanh, arctanh_of)
