"""Nests whose inner bounds are affine in outer indices, or nearly so; iterations keep something for the way back."""

import numpy as np

from collect import program

X = np.array([0.31, 0.7, -0.4, 0.9, 0.2, 0.5])


@program(X, 6)
@program(X, 1)
@program(X, 0)
@program(X, -2)
def lower_triangle(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            s += np.exp(x[i] * x[j]) * s * 0.01 + x[j]
    return s


@program(X)
@program(X[:1])
@program(X[:0])
def upper_triangle(x):
    y = x.copy()
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            y[j] = np.tanh(y[i] * y[j]) + y[j]
    return np.sum(y * y)


@program(X, 2)
@program(X, 0)
@program(X, 9)
def band(x, w):
    y = x.copy()
    for i in range(x.shape[0] - w):
        for j in range(i, i + w):
            y[j] = np.sin(y[j]) * y[i]
    return np.sum(y * y)


@program(X)
@program(X[:1])
def down_to_the_diagonal(x):
    y = x.copy()
    for i in range(x.shape[0] - 1, -1, -1):
        for j in range(i, -1, -1):
            y[j] = np.sin(y[j] * y[i])
    return np.sum(y * y)


@program(X)
def from_the_end(x):
    y = x.copy()
    for i in range(x.shape[0]):
        for j in range(x.shape[0] - 1, i, -1):
            y[j] = np.sin(y[j] * y[i])
    return np.sum(y * y)


@program(X)
def one_in_another(x):
    y = x.copy()
    for i in range(x.shape[0]):
        for j in range(i + 1):
            for k in range(j, x.shape[0]):
                y[k] = np.sin(y[k] + y[j] * y[i])
    return np.sum(y * y)


@program(X)
def around_a_loop_of_its_own(x):
    y = x.copy()
    for i in range(x.shape[0]):
        for j in range(1, i + 1):
            for k in range(3):
                y[j] = np.sin(y[j] + y[k] * y[i])
    return np.sum(y * y)


@program(X, 9)
@program(X, 2)
def mostly_without_iterations(x, n):
    s = 1.0
    for i in range(n):
        for j in range(4 - i):
            s = np.sin(s * x[j])
    return s


@program(X)
@program(X[:5])
def every_other_row(x):
    s = 1.0
    for i in range(0, x.shape[0], 2):
        for j in range(i, x.shape[0]):
            s = np.sin(s * x[j]) + x[i]
    return s


@program(X)
def left_early(x):
    s = 1.0
    for i in range(x.shape[0]):
        for j in range(i + 1):
            s = np.sin(s * x[j]) + x[i]
            if s > 1.2:
                break
    return s


@program(X)
def around_it_left_early(x):
    s = 1.0
    for i in range(x.shape[0]):
        if s > 1.9:
            break
        for j in range(i + 1):
            s = np.sin(s * x[j]) + x[i]
    return s


@program(X, 1, 5)
@program(X, -3, 2)
@program(X, 4, 2)
def between_two_numbers(x, a, b):
    s = 1.0
    for i in range(a, b):
        for j in range(i - a):
            s = np.sin(s * x[j]) + x[j + 1]
    return s


@program(np.outer(X, X))
def rows_of_a_triangle(a):
    s = 1.0
    for i in range(a.shape[0]):
        for j in range(i + 1):
            r = np.tanh(a[j] * s)
            s = s * 0.5 + np.sum(r * r)
    return s


@program(X, 3)
def in_time(x, steps):
    y = x.copy()
    for _ in range(steps):
        for i in range(x.shape[0]):
            for j in range(i):
                y[i] = np.sin(y[i] + y[j])
    return np.sum(y * y)


@program(X)
def in_a_branch(x):
    s = 1.0
    for i in range(x.shape[0]):
        if x[i] > 0.3:
            for j in range(i + 1):
                s = np.sin(s * x[j]) + x[i]
    return s


@program(X, 4)
def up_to_the_smaller(x, w):
    s = 1.0
    for i in range(x.shape[0]):
        for j in range(i, min(i + w, x.shape[0])):
            s = np.sin(s * x[j]) + x[i]
    return s


@program(X)
def squares_of_the_row(x):
    s = 1.0
    for i in range(3):
        for j in range(i * i + 1):
            s = np.sin(s * x[j]) + x[i]
    return s
