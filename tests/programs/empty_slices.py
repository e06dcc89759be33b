"""Integers that are sizes of slices, which are 0 where the array is shorter than what the slice leaves off."""

import numpy as np

from collect import failing, program

X = np.random.default_rng(71).uniform(0.3, 1.2, 5)


@program(X)
@program(X[:3])
@failing(X[:1], error=IndexError)
def an_element_behind_the_size(x):
    m = x[3:].shape[0]
    return x[m + 1] * 2.0 if x.shape[0] > 0 else 0.0


@program(X)
@program(X[:2])
@failing(X[:1], error=IndexError)
def from_a_negative_number_on(x):
    total = 0.0
    for i in range(-2, x[3:].shape[0]):
        total += x[i + 2] * i
    return total


@program(X)
@program(X[:2])
@program(X[:1])
def from_the_size_on(x):
    total = x[0]
    for i in range(x[3:].shape[0], x.shape[0]):
        total += x[i] * i
    return total


@program(X)
@program(X[:2])
@failing(X[:1], error=IndexError)
def down_from_the_size(x):
    total = 0.0
    for i in range(x[3:].shape[0], -1, -1):
        total += x[i] * x[x.shape[0] - 3]
    return total


@program(X)
@program(X[:2])
def a_size_is_never_negative(x):
    total = 0.0
    if x[3:].shape[0] >= 0:
        for _ in range(2):
            total += x[x.shape[0] - 3] ** 2
    return total


@program(X, 2)
@program(X[:2], 2)
@program(X[:1], 2)
@failing(X[:0], 2, error=IndexError)
def an_end_that_is_not_there(x, n):
    """As many elements as there are before the last one, or none: that does not tell that there is a last one."""
    y = x * 0.5
    for _ in range(n):
        y[1:] = np.cos(y[:-1]) * y[1:]
        y[0] = y[-1] * 0.7
    return np.sum(y)


@program(X, 3)
@program(X[:2], 3)
@program(X[:1], 3)
def third_from_the_end_of_the_ring(x, n):
    """The first iteration, at the last element, stands by itself; two before that one, counted from the end, is it."""
    y = np.zeros((n, x.shape[0])) + x
    for t in range(1, n):
        for i in range(x.shape[0] - 1, 0, -1):
            y[t, i - 2] = y[t - 1, i - 1] * y[t, i] + y[t, (i + 1) % x.shape[0]]
    return np.sum(y * y)


@program(X, 3)
@program(X, 1)
@program(X, 0)
@failing(X[:2], -2, error=IndexError)
def an_index_that_is_not_negative_in_a_loop(x, m):
    """Behind the loop it may be, and counts from the end then."""
    total = 0.0
    for j in range(m):
        total += x[m - 1] * (j + 1)
    return total + x[m - 1] * 0.7
