"""Sizes that are linear in the index of a loop: what meets such arrays is one loop, and no size is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from programs import padded_arrays


def tree(x: float, up: float, steps: int) -> Any:
    prices = x * up ** np.arange(-steps, steps + 1)
    values = np.sin(prices[::2])
    for step in range(steps - 1, -1, -1):
        now = prices[steps - step : steps + step + 1 : 2]
        values = 0.9 * (0.4 * values[1:] + 0.6 * values[:-1]) * np.cos(now)
    return np.sum(values * values)


def more_iterations(x: float, count: int, trips: int) -> Any:
    w = np.arange(0, count) * x + 1.0
    for _ in range(trips):
        w = w[1:] * w[:-1]
    return np.sum(w)


def other_counts(x: float, count: int, trips: int) -> Any:
    w = x * np.arange(0, count)
    for i in range(trips):
        w = w[1:] * np.arange(0, count - 1 - i) + 1.0
    return np.sum(w)


def broadcast(x: float, y: Any, count: int) -> Any:
    w = np.sin(y)
    for i in range(count - 1, 0, -1):
        w = w[1:] + x * np.arange(0, i)
    return np.sum(w * w)


def in_steps(x: Any, first: int, last: int) -> Any:
    total = np.sum(x[first:last:2] ** 2) + np.sum(x[first : first + 6 : 2] * np.arange(0, 3))
    for i in range(last - first):
        total += np.sum(x[first + i : last : 3]) * x[0]
    return total


def two(x: float, count: int) -> Any:
    a = x * np.arange(0, 2 * count + 2)
    b = np.cos(a[:-1])
    for _ in range(count):
        a = a[1:-1] * 0.7
        b = b[1:-1] + a[1:]
    return np.sum(a) + np.sum(b * b)


def grows(x: float, count: int) -> Any:
    w = np.ones(1) * x
    for i in range(count):
        w = np.concatenate((w * x, np.zeros(1))) + np.arange(0, i + 2)
    return np.sum(w * w)


X = np.linspace(0.3, 1.7, 9)
CALLS = [
    *((tree, (1.1, 1.3, steps)) for steps in (-2, -1, 0, 1, 4)),
    *((more_iterations, (0.3, count, trips)) for count in (-1, 0, 1, 4) for trips in (-1, 0, 1, 3, 4, 6)),
    *((other_counts, (0.3, count, trips)) for count in (-1, 0, 1, 2, 4) for trips in (-1, 0, 1, 2, 3, 5)),
    *((broadcast, (0.3, X[:size], count)) for count in (-1, 0, 1, 2, 4) for size in (0, 1, 2, 3, 4, 5)),
    *((broadcast, (np.float32(0.3), X[:6].astype(np.float32)[::-1], 3)),),
    *((in_steps, (X, first, last)) for first in (-7, -2, 0, 1, 3, 4, 8) for last in (-1, 0, 5, 6, 9, 12)),
    *((in_steps, (np.repeat(X, 2)[::2], first, 9)) for first in (0, 3)),
    *((two, (0.4, count)) for count in (-2, -1, 0, 1, 3)),
    *((grows, (0.7, count)) for count in (-1, 0, 1, 3)),
]


def outcome(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The value and the derivative; None if the call raises an error."""
    try:
        value, derivative = pb.value_and_grad(function)(*arguments)
    except (ValueError, IndexError, pb.PullbackError):
        return None
    return value, derivative


@pytest.mark.drawn(50)
@pytest.mark.parametrize(("function", "arguments"), CALLS, ids=lambda item: getattr(item, "__name__", repr(item)))
def test_what_sizes_do_is_what_numpy_does(function: Any, arguments: tuple[Any, ...]) -> None:
    plain = outcome(pb.differentiable(function, optimisations=False, jit=False), arguments)
    found = outcome(function, arguments)
    assert (plain is None) == (found is None)
    if plain is not None and found is not None:
        np.testing.assert_allclose(found[0], function(*arguments), rtol=1e-5)
        np.testing.assert_allclose(found[0], plain[0], rtol=1e-5)
        np.testing.assert_allclose(found[1], plain[1], rtol=1e-5)


def test_statements_of_a_tree_are_one_loop_and_no_size_is_kept() -> None:
    text = pb.inspect_source(tree, 1.1, 1.3, 4)
    assert "size_saved" not in text
    assert "sum_to" not in text
    assert "    if not 0 <= steps:\n        raise SizesDiffer()" in text
    assert "step + 2" in text


def test_iterations_that_may_leave_nothing_have_no_form() -> None:
    """What is left is not linear where slices clamp, so that arrays are asked for their sizes."""
    text = pb.inspect_source(more_iterations, 0.3, 5, 2)
    assert "w_size = w.shape[0]" in text


@pytest.mark.drawn(5)
@pytest.mark.parametrize("sizes", [(5, 2), (1, 3), (0, 2), (2, 0)])
@pytest.mark.parametrize(
    "function",
    [padded_arrays.limited_slopes_on_a_ring, padded_arrays.between_ghost_cells, padded_arrays.a_queue],
    ids=lambda f: f.__name__,
)
def test_arrays_that_are_padded_and_cut_have_known_sizes(function, sizes):
    length, n = sizes
    u = np.linspace(0.4, 1.1, length)
    arguments = (u, 0.3, n) if function.__code__.co_argcount == 3 else (u, n)
    text = pb.inspect_source(pb.grad(function), np.ones(5), *arguments[1:])
    assert "size_saved" not in text
    assert "push_block" not in text
    plain = pb.differentiable(jit=False, optimisations=())(function)
    np.testing.assert_allclose(pb.grad(function)(*arguments), pb.grad(plain)(*arguments), rtol=1e-12, atol=1e-14)
