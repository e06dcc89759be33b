"""Densities and distribution functions of `scipy.stats`: values of SciPy's, derivatives of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import pullback as pb
from differences import assert_slopes, by_differences, calling, weighted

POSITIVE = np.array([0.3, 1.2, 2.7])
INSIDE = np.array([0.21, 0.47, 0.83])
PLACES = np.array([-2.5, -1.0, 0.0, 0.4, 1.0, 3.7, 8.0, np.nan, np.inf, -np.inf])
ON_LINES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(["norm", "expon", "laplace", "logistic", "cauchy", "gumbel_r", "gumbel_l", "halfnorm"], ()),
    **{"rayleigh": (), "uniform": (), "t": (3.5,), "gamma": (2.3,), "chi2": (4.1,), "invgamma": (2.2,)},
    **{"lognorm": (0.7,), "pareto": (1.4,), "weibull_min": (1.7,), "beta": (2.2, 3.4), "f": (3.2, 6.1)},
}
ON_COUNTS = {"poisson": (2.4,), "bernoulli": (0.3,), "geom": (0.35,), "binom": (5, 0.3), "nbinom": (3.2, 0.4)}
LINES = ("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf")
COUNTS = ("pmf", "logpmf", "cdf", "logcdf", "sf", "logsf")
CASES = [(n, m) for n in ON_LINES for m in LINES if not (n == "f" and m in ("ppf", "isf"))]
CASES += [(n, m) for n in ON_COUNTS for m in COUNTS]
REFUSED = {("t", 1), ("gamma", 1), ("chi2", 1), ("invgamma", 1), ("beta", 1), ("beta", 2), ("f", 1), ("f", 2)}
REFUSED |= {("nbinom", 1), ("binom", 1)}
"""Distributions, and the parameters by which incomplete functions have no derivative."""


def sample(name: str, method: str) -> tuple[Any, ...]:
    """Places inside of the support, shapes, and a location and a scale."""
    if name in ON_COUNTS:
        return np.array([1.0, 2.0, 4.0]) if name != "bernoulli" else np.array([0.0]), *ON_COUNTS[name]
    low = {"pareto": 1.1}.get(name, 0.0)
    of_unit = method in ("ppf", "isf") or name in ("beta", "uniform")
    places = INSIDE if of_unit else low + POSITIVE
    scaled = places if method in ("ppf", "isf") else places * 1.3 - 0.4
    return scaled, *ON_LINES[name], -0.4, 1.3


def differentiable_places(name: str, method: str, arguments: tuple[Any, ...]) -> list[int]:
    """All but whole numbers, and what incomplete functions have no derivative by."""
    of_density = method in ("pdf", "logpdf", "pmf", "logpmf")
    first = 1 if name in ON_COUNTS else 0
    return [
        k
        for k in range(first, len(arguments))
        if not isinstance(arguments[k], int) and (of_density or (name, k) not in REFUSED)
    ]


@pytest.mark.drawn(50)
@pytest.mark.parametrize(("name", "method"), CASES)
def test_values_are_those_of_scipy(name: str, method: str) -> None:
    function = getattr(getattr(stats, name), method)
    arguments = (ON_COUNTS | ON_LINES)[name]
    call = pb.differentiable(jit=False)(calling(function, (PLACES, *arguments), [0]))
    with np.errstate(all="ignore"):
        given, plain = call(PLACES), function(PLACES, *arguments)
        limited = np.isinf(PLACES) & np.isnan(plain)  # SciPy has NaN there for some, where the limit is 0
        np.testing.assert_allclose(given[~limited], plain[~limited], rtol=1e-12, atol=1e-15)
        for place in PLACES[:7]:
            np.testing.assert_allclose(call(float(place)), function(place, *arguments), rtol=1e-12, atol=1e-15)
        narrow = PLACES.astype(np.float32)
        assert call(narrow).dtype == function(narrow, *arguments).dtype


@pytest.mark.drawn(29)
@pytest.mark.parametrize(("name", "method"), CASES)
def test_derivatives_are_those_of_differences(name: str, method: str) -> None:
    compare(name, method, jit=False)


@pytest.mark.drawn(3)
@pytest.mark.parametrize(("name", "method"), CASES)
def test_compiled_derivatives_are_those_of_differences(name: str, method: str) -> None:
    compare(name, method, jit=True)


def compare(name: str, method: str, jit: bool) -> None:
    function, arguments = getattr(getattr(stats, name), method), sample(name, method)
    places = differentiable_places(name, method, arguments)
    call = calling(np.sum, arguments, places, function)
    given = [np.asarray(arguments[k], float) for k in places]
    x_bars = pb.grad(pb.differentiable(jit=jit)(call), argnums=tuple(range(len(places))))(*given)
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(call, given, 1.0), given, k)


def test_parameters_that_mean_nothing_give_nan() -> None:
    call = pb.differentiable(jit=False)(lambda s: stats.norm.pdf(1.0, 0.0, s))
    assert np.isnan(call(-1.0))
    assert np.isnan(call(0.0))
    call = pb.differentiable(jit=False)(lambda a: stats.gamma.logpdf(1.0, a))
    assert np.isnan(call(-1.0))


def test_parameters_are_taken_by_name_and_broadcast() -> None:
    def likelihood(x, mu, sigma):
        return np.sum(stats.norm.logpdf(x[:, None], loc=mu, scale=np.exp(sigma)))

    x, mu, sigma = np.linspace(-1, 1, 4), np.array([0.1, 0.4]), np.array([0.2, -0.3])
    for jit in (False, True):
        found = pb.grad(pb.differentiable(jit=jit)(likelihood), argnums=(1, 2))(x, mu, sigma)
        np.testing.assert_allclose(found[0], by_differences(likelihood, [x, mu, sigma], 1), 1e-9)
        np.testing.assert_allclose(found[1], by_differences(likelihood, [x, mu, sigma], 2), 1e-9)


def test_what_lies_outside_has_the_derivative_0() -> None:
    def density(x):
        return np.sum(stats.gamma.pdf(x, 2.5) + stats.expon.pdf(x) + stats.beta.pdf(x, 2.0, 2.0))

    found = pb.grad(pb.differentiable(jit=False)(density))(np.array([-1.0, -0.1]))
    np.testing.assert_array_equal(found, [0, 0])


def test_the_shape_of_an_incomplete_function_is_refused() -> None:
    with pytest.raises(pb.MissingRuleError, match="gammainc has no derivative rule by the argument 'a'"):
        pb.grad(lambda a: stats.gamma.cdf(1.0, a))(2.0)


OUTSIDE = stats.norm(0.3, scale=2.0)
X = np.random.default_rng(4).normal(size=(4, 3))
MEAN, FACTOR = X[1] * 0.7, X[1:] * 0.5

SEVERAL: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "normal": (
        lambda x, m, f: np.sum(stats.multivariate_normal.logpdf(x, m, f @ f.T + np.eye(3))),
        (X, MEAN, FACTOR),
    ),
    "normal of a vector": (
        lambda x, m, f: stats.multivariate_normal.pdf(x, mean=m, cov=f @ f.T + np.eye(3)),
        (X[0], MEAN, FACTOR),
    ),
    "dirichlet": (lambda x, a: stats.dirichlet.logpdf(x, a), (np.array([0.2, 0.3]), np.array([1.2, 2.3, 0.7]))),
    "frozen": (lambda x, m: np.sum(stats.norm(m, 1.3).logpdf(x)), (X[0], np.array(0.4))),
    "frozen outside": (lambda x: np.sum(OUTSIDE.cdf(x)), (X[0],)),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_densities_of_several_variables_and_frozen_ones(name: str) -> None:
    function, arguments = SEVERAL[name]
    call = pb.differentiable(jit=False)(function)
    np.testing.assert_allclose(call(*arguments), function(*arguments), 1e-12)
    x_bars = pb.grad(call, argnums=tuple(range(len(arguments))))(*arguments)
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(function, arguments, 1.0), arguments, k)
