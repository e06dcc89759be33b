"""Recurrences whose adjoints wait for several operations in each iteration."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(63)
X = _RNG.uniform(0.5, 1.5, 9)
S = _RNG.uniform(1.5, 2.5, 9)


@program(X, S)
@program(X[:1], S[:1])
@program(X[:0], S[:0])
@program(X.astype(np.float32), S.astype(np.float32))
def decayed(x, scale):
    y = np.zeros_like(x)
    last = x.dtype.type(0.0)
    for t in range(x.shape[0]):
        last = (x[t] - last) / scale[t] * x[t]
        y[t] = last * scale[t]
    return np.sum(y)


@program(X, S, 3)
def implicit_steps(u, k, steps):
    n = u.shape[0]
    now = u.copy()
    upper = np.empty(n)
    for _ in range(steps):
        upper[0] = -k[0] / (2.0 + k[0])
        now[0] = now[0] / (2.0 + k[0])
        for i in range(1, n):
            pivot = 2.0 + k[i] + k[i - 1] + k[i - 1] * upper[i - 1]
            upper[i] = -k[i] / pivot
            now[i] = (now[i] + k[i - 1] * now[i - 1]) / pivot
        for i in range(n - 2, -1, -1):
            now[i] = now[i] - upper[i] * now[i + 1]
    return np.sum(now**2)


@program(X, S)
def two_that_wait_for_each_other(x, s):
    a, b = 1.0, 0.5
    for t in range(x.shape[0]):
        a, b = (a * x[t] + b) / s[t] * 0.7, (b - a / s[t]) * x[t] * 0.3
    return a * b


@program(X, S)
def met_twice(x, s):
    y = 1.0
    for t in range(x.shape[0]):
        z = y / s[t] * x[t]
        y = (z - 0.3 * y) / s[t] + z * x[t]
    return y


@program(X, S)
def not_linear_in_itself(x, s):
    y = 0.3
    for t in range(x.shape[0]):
        y = np.sin(y * x[t] / s[t]) * y + x[t] * y**2 / s[t]
    return y


@program(X, S, 0.9)
def with_a_branch(x, s, limit):
    y = 0.3
    for t in range(x.shape[0]):
        y = y / s[t] * x[t] if x[t] > limit else (y + x[t]) / s[t] / 1.5
    return y


@program(X - 1.0, np.zeros(9), 0.0)
@program(X, S, 0.0)
def zeros_and_infinities(x, s, first):
    y = first
    total = 0.0
    for t in range(x.shape[0]):
        y = y * s[t] * x[t] + x[t]
        total += y * y
    return total


@program(X, S, 0.2)
@program(X, S, 9.0)
def until_it_is_small(x, s, limit):
    y = 1.0
    for t in range(x.shape[0]):
        y = (y + 0.1) / s[t] * x[t]
        if y < limit:
            break
    return y
