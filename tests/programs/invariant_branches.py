"""Branches and functions of floats that are the same in every iteration of a loop."""

import numpy as np

from collect import failing, program

_RNG = np.random.default_rng(71)
X = _RNG.uniform(0.5, 2.0, 6)
M = _RNG.uniform(0.5, 2.0, (4, 5))


@program(X, 0.7)
@program(X, 1.7)
@program(X[:0], 1.7)
def weighted(x, t):
    total = 0.0
    for i in range(x.shape[0]):
        w = (1.5 * t - 2.5) * t * t + 1 if t < 1 else ((-0.5 * t + 2.5) * t - 4) * t + 2
        total += w * x[i]
    return total


@program(M, 0.3, 0.6)
def interpolated(m, fx, fy):
    """Weights of a cubic kernel, again for each row."""
    total = 0.0
    for j in range(4):
        s = abs(j - 1 - fy)
        wy = 1 - s * s if s < 1 else (2 - s) * 0.2
        for i in range(4):
            t = abs(i - 1 - fx)
            wx = 1 - t * t if t < 1 else (2 - t) * 0.2
            total += wy * wx * m[j, i]
    return total


@program(X, 0.7, 0.0)
@program(X, 1.7, 2.0)
def branches_in_branches(x, t, u):
    total = 0.0
    for i in range(x.shape[0]):
        w = t
        if t < 1.0:
            if u > 1.0:
                w = t * u
            else:
                w = t - u
        v = w * w
        total = total * 0.9 + v * x[i]
    return total


@program(X, 0.7)
def changed_by_the_loop(x, t):
    total = 0.0
    for i in range(x.shape[0]):
        w = 2.0 * t if t < 1 else t * t
        t = t + 0.1 * x[i]
        total += w * x[i]
    return total


@program(X, 0.7, 0.3)
def quotients_and_exponentials(x, dt, dx):
    total = 0.0
    for i in range(x.shape[0]):
        r = dt / dx
        decay = np.exp(-r) * np.sqrt(dx)
        total = total * decay + r * x[i]
    return total


@program(X, 0.7, 0.0, 0)
def not_even_once(x, dt, dx, n):
    """The quotient, of zero, is not needed."""
    total = x[0] * dt
    for i in range(n):
        total += dt / dx * np.log(dx) * x[i]
    return total


@failing(X, 3.0, error=ValueError)
def raised_in_a_branch(x, t):
    total = 0.0
    for i in range(x.shape[0]):
        if t > 2.0:
            raise ValueError("too late")
        total += t * x[i]
    return total


@program(X[:0], 3.0)
def not_raised_without_iterations(x, t):
    total = t * t
    for i in range(x.shape[0]):
        if t > 2.0:
            raise ValueError("too late")
        total += t * x[i]
    return total


@program(X, 0.7)
def chosen_arrays(x, t):
    total = 0.0
    for i in range(3):
        y = x * 2.0 if t < 1 else x[1:]
        total += np.sum(y) * y[i]
    return total


@program(X, 0.7, 3)
def integers_in_a_branch(x, t, k):
    total = 0.0
    for i in range(2):
        j = k // 2 if t < 1 else k
        total += x[i + j] * t
    return total


@program(0.7, 0.3)
def in_a_while(t, u):
    total = 0.0
    while total < 3.0:
        step = t / u if u > 0 else t
        total += step * (1.0 + 0.1 * total)
    return total
