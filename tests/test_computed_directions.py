"""Directions of derivatives that a function computes, beside the same functions without derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb

X = np.array([0.3, 1.2, -0.7])


def of_the_point(x):
    return pb.jvp(lambda z: np.sum(np.sin(z)), (x,), (x * x,))[1]


def of_the_point_by_hand(x):
    return np.sum(np.cos(x) * x * x)


def of_elements(x):
    return pb.jvp(lambda z: np.sin(z) * z, (x,), (np.exp(x),))[1][0]


def of_elements_by_hand(x):
    return (np.cos(x[0]) * x[0] + np.sin(x[0])) * np.exp(x[0])


def a_sum(x):
    return pb.jvp(lambda t: np.sum(np.sin(x * t)), (1.1,), (np.sum(x * x),))[1]


def a_sum_by_hand(x):
    return np.sum(np.cos(x * 1.1) * x) * np.sum(x * x)


def normalised(x):
    v = x - np.mean(x)
    v = v / np.sqrt(np.sum(v * v))
    return pb.jvp(lambda z: np.sum(z**3), (x,), (v,))[1]


def normalised_by_hand(x):
    v = x - np.mean(x)
    return np.sum(3.0 * x * x * v) / np.sqrt(np.sum(v * v))


def of_a_gradient(x):
    return np.sum(pb.jvp(pb.grad(lambda z: np.sum(np.sin(z) * z)), (x,), (np.cos(x),))[1])


def of_a_gradient_by_hand(x):
    return np.sum((2.0 * np.cos(x) - np.sin(x) * x) * np.cos(x))


def of_a_hessian(x):
    return np.sum(pb.hvp(lambda z: np.sum(np.exp(z) * z))(x, np.cos(x)))


def of_a_hessian_by_hand(x):
    return np.sum((2.0 + x) * np.exp(x) * np.cos(x))


def one_in_another(x):
    def inner(z):
        return pb.jvp(lambda y: np.sum(np.exp(y)), (z,), (x * z,))[1]

    return pb.jvp(inner, (x,), (x * x,))[1]


def one_in_another_by_hand(x):
    return np.sum((np.exp(x) * x * x + np.exp(x) * x) * x * x)


def in_a_loop(x):
    s = 0.0
    for _ in range(3):
        v = 0.5 * x
        s += pb.jvp(lambda z: np.sum(np.sin(z)), (x,), (v,))[1]
        x = x + 0.1 * v
    return s


def in_a_loop_by_hand(x):
    s = 0.0
    for _ in range(3):
        v = 0.5 * x
        s += np.sum(np.cos(x) * v)
        x = x + 0.1 * v
    return s


def sine(z):
    s = 0.0
    for i in range(z.shape[0]):
        s += np.sin(z[i])
    return s


def of_loops_over_a_known_size(x):
    s = 0.0
    for _ in range(3):
        v = x * 1.1
        s += pb.jvp(sine, (x,), (v,))[1]
        x = x + 0.1 * v
    return s


def of_loops_over_a_known_size_by_hand(x):
    s = 0.0
    for _ in range(3):
        v = x * 1.1
        s += np.sum(np.cos(x) * v)
        x = x + 0.1 * v
    return s


SAME = [
    (of_the_point, of_the_point_by_hand),
    (of_elements, of_elements_by_hand),
    (a_sum, a_sum_by_hand),
    (normalised, normalised_by_hand),
    (of_a_gradient, of_a_gradient_by_hand),
    (of_a_hessian, of_a_hessian_by_hand),
    (one_in_another, one_in_another_by_hand),
    (in_a_loop, in_a_loop_by_hand),
    (of_loops_over_a_known_size, of_loops_over_a_known_size_by_hand),
]


@pytest.mark.drawn(7)
@pytest.mark.parametrize("jit", [False, True], ids=["interpreted", "compiled"])
@pytest.mark.parametrize(("program", "by_hand"), SAME, ids=[program.__name__ for program, _ in SAME])
def test_a_direction_that_is_computed_is_that_of_the_text(program: Any, by_hand: Any, jit: bool) -> None:
    program, by_hand = pb.differentiable(program, jit=jit), pb.differentiable(by_hand, jit=False)
    for x in X, X[:1], np.array([0.4, -0.2, 0.9, 1.3]):
        np.testing.assert_allclose(program(x), by_hand(x), rtol=1e-12)
        np.testing.assert_allclose(pb.grad(program)(x), pb.grad(by_hand)(x), rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(pb.hessian(program)(x), pb.hessian(by_hand)(x), rtol=1e-11, atol=1e-13)


def test_activity_may_be_left_out() -> None:
    def entries(x):
        return np.sum(pb.jacobian(lambda z: np.sin(z))(x * x))

    every_number = pb.differentiable(entries, jit=False, optimisations=pb.OPTIMISATIONS - {"activity"})
    for derivative in pb.grad, pb.hessian:
        np.testing.assert_allclose(derivative(every_number)(X), derivative(entries)(X), rtol=1e-12, atol=1e-13)
