"""Slices whose ends move with a loop, and arrays of counted numbers."""

import numpy as np

from collect import failing, program

_RNG = np.random.default_rng(73)
X = _RNG.uniform(0.5, 2.0, 6)
M = _RNG.uniform(0.1, 0.5, (5, 5)) + 2.0 * np.eye(5)


@program(1.1, 0.4, 4)
@program(1.1, 0.4, 1)
@program(1.1, 0.4, 0)
def exercised_at_any_time(u, p, n):
    j = np.arange(n + 1)
    v = np.maximum(1.0 - u ** (2.0 * j - n), 0.0)
    for i in range(n - 1, -1, -1):
        s = u ** (2.0 * j[: i + 1] - i)
        v[: i + 1] = np.maximum(0.97 * (p * v[1 : i + 2] + (1 - p) * v[: i + 1]), 1.02 - s)
    return v[0]


@program(X, 5)
@program(X, 0)
@program(X, -2)
def counted(x, n):
    """Of a number below 0, nothing is counted."""
    k = np.arange(n)
    return np.sum(np.sin(k * x[0])) + x[1]


@program(X, 6)
@program(X, 1)
def counted_beside_an_argument(x, n):
    return np.sum(np.arange(n) * x * x)


@failing(X, 4, error=ValueError)
def counted_too_few(x, n):
    return np.sum(np.arange(n) * x)


@program(M, X[:5])
def forward_substitution(m, b):
    x = np.zeros(5)
    for i in range(5):
        x[i] = (b[i] - m[i, :i] @ x[:i]) / m[i, i]
    return np.sum(x * x)


@program(M, X[:5])
def back_substitution(m, b):
    n = b.shape[0]
    x = np.zeros_like(b)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.sum(m[i, i + 1 :] * x[i + 1 :])) / m[i, i]
    return np.sum(x * x)


@program(X)
def sums_of_beginnings(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(x[: i + 1] * x[: i + 1]) * x[i]
    return total


@program(X)
def beginnings_and_ends(x):
    """As long as each other, though they start at other places."""
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        total += np.sum(x[: n - i] * x[i:n]) * (i + 1)
    return total


@program(X)
def ends_behind_the_array(x):
    """NumPy's slices end with the array."""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(x[: i + 3] ** 2)
    return total


@failing(X, error=ValueError)
def ends_behind_the_array_where_sizes_differ(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(x[: i + 2] * x[1 : i + 3])
    return total


@program(X)
def overwritten_side_by_side(x):
    y = x * 1.0
    for i in range(4):
        y[: i + 1] = y[1 : i + 2] * 0.5 + y[: i + 1]
        y[i + 1 :] = y[i + 1 :] * 0.9
    return np.sum(y * y)


@program(X, 3)
def kept_from_a_branch(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        if i < k:
            y = np.exp(x[: i + 1])
            total += np.sum(y * y) * total + y[0]
    return total


@program(X)
def in_loops_in_loops(x):
    total = 0.0
    for i in range(1, x.shape[0]):
        for k in range(i):
            y = np.sin(x[: k + 1]) * x[i - k - 1 : i]
            total += np.sum(y) * total * 0.01 + y[k]
    return total


@program(X, 2)
def stepped(x, step):
    total = 0.0
    for i in range(0, x.shape[0], step):
        y = np.cos(x[: i + 1])
        total += np.sum(y * np.arange(i + 1)) * y[0]
    return total
