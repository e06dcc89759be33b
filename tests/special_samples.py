"""Functions of `scipy.special` with a rule: arguments at smooth points, and the same function of mpmath's numbers.

An array is differentiated, a number is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
from scipy import special

Arguments = tuple[Any, ...]

ALL = np.array([-7.3, -1.2, -0.31, 0.0, 0.4, 1.7, 9.1])
POSITIVE = np.array([0.04, 0.4, 1.7, 6.3, 23.0])
INSIDE = np.array([0.02, 0.31, 0.5, 0.77, 0.98])
UNIT = np.array([-0.93, -0.4, 0.0, 0.21, 0.8])
SHAPES = np.array([0.3, 1.0, 2.5, 4.0, 9.7])
FAR = np.array([-30.0, -4.0, 0.7, 9.9, 10.1, 35.0, 200.0])


def ndtr(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def gammainc(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True)


def betainc(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def exprel(x: Any) -> Any:
    return mp.hyp1f1(1, 2, x)


def inverse(function: Callable[..., Any], start: Callable[..., Any]) -> Callable[..., Any]:
    """The inverse by the last argument; start: SciPy's, to begin with."""

    def solved(*arguments: Any) -> Any:
        *first, y = arguments
        guess = float(start(*map(float, arguments)))
        return mp.findroot(lambda x: function(*first, x) - y, guess)

    return solved


def boxcox(x: Any, p: Any) -> Any:
    return mp.log(x) * exprel(p * mp.log(x))


def inv_boxcox(y: Any, p: Any) -> Any:
    return mp.exp(y * mp.hyp2f1(1, 1, 2, -p * y))


def stdtr(df: Any, t: Any) -> Any:
    tail = betainc(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
    return 1 - tail if t > 0 else tail


def fdtr(n: Any, d: Any, x: Any) -> Any:
    return betainc(n / 2, d / 2, n * x / (d + n * x))


def spherical(bessel: Callable[..., Any]) -> Callable[..., Any]:
    return lambda n, z: mp.sqrt(mp.pi / (2 * z)) * bessel(n + mp.mpf(1) / 2, z)


def owens_t(h: Any, a: Any) -> Any:
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi)


def airy(k: int) -> Callable[..., Any]:
    return lambda z: (mp.airyai(z), mp.airyai(z, derivative=1), mp.airybi(z), mp.airybi(z, derivative=1))[k]


Case = tuple[Callable[..., Any], Callable[..., Any], list[Arguments]]

