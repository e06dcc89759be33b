"""power, sqrt, cbrt: x^y = e^(y log(x)) with log(x) as a sum of two numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.vectormath.bits import (
    copy_sign,
    fma,
    is_finite,
    kernel,
    magnitude,
    polynomial,
    round_even,
    select,
    square_root,
)
from pullback.runtime.vectormath.exponential import exp_of_pair, nearest, scale
from pullback.runtime.vectormath.lifting import SCALARS, define, define_binary
from pullback.runtime.vectormath.logarithmic import split_any
from pullback.runtime.vectormath.outlined import outlined

# ln(2): the double nearest, and the double nearest to what remains; 2/3 likewise.
LN2, LN2_LOW = 0.6931471805599453, 2.3190468138462996e-17
TWO_THIRDS, TWO_THIRDS_LOW = 0.6666666666666666, 3.700743415417188e-17

# (2 artanh(s) - 2 s - 2 s^3 / 3) / s^5 as a polynomial in s^2 for |s| <= 3 - 2 sqrt(2), interpolated; the
# error of artanh(s) / s is below 2^-61.
LOG_TAIL = polynomial(
    0.40000000000000024,
    0.28571428571338453,
    0.22222222271127243,
    0.18181808243480016,
    0.1538557509255743,
    0.1328594759441496,
    0.12913739291129622,
)

# The cube root on [1/2, 1], interpolated; error below 2^-22.
CUBE_ROOT = polynomial(
    0.35608789204815,
    1.4980840455582545,
    -2.0797130479781933,
    2.3820383359629567,
    -1.7683461257758646,
    0.7491695897453543,
    -0.13732080095082785,
)
# The least float above 0 with all its bits, and the greatest one.
SMALLEST, LARGEST = 2.2250738585072014e-308, 1.7976931348623157e308

CUBE_ROOT_OF_2, CUBE_ROOT_OF_4 = 1.2599210498948732, 1.5874010519681996


def power(x1: Any, x2: Any) -> Any:
    """x1^x2 of floats, with all special cases of C99's pow (7.12.7.4 and F.9.4.4). Error <= 1.5 ulp.

    log(x1) has about 66 correct bits: as in FreeBSD's e_pow.c, artanh's first terms are sums of two numbers.
    """
    return np.power(x1, x2)


def sqrt(x: Any) -> Any:
    """The square root, correctly rounded: sqrt(±0) = ±0, NaN below 0."""
    return np.sqrt(x)


def cbrt(x: Any) -> Any:
    """The cube root: cbrt(±0) = ±0, cbrt(±inf) = ±inf. Error <= 1 ulp.

    A polynomial of the mantissa, and one step of Halley's iteration.
    """
    return np.cbrt(x)


@kernel
def fast_sum(x: Any, y: Any) -> Any:
    """(s, e) with s + e = x + y exactly, for |x| >= |y|.   Dekker (1971)."""
    s = x + y
    return s, y - (s - x)


@kernel
def product(x: Any, y: Any) -> Any:
    """(p, e) with p + e = x y exactly."""
    p = x * y
    return p, fma(x, y, -p)


@kernel
def log_pair(x: Any) -> Any:
    """log(x) as a sum of two numbers with about 66 correct bits, for finite x > 0."""
    n, m = split_any(x)
    f = m - 1.0
    d = 1.0 + m
    inverse = 1.0 / d
    s = f * inverse
    # What s lacks of (m - 1) / (m + 1), where d has lost a bit of m + 1.
    s_low = (fma(-s, d, f) - s * (m - (d - 1.0))) * inverse
    z, z_low = product(s, s)
    z_low = fma(s + s, s_low, z_low)
    # 2 artanh(s) / s - 2 = z (2/3 + z LOG_TAIL(z))
    c, c_low = fast_sum(TWO_THIRDS, z * LOG_TAIL(z))
    t, t_low = product(z, c)
    t_low = fma(z, c_low + TWO_THIRDS_LOW, fma(z_low, c, t_low))
    u, u_low = fast_sum(2.0, t)
    p, p_low = product(s, u)
    p_low = fma(s, u_low + t_low, fma(s_low, u, p_low))
    q, q_low = product(n, LN2)
    q_low = fma(n, LN2_LOW, q_low)
    # n = 0 or |n ln(2)| > |log(m)|
    zero = n == 0.0
    high, low = fast_sum(select(zero, p, q), select(zero, q, p))
    return fast_sum(high, low + (p_low + q_low))


@kernel
def power_of(x: Any, y: Any) -> Any:
    a = magnitude(x)
    high, low = log_pair(a)
    usual = (a > 0.0) & is_finite(a)
    high = select(usual, high, select(a == 0.0, -math.inf, a))
    e = y * high
    e_low = fma(y, high, -e) + y * low
    # Beyond, the result is 0 or inf whatever e_low is, which may be NaN.
    e_low = select(usual & (magnitude(e) < 1000.0), e_low, 0.0)
    size = exp_of_pair(e, -e_low)
    half = 0.5 * y
    odd = (round_even(y) == y) & (round_even(half) != half)
    size = select((x < 0.0) & (a < math.inf) & (round_even(y) != y), math.nan, size)
    size = select((a == 1.0) & (magnitude(y) == math.inf), 1.0, size)
    return select((x == 1.0) | (y == 0.0), 1.0, select(odd, copy_sign(size, x), size))


@kernel
def sqrt_of(x: Any) -> Any:
    return square_root(x)


@kernel
def cbrt_of(x: Any) -> Any:
    a = magnitude(x)
    usual = (a > 0.0) & is_finite(a)
    n, m = split_any(select(usual, a, 1.0))
    # m in [1/2, 1), n = 3 third + rest with rest of -1, 0, 1
    half = select(m >= 1.0, 0.5, 1.0)
    n, m = n + select(m >= 1.0, 1.0, 0.0), m * half
    third = round_even(n * (1.0 / 3.0))
    rest = n - 3.0 * third
    b = m * select(rest == 0.0, 1.0, select(rest > 0.0, 2.0, 0.5))
    t = CUBE_ROOT(m) * select(rest == 0.0, 1.0, select(rest > 0.0, CUBE_ROOT_OF_2, 0.5 * CUBE_ROOT_OF_4))
    # One step of Halley's iteration triples the number of correct bits.
    square, square_low = product(t, t)
    cube, cube_low = product(square, t)
    t = t - t * ((cube - b) + fma(square_low, t, cube_low)) / (2.0 * cube + b)
    return copy_sign(select(usual, scale(t, nearest(third)), a), x)


def power_slope(x: Any, n: Any, raised: Any) -> Any:
    """x^(n - 1) for raised = x^n, of floats of 64 bits; for n = 0 and x = 0, 1.

    A quotient unless x^n has lost bits: it may be beyond all floats, or too small for one, where x^(n - 1) is not.
    """
    if x > 0.0 and SMALLEST <= raised <= LARGEST:
        return raised / x
    return power(1.0 if x == 0.0 and n == 0.0 else x, n - 1.0)


pow_of_rare = outlined("pow", 2)


@kernel
def power_slope_of(x: Any, n: Any, raised: Any) -> Any:
    """The same in vectors: with a call for what is no quotient, unless x is 0, which is not that rare."""
    is_zero, slow = (x == 0.0) & (copy_sign(1.0, x) > 0.0), 0.0
    rare = ~(is_zero | ((x > 0.0) & (raised >= SMALLEST) & (raised <= LARGEST)))
    if rare:
        slow = pow_of_rare(select((x == 0.0) & (n == 0.0), 1.0, x), n - 1.0)
    of_zero = select(n > 1.0, 0.0, select(n == 0.0, 1.0, select(n < 1.0, math.inf, n)))
    return select(rare, slow, select(is_zero, of_zero, raised / x))


@compiled(power_slope, **SCALARS)
def _(x: Any, n: Any, raised: Any) -> Any:
    numbers = (x, n, raised)
    return power_slope_of if all(number == types.float64 for number in numbers) else None


define_binary(power, power_of)
define(sqrt, sqrt_of)
define(cbrt, cbrt_of)
