"""Gamma functions and their like: of `scipy.special`.   DLMF chapters 5, 8 and 25."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import composes, constant, partials
from pullback.functions.parts import numbers_to

partials(
    special.zeta,
    lambda x, q=None: (None, -x * special.zeta(x + 1, q)),  # DLMF 25.11.17
    unknown=(0,),
    is_elementwise=True,
)
partials(special.loggamma, lambda z: special.psi(z))


def rgamma_by_z(z, *, y):
    """-y ψ(z); to the left of 1/2 the derivative of sin(π z) Γ(1 - z) / π, which has no poles.   DLMF 5.5.3."""
    left = z < 0.5
    u, v = np.where(left, z, 0.0), np.where(left, 1.0, z)
    angle = np.pi * u
    reflected = special.gamma(1 - u) * (np.cos(angle) - np.sin(angle) * special.psi(1 - u) / np.pi)
    return np.where(left, reflected, -special.psi(v) * y)


partials(special.rgamma, rgamma_by_z)
partials(
    special.poch,
    lambda z, m, *, y: (y * (special.psi(z + m) - special.psi(z)), y * special.psi(z + m)),
)
partials(
    special.beta,
    lambda a, b, *, y: (y * (special.psi(a) - special.psi(a + b)), y * (special.psi(b) - special.psi(a + b))),
)
partials(
    special.betaln,
    lambda a, b: (special.psi(a) - special.psi(a + b), special.psi(b) - special.psi(a + b)),
)


def binom_by_both(n, k, *, y):
    of_rest = special.psi(n - k + 1)
    return y * (special.psi(n + 1) - of_rest), y * (of_rest - special.psi(k + 1))


partials(special.binom, binom_by_both)
constant(special.gammasgn, special.round)


@composes(special.polygamma)
def polygamma(n, x):
    """(-1)^(n + 1) n! ζ(n + 1, x), for n = 0 the digamma function.   DLMF 25.11.12."""
    whole = (-1.0) ** (n + 1) * special.gamma(n + 1.0) * special.zeta(n + 1, x)
    return np.where(n == 0, special.psi(x), whole)


@composes(special.multigammaln)
def multigammaln(a, d):
    """log of the multivariate gamma function. Raises ValueError unless d is whole and 2 a > d - 1.   DLMF 35.3.4."""
    if np.any(a <= 0.5 * (d - 1)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    total = (d * (d - 1) * 0.25) * np.log(np.pi) + 0 * a
    for j in numbers_to(d):
        total = total + special.gammaln(a - j / 2)
    return total


@composes(special.comb)
def comb(N, k, *, exact=False, repetition=False):
    """The binomial coefficient; 0 where it counts nothing."""
    if exact:
        raise NotImplementedError("scipy.special.comb is differentiated with exact=False")
    if repetition:
        N = N + k - 1
    return np.where((k <= N) & (N >= 0) & (k >= 0), special.binom(N, k), 0.0)


# Incomplete functions: by what is integrated.


def density(a, x):
    """x^(a - 1) exp(-x) / Γ(a).   DLMF 8.8.13."""
    return np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def density_of_beta(a, b, x):
    """x^(a - 1) (1 - x)^(b - 1) / B(a, b).   DLMF 8.17.1."""
    return np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


partials(special.gammainc, lambda a, x: (None, density(a, x)), unknown=(0,))
partials(special.gammaincc, lambda a, x: (None, -density(a, x)), unknown=(0,))
partials(special.gammaincinv, lambda a, y_, *, y: (None, 1 / density(a, y)), unknown=(0,))
partials(special.gammainccinv, lambda a, y_, *, y: (None, -1 / density(a, y)), unknown=(0,))
partials(special.betainc, lambda a, b, x: (None, None, density_of_beta(a, b, x)), unknown=(0, 1))
partials(special.betaincc, lambda a, b, x: (None, None, -density_of_beta(a, b, x)), unknown=(0, 1))
partials(special.betaincinv, lambda a, b, y_, *, y: (None, None, 1 / density_of_beta(a, b, y)), unknown=(0, 1))
partials(special.betainccinv, lambda a, b, y_, *, y: (None, None, -1 / density_of_beta(a, b, y)), unknown=(0, 1))
