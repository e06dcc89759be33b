"""Distribution functions under their names in `scipy.special`: by what is integrated, or summed.

Parameters are told by the tables of Abramowitz and Stegun (1964), chapter 26. No derivative is known by a parameter
that an incomplete function has beside its argument.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from pullback.functions.declare import partials
from pullback.functions.scipy.gammas import density, density_of_beta


def term_of_poisson(k, m):
    """exp(-m) m^k / k!."""
    return np.exp(special.xlogy(np.floor(k), m) - m - special.gammaln(np.floor(k) + 1))


# Σ of all up to k: each term but the last is taken away again. Nothing moves with k between whole numbers.
partials(special.pdtr, lambda k, m: (0, -term_of_poisson(k, m)))
partials(special.pdtrc, lambda k, m: (0, term_of_poisson(k, m)))


def density_of_t(df, t):
    return np.exp(-(df + 1) / 2 * np.log1p(t * t / df) - special.betaln(df / 2, 0.5)) / np.sqrt(df)


partials(special.stdtr, lambda df, t: (None, density_of_t(df, t)), unknown=(0,))
partials(special.stdtrit, lambda df, p, *, y: (None, 1 / density_of_t(df, y)), unknown=(0,))
partials(special.chdtr, lambda v, x: (None, density(v / 2, x / 2) / 2), unknown=(0,))
partials(special.chdtrc, lambda v, x: (None, -density(v / 2, x / 2) / 2), unknown=(0,))


def gdtr_by_scale(a, b, x):
    """The integral up to a x of t^(b - 1) exp(-t) / Γ(b)."""
    of_x = density(b, a * x)
    return x * of_x, None, a * of_x


def gdtrc_by_scale(a, b, x):
    of_x = density(b, a * x)
    return -x * of_x, None, -a * of_x


partials(special.gdtr, gdtr_by_scale, unknown=(1,))
partials(special.gdtrc, gdtrc_by_scale, unknown=(1,))


def density_of_f(dfn, dfd, x):
    """Of the ratio of two χ², each over its degrees of freedom: by the beta density of a place in 0 to 1."""
    total = dfd + dfn * x
    return density_of_beta(dfn / 2, dfd / 2, dfn * x / total) * dfn * dfd / (total * total)


partials(special.fdtr, lambda dfn, dfd, x: (None, None, density_of_f(dfn, dfd, x)), unknown=(0, 1))
partials(special.fdtrc, lambda dfn, dfd, x: (None, None, -density_of_f(dfn, dfd, x)), unknown=(0, 1))