ERRORS: list[Case] = [
    (special.erfcx, lambda x: mp.exp(x * x) * mp.erfc(x), [(FAR[1:],)]),
    (special.erfi, mp.erfi, [(ALL,)]),
    (special.dawsn, lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), [(FAR[:-1],)]),
    (special.erfinv, mp.erfinv, [(UNIT,)]),
    (special.erfcinv, lambda y: mp.erfinv(1 - y), [(np.array([0.02, 0.7, 1.2, 1.9]),)]),
    (special.ndtr, ndtr, [(ALL,)]),
    (special.log_ndtr, lambda x: mp.log(ndtr(x)), [(np.array([-300.0, -20.0, -1.0, 0.0, 2.0, 8.0]),)]),
    (special.ndtri, lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), [(INSIDE,)]),
    (special.ndtri_exp, lambda p: mp.sqrt(2) * mp.erfinv(2 * mp.exp(p) - 1), [(np.array([-4.0, -0.5, -0.01]),)]),
    (special.owens_t, owens_t, [(ALL, np.array(0.7)), (np.array([0.5]), UNIT)]),
]
GAMMAS: list[Case] = [
    (special.psi, mp.digamma, [(POSITIVE,), (np.array([-0.3, -2.7]),)]),
    (special.zeta, mp.zeta, [(2.5, POSITIVE)]),
    (special.loggamma, mp.loggamma, [(POSITIVE,)]),
    (special.rgamma, mp.rgamma, [(POSITIVE,), (np.array([-2.7, -1.0, -0.3, 0.0, 0.49]),)]),
    (special.poch, lambda z, m: mp.gamma(z + m) / mp.gamma(z), [(POSITIVE, SHAPES)]),
    (special.beta, mp.beta, [(POSITIVE, SHAPES)]),
    (special.betaln, lambda a, b: mp.log(mp.beta(a, b)), [(POSITIVE, SHAPES)]),
    (special.binom, mp.binomial, [(SHAPES + 4.1, POSITIVE[:3, None] * 0.7)]),
    (special.gammainc, gammainc, [(2.5, POSITIVE), (SHAPES.tolist()[0], POSITIVE)]),
    (special.gammaincc, lambda a, x: 1 - gammainc(a, x), [(2.5, POSITIVE)]),
    (special.gammaincinv, inverse(gammainc, special.gammaincinv), [(2.5, INSIDE)]),
    (special.gammainccinv, inverse(lambda a, x: 1 - gammainc(a, x), special.gammainccinv), [(2.5, INSIDE)]),
    (special.betainc, betainc, [(2.5, 0.7, INSIDE)]),
    (special.betaincc, lambda a, b, x: 1 - betainc(a, b, x), [(2.5, 0.7, INSIDE)]),
    (special.betaincinv, inverse(betainc, special.betaincinv), [(2.5, 0.7, INSIDE)]),
    (special.betainccinv, inverse(lambda *x: 1 - betainc(*x), special.betainccinv), [(2.5, 0.7, INSIDE)]),
    (special.polygamma, mp.polygamma, [(2, POSITIVE), (0, POSITIVE)]),
    (
        special.multigammaln,
        lambda a, d: mp.log(mp.pi) * 1.5 + sum(mp.loggamma(a - j / 2) for j in range(3)),
        [(SHAPES[2:], 3)],
    ),
    (special.comb, mp.binomial, [(SHAPES + 4.1, POSITIVE[:3, None] * 0.7)]),
]
BESSEL: list[Case] = [
    (special.j0, lambda x: mp.besselj(0, x), [(ALL,)]),
    (special.j1, lambda x: mp.besselj(1, x), [(ALL,)]),
    (special.y0, lambda x: mp.bessely(0, x), [(POSITIVE,)]),
    (special.y1, lambda x: mp.bessely(1, x), [(POSITIVE,)]),
    (special.i0, lambda x: mp.besseli(0, x), [(ALL,)]),
    (special.i1, lambda x: mp.besseli(1, x), [(ALL,)]),
    (special.k0, lambda x: mp.besselk(0, x), [(POSITIVE,)]),
    (special.k1, lambda x: mp.besselk(1, x), [(POSITIVE,)]),
    (special.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), [(ALL[ALL != 0],)]),
    (special.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), [(ALL,)]),
    (special.k0e, lambda x: mp.besselk(0, x) * mp.exp(x), [(POSITIVE,)]),
    (special.k1e, lambda x: mp.besselk(1, x) * mp.exp(x), [(POSITIVE,)]),
    (special.jv, mp.besselj, [(0.7, POSITIVE), (2, ALL), (0, ALL)]),
    (special.jve, mp.besselj, [(0.7, POSITIVE)]),
    (special.yv, mp.bessely, [(0.7, POSITIVE), (0, POSITIVE)]),
    (special.yve, mp.bessely, [(0.7, POSITIVE)]),
    (special.yn, mp.bessely, [(0, POSITIVE), (3, POSITIVE)]),
    (special.iv, mp.besseli, [(0.7, POSITIVE), (0, ALL)]),
    (special.ive, lambda v, z: mp.besseli(v, z) * mp.exp(-abs(z)), [(0.7, POSITIVE)]),
    (special.kv, mp.besselk, [(0.7, POSITIVE), (0, POSITIVE)]),
    (special.kn, mp.besselk, [(0, POSITIVE), (3, POSITIVE)]),
    (special.kve, lambda v, z: mp.besselk(v, z) * mp.exp(z), [(0.7, POSITIVE)]),
    (special.spherical_jn, spherical(mp.besselj), [(0, POSITIVE), (3, POSITIVE)]),
    (special.spherical_yn, spherical(mp.bessely), [(0, POSITIVE), (3, POSITIVE)]),
    (special.spherical_in, spherical(mp.besseli), [(0, POSITIVE), (3, POSITIVE)]),
    (special.spherical_kn, spherical(mp.besselk), [(0, POSITIVE), (3, POSITIVE)]),
    (special.struve, mp.struveh, [(0.7, POSITIVE), (2, POSITIVE)]),
    (special.modstruve, mp.struvel, [(0.7, POSITIVE)]),
]
ELEMENTARY: list[Case] = [
    (special.xlogy, lambda x, y: x * mp.log(y), [(ALL, np.array(2.5)), (np.array(1.2), POSITIVE)]),
    (special.xlog1py, lambda x, y: x * mp.log1p(y), [(ALL, np.array(2.5)), (np.array(1.2), INSIDE)]),
    (special.entr, lambda x: -x * mp.log(x), [(POSITIVE,)]),
    (special.rel_entr, lambda x, y: x * mp.log(x / y), [(POSITIVE, POSITIVE[::-1])]),
    (special.kl_div, lambda x, y: x * mp.log(x / y) - x + y, [(POSITIVE, POSITIVE[::-1])]),
    (special.log_expit, lambda x: -mp.log1p(mp.exp(-x)), [(FAR[:-1],)]),
    (special.huber, lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), [(np.array(1.5), ALL)]),
    (special.pseudo_huber, lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1), [(np.array(1.5), ALL)]),
    (special.exp10, lambda x: mp.mpf(10) ** x, [(ALL,)]),
    (special.exp2, lambda x: mp.mpf(2) ** x, [(ALL,)]),
    (special.expm1, mp.expm1, [(ALL,)]),
    (special.log1p, mp.log1p, [(POSITIVE,)]),
    (special.cbrt, mp.cbrt, [(POSITIVE,)]),
    (special.cosm1, lambda x: mp.cos(x) - 1, [(ALL,)]),
    (special.powm1, lambda x, y: x**y - 1, [(POSITIVE, UNIT)]),
    (special.exprel, exprel, [(ALL,), (np.array([1e-9, -1e-5, 0.3]),)]),
    (special.boxcox, boxcox, [(POSITIVE, UNIT)]),
    (special.boxcox1p, lambda x, p: boxcox(1 + x, p), [(POSITIVE, UNIT)]),
    (special.inv_boxcox, inv_boxcox, [(INSIDE, UNIT), (np.array([0.3]), np.array([0.0, 1e-6, 2.5]))]),
    (special.inv_boxcox1p, lambda y, p: inv_boxcox(y, p) - 1, [(INSIDE, UNIT)]),
    (special.sindg, lambda x: mp.sin(mp.radians(x)), [(10 * ALL,)]),
    (special.cosdg, lambda x: mp.cos(mp.radians(x)), [(10 * ALL,)]),
    (special.tandg, lambda x: mp.tan(mp.radians(x)), [(8 * ALL,)]),
    (special.cotdg, lambda x: mp.cot(mp.radians(x)), [(8 * POSITIVE[1:4],)]),
    (special.radian, lambda d, m, s: mp.radians(d + m / 60 + s / 3600), [(ALL, ALL, ALL)]),
    (special.exp1, mp.e1, [(POSITIVE,)]),
    (special.expi, mp.ei, [(POSITIVE,)]),
    (special.expn, mp.expint, [(0, POSITIVE), (1, POSITIVE), (3, POSITIVE)]),
    (special.spence, lambda z: mp.polylog(2, 1 - z), [(np.array([0.2, 0.9, 1.3, 1.8]),)]),
    (special.hyp0f1, mp.hyp0f1, [(1.3, UNIT)]),
    (special.hyp1f1, mp.hyp1f1, [(1.3, 2.2, ALL)]),
    (special.hyperu, mp.hyperu, [(1.3, 2.2, POSITIVE)]),
    (special.hyp2f1, mp.hyp2f1, [(1.3, 0.4, 2.2, UNIT)]),
    (special.wrightomega, lambda z: mp.lambertw(mp.exp(z)), [(ALL,)]),
    (special.ellipk, mp.ellipk, [(INSIDE,), (np.array([-3.0, 1e-9, 0.0]),)]),
    (special.ellipe, mp.ellipe, [(INSIDE,), (np.array([-3.0, 1e-9, 0.0]),)]),
    (special.ellipkm1, lambda p: mp.ellipk(1 - p), [(INSIDE,)]),
    (special.ellipkinc, mp.ellipf, [(UNIT, 0.4)]),
    (special.ellipeinc, mp.ellipe, [(UNIT, 0.4)]),
]
POLYNOMIALS: list[Case] = [
    (special.eval_legendre, mp.legendre, [(0, UNIT), (1, UNIT), (5, UNIT)]),
    (special.eval_chebyt, mp.chebyt, [(0, UNIT), (1, UNIT), (5, UNIT)]),
    (special.eval_chebyu, mp.chebyu, [(0, UNIT), (1, UNIT), (5, UNIT)]),
    (special.eval_hermite, mp.hermite, [(0, UNIT), (1, UNIT), (5, UNIT)]),
    (special.eval_hermitenorm, lambda n, x: mp.mpf(2) ** (-mp.mpf(n) / 2) * mp.hermite(n, x / mp.sqrt(2)), [(4, UNIT)]),
    (special.eval_laguerre, lambda n, x: mp.laguerre(n, 0, x), [(0, ALL), (5, ALL)]),
    (special.eval_genlaguerre, mp.laguerre, [(0, 0.7, ALL), (5, 0.7, ALL)]),
    (special.eval_gegenbauer, mp.gegenbauer, [(0, 0.7, UNIT), (5, 0.7, UNIT + 0.01)]),
    (special.eval_jacobi, mp.jacobi, [(0, 0.7, 1.2, UNIT), (5, 0.7, 1.2, UNIT)]),
    (special.eval_sh_legendre, lambda n, x: mp.legendre(n, 2 * x - 1), [(4, INSIDE)]),
]
PROBABILITIES: list[Case] = [
    (special.pdtr, lambda k, m: 1 - gammainc(k + 1, m), [(3.0, POSITIVE)]),
    (special.pdtrc, lambda k, m: gammainc(k + 1, m), [(3.0, POSITIVE)]),
    (special.stdtr, stdtr, [(3.5, ALL[ALL != 0])]),
    (special.stdtrit, inverse(stdtr, special.stdtrit), [(3.5, INSIDE[INSIDE != 0.5])]),
    (special.chdtr, lambda v, x: gammainc(v / 2, x / 2), [(3.5, POSITIVE)]),
    (special.chdtrc, lambda v, x: 1 - gammainc(v / 2, x / 2), [(3.5, POSITIVE)]),
    (special.gdtr, lambda a, b, x: gammainc(b, a * x), [(np.array(1.4), 2.5, POSITIVE)]),
    (special.gdtrc, lambda a, b, x: 1 - gammainc(b, a * x), [(np.array(1.4), 2.5, POSITIVE)]),
    (special.fdtr, fdtr, [(3.5, 6.2, POSITIVE)]),
    (special.fdtrc, lambda *x: 1 - fdtr(*x), [(3.5, 6.2, POSITIVE)]),
]
FAMILIES = (ERRORS, GAMMAS, BESSEL, ELEMENTARY, POLYNOMIALS, PROBABILITIES)
CASES: list[Case] = [case for family in FAMILIES for case in family]
