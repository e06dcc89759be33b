"""exp, exp2, expm1: e^x = 2^n e^r with |r| <= ln(2) / 2, and a polynomial for e^r."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import (
    copy_sign,
    fma,
    from_bits,
    kernel,
    magnitude,
    polynomial,
    round_even,
    select,
    to_bits,
)
from pullback.runtime.vectormath.lifting import define
from pullback.runtime.vectormath.single import exp_of_single

INVERSE_LN2 = 1.4426950408889634
# ln(2) = LN2_HIGH + LN2_LOW, as in FreeBSD's e_exp.c: n * LN2_HIGH is exact for |n| < 2^20.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10

# Adding 1.5 * 2^52 rounds to an integer, which then stands in the low bits of the sum.
ROUNDER = 6755399441055744.0

# (e^r - 1 - r) / r^2 on [-ln(2) / 2, ln(2) / 2], interpolated; the error of e^r is below 2^-61.
EXP_TAIL = polynomial(
    0.5,
    0.1666666666666667,
    0.04166666666666667,
    0.008333333333326136,
    0.0013888888888883748,
    0.00019841269874820627,
    2.4801587325547743e-05,
    2.7557255400206422e-06,
    2.75572736431103e-07,
    2.5105217004720745e-08,
    2.091468696808687e-09,
)

# (2^r - 1) / r on [-1/2, 1/2], fitted; the error of 2^r is below 2^-59.
EXP2_TAIL = polynomial(
    0.6931471805599453,
    0.24022650695910072,
    0.055504108664822936,
    0.009618129107628048,
    0.0013333558146164316,
    0.000154035303940562,
    1.5252734037022494e-05,
    1.3215486312772803e-06,
    1.0177985498492046e-07,
    7.055064418414828e-09,
    4.465566862098615e-10,
    2.551622817412896e-11,
)


def exp(x: Any) -> Any:
    """e^x: exp(-inf) = 0, exp(inf) = inf; subnormal results are rounded once. Error <= 1 ulp.

    Argument reduction of Cody and Waite (1980), Software Manual for the Elementary Functions, chapter 6.
    """
    return np.exp(x)


def exp2(x: Any) -> Any:
    """2^x: exact for integers, exp2(-inf) = 0, exp2(inf) = inf. Error <= 1 ulp.

    As exp, without a constant to subtract: r = x - n is exact.
    """
    return np.exp2(x)


def expm1(x: Any) -> Any:
    """e^x - 1, accurate near 0: expm1(±0) = ±0, expm1(-inf) = -1, expm1(inf) = inf. Error <= 2 ulp.

    e^x - 1 = 2^n (e^r - 1) + (2^n - 1), as in FreeBSD's s_expm1.c.
    """
    return np.expm1(x)


@kernel
def clamp(x: Any, low: Any, high: Any) -> Any:
    """x within [low, high]; NaN stays NaN."""
    return select(x < low, low, select(x > high, high, x))


@kernel
def power_of_two(n: Any) -> Any:
    """2.0^n of an int64 -1022 <= n <= 1023."""
    return from_bits((n + np.int64(1023)) << np.int64(52))


@kernel
def scale(x: Any, n: Any) -> Any:
    """x 2^n for 2^-9 <= |x| <= 2 and an int64 |n| <= 2044: two exact factors, so that only the product is rounded."""
    half = n >> np.int64(1)
    return x * power_of_two(half) * power_of_two(n - half)


@kernel
def nearest(x: Any) -> Any:
    """The integer nearest to |x| < 2^51, as an int64."""
    return to_bits(x + ROUNDER) - to_bits(ROUNDER)


@kernel
def reduce_exp(x: Any) -> Any:
    """(n, r) with x = n ln(2) + r, |r| <= ln(2) / 2, for |x| < 2^20."""
    k = fma(x, INVERSE_LN2, ROUNDER) - ROUNDER
    return k, fma(-k, LN2_LOW, fma(-k, LN2_HIGH, x))


@kernel
def exp_parts(x: Any, minus_low: Any) -> Any:
    """(k, p) with e^(x - minus_low) = 2^k (1 + p), for |minus_low| < 2^-40; LLVM need not subtract 0.0.

    Results that are 0 or inf when rounded remain so, for x of any size.
    """
    # Below, half of the smallest subnormal; above, twice the largest number.
    k, r = reduce_exp(clamp(x, -746.0, 711.0))
    r = r - minus_low
    return k, fma(r * r, EXP_TAIL(r), r)


@kernel
def exp_of_pair(x: Any, minus_low: Any) -> Any:
    """e^(x - minus_low) for |minus_low| < 2^-40."""
    k, p = exp_parts(x, minus_low)
    return scale(1.0 + p, nearest(k))


@kernel
def half_exp(x: Any) -> Any:
    """e^x / 2, which is finite for a little longer than e^x."""
    k, p = exp_parts(x, 0.0)
    return scale(1.0 + p, nearest(k) - np.int64(1))


@kernel
def exp_of(x: Any) -> Any:
    return exp_of_pair(x, 0.0)


@kernel
def exp_normal(x: Any) -> Any:
    """e^x for -700 <= x <= 700, where the scaling cannot leave the normal numbers."""
    k, r = reduce_exp(x)
    p = fma(r * r, EXP_TAIL(r), r) + 1.0
    return from_bits(to_bits(p) + (nearest(k) << np.int64(52)))


@kernel
def exp2_of(x: Any) -> Any:
    x = clamp(x, -1076.0, 1025.0)
    k = round_even(x)
    r = x - k
    return scale(fma(r, EXP2_TAIL(r), 1.0), nearest(k))


@kernel
def expm1_of(x: Any) -> Any:
    # The result is -1 below -60, and inf above 709.9.
    k, r = reduce_exp(clamp(x, -60.0, 709.9))
    p = fma(r * r, EXP_TAIL(r), r)
    # Twice (half of the result): 2^1024 is not a number.
    half = power_of_two(nearest(k) - np.int64(1))
    y = fma(p, half, half - 0.5) * 2.0
    # Half of a subnormal result would lose its last bit.
    return copy_sign(select(magnitude(x) < 1e-17, x, y), x)


define(exp, exp_of, exp_of_single)
define(exp2, exp2_of)
define(expm1, expm1_of)
