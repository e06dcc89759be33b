"""Lists whose length the run decides: joined by NumPy, made of arrays, and taken apart; `reduce` over arrays."""

from functools import reduce

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.7])


@program(X, 3)
@program(X, 1)
@failing(X, 0, error=ValueError)
def vectors_joined(x, n):
    rows = []
    for i in range(n):
        rows.append(x[i] * x)
    w = np.arange(n * 4) + 1.0
    total = np.sum(np.stack(rows) * w.reshape(n, 4)) + np.sum(np.stack(rows, axis=1) * w.reshape(4, n))
    total += np.sum(np.concatenate(rows) * w) + np.sum(np.vstack(rows) * w.reshape(n, 4))
    return total + np.sum(np.hstack(rows) * w) + np.sum(np.column_stack(rows) * w.reshape(4, n))


@program(X, 2)
def matrices_joined(x, n):
    parts = []
    for i in range(n):
        parts.append(np.outer(x, x[:3]) * x[i])
    w = np.arange(n * 12) + 1.0
    total = np.sum(np.concatenate(parts) * w.reshape(-1, 3)) + np.sum(np.vstack(parts) * w.reshape(-1, 3))
    total += np.sum(np.concatenate(parts, axis=1) * w.reshape(4, -1)) + np.sum(np.hstack(parts) * w.reshape(4, -1))
    total += np.sum(np.concatenate(parts, axis=-1) ** 2 * w.reshape(4, -1)) + np.sum(np.column_stack(parts)[:, 0])
    return total + np.sum(np.concatenate(parts, axis=None) * w) + np.sum(np.stack(parts, axis=2) * w.reshape(4, 3, n))


@program(X, 3)
def numbers_joined(x, n):
    values = []
    for i in range(n):
        values.append(x[i] * x[0])
    w = np.arange(n) + 1.0
    total = np.sum(np.stack(values) * w) + np.sum(np.vstack(values)[:, 0] * w)
    return total + np.sum(np.hstack(values) * w) + np.sum(np.column_stack(values) * w)


@program(X)
@program(np.ones(0))
def reduced_over_an_array(x):
    return reduce(lambda a, b: a * b + np.sin(b), x, 1.0)


@program(X)
def array_reduced_over_an_array(x):
    return np.sum(reduce(lambda h, v: np.tanh(h * v + 1), x, np.zeros(2)))


@program(X)
@failing(X[:1], error=ValueError)
def array_taken_apart(x):
    a, b, *rest = x
    c, *middle, d = x
    return a * b + sum(rest) * len(rest) + c * middle[0] * d


@program(X)
def array_within_a_list(x):
    y = np.array([0.0, *x, x[0]])
    values = [*x, 1.0]
    return np.sum(y * y) + values[1] * values[-1] + len(values)


@program(X)
def list_of_an_array_grows(x):
    values = list(x * 2.0)
    values.append(x[0])
    for i in range(20):
        values.append(values[i] * x[1])
    return sum(values) * values.pop()


@program(X)
def sorted_list_grows(x):
    values = list(x[1:])
    values.append(x[0])
    ordered = sorted(values)
    ordered.append(2.0)
    more = [*values, x[1]]
    more.append(x[2])
    return values[0] * values[3] * ordered[1] + ordered[4] * more[5] * more[4]


@program(X)
@program(-X)
def list_of_an_array_on_one_path(x):
    if x[0] > 0:
        values = list(x)
    else:
        values = [x[0]]
    values.append(x[1])
    return values[-1] * values[0]


@program(X, 4)
@program(X, 1)
def rows_of_another_length_in_each_iteration(x, n):
    total = 0.0
    for i in range(1, n):
        rows = []
        t = 0.0
        while t < 3.0:
            rows.append(np.sin(x[:i]) * t)
            t += 1.0 + 0.1 * x[0]
        for k in range(len(rows)):
            total += np.sum(rows[k] ** 2)
    return total


@program(X, 4)
def rows_of_one_length_in_all_iterations(x, n):
    total = 0.0
    for i in range(1, n):
        rows = []
        t = 0.0
        while t < 3.0:
            rows.append(np.sin(x * i) * t)
            t += 1.0 + 0.1 * x[0]
        rows[0] = rows[1] * x
        for k in range(len(rows)):
            total += np.sum(rows[k] ** 2)
    return total


@program(X * 1.1)
def rows_that_shrink_from_list_to_list(x):
    total, y = 0.0, x
    while len(y) > 1:
        rows = [y[0] * y]
        while len(rows) < y[0] + 2:
            rows.append(np.sin(rows[-1]))
        total += np.sum(rows[-1] * y)
        y = y[1:]
    return total
