"""What a gradient keeps, told before the call: in bytes as measured, and in words."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from pullback.emission import parts


def recurrence(x, a, n):
    for _ in range(n):
        x = np.sin(a * x + 0.5)
    return x


def grid(x, n, m):
    total = x
    for _ in range(n):
        for j in range(m):
            total = np.tanh(total + j)
    return total


def every_third(x, n):
    for _ in range(2, n, 3):
        x = np.exp(-x)
    return x


def rows(x, n):
    for _ in range(n):
        x = np.sin(x) * x
    return np.sum(x)


def pairs(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            s = np.sin(s + x[i] * x[j])
    return s


def inner_rows(x, n):
    y = 0.5 * x
    y[1:-1] = np.tanh(y[2:])
    for _ in range(n):
        y[1:-1] = np.sin(y[1:-1] * y[:-2])
    return np.sum(y)


def peak_of(call: Callable[[], Any]) -> int:
    """The most memory that a call holds at a time, in bytes, beyond what was there before."""
    call()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    call()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (recurrence, (0.3, 1.1, 20_000)),
        (grid, (0.3, 150, 120)),
        (every_third, (0.3, 50_000)),
        (rows, (np.linspace(0.1, 1.0, 500), 300)),
        (pairs, (np.linspace(0.1, 1.0, 150),)),
        (inner_rows, (np.linspace(0.1, 1.0, 500), 100)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_bytes_told_before_are_those_that_a_call_takes(function: Any, arguments: tuple[Any, ...]) -> None:
    interpreted = pb.differentiable(jit=False)(function)
    told = pb.residual_bytes(interpreted, *arguments)
    peak = peak_of(lambda: pb.value_and_grad(interpreted)(*arguments))
    assert told > 50_000
    assert told <= peak <= 1.1 * told + 40_000


def test_a_loop_that_only_adds_keeps_nothing():
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += np.tanh(x[i])
        return s

    assert pb.residual_bytes(total, np.ones(1000)) == 0
    assert "runs once: each iteration adds its part of the gradient" in pb.explain(total, np.ones(1000))


def test_iterations_that_nobody_can_count_are_refused_with_their_place():
    def settle(x):
        while x > 0.5:
            x = np.sin(x) * x
        return x

    with pytest.raises(pb.ShapeError, match=r"(?s)not known before the call.*while x > 0\.5:"):
        pb.residual_bytes(settle, 0.9)
    assert "8 bytes an iteration" in pb.explain(settle, 0.9)


def test_the_loop_is_named_whose_iterations_nobody_can_count():
    def within_others(x, ends):
        s = 0.0
        for i in range(ends.shape[0]):
            for j in range(ends[i]):
                s = np.sin(s + x * j)
        return s

    reason = r"(?s)not known before the call: the loops around it decide its bounds.*for j in range\(ends\[i\]\):"
    with pytest.raises(pb.ShapeError, match=reason):
        pb.residual_bytes(within_others, 0.9, np.array([1, 2]))


def test_no_iterations_keep_nothing():
    assert pb.residual_bytes(recurrence, 0.3, 1.1, 0) == 0
    assert pb.residual_bytes(recurrence, 0.3, 1.1, -5) == 0


@pytest.mark.parametrize(("rows", "at_once"), [(20, 20), (150, 64)])
def test_strips_keep_what_one_of_them_needs(rows, at_once):
    def chains(w, x):
        total = 0.0
        for r in range(x.shape[0]):
            h = 0.0
            for t in range(x.shape[1]):
                h = np.tanh(w * h + x[r, t])
            total += h
        return total

    x = np.cos(np.arange(30.0 * rows)).reshape(rows, 30)
    states_and_values = 2 * 30 * at_once * 8
    assert pb.residual_bytes(chains, 0.4, x) == states_and_values


def test_array_statements_and_neighbours_are_named():
    def smooth(u, steps):
        v = u.copy()
        for _ in range(steps):
            v[:, 1:-1] = 0.5 * (u[:, :-2] + u[:, 2:])
            w = np.tanh(v)
            u = w * w
        return np.sum(u)

    text = pb.explain(smooth, np.ones((4, 6)), 3)
    assert "a loop over the elements of" in text
    assert "neighbours are added up row by row" in text


def test_what_is_overwritten_is_said_to_be():
    def squares(x):
        y = x.copy()
        for i in range(1, y.shape[0]):
            y[i - 1] = y[i] * y[i - 1]
            y[i] = 0.5 * y[i - 1]
        return np.sum(y)

    assert "the array is overwritten afterwards" in pb.explain(squares, np.ones(5))


def test_iterations_side_by_side_are_named():
    def energy(x):
        total = 0.0
        for p in range(x.shape[0]):
            t = np.empty(6)
            for j in range(6):
                t[j] = np.sin(x[p, j])
            total += t[0] * t[5]
        return total

    text = pb.explain(energy, np.ones((5, 6)))
    assert "64 iterations side by side; runs once: each iteration adds its part of the gradient; vectorised" in text


def test_columns_side_by_side_are_named():
    def norms(a):
        total = 0.0
        for j in range(a.shape[1]):
            s = 0.0
            for i in range(a.shape[0]):
                s += a[i, j] ** 2
            total += np.sqrt(s)
        return total

    assert "256 iterations side by side; runs" in pb.explain(norms, np.ones((4, 3)))


def lines_of(text: str) -> dict[str, str]:
    """What is said below each line of the program."""
    parts = [part.partition("\n") for part in ("\n" + text).split("\ntest_explain.py")[1:]]
    return {place.partition(": ")[2]: said for place, _, said in parts}


def nested(x, a):
    total = 0.0
    state = 0.5
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += a[j] * np.exp(x[i, j])
    for k in range(x.shape[1]):
        state = np.sin(state * a[k])
    return total * state


def test_vectorised_loops_are_named():
    whole = pb.differentiable(optimisations=pb.OPTIMISATIONS - {"recurrence_distribution"})(nested)
    said = lines_of(pb.explain(whole, np.ones((3, 9)), np.ones(9)))
    assert "vectorised" in said["for j in range(x.shape[1]):"]
    assert "vectorised" not in said["for i in range(x.shape[0]):"]
    assert "vectorised" not in said["for k in range(x.shape[1]):"]
    said = lines_of(pb.explain(nested, np.ones((3, 9)), np.ones(9)))
    assert "vectorised" in said["for k in range(x.shape[1]):"]  # what is beside the recurrence of its adjoint


def test_what_is_interpreted_is_not_vectorised():
    assert "vectorised" not in pb.explain(pb.differentiable(nested, jit=False), np.ones((3, 9)), np.ones(9))


def test_a_function_in_parts_is_vectorised(monkeypatch):
    monkeypatch.setattr(parts, "LONGEST", 0)
    monkeypatch.setattr(parts, "SIZE", 3)
    said = lines_of(pb.explain(pb.differentiable(nested, cache=False), np.ones((3, 9)), np.ones(9)))
    assert "vectorised" in said["for j in range(x.shape[1]):"]


@pytest.mark.parametrize("function", [lambda x: np.sin(x), lambda x: (np.sin(x), 1.0), lambda x: ()])
def test_functions_of_something_else_than_a_number_have_a_located_error(function):
    with pytest.raises(pb.TypingError, match="does not return a float number, but") as caught:
        pb.explain(function, np.ones(3))
    assert caught.value.location.line


# What passes change


def stepped(x, a):
    y = x.copy()
    for i in range(1, y.shape[0]):
        y[i] = np.tanh(a * y[i - 1])
    return np.sum(y)


def headings(text):
    return [line.split(",")[0] for line in text.splitlines() if not line.startswith(" ")]


def test_passes_are_named_in_the_order_in_which_they_change_something():
    found = headings(pb.explain(stepped, np.ones(3), 2.0, passes=True))
    assert found.index("lowering: dead_code") < found.index("lowering: lowering")
    assert found.index("lowering: lowering") < found.index("differentiation: both_sweeps")
    assert found.index("differentiation: both_sweeps") < found.index("initialisation: zero_initialisation")
    assert len(set(found)) > 5


def test_passes_that_are_left_out_change_nothing():
    plain = pb.differentiable(stepped, optimisations=pb.OPTIMISATIONS - {"lowering"})
    assert "lowering: lowering" not in headings(pb.explain(plain, np.ones(3), 2.0, passes=True))
    assert "differentiation: both_sweeps" in headings(pb.explain(plain, np.ones(3), 2.0, passes=True))


def test_one_pass_is_asked_about():
    text = pb.explain(stepped, np.ones(3), 2.0, passes=["zero_initialisation"])
    assert headings(text) == ["initialisation: zero_initialisation"]
    assert "  -    y_bar: float64[:] = zeros_like(x)" in text.splitlines()


def test_a_pass_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="there is no pass 'magic'"):
        pb.explain(stepped, np.ones(3), 2.0, passes=["magic"])
