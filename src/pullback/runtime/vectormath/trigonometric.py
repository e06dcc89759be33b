"""sin, cos, sincos, tan: x = q pi/2 + r with |r| <= pi/4, and polynomials in r^2."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import (
    fma,
    from_bits,
    kernel,
    magnitude,
    polynomial,
    select,
    to_bits,
)
from pullback.runtime.vectormath.exponential import ROUNDER
from pullback.runtime.vectormath.lifting import define, define_pair
from pullback.runtime.vectormath.outlined import outlined

TWO_OVER_PI = 0.6366197723675814
# pi/2 as a sum of three doubles, each the nearest to what the ones before it leave.
HALF_PI, HALF_PI_MID, HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33

# Up to here the three parts of pi/2 determine r to 2 ulp even next to its multiples.
LIMIT = 2.0**50

# (sin(r) / r - 1) / r^2, (cos(r) - 1 + r^2 / 2) / r^4 and (tan(r) / r - 1) / r^2 as polynomials in r^2 for
# |r| <= pi/4, interpolated, the last one fitted; errors of sin(r) / r, cos(r) and tan(r) / r below 2^-57, 2^-60, 2^-59.
SIN_TAIL = polynomial(
    -0.16666666666666666,
    0.008333333333333331,
    -0.0001984126984126506,
    2.7557319219335453e-06,
    -2.5052106231157904e-08,
    1.605853141458901e-10,
    -7.586685070091267e-13,
)
COS_TAIL = polynomial(
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584645e-05,
    -2.755731922140076e-07,
    2.0876755790363397e-09,
    -1.1470460773969325e-11,
    4.7458652037874553e-14,
)
TAN_TAIL = polynomial(
    0.3333333333333338,
    0.13333333333325395,
    0.05396825397285469,
    0.021869488401066364,
    0.008863237888373008,
    0.003592101287707937,
    0.00145604233975321,
    0.0005888819535091068,
    0.00024368503200686674,
    8.373712206324401e-05,
    6.688214196070686e-05,
    -2.5186286958303757e-05,
    4.8248616680846636e-05,
    -2.4075742860459804e-05,
    9.75362134443761e-06,
)


def sin(x: Any) -> Any:
    """Sine: sin(±0) = ±0, NaN at ±inf. Error <= 1.6 ulp up to |x| = 2^50, and beyond that of the C library.

    Argument reduction of Cody and Waite (1980).
    """
    return np.sin(x)


def cos(x: Any) -> Any:
    """Cosine: NaN at ±inf. Error <= 1.6 ulp up to |x| = 2^50, and beyond that of the C library. Reduction as in sin."""
    return np.cos(x)


def sincos(x: Any) -> Any:
    """(sin(x), cos(x)) for about the price of one of them, with the errors of sin and cos: at most 1.6 ulp."""
    return np.sin(x), np.cos(x)


def tan(x: Any) -> Any:
    """Tangent: tan(±0) = ±0, NaN at ±inf. Error <= 2 ulp up to |x| = 2^50, and beyond that of the C library.

    Reduction as in sin; -1 / tan(r) for odd q.
    """
    return np.tan(x)


@kernel
def reduce(x: Any) -> Any:
    """(q, r) with x = q pi/2 + r and |r| <= pi/4, for |x| <= LIMIT; q modulo 2^52."""
    t = fma(x, TWO_OVER_PI, ROUNDER)
    k = t - ROUNDER
    # The first step is exact: its result is a multiple of 2^-53 below 1.
    return to_bits(t), fma(-k, HALF_PI_LOW, fma(-k, HALF_PI_MID, fma(-k, HALF_PI, x)))


@kernel
def sin_near(r: Any) -> Any:
    """sin(r) for |r| <= pi/4."""
    z = r * r
    return fma(z * r, SIN_TAIL(z), r)


@kernel
def cos_near(r: Any) -> Any:
    """cos(r) for |r| <= pi/4."""
    z = r * r
    h = 0.5 * z
    w = 1.0 - h
    return w + fma(z * z, COS_TAIL(z), (1.0 - w) - h)


@kernel
def is_odd(q: Any) -> Any:
    return (q & np.int64(1)) != np.int64(0)


@kernel
def negate_if(q: Any, y: Any) -> Any:
    """-y where bit 1 of q is set."""
    return from_bits(to_bits(y) ^ ((q & np.int64(2)) << np.int64(62)))


@kernel
def sin_from(q: Any, r: Any) -> Any:
    """sin(q pi/2 + r)."""
    return negate_if(q, select(is_odd(q), cos_near(r), sin_near(r)))


@kernel
def cos_from(q: Any, r: Any) -> Any:
    """cos(q pi/2 + r)."""
    return negate_if(q + np.int64(1), select(is_odd(q), sin_near(r), cos_near(r)))


@kernel
def tan_from(q: Any, r: Any) -> Any:
    """tan(q pi/2 + r)."""
    tail = r * r * r * TAN_TAIL(r * r)
    y = r + tail
    lost = tail - (y - r)
    inverse = -1.0 / y
    # One step of Newton's iteration for -1 / (y + lost).
    corrected = fma(fma(inverse, y, 1.0) + inverse * lost, inverse, inverse)
    return select(is_odd(q), corrected, y)


sin_of_huge, cos_of_huge, tan_of_huge = outlined("sin"), outlined("cos"), outlined("tan")

# The rare calls come first, as `outlined` asks.


@kernel
def sin_of(x: Any) -> Any:
    huge, slow = magnitude(x) > LIMIT, 0.0
    if huge:
        slow = sin_of_huge(x)
    q, r = reduce(x)
    return select(huge, slow, select(x == 0.0, x, sin_from(q, r)))


@kernel
def cos_of(x: Any) -> Any:
    huge, slow = magnitude(x) > LIMIT, 0.0
    if huge:
        slow = cos_of_huge(x)
    q, r = reduce(x)
    return select(huge, slow, cos_from(q, r))


@kernel
def sincos_of(x: Any) -> Any:
    huge, slow_sin, slow_cos = magnitude(x) > LIMIT, 0.0, 0.0
    if huge:
        slow_sin, slow_cos = sin_of_huge(x), cos_of_huge(x)
    q, r = reduce(x)
    y = select(x == 0.0, x, sin_from(q, r))
    return select(huge, slow_sin, y), select(huge, slow_cos, cos_from(q, r))


@kernel
def tan_of(x: Any) -> Any:
    huge, slow = magnitude(x) > LIMIT, 0.0
    if huge:
        slow = tan_of_huge(x)
    q, r = reduce(x)
    return select(huge, slow, select(x == 0.0, x, tan_from(q, r)))


define(sin, sin_of)
define(cos, cos_of)
define(tan, tan_of)
define_pair(sincos, sincos_of)
