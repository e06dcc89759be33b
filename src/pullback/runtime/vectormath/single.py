"""exp, log, tanh and sigmoid of float32 in float32: twice as many elements to an instruction, and shorter polynomials.

The formulas are those of the float64 kernels; each constant is a np.float32, or Numba would compute in float64.
"""

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

ZERO, HALF, ONE, TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
INFINITY, NOT_A_NUMBER = np.float32(math.inf), np.float32(math.nan)

INVERSE_LN2 = np.float32(1.4426950408889634)
# ln(2) = LN2_HIGH + LN2_LOW, as in FreeBSD's e_logf.c.
LN2_HIGH, LN2_LOW = np.float32(6.9313812256e-01), np.float32(9.0580006145e-06)

# 1.5 * 2^23 rounds to an integer, as ROUNDER does for float64.
ROUNDER = np.float32(12582912.0)

# exp is 0 below and inf above.
LOWEST, HIGHEST = np.float32(-104.0), np.float32(89.0)
SQRT_HALF_BITS = 0x3F3504F3
SMALLEST_NORMAL = np.float32(1.1754943508222875e-38)
SCALE, SCALE_EXPONENT = np.float32(2.0**25), np.float32(25.0)
TANH_SWITCH, TANH_IS_ONE = np.float32(0.625), np.float32(10.0)

# The tails of the float64 kernels, interpolated; relative errors of e^r, artanh(s) / s and
# tanh(x) / x below 2^-29, 2^-34 and 2^-30.
EXP_TAIL = polynomial(
    0.500000001346581,
    0.16666666681623232,
    0.041666464925285904,
    0.0083333109254809,
    0.0013933649996309251,
    0.00019890990824673654,
)
LOG_TAIL = polynomial(0.6666666655440618, 0.4000012191414928, 0.28550812382590146, 0.2333069667245578)
TANH_TAIL = polynomial(
    -0.3333333317214036,
    0.1333330355691574,
    -0.053959259577204544,
    0.02176891865102821,
    -0.008343945515839153,
    0.002292744816178142,
)


@kernel
def power_of_two(n: Any) -> Any:
    """2.0^n of an int32 -126 <= n <= 127."""
    return from_bits(np.int32((n + np.int32(127)) << np.int32(23)))


@kernel
def exp_of_single(x: Any) -> Any:
    x = select(x < LOWEST, LOWEST, select(x > HIGHEST, HIGHEST, x))
    t = fma(x, INVERSE_LN2, ROUNDER)
    k = t - ROUNDER
    r = fma(-k, LN2_LOW, fma(-k, LN2_HIGH, x))
    p = ONE + fma(r * r, EXP_TAIL(r), r)
    n = np.int32(to_bits(t) - to_bits(ROUNDER))
    half = np.int32(n >> np.int32(1))
    return p * power_of_two(half) * power_of_two(np.int32(n - half))


@kernel
def log_of_single(x: Any) -> Any:
    tiny = x < SMALLEST_NORMAL
    bits = to_bits(select(tiny, x * SCALE, x))
    n = np.int32(np.int32(bits - np.int32(SQRT_HALF_BITS)) >> np.int32(23))
    k = np.float32(n) - select(tiny, SCALE_EXPONENT, ZERO)
    f = from_bits(np.int32(bits - np.int32(n << np.int32(23)))) - ONE
    s = f / (TWO + f)
    z = s * s
    h = HALF * f * f
    y = fma(k, LN2_HIGH, f - (h - fma(s, fma(z, LOG_TAIL(z), h), k * LN2_LOW)))
    limit = select(x == ZERO, -INFINITY, select(x < ZERO, NOT_A_NUMBER, x))
    return select((x > ZERO) & is_finite(x), y, limit)


@kernel
def tanh_of_single(x: Any) -> Any:
    a = magnitude(x)
    a = select(a > TANH_IS_ONE, TANH_IS_ONE, a)
    e = exp_of_single(-TWO * a)
    far = ONE - (e + e) / (ONE + e)
    return copy_sign(select(a < TANH_SWITCH, fma(a * (a * a), TANH_TAIL(a * a), a), far), x)


@kernel
def sigmoid_of_single(x: Any) -> Any:
    e = exp_of_single(-magnitude(x))
    d = ONE + e
    inverse = ONE / d
    numerator = select(x < ZERO, e, ONE)
    q = numerator * inverse
    return fma(fma(-q, d, numerator) - q * (e - (d - ONE)), inverse, q)
