"""sinh, cosh, tanh: a polynomial in x^2 near 0, and exponentials of |x| elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.vectormath.bits import copy_sign, fma, kernel, magnitude, polynomial, select
from pullback.runtime.vectormath.exponential import clamp, exp_normal, half_exp
from pullback.runtime.vectormath.lifting import define
from pullback.runtime.vectormath.single import tanh_of_single

# (sinh(x) / x - 1) / x^2 as a polynomial in x^2 for |x| <= 1, and (tanh(x) / x - 1) / x^2 for |x| <= 0.625,
# fitted; relative errors below 2^-60.
SINH_TAIL = polynomial(
    0.16666666666666669,
    0.00833333333333297,
    0.00019841269841531202,
    2.755731913037927e-06,
    2.5052126856094766e-08,
    1.605700052085293e-10,
    7.765897596002476e-13,
)
TANH_TAIL = polynomial(
    -0.33333333333333315,
    0.13333333333329983,
    -0.05396825396616629,
    0.021869488471209442,
    -0.008863234347091992,
    0.003592114305245243,
    -0.001455727738849334,
    0.0005894588424801548,
    -0.00023703010721104955,
    9.158892298911681e-05,
    -3.021640306771011e-05,
    6.054708118202181e-06,
)


def sinh(x: Any) -> Any:
    """Hyperbolic sine: sinh(±0) = ±0, sinh(±inf) = ±inf. Error <= 2 ulp.

    From 1 on: h - 1 / (4 h) with h = e^|x| / 2, which does not overflow early.
    """
    return np.sinh(x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine: cosh(±inf) = inf. Error <= 2 ulp.

    h + 1 / (4 h) with h = e^|x| / 2, which does not overflow early.
    """
    return np.cosh(x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent: tanh(±0) = ±0, tanh(±inf) = ±1. Error <= 1.5 ulp.

    From 0.625 on, where Cephes' tanh.c changes its formula too: 1 - 2 e / (1 + e) with e = e^(-2 |x|).
    """
    return np.tanh(x)


@kernel
def odd(x: Any, tail: Any) -> Any:
    """x + x^3 tail, and x itself at zeros and where x^2 underflows."""
    return fma(x * (x * x), tail, x)


@kernel
def sinh_of(x: Any) -> Any:
    a = magnitude(x)
    near = select(a < 1.0, x, 0.0)
    half = half_exp(a)
    y = select(a < 1.0, odd(near, SINH_TAIL(near * near)), half - 0.25 / half)
    return copy_sign(y, x)


@kernel
def cosh_of(x: Any) -> Any:
    half = half_exp(magnitude(x))
    return half + 0.25 / half


@kernel
def tanh_of(x: Any) -> Any:
    # Beyond 20 the result is 1.
    a = clamp(magnitude(x), 0.0, 20.0)
    e = exp_normal(-2.0 * a)
    far = 1.0 - (e + e) / (1.0 + e)
    return copy_sign(select(a < 0.625, odd(a, TANH_TAIL(a * a)), far), x)


define(sinh, sinh_of)
define(cosh, cosh_of)
define(tanh, tanh_of, tanh_of_single)
