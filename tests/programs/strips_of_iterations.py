"""Loops that run an unknown number of iterations, whose residuals grow: they run in strips, with room for each."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(63)
X = _RNG.uniform(0.5, 1.5, 5)
A = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.3, 0.4, 0.0]])


@program(X, 0.05, 35)
@program(X, 0.05, 0)
@program(X, 0.05, 1)
@program(X[:1], 0.05, 35)
def stages_of_a_step(y, h, most):
    """Two loops in one another, both of a fixed length."""
    y = y.copy()
    n = y.shape[0]
    k = np.zeros((3, n))
    t = 0.0
    while t < 0.043 * most - 0.01:
        for s in range(3):
            for i in range(n):
                total = 0.0
                for j in range(s):
                    total += A[s, j] * k[j, i]
                stage = y[i] + h * total
                k[s, i] = np.sin(stage) * stage - 0.2 * y[i - 1]
        for i in range(n):
            y[i] += h * k[2, i]
        t += 0.043
    return np.sum(y**2)


@program(X, 0.9)
@program(X, 2.0)
@program(X, 9.0)
def left_from_inside(x, most):
    """Seventeen iterations, one more than the first strip has; and fewer."""
    x = x.copy()
    total = 0.0
    while True:
        for i in range(x.shape[0]):
            x[i] = np.tanh(x[i] * x[i - 1]) + 0.3
            total += x[i] * x[i]
        if total > most:
            break
        total += 0.01
    return total + np.sum(x)


@program(0.9, 16)
@program(0.9, 15)
@program(0.9, 17)
@program(0.9, 32)
def as_many_as_a_strip(x, steps):
    total = 0.0
    while steps > 0:
        for i in range(2):
            x = np.sin(x) + 0.1 * i * x
            total += x * x
        steps -= 1
    return total


@program(X)
def loop_in_a_loop_over_elements(x):
    """Each element takes another number of iterations, and its residuals lie above those before it."""
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while abs(y * y - x[i]) > 1e-3:
            for _ in range(2):
                y = 0.5 * (y + x[i] / y) * 1.0001
        total += y * y * y
    return total


@program(X, 40)
def lengths_that_differ(x, steps):
    """An iteration fills another number of elements than the one before."""
    total = 0.0
    k = 0
    while k < steps:
        for i in range(k % 4):
            total += np.sin(x[i] * total + 1.0)
        for i in range(x.shape[0]):
            total += np.cos(x[i] * total)
        k += 1
    return total


@program(X, 30)
def filled_under_a_condition(x, steps):
    total = 0.0
    k = 0
    while k < steps:
        if k % 3 == 1:
            for i in range(x.shape[0]):
                total += np.sin(x[i] * total + 1.0)
        else:
            total *= 0.9
        k += 1
    return total


@program(X, 6.0)
def loop_until_inside_a_loop_until(x, end):
    total = 0.0
    t = 0.0
    while t < end:
        s = 1.0
        while s < 1.5 + t / end:
            for i in range(x.shape[0]):
                total += np.sin(x[i] * total) * s
            s += 0.2
        t += 0.5
    return total


@program(X, 3)
def condition_with_an_index(x, last):
    """The condition raises nothing where it is asked once more."""
    total = 0.0
    k = 0
    while k < last and x[k] > 0.1:
        for i in range(x.shape[0]):
            total += np.sin(x[i] * total + x[k])
        k += 1
    return total
