"""Distributions of `scipy.stats` by their standard forms.   Johnson, Kotz and Balakrishnan (1994), volumes 1 and 2."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from pullback.functions.scipy.laws import Law, declare_law
from pullback.runtime import where


def zero(shapes):
    return 0.0


def one(shapes):
    return 1.0


def are_positive(shapes):
    good = True
    for shape in shapes:
        good = good & (shape > 0)
    return good


declare_law(
    stats.norm,
    Law(
        lambda z, s: -0.5 * z * z - 0.9189385332046727,  # log √(2 π)
        cdf=lambda z, s: special.ndtr(z),
        sf=lambda z, s: special.ndtr(-z),
        logcdf=lambda z, s: special.log_ndtr(z),
        logsf=lambda z, s: special.log_ndtr(-z),
        ppf=lambda q, s: special.ndtri(q),
        isf=lambda q, s: -special.ndtri(q),
    ),
)
declare_law(
    stats.expon,
    Law(
        lambda z, s: -z,
        cdf=lambda z, s: -np.expm1(-z),
        sf=lambda z, s: np.exp(-z),
        logsf=lambda z, s: -z,
        ppf=lambda q, s: -np.log1p(-q),
        isf=lambda q, s: -np.log(q),
        low=zero,
    ),
)
declare_law(
    stats.uniform,
    Law(
        lambda z, s: 0.0 * z,
        cdf=lambda z, s: z,
        sf=lambda z, s: 1 - z,
        ppf=lambda q, s: q,
        isf=lambda q, s: 1 - q,
        low=zero,
        high=one,
    ),
)


def laplace_cdf(z, s):
    half = 0.5 * np.exp(-np.abs(z))
    return where(z > 0, 1 - half, half)


declare_law(
    stats.laplace,
    Law(
        lambda z, s: -0.6931471805599453 - np.abs(z),  # log 2
        cdf=laplace_cdf,
        sf=lambda z, s: laplace_cdf(-z, s),
        ppf=lambda q, s: where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q)),
        isf=lambda q, s: -where(q > 0.5, -np.log(2 * (1 - q)), np.log(2 * q)),
    ),
)


def logistic_log_density(z, s):
    down = -np.abs(z)
    return down - 2 * np.log1p(np.exp(down))


declare_law(
    stats.logistic,
    Law(
        logistic_log_density,
        cdf=lambda z, s: special.expit(z),
        sf=lambda z, s: special.expit(-z),
        logcdf=lambda z, s: special.log_expit(z),
        logsf=lambda z, s: special.log_expit(-z),
        ppf=lambda q, s: special.logit(q),
        isf=lambda q, s: -special.logit(q),
    ),
)
declare_law(
    stats.cauchy,
    Law(
        lambda z, s: -1.1447298858494002 - np.log1p(z * z),  # log π
        cdf=lambda z, s: np.arctan2(1, -z) / np.pi,
        sf=lambda z, s: np.arctan2(1, z) / np.pi,
        ppf=lambda q, s: -1 / np.tan(np.pi * q),
        isf=lambda q, s: 1 / np.tan(np.pi * q),
    ),
)
declare_law(
    stats.gumbel_r,
    Law(
        lambda z, s: -z - np.exp(-z),
        cdf=lambda z, s: np.exp(-np.exp(-z)),
        sf=lambda z, s: -np.expm1(-np.exp(-z)),
        logcdf=lambda z, s: -np.exp(-z),
        ppf=lambda q, s: -np.log(-np.log(q)),
        isf=lambda q, s: -np.log(-np.log1p(-q)),
    ),
)
declare_law(
    stats.gumbel_l,
    Law(
        lambda z, s: z - np.exp(z),
        cdf=lambda z, s: -np.expm1(-np.exp(z)),
        sf=lambda z, s: np.exp(-np.exp(z)),
        logsf=lambda z, s: -np.exp(z),
        ppf=lambda q, s: np.log(-np.log1p(-q)),
        isf=lambda q, s: np.log(-np.log(q)),
    ),
)
declare_law(
    stats.halfnorm,
    Law(
        lambda z, s: -0.22579135264472744 - 0.5 * z * z,  # log √(2 / π)
        cdf=lambda z, s: special.erf(z * 0.7071067811865476),
        sf=lambda z, s: 2 * special.ndtr(-z),
        ppf=lambda q, s: special.ndtri((1 + q) / 2),
        isf=lambda q, s: -special.ndtri(q / 2),
        low=zero,
    ),
)
declare_law(
    stats.rayleigh,
    Law(
        lambda z, s: np.log(z) - 0.5 * z * z,
        cdf=lambda z, s: -np.expm1(-0.5 * z * z),
        sf=lambda z, s: np.exp(-0.5 * z * z),
        logsf=lambda z, s: -0.5 * z * z,
        ppf=lambda q, s: np.sqrt(-2 * np.log1p(-q)),
        isf=lambda q, s: np.sqrt(-2 * np.log(q)),
        low=zero,
    ),
)


def t_log_density(z, s):
    df = s[0]
    return -(df + 1) / 2 * np.log1p(z * z / df) - 0.5 * np.log(df) - special.betaln(df / 2, 0.5)


declare_law(
    stats.t,
    Law(
        t_log_density,
        cdf=lambda z, s: special.stdtr(s[0], z),
        sf=lambda z, s: special.stdtr(s[0], -z),
        ppf=lambda q, s: special.stdtrit(s[0], q),
        isf=lambda q, s: -special.stdtrit(s[0], q),
        good=are_positive,
    ),
    1,
)
declare_law(
    stats.gamma,
    Law(
        lambda z, s: special.xlogy(s[0] - 1, z) - z - special.gammaln(s[0]),
        cdf=lambda z, s: special.gammainc(s[0], z),
        sf=lambda z, s: special.gammaincc(s[0], z),
        ppf=lambda q, s: special.gammaincinv(s[0], q),
        isf=lambda q, s: special.gammainccinv(s[0], q),
        low=zero,
        good=are_positive,
    ),
    1,
)
declare_law(
    stats.chi2,
    Law(
        lambda z, s: special.xlogy(s[0] / 2 - 1, z) - z / 2 - special.gammaln(s[0] / 2) - 0.34657359027997264 * s[0],
        cdf=lambda z, s: special.gammainc(s[0] / 2, z / 2),
        sf=lambda z, s: special.gammaincc(s[0] / 2, z / 2),
        ppf=lambda q, s: 2 * special.gammaincinv(s[0] / 2, q),
        isf=lambda q, s: 2 * special.gammainccinv(s[0] / 2, q),
        low=zero,
        good=are_positive,
    ),
    1,
)


def invgamma_log_density(z, s):
    at_end = z == 0
    inner = where(at_end, 1.0, z)
    return where(at_end, -np.inf, -(s[0] + 1) * np.log(inner) - special.gammaln(s[0]) - 1 / inner)


declare_law(
    stats.invgamma,
    Law(
        invgamma_log_density,
        cdf=lambda z, s: special.gammaincc(s[0], 1 / z),
        sf=lambda z, s: special.gammainc(s[0], 1 / z),
        ppf=lambda q, s: 1 / special.gammainccinv(s[0], q),
        isf=lambda q, s: 1 / special.gammaincinv(s[0], q),
        low=zero,
        good=are_positive,
    ),
    1,
)


def lognorm_log_density(z, s):
    """-∞ at 0, where the logarithms of z would meet."""
    at_end = z == 0
    logarithm = np.log(where(at_end, 1.0, z))
    y = -0.5 * (logarithm / s[0]) ** 2 - logarithm - np.log(s[0]) - 0.9189385332046727
    return where(at_end, -np.inf, y)


declare_law(
    stats.lognorm,
    Law(
        lognorm_log_density,
        cdf=lambda z, s: special.ndtr(np.log(z) / s[0]),
        sf=lambda z, s: special.ndtr(-np.log(z) / s[0]),
        logcdf=lambda z, s: special.log_ndtr(np.log(z) / s[0]),
        logsf=lambda z, s: special.log_ndtr(-np.log(z) / s[0]),
        ppf=lambda q, s: np.exp(s[0] * special.ndtri(q)),
        isf=lambda q, s: np.exp(-s[0] * special.ndtri(q)),
        low=zero,
        good=are_positive,
    ),
    1,
)
declare_law(
    stats.pareto,
    Law(
        lambda z, s: np.log(s[0]) - (s[0] + 1) * np.log(z),
        cdf=lambda z, s: -np.expm1(-s[0] * np.log(z)),
        sf=lambda z, s: z ** -s[0],
        logsf=lambda z, s: -s[0] * np.log(z),
        ppf=lambda q, s: (1 - q) ** (-1 / s[0]),
        isf=lambda q, s: q ** (-1 / s[0]),
        low=one,
        good=are_positive,
    ),
    1,
)
declare_law(
    stats.weibull_min,
    Law(
        lambda z, s: np.log(s[0]) + special.xlogy(s[0] - 1, z) - z ** s[0],
        cdf=lambda z, s: -np.expm1(-(z ** s[0])),
        sf=lambda z, s: np.exp(-(z ** s[0])),
        logsf=lambda z, s: -(z ** s[0]),
        ppf=lambda q, s: (-np.log1p(-q)) ** (1 / s[0]),
        isf=lambda q, s: (-np.log(q)) ** (1 / s[0]),
        low=zero,
        good=are_positive,
    ),
    1,
)
declare_law(
    stats.beta,
    Law(
        lambda z, s: special.xlog1py(s[1] - 1, -z) + special.xlogy(s[0] - 1, z) - special.betaln(s[0], s[1]),
        cdf=lambda z, s: special.betainc(s[0], s[1], z),
        sf=lambda z, s: special.betaincc(s[0], s[1], z),
        ppf=lambda q, s: special.betaincinv(s[0], s[1], q),
        isf=lambda q, s: special.betainccinv(s[0], s[1], q),
        low=zero,
        high=one,
        good=are_positive,
    ),
    2,
)


def f_log_density(z, s):
    n, m = s
    powers = special.xlogy(n / 2 - 1, z) - (n + m) / 2 * np.log(m + n * z)
    return m / 2 * np.log(m) + n / 2 * np.log(n) + powers - special.betaln(n / 2, m / 2)


declare_law(
    stats.f,
    Law(
        f_log_density,
        cdf=lambda z, s: special.fdtr(s[0], s[1], z),
        sf=lambda z, s: special.fdtrc(s[0], s[1], z),
        low=zero,
        good=are_positive,
    ),
    2,
)

# On whole numbers


def is_probability(shapes):
    return (shapes[-1] >= 0) & (shapes[-1] <= 1)


declare_law(
    stats.poisson,
    Law(
        lambda k, s: special.xlogy(k, s[0]) - special.gammaln(k + 1) - s[0],
        cdf=lambda k, s: special.pdtr(k, s[0]),
        sf=lambda k, s: special.pdtrc(k, s[0]),
        low=zero,
        good=lambda s: s[0] >= 0,
        discrete=True,
    ),
    1,
)
declare_law(
    stats.bernoulli,
    Law(
        lambda k, s: special.xlogy(k, s[0]) + special.xlog1py(1 - k, -s[0]),
        cdf=lambda k, s: 1 - s[0],
        sf=lambda k, s: s[0],
        low=zero,
        high=one,
        good=is_probability,
        discrete=True,
    ),
    1,
)
declare_law(
    stats.geom,
    Law(
        lambda k, s: special.xlog1py(k - 1, -s[0]) + np.log(s[0]),
        cdf=lambda k, s: -np.expm1(np.log1p(-s[0]) * k),
        sf=lambda k, s: np.exp(np.log1p(-s[0]) * k),
        logsf=lambda k, s: np.log1p(-s[0]) * k,
        low=one,
        good=lambda s: (s[0] > 0) & (s[0] <= 1),
        discrete=True,
    ),
    1,
)


def binom_log_density(k, s):
    n, p = s
    count = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return count + special.xlogy(k, p) + special.xlog1py(n - k, -p)


declare_law(
    stats.binom,
    Law(
        binom_log_density,
        cdf=lambda k, s: special.betaincc(k + 1, where(k < s[0], s[0] - k, 1.0), s[1]),
        sf=lambda k, s: special.betainc(k + 1, where(k < s[0], s[0] - k, 1.0), s[1]),
        low=zero,
        high=lambda s: s[0],
        good=lambda s: is_probability(s) & (s[0] >= 0) & (s[0] == np.floor(s[0])),
        discrete=True,
    ),
    2,
)
declare_law(
    stats.nbinom,
    Law(
        lambda k, s: (
            special.gammaln(s[0] + k)
            - special.gammaln(k + 1)
            - special.gammaln(s[0])
            + s[0] * np.log(s[1])
            + special.xlog1py(k, -s[1])
        ),
        cdf=lambda k, s: special.betainc(s[0], k + 1, s[1]),
        sf=lambda k, s: special.betaincc(s[0], k + 1, s[1]),
        low=zero,
        good=lambda s: (s[0] > 0) & (s[1] > 0) & (s[1] <= 1),
        discrete=True,
    ),
    2,
)
