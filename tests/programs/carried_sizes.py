"""Arrays whose sizes are linear in the index of a loop, and what meets them: slices with steps, counted numbers."""

import numpy as np

from collect import program

X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9, 0.6])


@program(1.1, 1.3, 0.7, 5)
@program(1.1, 1.3, 0.7, 1)
@program(1.1, 1.3, 0.7, 0)
def barrier_option(spot, up, strike, steps):
    prices = spot * up ** np.arange(-steps, steps + 1)
    at_end = prices[::2]
    values = np.where(at_end < 3.05, at_end**2 - strike, 0.0)
    for step in range(steps - 1, -1, -1):
        now = prices[steps - step : steps + step + 1 : 2]
        values = 0.9 * (0.4 * values[1:] + 0.6 * values[:-1])
        values = np.maximum(values, strike - now)
        values = np.where(now < 3.05, values, 0.1 * now)
    return values[0]


@program(np.array([0.9, 1.2, 1.4]), 1.3, 4)
def options_of_several_strikes(strikes, up, steps):
    prices = up ** np.arange(-steps, steps + 1)
    total = 0.0
    for k in range(strikes.shape[0]):
        values = np.sin(strikes[k] * prices[::2])
        for step in range(steps, 0, -1):
            values = strikes[k] * values[1:] * values[:-1] + prices[steps + 1 - step : steps + step : 2]
        total += values[0] * (k + 1)
    return total


@program(0.7, 4)
@program(0.7, 0)
def sequence_that_grows(x, n):
    w = np.ones(1) * x
    for i in range(n):
        w = np.concatenate((w * x, np.zeros(1))) + np.cos(x * np.arange(0, i + 2))
    return np.sum(w * w)


@program(0.8, 3)
@program(0.8, -3)
def slices_that_run_out(x, n):
    w = np.arange(0, n + 3) * x
    for _ in range(n + 1):
        w = w[1:] * w[:-1] + 0.1 * w[1:]
    return np.sum(w)


@program(0.6, X[:4], 4)
@program(0.6, X[:2], 3)
def one_element_for_all(x, y, n):
    """Of two elements, one is left, which is broadcast."""
    w = np.sin(y)
    for i in range(n - 1, 1, -1):
        w = w[1:] + x * np.arange(0, i)
    return np.sum(w * w)


@program(X, 3)
@program(X, 4)
def windows_in_steps(x, n):
    total = 0.0
    for i in range(n):
        total += np.sum(x[n - 1 - i : n + i : 2] ** 2 * np.arange(0, i + 1))
    return total + np.sum(np.sin(x[1 : n + 3 : 2]))


@program(X, 2)
@program(X, 5)
def ends_in_and_beyond(x, n):
    """What is sure in the loop is not before it."""
    total = np.sum(x[n : n + 4 : 2]) * x[0]
    for i in range(n - 2):
        total += np.sum(np.exp(x[i:n:1])) + np.sum(x[n - 2 - i : n : 2])
    return total


@program(np.outer(X[:4], X[:5]), 0.4)
def rows_in_pairs(m, a):
    for k in range(m.shape[0] - 1, 0, -1):
        m = a * m[1:] * m[:-1] + k
    return np.sum(m * m)


@program(0.5, 3)
@program(0.5, 1)
def two_of_other_sizes(x, n):
    a = x * np.arange(0, 2 * n + 2)
    b = np.cos(a[:-1])
    for _ in range(n):
        a = a[1:-1] * 0.7
        b = b[1:-1] + a[1:] * x
    return np.sum(a) + np.sum(b * b)
