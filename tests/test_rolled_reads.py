"""Rolled arrays are read where they are: what the text for Numba has left of them, and who calls it."""

import numba
import numpy as np
import pytest

import pullback as pb


def diffused(u, steps):
    for _ in range(steps):
        u = u + 0.1 * (np.roll(u, 1) + np.roll(u, -1) - 2 * u) - 0.05 * u**3
    return np.sum(u**2)


def on_a_torus(u, steps):
    for _ in range(steps):
        around = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1)
        u = u + 0.1 * (around - 4 * u)
    return np.sum(u**2)


def right(function, u, steps):
    return pb.grad(pb.differentiable(function, jit=False, optimisations=False))(u, steps)


@pytest.mark.parametrize("function", [diffused, on_a_torus])
def test_neither_copies_nor_remainders_are_left_in_the_inner_loops(function):
    u = np.ones((9, 8)[: 2 if function is on_a_torus else 1])
    text = pb.inspect_source(function, u, 2, argnums=0)
    assert "elements" not in text
    assert text.count("remainder(") == (0 if function is diffused else 4)
    assert "if not 2 <= u.shape" in text


def test_the_adjoints_of_the_terms_of_a_sum_are_one_array():
    text = pb.inspect_source(on_a_torus, np.ones((9, 8)), 2, argnums=0)
    assert text.count("np.empty(") == 3  # the states, the adjoint of a state, and that of the four neighbours


@pytest.mark.parametrize("function", [diffused, on_a_torus])
def test_short_axes_are_served_after_long_ones(function):
    gradient = pb.grad(function)
    for size in (9, 1, 2, 9, 0):
        u = np.linspace(0.2, 1.1, size**2).reshape(size, size)
        u = u if function is on_a_torus else u.ravel()[:size]
        np.testing.assert_allclose(gradient(u, 3), right(function, u, 3), rtol=1e-12)


def test_short_axes_are_served_to_compiled_callers():
    gradient = pb.grad(diffused)

    @numba.njit
    def caller(u):
        return gradient(u, 3)

    for size in (7, 1, 2, 0):
        u = np.linspace(0.2, 1.1, size)
        np.testing.assert_allclose(caller(u), right(diffused, u, 3), rtol=1e-12)
