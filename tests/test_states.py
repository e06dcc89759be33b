"""What a recurrence keeps: each state once, for the iteration that it ends and for the one that it begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from programs import states

FLOAT = 8  # bytes
ROWS = np.cos(np.arange(15.0)).reshape(5, 3)
X = np.linspace(-0.6, 0.8, 7)


@pytest.mark.parametrize(
    ("function", "arguments", "count"),
    [
        (states.of_numbers, (0.4, X), 8),
        (states.of_numbers, (0.4, X[:0]), 1),
        (states.of_vectors_in_loops, (np.eye(3), ROWS), 6 * 3),
        (states.two_states_change_places, (0.4, 0.3, 5), 6 + 5),
        (states.backwards_by_two, (X,), 5),
        (states.two_nests, (X, 2), 2 * (8 + 7)),
    ],
)
def test_a_state_takes_one_place(function: Any, arguments: tuple[Any, ...], count: int) -> None:
    assert pb.residual_bytes(function, *arguments) == count * FLOAT


def test_it_is_told_once() -> None:
    told = [line for line in pb.explain(states.of_numbers, 0.4, X).splitlines() if "keeps" in line]
    assert told == ["  keeps h, 64 bytes: the loop carries it from iteration to iteration"]


@pytest.mark.parametrize("stop", [0, 1, 2, 3])
def test_loops_that_end_before_their_start_write_nothing_else(stop: int) -> None:
    """The first state has a place even where the loop has no iteration."""

    def f(x: Any, stop: int) -> Any:
        h = x[0]
        for i in range(2, stop):
            h = np.tanh(h * x[i])
        return h

    expected = 1.0 if stop < 3 else X[2] * (1 - np.tanh(X[0] * X[2]) ** 2)
    for jit in (True, False):
        gradient = pb.grad(pb.differentiable(jit=jit)(f))(X, stop)
        np.testing.assert_allclose(gradient[0], expected, rtol=1e-14)


@pytest.mark.parametrize("most", [0, 100, 200])
def test_segments_keep_states_too(most: int) -> None:
    expected = pb.grad(states.of_numbers, argnums=(0, 1))(0.4, X)
    segmented = pb.differentiable(max_residual_bytes=most, jit=False)(states.of_numbers)
    for found, wanted in zip(pb.grad(segmented, argnums=(0, 1))(0.4, X), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
