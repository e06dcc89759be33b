"""Orthogonal polynomials by their argument: of `scipy.special`.   DLMF 18.9(iii)."""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import partials


def lower(n):
    """The degree of the derivative; that of a constant is multiplied by 0."""
    return np.maximum(n - 1, 0)


def or_zero(n, derivative):
    """0 for the polynomial of degree 0."""
    return np.where(n == 0, 0.0, derivative)


partials(
    special.eval_legendre,
    lambda n, x: (None, or_zero(n, special.eval_gegenbauer(lower(n), 1.5, x))),
    unknown=(0,),
)
partials(special.eval_chebyt, lambda n, x: (None, n * special.eval_chebyu(lower(n), x)), unknown=(0,))
partials(
    special.eval_chebyu,
    lambda n, x: (None, or_zero(n, 2 * special.eval_gegenbauer(lower(n), 2.0, x))),
    unknown=(0,),
)
partials(special.eval_hermite, lambda n, x: (None, 2 * n * special.eval_hermite(lower(n), x)), unknown=(0,))
partials(special.eval_hermitenorm, lambda n, x: (None, n * special.eval_hermitenorm(lower(n), x)), unknown=(0,))
partials(
    special.eval_laguerre,
    lambda n, x: (None, or_zero(n, -special.eval_genlaguerre(lower(n), 1.0, x))),
    unknown=(0,),
)
partials(
    special.eval_genlaguerre,
    lambda n, alpha, x: (None, None, or_zero(n, -special.eval_genlaguerre(lower(n), alpha + 1, x))),
    unknown=(0, 1),
)
partials(
    special.eval_gegenbauer,
    lambda n, alpha, x: (None, None, or_zero(n, 2 * alpha * special.eval_gegenbauer(lower(n), alpha + 1, x))),
    unknown=(0, 1),
)


def jacobi_by_x(n, alpha, beta, x):
    derivative = (n + alpha + beta + 1) / 2 * special.eval_jacobi(lower(n), alpha + 1, beta + 1, x)
    return None, None, None, or_zero(n, derivative)


partials(special.eval_jacobi, jacobi_by_x, unknown=(0, 1, 2))


def sh_legendre_by_x(n, x):
    return None, or_zero(n, 2 * special.eval_gegenbauer(lower(n), 1.5, 2 * x - 1))


partials(special.eval_sh_legendre, sh_legendre_by_x, unknown=(0,))
