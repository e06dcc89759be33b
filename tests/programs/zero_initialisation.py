"""Loops whose adjoints are written before anything is added to them, wholly, in part, or not in that order."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3])
LONG = np.array([1.5, 0.2, -0.7, 0.9, 1.1, -0.3])
M = np.array([[0.5, 1.2, -2.0], [0.3, 0.4, 0.1], [-0.4, 1.9, 1.8], [0.2, 0.6, -0.9]])


@program(X, LONG)
@program(X, X + 1.0)
@program(X[:0], LONG)
@program(X[::2], LONG[::-2])
def longer_than_the_loop(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * y[i]
    return total


@program(X, LONG, 3)
@program(X, LONG, 0)
@program(X, LONG, -2)
def iterations_from_an_argument(x, y, n):
    total = 0.0
    for i in range(n):
        total += np.sin(x[i]) * y[i]
    return total


@program(X, LONG)
@program(X[:2], LONG)
def iterations_left_over(x, y):
    total = 0.0
    for i in range(x.shape[0] - 3):
        total += x[i] * y[i] * y[i]
    return total


@program(X, M)
@program(X[:0], M)
def rows_longer_than_the_loop(x, m):
    total = 0.0
    for i in range(x.shape[0] - 1):
        for j in range(m.shape[1]):
            total += np.exp(m[i, j]) * x[i]
    for i in range(x.shape[0]):
        total += x[i]
    return total


@program(M, X)
def columns_left_over(m, x):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1] - 1):
            total += np.exp(m[i, j]) * x[i]
        total += m[i, 2] * m[i, 0]
    return total


@program(M, X)
def row_read_twice(m, x):
    total = 0.0
    for i in range(m.shape[0]):
        s = 0.0
        for j in range(m.shape[1]):
            s += np.exp(m[i, j])
        total += np.log(s) * x[i] + m[i, 1]
    return total


@program(M, X)
def next_row_read_too(m, x):
    total = 0.0
    for i in range(m.shape[0] - 1):
        for j in range(m.shape[1]):
            total += np.exp(m[i, j]) * x[i] * m[i + 1, j]
    return total


@program(M[:3], X)
def square_read_along_both_axes(m, x):
    total = 0.0
    for i in range(3):
        s = 0.0
        for j in range(3):
            s += np.exp(m[i, j])
        for j in range(3):
            s += m[j, i] * x[j]
        total += s * s
    return total


@program(M, X)
def row_read_before_the_whole(m, x):
    total = 0.0
    for i in range(m.shape[0]):
        top = m[i, 1] * x[i]
        for j in range(m.shape[1]):
            total += np.exp(m[i, j] * top)
    return total


@program(X, LONG)
def only_in_some_iterations(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            total += np.sin(x[i]) * y[i]
    return total


@program(X, LONG)
def from_the_last(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * y[-i - 1]
    return total


@program(M, X)
@program(M[:0], X)
@program(M[::-1], X)
def each_column_by_name(m, x):
    """Rows of three, whose elements are read one by one, in any order."""
    total = 0.0
    for row in range(m.shape[0]):
        a, b, c = m[row]
        total += np.sin(c) * x[row] * a + b * b
    return total


@program(M, X)
def one_column_left_out(m, x):
    total = 0.0
    for i in range(m.shape[0]):
        y = m[i] * 2.0
        total += np.sin(y[2]) * x[i] * m[i, 0]
    return total


@program(M, X)
def one_column_twice(m, x):
    total = 0.0
    for i in range(m.shape[0]):
        y = m[i] - 0.5
        total += np.sin(y[2]) * x[i] * m[i, 0] + y[1] * y[0]
    return total + m[0, 1]
