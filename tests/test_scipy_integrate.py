"""Integrals and differential equations of `scipy.integrate`: values are SciPy's, derivatives those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate

import pullback as pb
from differences import assert_slopes, by_differences, weighted

RNG = np.random.default_rng(0)
Y, Y_EVEN, ROWS, SHORT = RNG.normal(size=7), RNG.normal(size=8), RNG.normal(size=(3, 8)), RNG.normal(size=2)
X, X_EVEN = np.cumsum(RNG.random(7) + 0.2), np.cumsum(RNG.random(8) + 0.2)
X_ROWS = np.cumsum(RNG.random((3, 8)) + 0.2, axis=0)
A, B, P = np.float64(0.2), np.float64(2.0), np.float64(0.7)
TIMES, START = np.linspace(0.0, 5.0, 7), np.array([1.0, 0.5])


def preys(t: Any, y: Any, a: Any, b: Any) -> Any:
    return [a * y[0] - b * y[0] * y[1], -y[1] + 0.5 * y[0] * y[1]]


def oscillator(t: Any, y: Any) -> Any:
    return np.array([y[1], -y[0] * (1 + 0.1 * np.sin(t))])


SAMPLED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "trapezoid": (lambda y, x: integrate.trapezoid(y, x), (Y, X)),
    "trapezoid of columns": (lambda y, x: integrate.trapezoid(y, x, axis=0), (ROWS, X_ROWS)),
    "simpson": (lambda y, x: integrate.simpson(y, x), (Y, X)),
    "simpson even": (lambda y, x: integrate.simpson(y, x=x), (ROWS, X_EVEN)),
    "simpson of steps": (lambda y, dx: integrate.simpson(y, dx=dx), (Y_EVEN, P)),
    "simpson of columns": (lambda y, x: integrate.simpson(y, x, axis=0), (ROWS, X_ROWS)),
    "simpson of two": (lambda y: integrate.simpson(y), (SHORT,)),
    "cumulative trapezoid": (lambda y, x: integrate.cumulative_trapezoid(y, x, initial=0), (ROWS, X_EVEN)),
    "cumulative trapezoid of steps": (lambda y, dx: integrate.cumulative_trapezoid(y, dx=dx, axis=0), (ROWS, P)),
    "cumulative simpson": (lambda y, x: integrate.cumulative_simpson(y, x=x), (Y, X)),
    "cumulative simpson even": (lambda y, x: integrate.cumulative_simpson(y, x=x, initial=0), (ROWS, X_EVEN)),
    "cumulative simpson of columns": (lambda y, x: integrate.cumulative_simpson(y, x=x, axis=0), (ROWS, X_ROWS)),
    "cumulative simpson of two": (lambda y: integrate.cumulative_simpson(y), (SHORT,)),
    "quad": (lambda a, b, p: integrate.quad(lambda x, p: np.exp(-p * x) * np.sin(x), a, b, args=(p,))[0], (A, B, P)),
    "quad in parts": (lambda p: integrate.quad(lambda x, p: np.exp(-p * x) * np.cos(20 * x), 0, 5, args=p)[0], (P,)),
    "quad to infinity": (lambda a, p: integrate.quad(lambda x: np.exp(-p * x), a, np.inf)[0], (A, P)),
    "quad from infinity": (lambda b, p: integrate.quad(lambda x: np.exp(p * x), -np.inf, b)[0], (A, P)),
    "quad of all": (lambda p: integrate.quad(lambda x: np.exp(-p * x * x), -np.inf, np.inf)[0], (P,)),
    "quad backwards": (lambda a, p: integrate.quad(lambda x: np.exp(p * x), np.inf, a, epsabs=1e-9)[0], (A, -P)),
    "quad of a logarithm": (lambda p: integrate.quad(lambda x: p * np.log(x), 0, 1)[0], (P,)),
    "fixed quad": (lambda b, p: integrate.fixed_quad(lambda x, p: np.exp(-p * x), 0.0, b, args=(p,), n=6)[0], (B, P)),
}


@pytest.mark.drawn(8)
@pytest.mark.parametrize("name", SAMPLED)
def test_a_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=False)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", SAMPLED)
def test_a_compiled_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=True)


def compare(name: str, jit: bool) -> None:
    function, given = SAMPLED[name]
    expected = np.asarray(function(*given))
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    every, call = tuple(range(len(given))), pb.differentiable(jit=jit)(function)
    y, pull = pb.vjp(call, every)(*given)
    assert (np.shape(y), np.asarray(y).dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(y, expected, 1e-10, 1e-12)
    x_bars = pull(weights[()])
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(function, given, weights), given, k)
    tangents = tuple(np.sin(1 + np.arange(np.size(x))).reshape(np.shape(x))[()] for x in given)
    _, y_dot = pb.jvp(call, given, tangents)
    there = sum(np.sum(a * b) for a, b in zip(x_bars, tangents, strict=True))
    np.testing.assert_allclose(np.sum(weights * y_dot), there, 1e-12, 1e-12)


TIGHT = 1e-12

SOLVED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "parameters": (
        lambda a, b, y0, tol: integrate.solve_ivp(preys, (0.0, 5.0), y0, args=(a, b), rtol=tol, atol=tol).y[:, -1],
        (1.1, 0.4, START),
    ),
    "at times": (
        lambda a, y0, tol: integrate.solve_ivp(preys, (0, 5), y0, t_eval=TIMES, args=(a, 0.4), rtol=tol, atol=tol).y,
        (1.1, START),
    ),
    "by the times": (
        lambda t, tol: integrate.solve_ivp(oscillator, (0, 5), [1.0, 0.3], "RK45", t, rtol=tol, atol=tol).y,
        (np.array([0.5, 2.2, 4.9]),),
    ),
    "by the ends": (
        lambda start, end, tol: integrate.solve_ivp(oscillator, [start, end], START, rtol=tol, atol=tol).y[:, -1],
        (0.3, 4.0),
    ),
    "backwards": (
        lambda y0, tol: integrate.solve_ivp(oscillator, [5, 0], y0, t_eval=TIMES[::-1], rtol=tol, atol=tol).y,
        (START,),
    ),
    "odeint": (
        lambda a, y0, tol: integrate.odeint(preys, y0, TIMES, args=(a, 0.4), tfirst=True, rtol=tol, atol=tol),
        (1.1, START),
    ),
    "odeint of a number": (
        lambda k, tol: integrate.odeint(lambda y, t: -k * y, 2.0, TIMES, rtol=tol, atol=tol),
        (0.7,),
    ),
}


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", SOLVED)
def test_a_gradient_of_a_solution_is_as_exact_as_the_solution(name: str) -> None:
    compare_solutions(name, jit=False)


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", SOLVED)
def test_a_compiled_gradient_of_a_solution_is_as_exact_as_the_solution(name: str) -> None:
    compare_solutions(name, jit=True)


def compare_solutions(name: str, jit: bool) -> None:
    function, given = SOLVED[name]
    tolerance, every = 1e-9, tuple(range(len(given)))
    y, pull = pb.vjp(pb.differentiable(jit=jit)(function), every)(*given, tolerance)
    expected = function(*given, tolerance)
    assert (np.shape(y), y.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(y, expected, 1e-6 if "odeint" in name else 1e-12)
    weights = np.cos(np.arange(expected.size)).reshape(expected.shape)
    for k, x_bar in enumerate(pull(weights)):
        differences = by_differences(lambda *xs: np.sum(weights * function(*xs, TIGHT)), given, k, 1e-2)
        np.testing.assert_allclose(x_bar, differences, 1e-6, 1e-6)


OF_START: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "parameters": (
        lambda a, b, y0, tol: integrate.solve_ivp(preys, (0.0, 5.0), y0, args=(a, b), rtol=tol, atol=tol).y[:, -1],
        (1.1, 0.4, START),
    ),
    "at times": (
        lambda a, y0, tol: integrate.solve_ivp(preys, (0, 5), y0, "RK23", TIMES, args=(a, 0.4), rtol=tol, atol=tol).y,
        (1.1, START),
    ),
    "steps of a size": (
        lambda y0, tol: integrate.solve_ivp(oscillator, (5, 0), y0, rtol=tol, atol=tol, first_step=0.1, max_step=0.3).y,
        (START,),
    ),
}


@pytest.mark.parametrize("tolerance", [1e-3, 1e-8])
@pytest.mark.parametrize("name", OF_START)
def test_a_gradient_of_a_solution_is_exactly_that_of_scipys_steps(name: str, tolerance: float) -> None:
    """By tiny imaginary parts, which SciPy carries along and by which no size of a step changes."""
    function, given = OF_START[name]
    y, pull = pb.vjp(pb.differentiable(jit=False)(function), tuple(range(len(given))))(*given, tolerance)
    weights = np.cos(np.arange(y.size)).reshape(y.shape)
    for k, x_bar in enumerate(pull(weights)):
        for index in np.ndindex(np.shape(given[k])):
            moved = [np.array(x, complex) for x in given]
            moved[k][index] += 1e-100j
            y_dot = np.imag(function(*(x[()] for x in moved), tolerance)) / 1e-100
            np.testing.assert_allclose(np.asarray(x_bar)[index], np.sum(weights * y_dot), 1e-10, 1e-10)


def test_all_fields_of_a_solution_are_scipys() -> None:
    def described(y0: Any, times: Any) -> Any:
        found = integrate.solve_ivp(oscillator, (0.0, 2.0), y0)
        return found.y, found.t, found.nfev, found.status, found.success, np.sum(times)

    (y, t, *facts), _ = pb.vjp(pb.differentiable(jit=False)(described))(START, TIMES)
    expected = integrate.solve_ivp(oscillator, (0.0, 2.0), START)
    np.testing.assert_allclose(y, expected.y, 1e-13)
    np.testing.assert_allclose(t, expected.t, 1e-13)
    assert facts[:3] == [expected.nfev, expected.status, expected.success]


def test_values_have_scipys_dtype_and_what_is_twice_in_a_place_counts_nothing() -> None:
    y = np.float32([1.0, 2.0, 4.0, 7.0, 11.0])
    for function in (
        integrate.trapezoid,
        integrate.simpson,
        integrate.cumulative_trapezoid,
        integrate.cumulative_simpson,
    ):
        value, _ = pb.vjp(pb.differentiable(jit=False)(function_of(function)))(y)
        assert np.asarray(value).dtype == function(y).dtype
    places = np.array([0.0, 0.0, 1.0, 2.0, 2.0])
    value, _ = pb.vjp(lambda y: integrate.simpson(y, x=places))(y)
    np.testing.assert_allclose(value, integrate.simpson(y, x=places), 1e-14)
    with pytest.raises(ValueError, match="strictly increasing"):
        pb.vjp(lambda y: integrate.cumulative_simpson(y, x=places))(y)


def function_of(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda y: function(y)


def test_a_solution_that_is_not_a_number_ends() -> None:
    with pytest.raises(ArithmeticError, match="smaller"):
        pb.grad(lambda x: integrate.solve_ivp(lambda t, y: y * np.nan, (0.0, 1.0), x).y[0, -1])(START)


def test_a_neural_differential_equation_is_differentiated_by_its_weights() -> None:
    weights = RNG.normal(size=(3, 3))

    def loss(w: Any, tol: Any) -> Any:
        found = integrate.solve_ivp(lambda t, y: np.tanh(w @ y), (0.0, 1.0), np.ones(3), rtol=tol, atol=tol)
        return np.sum(found.y[:, -1] ** 2)

    gradient = pb.grad(pb.differentiable(jit=False)(loss))(weights, 1e-9)
    np.testing.assert_allclose(gradient, by_differences(lambda w: loss(w, TIGHT), (weights,), 0, 1e-2), 1e-7)


def test_a_second_derivative_of_an_integral() -> None:
    second = pb.grad(pb.grad(lambda p: integrate.quad(lambda x: np.exp(-p * x), 0, np.inf)[0]))(0.7)
    np.testing.assert_allclose(second, 2 / 0.7**3, 1e-8)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "an implicit method": (lambda x: integrate.solve_ivp(oscillator, (0, 1), x, "LSODA").y[0, -1], "'LSODA'"),
    "events": (lambda x: integrate.solve_ivp(oscillator, (0, 1), x, events=oscillator).y[0, -1], "events"),
    "a continuous solution": (
        lambda x: integrate.solve_ivp(oscillator, (0, 1), x, dense_output=True).y[0, 0],
        "t_eval",
    ),
    "a Jacobian": (lambda x: integrate.solve_ivp(oscillator, (0, 1), x, jac=None).y[0, 0], "'jac'"),
    "a report": (lambda x: integrate.quad(np.exp, 0.0, x[0], full_output=1)[0], "full_output"),
    "a weight": (lambda x: integrate.quad(np.exp, 0.0, x[0], weight="cos")[0], "'weight'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused_by_name(name: str) -> None:
    function, reason = REFUSED[name]
    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(function)(START)


def test_what_does_not_converge_raises_an_error() -> None:
    with pytest.raises(ArithmeticError, match="tolerance"):
        pb.grad(pb.differentiable(jit=False)(lambda p: integrate.quad(lambda x: p / x, 0.0, 1.0)[0]))(1.0)
    with pytest.raises(ValueError, match="t_eval"):
        pb.grad(lambda x: integrate.solve_ivp(oscillator, (0.0, 1.0), x, t_eval=TIMES).y[0, -1])(START)
