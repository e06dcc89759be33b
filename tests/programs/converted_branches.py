"""Branches of innermost loops that only choose between numbers: both sides are computed, and one is selected."""

import numpy as np

from collect import program

X = np.array([0.3, -0.8, 1.2, 0.5, -0.4, 0.9, -1.3, 0.7, 0.2, -0.6])
V = np.array([0.4, -0.7, 1.1, -0.2, 0.6, -0.9, 0.8, 0.3, -0.5])
EMPTY = np.zeros(0)


@program(X, V)
@program(X[::-1], V[::-1])
@program(X[:1], EMPTY)
@program(X.astype(np.float32), V.astype(np.float32))
def upwind_step(now, velocity):
    after = now.copy()
    for i in range(velocity.shape[0]):
        if velocity[i] > 0:
            flux = 0.3 * velocity[i] * now[i]
        else:
            flux = 0.3 * velocity[i] * now[i + 1]
        after[i] -= flux
        after[i + 1] += flux
    return np.sum(after * after)


@program(X)
def quotient_of_one_side(x):
    """1 / (x + 0.8) divides by 0 where its side is not taken."""
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > -0.5:
            y = x[i] / (x[i] + 0.8)
        else:
            y = x[i] * 2.0
        total += y * y
    return total


@program(X)
def root_of_one_side(x):
    """The root of a negative number is NaN where its side is not taken."""
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y = np.sqrt(x[i])
        else:
            y = x[i]
        total += y * (i + 1)
    return total


@program(X)
def branch_in_a_branch(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            if x[i] > 0.6:
                y, z = x[i] * x[i], 1.0
            else:
                y, z = x[i] * 0.6, x[i]
        else:
            y, z = 0.0, x[i] * x[i]
        total += y * z + z
    return total


@program(X, V)
def both_sides_alike(x, v):
    """What both sides compute is one number, in whatever order the operands stand."""
    total = 0.0
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            y = (x[i] * v[i] + 1.0) * v[i]
        else:
            y = v[i] * (v[i] * x[i + 1] + 1.0)
        total += y
    return total


@program(X, V)
def signs_of_zero(x, v):
    """The zero that a side yields keeps its sign."""
    total = 0.0
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            y = -0.0
        else:
            y = 0.0 * x[i]
        total += x[i] * np.arctan2(y, -1.0 - v[i] * v[i])
    return total


@program(X, 3)
@program(X, -1)
def integers_and_numbers(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        if i % 2 == 0:
            k, scale = i * n, 1.5
        else:
            k, scale = n, x[i]
        total += k * scale * x[i]
    return total


@program(X, V)
def swapped_numbers(x, v):
    total = 0.0
    for i in range(v.shape[0]):
        a, b = x[i], x[i + 1]
        if a > b:
            a, b = b, a
        total += (b - a) * v[i] + a
    return total


@program(X)
def limited_slopes(x):
    slopes = np.zeros(x.shape[0])
    for i in range(1, x.shape[0] - 1):
        left, right = x[i] - x[i - 1], x[i + 1] - x[i]
        if left * right > 0:
            slopes[i] = left if abs(left) < abs(right) else right
        else:
            slopes[i] = 0.0
    return np.sum(slopes * slopes * x)
