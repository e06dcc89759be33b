"""Buffers in their largest size: sizes below zero raise as in NumPy."""

import numpy as np
import pytest

import pullback as pb


def squares(x, n):
    s = 0.0
    for i in range(3):
        y = np.empty(n - i)
        for j in range(n - i):
            y[j] = x[j] * x[j]
            if s > 2.0:
                y[j] = s
        for j in range(n - i):
            s += np.sin(y[j]) * (s + 1.0)
    return s


X = np.linspace(0.3, 0.9, 6)


@pytest.mark.parametrize("n", [4, 3, 2])
def test_results_are_the_same(n):
    assert "y = np.empty((trips,))" in pb.inspect_source(squares, X, n, argnums=0)
    value, slopes = pb.value_and_grad(squares)(X, n)
    expected, expected_slopes = pb.value_and_grad(pb.differentiable(optimisations=False, jit=False)(squares))(X, n)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 0, -4])
def test_a_size_below_zero_raises(n):
    with pytest.raises(ValueError, match="negative dimensions"):
        pb.grad(squares)(X, n)


def from_the_end(x, places, n):
    s = 0.0
    for i in range(n):
        y = np.empty(n - i)
        for j in range(n - i):
            y[j] = x[j] * x[i]
            if s > 100.0:
                y[j] = s
        for j in range(2):
            s += np.sin(y[places[j]]) * (s + 1.0)
    return s


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_an_index_from_a_table_may_count_from_the_end(dtype):
    arguments = X, np.array([-1, 0], dtype=dtype), 4
    value, slopes = pb.value_and_grad(from_the_end)(*arguments)
    plain = pb.differentiable(optimisations=False, jit=False)(from_the_end)
    expected, expected_slopes = pb.value_and_grad(plain)(*arguments)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(slopes, expected_slopes, rtol=1e-12)
