"""Divisions whose both operands are differentiated."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(61)
X = _RNG.uniform(0.5, 2.0, 7)
Y = _RNG.uniform(0.5, 2.0, 7)
M = _RNG.uniform(0.5, 2.0, (4, 5))


@program(X, Y)
@program(X[:0], Y[:0])
def ratios(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i] / y[i])
    return total


@program(M)
def shares_of_rows(m):
    """The divisor is the same in all iterations of the inner loop, and their sum before it."""
    total = 0.0
    for i in range(m.shape[0]):
        s = 0.0
        for j in range(m.shape[1]):
            s += m[i, j]
        for j in range(m.shape[1]):
            total += np.cos(m[i, j] / s) * m[0, j]
    return total


@program(M)
def normalised(m):
    shares = m / np.sqrt(np.sum(m**2, axis=1, keepdims=True))
    return np.sum(np.sin(shares) * m)


@program(X, Y)
def continued_fraction(x, y):
    """Each quotient is the divisor of the next: the backward sweep waits for it."""
    r = 1.0
    for i in range(x.shape[0]):
        r = x[i] / (y[i] + r)
    return r


@program(X, np.where(np.arange(7) % 3 == 1, 0.0, Y), np.arange(7) % 3 != 1)
def zeros_that_are_left_out(x, y, chosen):
    total = 0.0
    for i in range(x.shape[0]):
        if chosen[i]:
            total += x[i] ** 2 / y[i]
    return total


@program(X, Y)
def a_quotient_of_quotients(x, y):
    z = np.empty_like(x)
    for i in range(x.shape[0]):
        q = x[i] / y[i]
        z[i] = q / (x[i] + q) - y[i] / q
    return np.sum(z * z)


@program(X, Y)
def a_quotient_that_is_used_twice(x, y):
    """The adjoint of the quotient comes from two sides."""
    total = 0.0
    for i in range(x.shape[0]):
        q = x[i] / y[i]
        total += q * q + np.exp(-q) * y[i]
    return total
