"""What `np.where` and masks do not choose gives nothing to second derivatives either, compiled or on a tape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import collect
import oracle
import pullback as pb
from test_programs import assert_close, rtol_of
from test_tape_programs import NAMED, arguments_on_tape, leaves

PROGRAMS = [program for program in collect.programs() if program.module == "behind_where"]
CHOSEN = ("entropy", "chosen_in_each_iteration", "rows_with_weights_of_zero", "reductions_with_weights_of_zero")
COMPILED = [p for p in PROGRAMS if p.name in CHOSEN]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def directions(values: Any) -> list[Any]:
    """One direction for each array, none of their elements 0."""
    return [np.reshape(np.linspace(0.5, 1.5, np.size(v)), np.shape(v)).astype(np.asarray(v).dtype)[()] for v in values]


def second_on_tapes(function: Callable[..., Any], sample: Any) -> tuple[Any, Any]:
    """The derivative of the gradient along a direction by two tapes, and by the oracle."""
    args, sources = arguments_on_tape(sample)
    along = directions([source.numpy() for source in sources])
    with pb.GradientTape() as outer:
        outer.watch(sources)
        with pb.GradientTape() as inner:
            inner.watch(sources)
            y = function(*args)
        gradients = inner.gradient(y, sources, unconnected_gradients="zero")
        slope = sum(np.sum(g * d) for g, d in zip(gradients, along, strict=True))
    found = outer.gradient(slope, sources, unconnected_gradients="zero")
    return [x.numpy() for x in found], along


def check_second(program: Any, function: Callable[..., Any]) -> None:
    sample = program.samples[0]
    actual, along = second_on_tapes(function, sample)
    _, expected = oracle.hvp(program.function, sample.fresh(), along, sample.wrt)
    for a, e in zip(actual, leaves(expected), strict=True):
        assert_close(a, e, rtol_of(along), "second derivative")


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.id not in NAMED], ids=lambda program: program.id)
def test_second_derivative_on_tapes(program: Any) -> None:
    check_second(program, program.function)


@pytest.mark.drawn(16)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_second_derivative_of_a_call(program: Any) -> None:
    check_second(program, pb.differentiable(jit=False)(program.function))


@pytest.mark.drawn(1)
@pytest.mark.parametrize("program", COMPILED, ids=lambda program: program.id)
def test_second_derivative_of_a_compiled_call(program: Any) -> None:
    check_second(program, pb.differentiable(program.function))


@pytest.mark.drawn(16)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_second_derivative_by_a_tape_in_a_function(program: Any) -> None:
    function = program.function
    first, *others = program.samples[0].fresh()
    (along,) = directions([first])

    def slope_of_one(x: Any) -> Any:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return np.sum(tape.gradient(y, x) * along)

    def slope_of_two(x: Any, other: Any) -> Any:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = function(x, other)
        return np.sum(tape.gradient(y, x) * along)

    def slope_of_three(x: Any, other: Any, third: Any) -> Any:
        with pb.GradientTape() as tape:
            tape.watch(x)
            y = function(x, other, third)
        return np.sum(tape.gradient(y, x) * along)

    slope = (slope_of_one, slope_of_two, slope_of_three)[len(others)]
    actual = pb.grad(pb.differentiable(jit=False)(slope))(first, *others)
    _, (expected,) = oracle.hvp(function, program.samples[0].fresh(), (along,), (0,))
    assert_close(actual, expected, rtol_of((first,)), "second derivative")


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("row", [[3.0, 0.5, np.inf], [3.0, np.nan, 1.0], [-np.inf, -np.inf, -np.inf]])
def test_rows_that_are_not_chosen_behind_logsumexp(row: list[float], jit: bool) -> None:
    @pb.differentiable(jit=jit)
    def function(a: Any) -> Any:
        rows = scipy.special.logsumexp(a, axis=1)
        return np.sum(np.where(np.isfinite(rows), rows, 0.0) ** 2)

    a = np.array([[1.0, 2.0, 0.4], row])
    with np.errstate(invalid="ignore"):
        gradient = pb.grad(function)(a)
        second = pb.hvp(function)(a, np.ones_like(a))
    total = scipy.special.logsumexp(a[0])
    np.testing.assert_allclose(gradient, [2 * total * np.exp(a[0] - total), np.zeros(3)], rtol=1e-12)
    np.testing.assert_array_equal(second[1], np.zeros(3))
