"""Loops with a recurrence, and much to compute before it and behind it."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.7])
Y = np.array([0.7, -0.2, -0.6, 1.4, 0.3, 0.9])
A = np.array([0.3, 0.6])
LONG = np.resize(X, 70) * np.linspace(0.6, 1.1, 70)  # more than one strip of 64


@program(X, 0.1, 0.2, 0.7)
@program(LONG, 0.1, 0.2, 0.7)
@program(X[:1], 0.1, 0.2, 0.7)
@program(X[:0], 0.1, 0.2, 0.7)
@program(X[::-2], 0.1, 0.2, 0.7)
@program(X.astype(np.float32), np.float32(0.1), np.float32(0.2), np.float32(0.7))
def volatility(e, omega, a, b):
    """GARCH(1,1) (Bollerslev 1986): the logarithm and the division are behind the recurrence."""
    h, loss = 1.0, 0.0
    for t in range(e.shape[0]):
        loss += np.log(h) + e[t] ** 2 / h
        h = omega + a * e[t] ** 2 + b * h
    return loss


@program(LONG, A)
@program(X, A)
def computed_before(x, a):
    h = 0.0
    for t in range(x.shape[0]):
        h = np.exp(-(x[t] ** 2)) * np.sin(x[t]) + a[0] * h
    return h * a[1]


@program(LONG, A)
@program(X, A)
def downwards(x, a):
    h, total = 0.5, 0.0
    for t in range(x.shape[0] - 1, -1, -1):
        h = np.exp(-(x[t] ** 2)) + a[0] * h
        total += np.log(1.0 + h * h) * a[1]
    return total


@program(LONG, A)
@program(X, A)
def one_before(x, a):
    """What an iteration hands on does not depend on what it gets: there is no recurrence."""
    before, total = 1.0, 0.0
    for t in range(x.shape[0]):
        total += np.exp(-x[t] * before) * np.sin(a[0] * before)
        before = np.tanh(x[t])
    return total


@program(X, Y)
@program(X[:1], Y[:1])
def rows_of_its_own(x, y):
    """Each iteration writes a row; of the elements that all write, the last one counts."""
    table = np.zeros((x.shape[0], 3))
    last = np.zeros(2)
    h = 0.2
    for t in range(x.shape[0] - 1, -1, -1):
        h = 0.5 * h + np.exp(-(y[t] ** 2))
        table[t, 2] = np.sin(h)
        table[t, 0] = np.exp(h) * table[t, 1]
        table[t, 1] += np.log(1.0 + h * h)
        last[1] = np.exp(-h * x[t])
    return np.sum(table * table) + last[1]


@program(X, Y)
def counted_from_the_end(x, y):
    """The first iteration writes the element that the last one reads."""
    z = y[1:] * 2.0
    h = 0.2
    for t in range(x.shape[0]):
        h = 0.5 * h + np.exp(-(z[t - 1] ** 2)) * np.sin(x[t])
        z[t - 1] = np.log(1.0 + h * h)
    return h + np.sum(z)


@program(X, Y)
def added_in_a_branch(x, y):
    h, total = 0.2, 0.0
    for t in range(x.shape[0]):
        if x[t] > 0.4:
            h = 0.5 * h + np.exp(-(y[t] ** 2))
            total += np.sin(h)
        else:
            h = 0.3 * h
        total += np.exp(-h * x[t]) * np.log(2.0 + h)
    return total


@program(X, Y)
def added_in_the_recurrence_and_behind(x, y):
    """The branch makes what the next iteration reads, and a sum that goes on after it."""
    g, h, total = 0.5, 1.0, 0.0
    for t in range(x.shape[0] - 1, -1, -1):
        g = np.tanh(np.sin(y[0]))
        if x[t] > 0.4:
            total += x[t] + h
            h = np.tanh(g)
        total += np.exp(-y[t] * x[t]) * g
        g = 0.6 * np.sin(g) + 0.3 * h
    return total + g + h


@program(X, Y)
def stored_in_a_branch(x, y):
    roots = np.ones(x.shape[0])
    h = 0.2
    for t in range(x.shape[0]):
        size = 1.0
        if x[t] > 0.4:
            size = np.sqrt(x[t])
            roots[t] = size
        h = 0.5 * h + np.exp(-(y[t] ** 2)) * np.sin(size)
    return h + np.sum(roots * x)


@program(X, Y, 0.3)
@program(LONG, LONG[::-1], 0.3)
def rotations(x, y, a):
    """A sequence of small matrices: the elements of each factor are computed before the product."""
    R = np.eye(2)
    loss = 0.0
    for t in range(x.shape[0]):
        c, s = np.cos(a * x[t]), np.sin(a * x[t])
        R = R @ np.array([[c, -s], [s, c]])
        residual = R @ np.array([1.0, y[t]])
        loss += np.exp(-residual @ residual)
    return loss


@program(X, Y)
def systems(x, y):
    """A check of numbers alone is made behind all else."""
    v, loss = np.array([1.0, 0.5]), 0.0
    for t in range(x.shape[0]):
        v = np.tanh(0.3 * v + x[t])
        m = np.array([[2.0, v[0] * y[t]], [-y[t], 1.5 + v[1] ** 2]])
        loss += np.log(1.0 + np.linalg.solve(m, v)[0] ** 2)
    return loss
