"""log, log2, log10, log1p: x = 2^n m with m in [sqrt(1/2), sqrt(2)), and log(m) = 2 artanh((m - 1) / (m + 1))."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import (
    copy_sign,
    fma,
    from_bits,
    is_finite,
    kernel,
    magnitude,
    polynomial,
    select,
    to_bits,
)
from pullback.runtime.vectormath.exponential import LN2_HIGH, LN2_LOW, ROUNDER
from pullback.runtime.vectormath.lifting import define
from pullback.runtime.vectormath.single import log_of_single

SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
SMALLEST_NORMAL = 2.2250738585072014e-308

# 1/ln(2), log10(2), 1/ln(10): the double nearest, and the double nearest to what remains.
INVERSE_LN2, INVERSE_LN2_LOW = 1.4426950408889634, 2.0355273740931033e-17
LOG10_2, LOG10_2_LOW = 0.3010299956639812, -2.8037281277851704e-18
INVERSE_LN10, INVERSE_LN10_LOW = 0.4342944819032518, 1.098319650216765e-17

# (2 artanh(s) - 2 s) / s^3 as a polynomial in s^2 for |s| <= 3 - 2 sqrt(2), interpolated; the error of
# artanh(s) / s is below 2^-59.
LOG_TAIL = polynomial(
    0.6666666666666666,
    0.4000000000000088,
    0.2857142857080285,
    0.22222222391887064,
    0.18181795621632782,
    0.15386240708969665,
    0.13268746195596595,
    0.13086907887965027,
)


def log(x: Any) -> Any:
    """Natural logarithm: log(±0) = -inf, log(inf) = inf, NaN below 0. Error <= 1 ulp.

    The series of FreeBSD's e_log.c.
    """
    return np.log(x)


def log2(x: Any) -> Any:
    """Logarithm to base 2, exact for powers of 2: log2(±0) = -inf, log2(inf) = inf, NaN below 0. Error <= 1.5 ulp.

    n + log(m) / ln(2), where log(m) is a sum of two numbers, as in FreeBSD's e_log2.c.
    """
    return np.log2(x)


def log10(x: Any) -> Any:
    """Logarithm to base 10: log10(±0) = -inf, log10(inf) = inf, NaN below 0. Error <= 1 ulp.

    n log10(2) + log(m) / ln(10), where log(m) is a sum of two numbers, as in FreeBSD's e_log10.c.
    """
    return np.log10(x)


def log1p(x: Any) -> Any:
    """log(1 + x), accurate near 0: log1p(±0) = ±0, log1p(-1) = -inf, NaN below -1. Error <= 1.5 ulp.

    The rounding error of u = 1 + x is added to the reduced argument, which is then x itself near 0.
    """
    return np.log1p(x)


@kernel
def split(x: Any) -> Any:
    """(n, m) with x = 2^n m and sqrt(1/2) <= m < sqrt(2), for a normal x > 0; n is an int64."""
    bits = to_bits(x)
    n = (bits - np.int64(SQRT_HALF_BITS)) >> np.int64(52)
    return n, from_bits(bits - (n << np.int64(52)))


@kernel
def split_any(x: Any) -> Any:
    """`split` for every finite x > 0, with n as a float."""
    tiny = x < SMALLEST_NORMAL
    n, m = split(select(tiny, x * 2.0**54, x))
    return from_bits(n + to_bits(ROUNDER)) - select(tiny, ROUNDER + 54.0, ROUNDER), m


@kernel
def to_float(n: Any) -> Any:
    """An int64 |n| < 2^51 as a float64: AVX2 has no such instruction."""
    return from_bits(n + to_bits(ROUNDER)) - ROUNDER


@kernel
def log_terms(f: Any, rest: Any) -> Any:
    """(h, t) with log(1 + f) + rest = f - (h - t) and h = f^2 / 2, for sqrt(1/2) <= 1 + f < sqrt(2)."""
    s = f / (2.0 + f)
    z = s * s
    h = 0.5 * f * f
    return h, fma(s, fma(z, LOG_TAIL(z), h), rest)


@kernel
def log_of_parts(n: Any, f: Any) -> Any:
    """n ln(2) + log(1 + f)."""
    h, t = log_terms(f, n * LN2_LOW)
    return fma(n, LN2_HIGH, f - (h - t))


@kernel
def at_limits(x: Any, y: Any) -> Any:
    """y, a logarithm of x, for 0 < x < inf, and the limits or NaN for other x."""
    limit = select(x == 0.0, -math.inf, select(x < 0.0, math.nan, x))
    return select((x > 0.0) & is_finite(x), y, limit)


@kernel
def log_of(x: Any) -> Any:
    n, m = split_any(x)
    return at_limits(x, log_of_parts(n, m - 1.0))


@kernel
def log_in_parts(m: Any) -> Any:
    """log(m) as a sum of two numbers, the first with at most 30 bits, so that its products round little."""
    f = m - 1.0
    h, t = log_terms(f, 0.0)
    high = from_bits(to_bits(f - h) & np.int64(-(1 << 23)))
    return high, (f - high) - h + t


@kernel
def log2_of(x: Any) -> Any:
    n, m = split_any(x)
    high, low = log_in_parts(m)
    whole = n + high * INVERSE_LN2
    rest = (n - whole) + high * INVERSE_LN2
    return at_limits(x, whole + (rest + fma(low, INVERSE_LN2, high * INVERSE_LN2_LOW)))


@kernel
def log10_of(x: Any) -> Any:
    n, m = split_any(x)
    high, low = log_in_parts(m)
    return at_limits(
        x,
        fma(n, LOG10_2, fma(high, INVERSE_LN10, fma(low, INVERSE_LN10, fma(high, INVERSE_LN10_LOW, n * LOG10_2_LOW)))),
    )


@kernel
def log_of_sum(u: Any, c: Any) -> Any:
    """log(u + c) for a normal u > 0 and |c| below an ulp or two of u."""
    n, m = split(u)
    # 2^-n may be subnormal, or none at all; such a c does not matter.
    c = select(u < 1e300, c, 0.0)
    inverse = from_bits((np.int64(1023) - n) << np.int64(52))
    return log_of_parts(to_float(n), select(u < 1e300, fma(c, inverse, m - 1.0), m - 1.0))


@kernel
def log1p_of_sum(x: Any, low: Any) -> Any:
    """log(1 + x + low) for x > -1 and |low| below an ulp of x."""
    u = 1.0 + x
    c = select(magnitude(x) < 1.0, x - (u - 1.0), 1.0 - (u - x))
    return log_of_sum(u, c + low)


@kernel
def log1p_of(x: Any) -> Any:
    y = log1p_of_sum(x, 0.0)
    limit = select(x == -1.0, -math.inf, select(x < -1.0, math.nan, x))
    return copy_sign(select((x > -1.0) & is_finite(x), y, limit), x)


define(log, log_of, log_of_single)
define(log2, log2_of)
define(log10, log10_of)
define(log1p, log1p_of)
