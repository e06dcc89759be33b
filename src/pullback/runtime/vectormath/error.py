"""erf, erfc: a polynomial in x^2 near 0, and e^(-x^2) times a polynomial in (|x| - 2) / (|x| + 2) elsewhere."""

from __future__ import annotations

from typing import Any

import scipy

from pullback.runtime.vectormath.bits import copy_sign, fma, kernel, magnitude, polynomial, select
from pullback.runtime.vectormath.exponential import clamp, exp_of, exp_parts, nearest, scale
from pullback.runtime.vectormath.lifting import define

# erf(x) / x - 1 as a polynomial in x^2 for |x| <= 1, fitted; error below 2^-56.
ERF_TAIL = polynomial(
    0.1283791670955126,
    -0.37612638903183876,
    0.11283791670958783,
    -0.026866170645631897,
    0.00522397762924565,
    -0.0008548327199358272,
    0.00012055338161400656,
    -1.4925748180206354e-05,
    1.6463247307130268e-06,
    -1.6372371891698225e-07,
    1.4798357234369911e-08,
    -1.1876555591839105e-09,
    6.762801638832501e-11,
)

# e^(a^2) erfc(a) (a + 2) / 4 as a polynomial in (a - 2) / (a + 2) for 3/4 <= a <= 28, fitted; relative error below
# 2^-55. The variable is that of Shepherd and Laframboise (1981), Chebyshev approximation of (1 + 2x) exp(x^2) erfc x.
# Its constant term stands apart from the rest.
ERFC_AT_2 = 0.25539567631050575
ERFC_TAIL = polynomial(
    -0.17179017110345265,
    0.06986802313901284,
    -0.009110557876718007,
    -0.005377665472324109,
    0.0016197962668056214,
    0.000772653013633816,
    -0.00020932401135998212,
    -0.00016576836255264112,
    8.592785228376307e-06,
    3.611762736842057e-05,
    8.537941608700011e-06,
    -5.424402973209945e-06,
    -4.034103481256502e-06,
    -2.7580495600010154e-07,
    9.208032136088983e-07,
    4.7280127050551816e-07,
    9.614061655113499e-10,
    -8.378928754347943e-08,
    -1.3691508271079467e-07,
    -2.957910353328842e-08,
    1.0980613961133512e-07,
    -3.4148188725591004e-08,
)

# The same for 1 <= a <= 6, constant term included, as exact as 1 - erfc(a) needs: its error is below 2^-57.
ERFC_TAIL_SHORT = polynomial(
    0.25539567631050586,
    -0.17179017110345007,
    0.06986802313888864,
    -0.009110557879323683,
    -0.005377665470076973,
    0.0016197965729814832,
    0.0007726546213206632,
    -0.00020932967117144512,
    -0.0001658403024760813,
    8.434522299831803e-06,
    3.6571187802619064e-05,
    1.1405514121904922e-05,
)


def erf(x: Any) -> Any:
    """The error function: erf(±0) = ±0, erf(±inf) = ±1. Error <= 1.5 ulp.

    Abramowitz and Stegun (1964), 7.1.5 for its form near 0; 1 - erfc(x) from 1 on.
    """
    return scipy.special.erf(x)


def erfc(x: Any) -> Any:
    """1 - erf(x), accurate for large x: erfc(-inf) = 2, erfc(inf) = 0. Error <= 2 ulp.

    e^(-x^2) takes x^2 as an unrounded sum of two numbers.
    """
    return scipy.special.erfc(x)


@kernel
def erfc_tail(a: Any) -> Any:
    """erfc(a) for 3/4 <= a <= 28; as a product of factors with their rounding errors, added at the end."""
    d = a + 2.0
    u = 4.0 / d
    t = 1.0 - u
    q = ERFC_TAIL(t)
    h = fma(t, q, ERFC_AT_2)
    # The error of u matters almost twice: -(a + 2) times the logarithmic derivative of e^(a^2) erfc(a) is about
    # 1 + 0.69 u, from 2.0 at 3/4 down to 1 at infinity.
    u_low = fma(0.69, u, 1.0) * ((fma(-u, d, 4.0) - u * (a - (d - 2.0))) * 0.25 * u)
    g = u * h
    g_low = fma(u, h, -g) + fma(u, fma(t, q, ERFC_AT_2 - h), h * u_low)
    square = a * a
    k, p = exp_parts(-square, fma(a, a, -square))
    e = 1.0 + p
    y = e * g
    return scale(y + (fma(e, g, -y) + fma(e, g_low, g * (p - (e - 1.0)))), nearest(k))


@kernel
def erf_of(x: Any) -> Any:
    # Beyond 6 the result is 1.
    a = clamp(magnitude(x), 1.0, 6.0)
    near = clamp(x, -1.0, 1.0)
    u = 4.0 / (a + 2.0)
    # The derivative is a multiple of the very same exponential, which LLVM then computes once.
    far = 1.0 - exp_of(-x * x) * (u * ERFC_TAIL_SHORT(1.0 - u))
    y = select(magnitude(x) > 1.0, far, fma(near, ERF_TAIL(near * near), near))
    return copy_sign(y, x)


@kernel
def erfc_of(x: Any) -> Any:
    a = clamp(magnitude(x), 0.0, 28.0)
    # 1 - x, and what it has lost.
    difference = 1.0 - x
    lost = (1.0 - difference) - x
    near = difference + fma(-x, ERF_TAIL(x * x), lost)
    tail = erfc_tail(a)
    return select(a < 0.75, near, select(x < 0.0, 2.0 - tail, tail))


define(erf, erf_of)
define(erfc, erfc_of)
