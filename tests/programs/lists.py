"""Lists and tuples that stand several times over."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0])
TIMES = 3


@program(X, 2)
@program(X, 0)
@program(X, 4)
def repeated_as_an_argument_says(x, n):
    y = np.array([x[0], x[1] * x[2]] * n)
    return np.sum(y * y) + len([x[0]] * n)


@program(X, 0)
@program(X, 2)
def empty_rows(x, n):
    rows = np.array([[x[0]] * n, [x[1]] * n])
    nothing = np.array([[], []])
    return np.sum(rows * rows) + rows.shape[1] + nothing.shape[0] + np.sum(nothing) + np.sum(x)


@program(X)
def repeated_by_a_number_before_it(x):
    y = np.array(3 * [x[0] * x[1]])
    return np.sum(y * y[0]) * len(2 * (x[2], 1.0))


@program(X)
def repeated_by_a_number_from_outside(x):
    y = np.array(TIMES * [x[0], x[1]])
    return np.sum(np.sin(y)) * y[4] + len([x[0]] * TIMES)


@program(X, True)
@program(X, False)
def repeated_where_a_flag_is_set(x, flag):
    total = x[0]
    for v in [x[1], x[2]] * flag:
        total = total * v
    return total
