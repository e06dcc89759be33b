"""Buffers made before the loop: which ones are, and that results stay the same."""

import numpy as np
import pytest

import pullback as pb
from programs import cleared_buffers

X = np.linspace(0.2, 1.4, 7)


def relaxed(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        k = 0
        while y < 3.0:
            s = 0.0
            for j in range(w.shape[0]):
                s += np.exp(-w[j] * y)
            y += s
            k += 1
        total += y * x[i] + k
    return total


def agrees_with_plain(function, *args, parallel=False):
    fast = pb.differentiable(parallel=parallel)(function)
    plain = pb.differentiable(optimisations=False, jit=False)(function)
    places = tuple(k for k, a in enumerate(args) if not isinstance(a, int))
    value, slopes = pb.value_and_grad(fast, argnums=places)(*args)
    expected, expected_slopes = pb.value_and_grad(plain, argnums=places)(*args)
    assert value == pytest.approx(expected, rel=1e-12)
    for one, other in zip(slopes, expected_slopes, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_a_buffer_whose_elements_are_stored_one_by_one_grows_through_all_iterations():
    text = pb.inspect_source(relaxed, X, np.ones(3))
    before, after = text.split("    for i in range(x.shape[0]):\n", 1)
    assert "exp_saved = np.empty((0,), dtype=np.float64)" in before
    assert "np.empty((0,)" not in after
    assert "= reserve(" in after


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(
    "x", [X, X[:1], X[:0], X[::2], np.tile(X, 40), np.array([9.0, 9.0]), np.array([9.0, 0.1, 9.0])]
)
def test_results_are_the_same(x, parallel):
    agrees_with_plain(relaxed, x, np.array([0.3, 1.0, 0.7]), parallel=parallel)
    agrees_with_plain(relaxed, x, np.tile([0.3, 1.0, 0.7], 9), parallel=parallel)


def rows(x, n):
    total = 0.0
    for i in range(n):
        kept = []
        t = 0.0
        while t < 3.0:
            kept.append(np.sin(x[i:]) * t)
            t += 1.0 + 0.1 * x[0]
        for k in range(len(kept)):
            total += np.sum(kept[k] ** 2)
    return total


@pytest.mark.parametrize("parallel", [False, True])
def test_a_list_whose_rows_have_another_size_in_each_iteration_begins_anew(parallel):
    for n in range(8):
        agrees_with_plain(rows, X, n, parallel=parallel)


def test_zeros_are_made_once_and_cleared_in_each_iteration():
    text = pb.inspect_source(cleared_buffers.sums_by_place, X, np.array([0, 1, 1]), 3, argnums=0)
    lines = text.splitlines()
    assert "    y2 = np.empty((max(n, 0),), dtype=np.float64)" in lines
    assert "        y2[:] = 0.0" in lines
    assert "        y_bar[:, :] = 0.0" in lines
    assert not [line for line in lines if line.startswith("        y") and "np.zeros" in line]


def held(x, places, n):
    before, total = np.ones(n), 0.0
    for i in range(x.shape[0]):
        y = np.zeros(n)
        for j in places:
            y[j] += x[i] * before[j]
        before = y
        total += np.sum(y)
    return total


def test_zeros_that_outlive_their_iteration_are_made_anew():
    assert "        y = np.zeros((n,))" in pb.inspect_source(held, X, np.array([0, 1, 1]), 3, argnums=0)
    value, slopes = pb.value_and_grad(held)(X, np.array([0, 1, 1]), 3)
    plain = pb.differentiable(optimisations=False, jit=False)(held)
    expected, expected_slopes = pb.value_and_grad(plain)(X, np.array([0, 1, 1]), 3)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-12)


@pytest.mark.parametrize("parallel", [False, True])
def test_zeros_of_iterations_that_run_in_parallel(parallel):
    for size in (0, 1, 7, 300):
        agrees_with_plain(by_place_of(3), np.linspace(0.2, 1.4, size), parallel=parallel)


def by_place_of(n):
    def function(x):
        return cleared_buffers.sums_by_place(x, np.array([0, 1, 1]), n)

    return function
