"""Error functions and the normal distribution: of `scipy.special`.   DLMF 7.10, and what follows for inverses."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import partials, vjp

TWO_OVER_ROOT_PI = 1.1283791670955126
ROOT_TWO_PI = 2.5066282746310002
ROOT_HALF = 0.7071067811865476

FAR = 10.0
"""From where on asymptotic series of ten terms have all digits."""


def erfcx_by_x(x, *, y):
    """2 x y - 2 / √π, which cancels for large x: there by the terms that are left of DLMF 7.12.1."""
    far = x > FAR
    v = np.where(far, x, FAR)
    return np.where(far, TWO_OVER_ROOT_PI * tail(-0.5 / (v * v)), 2 * x * y - TWO_OVER_ROOT_PI)


def dawsn_by_x(x, *, y):
    """1 - 2 x y, which cancels for large x: there by the terms that are left of its series.   DLMF 7.12.1 for i x."""
    far = np.abs(x) > FAR
    v = np.where(far, x, FAR)
    return np.where(far, -tail(0.5 / (v * v)), 1 - 2 * x * y)


def tail(t):
    """t + 3 t² + 3 · 5 t³ + …, ten terms."""
    total = 0
    for factor in (19, 17, 15, 13, 11, 9, 7, 5, 3, 1):
        total = factor * t * (1 + total)
    return total


partials(special.erfcx, erfcx_by_x)
partials(special.dawsn, dawsn_by_x)
partials(special.erfi, lambda x: TWO_OVER_ROOT_PI * np.exp(x * x))
partials(special.erfinv, lambda y_, *, y: 0.886226925452758 * np.exp(y * y))  # √π / 2
partials(special.erfcinv, lambda y_, *, y: -0.886226925452758 * np.exp(y * y))

partials(special.ndtr, lambda x: np.exp(-0.5 * x * x) / ROOT_TWO_PI)
# φ(x) / Φ(x) without the division of two small numbers.
partials(special.log_ndtr, lambda x: 0.7978845608028654 / special.erfcx(-ROOT_HALF * x))
partials(special.ndtri, lambda p, *, y: ROOT_TWO_PI * np.exp(0.5 * y * y))
partials(special.ndtri_exp, lambda p, *, y: 1.2533141373155003 * special.erfcx(-ROOT_HALF * y))


def owens_t_by_both(h, a):
    """Owen (1956), Tables for computing bivariate normal probabilities, 2.3 and the integrand."""
    by_h = -0.5 * np.exp(-0.5 * h * h) / ROOT_TWO_PI * special.erf(ROOT_HALF * a * h)
    square = 1 + a * a
    return by_h, np.exp(-0.5 * h * h * square) / (6.283185307179586 * square)


partials(special.owens_t, owens_t_by_both)


@vjp(special.fresnel)
def fresnel(x, *, y_bar):
    """S' = sin(π x² / 2), C' = cos(π x² / 2).   DLMF 7.2.7 and 7.2.8."""
    s_bar, c_bar = y_bar
    angle = 1.5707963267948966 * x * x
    by_s = 0 * x if s_bar is None else s_bar * np.sin(angle)
    return by_s if c_bar is None else by_s + c_bar * np.cos(angle)
