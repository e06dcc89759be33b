"""Calls under several tapes: where a pullback runs the function again, it draws and prints nothing new."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.tape import ForwardAccumulator

OUTSIDE = np.random.RandomState(7)


def given(x: Any, rng: Any) -> Any:
    return x**3 * rng.normal() * rng.uniform()


def in_a_dict(x: Any, rng: Any) -> Any:
    return given(x, rng["second"])


def outside(x: Any, rng: Any) -> Any:
    return x**3 * OUTSIDE.normal() * OUTSIDE.uniform()


def legacy(x: Any, rng: Any) -> Any:
    return x**3 * np.random.normal() * np.random.uniform()


def of_python(x: Any, rng: Any) -> Any:
    return x**3 * random.gauss(0.0, 1.0) * random.random()


CALLS = [
    (given, lambda: np.random.default_rng(3)),
    (given, lambda: np.random.RandomState(3)),
    (in_a_dict, lambda: {"first": np.random.default_rng(2), "second": np.random.default_rng(3)}),
    (outside, lambda: None),
    (legacy, lambda: None),
    (of_python, lambda: None),
]


def start() -> None:
    """All generators outside as they are at first."""
    OUTSIDE.seed(7)
    np.random.seed(7)
    random.seed(7)


def states(rng: Any) -> list[Any]:
    """What the generators draw next."""
    own = rng.values() if isinstance(rng, dict) else [rng] if rng is not None else []
    generators = copy.deepcopy([*own, OUTSIDE, np.random.mtrand._rand])
    return [*(generator.normal() for generator in generators), random.getstate()]


def drawing(test: Any) -> Any:
    return pytest.mark.parametrize("jit", [False, True])(pytest.mark.parametrize(("function", "rng"), CALLS)(test))


@drawing
def test_derivatives_are_of_the_numbers_that_were_drawn(function: Any, rng: Any, jit: bool) -> None:
    start()
    generator, x = rng(), pb.Variable(2.0)
    once = function(1.0, generator)
    expected = states(generator)
    start()
    generator = rng()
    with pb.GradientTape() as third, pb.GradientTape() as second:
        with pb.GradientTape() as first:
            y = pb.differentiable(jit=jit)(function)(x, generator)
        slope = first.gradient(y, x)
        curvature = second.gradient(slope, x)
    found = [float(y), float(slope), float(curvature), float(third.gradient(curvature, x))]
    np.testing.assert_allclose(found, [8 * once, 12 * once, 12 * once, 6 * once], rtol=1e-12)
    assert states(generator) == expected


@drawing
def test_tangents_are_of_the_numbers_that_were_drawn(function: Any, rng: Any, jit: bool) -> None:
    start()
    generator, x = rng(), pb.Variable(2.0)
    with ForwardAccumulator(x, 1.0) as accumulator:
        y = pb.differentiable(jit=jit)(function)(x, generator)
    np.testing.assert_allclose(float(accumulator.jvp(y)), 1.5 * float(y), rtol=1e-12)


def test_gradients_of_a_persistent_tape_draw_nothing() -> None:
    @pb.differentiable(jit=False)
    def noisy(x: Any, rng: Any) -> Any:
        return x**2 * rng.normal(size=3)

    x, rng = pb.Variable(2.0), np.random.default_rng(3)
    with pb.GradientTape(persistent=True) as tape:
        y = noisy(x, rng)
        slope = tape.gradient(y, x)
    for found in (slope, tape.gradient(y, x), np.sum(tape.jacobian(y, x))):
        np.testing.assert_allclose(float(found), np.sum(y.numpy()), rtol=1e-12)
    np.testing.assert_allclose(float(tape.gradient(slope, x)), np.sum(y.numpy()) / 2, rtol=1e-12)
    expected = np.random.default_rng(3)
    expected.normal(size=3)
    assert rng.normal() == expected.normal()


@pytest.mark.parametrize("jit", [False, True])
def test_what_a_function_prints_is_printed_once(jit: bool, capfd: Any) -> None:
    def said(x: Any) -> Any:
        for i in range(2):
            print("in", i)
        return x**3

    x = pb.Variable(2.0)
    with pb.GradientTape() as second:
        with pb.GradientTape() as first:
            y = pb.differentiable(jit=jit)(said)(x)
        slope = first.gradient(y, x)
    assert float(second.gradient(slope, x)) == 12.0
    assert capfd.readouterr().out == "in 0\nin 1\n"
