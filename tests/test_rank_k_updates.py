"""Outer products are collected where an iteration does nothing else with their sum, and give the same sum."""

import numpy as np
import pytest

import pullback as pb
from programs import rank_k_updates as programs
from pullback.passes.memory import rank_k_updates as pass_module

X = programs.X @ programs.B.T
COLLECTED = [
    (programs.recurrent_network, programs.A, programs.B, programs.X),
    (programs.from_the_end, programs.A, X),
    (programs.each_row_by_itself, programs.A, X),
    (programs.loops_in_a_loop, programs.A, programs.B, programs.X),
    (programs.the_same_vector_twice, programs.A, X),
]
WHERE_THEY_ARE = [
    (programs.matrix_that_changes, programs.A, X),
    (programs.only_now_and_then, programs.A, X),
    (programs.recurrent_network, programs.A[:3, :3], programs.B[:3, :2], programs.X[:, :2]),
]
WITHOUT = pb.OPTIMISATIONS - {"rank_k_updates"}


def cases(listed):
    return [pytest.param(function, arguments, id=function.__name__) for function, *arguments in listed]


@pytest.mark.parametrize(("function", "arguments"), cases(COLLECTED))
def test_factors_are_collected(function, arguments):
    assert "rows[" in pb.inspect_source(function, *arguments)
    assert "rows[" not in pb.inspect_source(pb.differentiable(function, fastmath=False), *arguments)


@pytest.mark.parametrize(("function", "arguments"), cases(WHERE_THEY_ARE))
def test_other_sums_and_small_ones_stay_as_they_are(function, arguments):
    assert "rows[" not in pb.inspect_source(pb.differentiable()(function), *arguments)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 64])
@pytest.mark.parametrize(("function", "arguments"), cases(COLLECTED))
def test_the_gradient_is_the_same_however_many_are_collected(function, arguments, rows, monkeypatch):
    monkeypatch.setattr(pass_module, "ROWS", rows)
    gradients = pb.grad(pb.differentiable(function, cache=False), argnums=(0, 1))(*arguments)
    expected = pb.grad(pb.differentiable(function, optimisations=WITHOUT), argnums=(0, 1))(*arguments)
    for gradient, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("steps", [63, 64, 65, 128, 150])
def test_the_last_rows_are_added_too(steps):
    x = np.random.default_rng(1).normal(size=(steps, 8))
    given = programs.A, programs.B, x
    gradients = pb.grad(programs.recurrent_network, argnums=(0, 1, 2))(*given)
    plain = pb.differentiable(programs.recurrent_network, optimisations=WITHOUT)
    for gradient, other in zip(gradients, pb.grad(plain, argnums=(0, 1, 2))(*given), strict=True):
        np.testing.assert_allclose(gradient, other, rtol=1e-11, atol=1e-13)
