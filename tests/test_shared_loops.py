"""Loops that threads share although iterations add to the same array, or may raise: results and errors as in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import pullback as pb
from test_parallel import Backwards, assert_same, every_region, regions, run_as_text  # noqa: F401  (a fixture)

RNG = np.random.default_rng(3)


def scattered(x, w, k):
    y = np.zeros(w.shape[0])
    for i in range(x.shape[0]):
        y[k[i]] += np.sin(x[i]) * w[k[i]]
    s = 0.0
    for j in range(w.shape[0]):
        s += y[j] * y[j] * (j + 1)
    return s


def looked_up(x, w, k):
    s = 0.0
    for i in range(k.shape[0]):
        s += np.sin(w[k[i]]) * x[i]
    return s


def raising(x, w, k):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 10.0:
            raise ValueError(f"too large: {i}")
        s += x[i] * w[0] * x[i]
    return s


def rows_added(x, w, k):
    y = np.zeros((w.shape[0], 2))
    for i in range(x.shape[0]):
        y[k[i]] += np.array([x[i], x[i] * w[k[i]]])
    return np.sum(y[:, 0] * y[:, 1])


def linear_model(x, w, k):
    s = 0.0
    for i in range(x.shape[0]):
        d = x[i]
        for j in range(w.shape[0]):
            d -= np.cos(x[i] * (j + 1)) * w[j]
        s += d * d
    return s


def pairs(x, w, k):
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            d = x[i] - x[j]
            s += w[0] / (1.0 + d * d)
    return s


def added_in_a_branch(x, w, k):
    y = np.zeros(w.shape[0])
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[k[i]] += x[i]
        else:
            y[0] -= x[i] * w[0]
    return np.sum(y * y)


def solved(x, w, k):
    y = np.zeros(w.shape[0])
    for i in range(x.shape[0]):
        r = 1.0 + abs(x[i])
        while abs(r * r - abs(x[i]) - 1.0) > 1e-5:
            r = 0.5 * (r + (abs(x[i]) + 1.0) / r)
        y[k[i]] += r
    return np.sum(y * w)


def largest_of_rows(x, w, k):
    s = 0.0
    for i in range(x.shape[0]):
        row = w * x[i]
        s += np.max(row) + np.sum(row * row)
    return s


SHARED = [
    scattered,
    looked_up,
    raising,
    rows_added,
    linear_model,
    pairs,
    added_in_a_branch,
    solved,
    largest_of_rows,
]
"""At least one loop of each, or of its derivative, is shared."""


def arguments(n: int, dtype: Any = np.float64) -> tuple[Any, ...]:
    return RNG.normal(size=n).astype(dtype), RNG.normal(size=5).astype(dtype), RNG.integers(0, 5, n)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", SHARED, ids=lambda function: function.__name__)
def test_results_are_those_in_a_row(function):
    assert regions(function, *arguments(9)) >= 1
    derivative = pb.value_and_grad(pb.differentiable(parallel=True)(function), argnums=(0, 1))
    in_a_row = pb.value_and_grad(function, argnums=(0, 1))
    for n in (0, 1, 5, 64, 65, 300):
        given = arguments(n)
        assert_same(derivative(*given), in_a_row(*given), 1e-12)
    given = arguments(70, np.float32)
    assert_same(derivative(*given), in_a_row(*given), 1e-4)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", SHARED, ids=lambda function: function.__name__)
def test_results_are_the_same_in_any_order(function, monkeypatch):
    given = arguments(130)
    expected = pb.value_and_grad(function, argnums=(0, 1))(*given)
    order = Backwards()
    run_as_text(monkeypatch, order)
    found = pb.value_and_grad(pb.differentiable(parallel=True)(function), argnums=(0, 1))(*given)
    assert order.loops
    assert_same(found, expected, 1e-12)


def test_sums_of_arrays_do_not_depend_on_the_number_of_threads():
    given = arguments(1003)
    derivative = pb.value_and_grad(pb.differentiable(parallel=True)(scattered), argnums=(0, 1))
    first = derivative(*given)
    most = numba.get_num_threads()
    try:
        for threads in [*range(1, most + 1)] * 20:
            numba.set_num_threads(threads)
            assert_same(derivative(*given), first)
    finally:
        numba.set_num_threads(most)


def added_and_counted(x, w, k):
    counts = np.zeros(w.shape[0], dtype=np.int64)
    for i in range(x.shape[0] - 1, -1, -1):
        counts[k[i]] += 1
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * counts[k[i]] * w[k[i] - w.shape[0]]
    return s


def test_one_array_as_two_arguments():
    x = RNG.normal(size=130)
    given = x, x, RNG.integers(0, 5, 130)
    for function in (scattered, added_and_counted):
        found = pb.value_and_grad(pb.differentiable(parallel=True)(function), argnums=(0, 1))(*given)
        assert_same(found, pb.value_and_grad(function, argnums=(0, 1))(*given), 1e-12)


# Errors


def error_of(call: Callable[[], Any]) -> tuple[type, str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011  (whatever it is in a row)
        call()
    return caught.type, str(caught.value).splitlines()[0]


def doubly_wrong(x, w, k):
    s = 0.0
    for i in range(x.shape[0]):
        s += w[k[i]] * x[i]
        if x[i] > 10.0:
            raise ValueError("too large")
    return s


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", [scattered, looked_up, raising, doubly_wrong], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", ["primal", "gradient"])
def test_the_first_error_is_raised(kind, function):
    divided, plain = pb.differentiable(parallel=True)(function), pb.differentiable(function)
    if kind == "gradient":
        divided, plain = pb.grad(divided), pb.grad(plain)
    for wrong, large in ((70, 90), (90, 70), (129, 1), (0, 129)):
        x, w, k = arguments(130)
        x[large], k[wrong] = 11.0, 7
        assert error_of(lambda: divided(x, w, k)) == error_of(lambda: plain(x, w, k))  # noqa: B023
        x[large], k[wrong] = 1.0, 3
        assert_same(divided(x, w, k), plain(x, w, k), 1e-12)


def test_errors_and_results_of_calls_from_compiled_code():
    derivative = pb.grad(pb.differentiable(parallel=True)(looked_up))

    @numba.njit
    def slopes(x, w, k):
        return derivative(x, w, k)

    x, w, k = arguments(130)
    for _ in range(3):
        assert_same(slopes(x, w, k), pb.grad(looked_up)(x, w, k), 1e-12)
        k[70] = 9
        with pytest.raises(IndexError):
            slopes(x, w, k)
        k[70] = 1


def fills_then_raises(x, out, k):
    for i in range(x.shape[0]):
        out[i] += x[i]
        if x[i] > 10.0:
            raise ValueError("too large")


def writes_until_it_raises(x, out, k):
    for i in range(x.shape[0]):
        out[i] = x[i] + k[i]
        if x[i] > 10.0:
            raise ValueError("too large")


def reads_what_it_writes(x, out, k):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = x[i] - 8.0
        y[i] *= 2.0
        if y[i] > 4.0:
            raise ValueError("too large")
    return np.sum(y)


def adds_in_several_sweeps(x, out, k):
    for _ in range(2):
        for i in range(x.shape[0]):
            out[i] += x[i]
            if x[i] > 10.0:
                raise ValueError("too large")
    return np.sum(out)


@pytest.mark.parametrize(
    "function", [fills_then_raises, writes_until_it_raises, reads_what_it_writes, adds_in_several_sweeps]
)
def test_an_array_of_the_caller_is_left_as_it_is_in_a_row(function):
    x, _, k = arguments(130)
    x[77] = 11.0
    found = []
    for one in (pb.differentiable(parallel=True)(function), pb.differentiable(function)):
        out = np.ones(130)
        found.append((error_of(lambda: one(x, out, k)), out))  # noqa: B023
    assert found[0][0] == found[1][0]
    assert_same(found[0][1], found[1][1])


def test_a_gradient_in_a_given_array_after_an_error():
    x, w, k = arguments(130)
    out = np.zeros(130)
    derivative = pb.grad(pb.differentiable(parallel=True)(looked_up))
    k[100] = 9
    error_of(lambda: derivative(x, w, k, out=out))
    k[100] = 2
    assert_same(derivative(x, w, k, out=out), pb.grad(looked_up)(x, w, k), 1e-12)


# What depends on iterations before


def reads_the_sum(x, w, k):
    y = np.zeros(w.shape[0])
    for i in range(x.shape[0]):
        y[k[i]] += x[i] * y[0] + 0.1
    return np.sum(y)


def multiplies(x, w, k):
    y = np.ones(w.shape[0])
    for i in range(x.shape[0]):
        y[k[i]] *= 1.0 + 0.01 * x[i]
    return np.sum(y)


def strips_that_overlap(x, w, k):
    y = np.zeros(3 * x.shape[0] + 4)
    for i in range(x.shape[0]):
        for j in range(4):
            y[3 * i + j] = x[i] * j
    return np.sum(y * np.arange(y.shape[0]))


def strips_side_by_side(x, w, k):
    y = np.zeros(4 * x.shape[0])
    for i in range(x.shape[0]):
        for j in range(4):
            y[4 * i + j] = np.sin(x[i]) * j
    return y


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", [reads_the_sum, multiplies, strips_that_overlap])
def test_iterations_that_depend_on_one_another_run_in_a_row(function):
    given = arguments(70)
    plain = pb.differentiable(function)
    divided = pb.differentiable(parallel=True)(function)
    assert_same(divided(*given), plain(*given), 1e-12)
    assert_same(pb.grad(divided)(*given), pb.grad(plain)(*given), 1e-12)


def test_strips_of_their_own_are_shared(monkeypatch):
    given = arguments(70)
    plain = pb.differentiable(strips_side_by_side)(*given)
    assert regions(strips_side_by_side, *given, kind="primal") >= 1
    assert_same(pb.differentiable(parallel=True)(strips_side_by_side)(*given), plain)
    order = Backwards()
    run_as_text(monkeypatch, order)
    assert_same(pb.differentiable(parallel=True)(strips_side_by_side)(*given), plain, 1e-12)
    assert order.loops


def test_strict_sums_stay_in_order():
    x, w, k = arguments(300)
    for function in (scattered, added_in_a_branch):
        divided, plain = (pb.differentiable(function, fastmath=False, parallel=p) for p in (True, False))
        assert divided(x, w, k) == plain(x, w, k)
