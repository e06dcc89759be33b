"""The order of many floats: that of NumPy's stable sort, for all kinds of numbers, and gradients through it."""

import numba
import numpy as np
import pytest

import pullback as pb
from pullback.runtime.numpy.radix_sort import radix_argsort

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324, -5e-324, 1.0, -1.0, 1e308, -1e308])


@numba.njit
def order_of(line):
    return radix_argsort(line)


@pytest.mark.parametrize("size", [0, 1, 2, 100, 3000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_order_is_that_of_a_stable_sort(size, dtype):
    random = np.random.default_rng(size)
    lines = [
        random.normal(size=size),
        random.choice(SPECIAL, size),
        np.round(random.normal(size=size), 1),
        np.full(size, -2.5),
        np.sort(random.normal(size=size))[::-1],
        random.normal(size=size) * 10.0 ** random.integers(-30, 30, size),
        np.repeat(random.normal(size=size), 2)[::2],
    ]
    for line in lines:
        with np.errstate(over="ignore"):
            line = line.astype(dtype)
        np.testing.assert_array_equal(order_of(line), np.argsort(line, kind="stable"))


def test_many_elements_are_sorted_along_an_axis_and_differentiated():
    def distance(x, y):
        return np.sum(np.abs(np.sort(x, axis=0) - np.sort(y, axis=0)) * np.arange(2)) + np.median(x)

    random = np.random.default_rng(5)
    x, y = random.normal(size=(2001, 2)), random.normal(size=(2001, 2))
    value, (x_bar, y_bar) = pb.value_and_grad(distance, argnums=(0, 1))(x, y)
    assert value == pytest.approx(distance(x, y), rel=1e-13)
    signs = np.sign(np.sort(x, axis=0) - np.sort(y, axis=0)) * np.arange(2)
    expected, other = np.zeros_like(x), np.zeros_like(y)
    np.put_along_axis(expected, np.argsort(x, axis=0), signs, 0)
    np.put_along_axis(other, np.argsort(y, axis=0), -signs, 0)
    middle = np.argsort(x, axis=None)[[2000, 2001]]
    expected.reshape(-1)[middle] += 0.5
    np.testing.assert_allclose(x_bar, expected, atol=1e-14)
    np.testing.assert_allclose(y_bar, other, atol=1e-14)
