"""Parts of an array that are computed from other parts of it, which overlap: all is read before anything is written."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.7])


@program(X)
def part_added_to_the_next(x):
    y = x * x
    y[1:] += y[:-1]
    return np.sum(y**2)


@program(X)
def combined_with_its_reverse(x):
    y = x * x
    y += y[::-1]
    y *= y[::-1]
    return np.sum(y * y * x)


@program(X)
def added_to_its_transpose(x):
    a = np.outer(x, x * x)
    a += a.T
    a.T[1:] += a[:-1]
    return np.sum(a * a)


@program(X)
def rows_and_columns_moved(x):
    a = np.outer(x, x * x)
    a[:2] -= a[1:3]
    a[:, 1:] *= a[:, :-1]
    return np.sum(a * a)


@program(X)
def part_stored_in_the_next(x):
    y = x * 1.0
    y[1:] = y[:-1]
    y[:-1] = y[1:] + y[:-1]
    y[:] = y[::-1] * 2.0
    return np.sum(y * y * x)


@program(X)
def added_by_another_name(x):
    y = x * 1.0
    v = y[:-1]
    y[1:] += v
    y[1:] /= v + 3.0
    return np.sum(y * y * x)


@program(X)
def added_to_another_name(x):
    y = x * 1.0
    v = y[::-1]
    v += y
    return np.sum(y * y * x)


@program(X)
def computed_from_the_part_before(x):
    y = x * 1.0
    y[1:] += np.sin(y[:-1])
    y[::2] *= y[1::2]
    return np.sum(y * y * x)


@program(X)
def rows_added_to_rows(x):
    a = np.outer(x, x * x)
    for i in range(1, 4):
        a[i] += a[i - 1]
        a[:, i] += a[i]
    return np.sum(a * a)


@program(X)
def added_by_a_function(x):
    y = x * 1.0

    def add(u, v):
        u += v

    add(y[1:], y[:-1])
    add(y, y[::-1])
    return np.sum(y * y * x)


@program(X, np.array([1, 2, 3]))
@program(X, np.array([2, 2, 1]))
def parts_stored_at_indices(x, i):
    y = x * 1.0
    y[i] = y[:-1]
    y[i] += y[:-1]
    v = y[1:]
    y[i] = v
    y[i] *= v
    np.add.at(y, i, y[:-1])
    return np.sum(y * y * x)


@program(X, np.array([1, 2, 3]))
@program(X, np.array([2, 2, 1]))
def rows_and_columns_stored_at_indices(x, i):
    a = np.outer(x, x * x)
    a[i] = a[:3]
    a[:, i] += a[:, 1:]
    np.add.at(a, i, a[:3] * 0.5)
    return np.sum(a * a)


@program(X)
def parts_that_move_with_a_loop(x):
    y = x * 1.0
    z = y
    for k in range(3):
        y[k:] += z[: 4 - k]
        z[: 4 - k] -= 0.5 * y[k:]
    return np.sum(y * z * x)
