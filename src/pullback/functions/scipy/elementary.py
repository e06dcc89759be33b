"""Entropies, losses, powers, integrals and hypergeometric functions: of `scipy.special`."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import partials, vjp

DEGREE = 0.017453292519943295  # π / 180

# Logarithms and entropies
# x / y, but at (0, 0), where xlogy is 0 along both axes.
partials(special.xlogy, lambda x, y_: (np.log(y_), x / np.where((x == 0) & (y_ == 0), 1, y_)))
partials(special.xlog1py, lambda x, y_: (np.log1p(y_), x / np.where((x == 0) & (y_ == -1), 1, 1 + y_)))
partials(special.entr, lambda x: -np.log(x) - 1)
partials(special.rel_entr, lambda x, y_: (np.log(x / y_) + 1, -x / y_))
partials(special.kl_div, lambda x, y_: (np.log(x / y_), 1 - x / y_))
partials(special.log_expit, lambda x: special.expit(-x))


# Losses
def huber_by_both(delta, r):
    size = np.abs(r)
    return np.where(size <= delta, 0, size - delta), np.clip(r, -delta, delta)


def pseudo_huber_by_both(delta, r):
    """With s = √(1 + (r / δ)²) and s - 1 = (r / δ)² / (s + 1), which keeps the digits of small r."""
    u = r / delta
    s = np.sqrt(1 + u * u)
    part = u * u / (s + 1)
    return delta * part * part / s, r / s


partials(special.huber, huber_by_both)
partials(special.pseudo_huber, pseudo_huber_by_both)

# Powers
partials(special.exp10, lambda x, *, y: y * 2.302585092994046)  # log 10
partials(special.exp2, lambda x, *, y: y * 0.6931471805599453)  # log 2
partials(special.expm1, lambda x, *, y: y + 1)
partials(special.log1p, lambda x: 1 / (1 + x))
partials(special.cbrt, lambda x, *, y: 1 / (3 * y * y))
partials(special.cosm1, lambda x: -np.sin(x))
partials(special.powm1, lambda x, y_, *, y: (y_ * x ** (y_ - 1), (y + 1) * np.log(x)))
# (e^x (x - 1) + 1) / x² = M(2, 3, x) / 2, which loses no digits near 0.   DLMF 13.6.2 and 13.3.15.
partials(special.exprel, lambda x: special.hyp1f1(2.0, 3.0, x) / 2)


def boxcox_by_both(x, lmbda):
    """From y = log(x) exprel(λ log x)."""
    logarithm = np.log(x)
    return x ** (lmbda - 1), logarithm * logarithm * special.hyp1f1(2.0, 3.0, lmbda * logarithm) / 2


def boxcox1p_by_both(x, lmbda):
    logarithm = np.log1p(x)
    by_lambda = logarithm * logarithm * special.hyp1f1(2.0, 3.0, lmbda * logarithm) / 2
    return np.exp((lmbda - 1) * logarithm), by_lambda


def inv_boxcox_by_both(y_, lmbda, *, y):
    """From log x = log1p(λ y) / λ, and log1p(u) / u = F(1, 1; 2; -u).   DLMF 15.4.1 and 15.5.1."""
    by_lambda = -0.5 * y * y_ * y_ * special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y_)
    return y / (1 + lmbda * y_), by_lambda


def inv_boxcox1p_by_both(y_, lmbda, *, y):
    by_lambda = -0.5 * (1 + y) * y_ * y_ * special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y_)
    return (1 + y) / (1 + lmbda * y_), by_lambda


partials(special.boxcox, boxcox_by_both)
partials(special.boxcox1p, boxcox1p_by_both)
partials(special.inv_boxcox, inv_boxcox_by_both)
partials(special.inv_boxcox1p, inv_boxcox1p_by_both)

# Angles in degrees
partials(special.sindg, lambda x: DEGREE * special.cosdg(x))
partials(special.cosdg, lambda x: -DEGREE * special.sindg(x))
partials(special.tandg, lambda x, *, y: DEGREE * (1 + y * y))
partials(special.cotdg, lambda x, *, y: -DEGREE * (1 + y * y))
partials(special.radian, lambda d, m, s: (DEGREE, DEGREE / 60, DEGREE / 3600))

# Integrals: by what is integrated, and DLMF 8.19.13 for `expn`.
partials(special.exp1, lambda x: -np.exp(-x) / x)
partials(special.expi, lambda x: np.exp(x) / x)


def expn_by_x(n, x):
    """-E[n - 1](x); E[0](x) = exp(-x) / x has the derivative -exp(-x) (1 + x) / x²."""
    return None, -np.where(n > 0, special.expn(np.maximum(n - 1, 0), x), np.exp(-x) * (1 + x) / (x * x))


partials(special.expn, expn_by_x, unknown=(0,))
# -log(z) / (z - 1) = -F(1, 1; 2; 1 - z).   DLMF 25.12.2 and 15.4.1.
partials(special.spence, lambda z: -special.hyp2f1(1.0, 1.0, 2.0, 1 - z))


@vjp(special.sici)
def sici(x, *, y_bar):
    """Si' = sin(x) / x, Ci' = cos(x) / x.   DLMF 6.2.9 and 6.2.11."""
    s_bar, c_bar = y_bar
    by_s = 0 * x if s_bar is None else s_bar * np.sinc(x / np.pi)
    return by_s if c_bar is None else by_s + c_bar * (np.cos(x) / x)


@vjp(special.shichi)
def shichi(x, *, y_bar):
    """Shi' = sinh(x) / x, Chi' = cosh(x) / x.   DLMF 6.2.15 and 6.2.16."""
    s_bar, c_bar = y_bar
    by_s = 0 * x if s_bar is None else s_bar * (special.exprel(x) + special.exprel(-x)) / 2
    return by_s if c_bar is None else by_s + c_bar * (np.cosh(x) / x)


# Hypergeometric functions by their last argument: DLMF 15.5.1, 13.3.15 and 13.3.22.
partials(special.hyp0f1, lambda v, z: (None, special.hyp0f1(v + 1, z) / v), unknown=(0,))
partials(special.hyp1f1, lambda a, b, x: (None, None, a / b * special.hyp1f1(a + 1, b + 1, x)), unknown=(0, 1))
partials(special.hyperu, lambda a, b, x: (None, None, -a * special.hyperu(a + 1, b + 1, x)), unknown=(0, 1))
partials(
    special.hyp2f1,
    lambda a, b, c, z: (None, None, None, a * b / c * special.hyp2f1(a + 1, b + 1, c + 1, z)),
    unknown=(0, 1, 2),
)
partials(special.wrightomega, lambda z, *, y: y / (1 + y))


# Elliptic integrals by Carlson's R_D, which loses no digits near m = 0: DLMF 19.25.1 with 19.4.1 and 19.4.2.
def ellipk_by_m(m, *, y):
    return (y - special.elliprd(0.0, 1 - m, 1.0) / 3) / (2 * (1 - m))


partials(special.ellipk, ellipk_by_m)
partials(special.ellipe, lambda m: -special.elliprd(0.0, 1 - m, 1.0) / 6)
partials(special.ellipkm1, lambda p, *, y: (special.elliprd(0.0, p, 1.0) / 3 - y) / (2 * p))
partials(special.ellipkinc, lambda phi, m: (1 / np.sqrt(1 - m * np.sin(phi) ** 2), None), unknown=(1,))
partials(special.ellipeinc, lambda phi, m: (np.sqrt(1 - m * np.sin(phi) ** 2), None), unknown=(1,))
