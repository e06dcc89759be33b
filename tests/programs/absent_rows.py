"""A place that an axis does not have, where there are no elements to find that out by: no rows, or no columns."""

import numpy as np

from collect import failing, program

M = np.array([[0.3, -0.8, 1.2], [0.9, 0.1, -0.4]])
NO_ROWS, NO_COLUMNS, NOTHING = np.ones((0, 3)), np.ones((2, 0)), np.ones((0, 0))


@failing(NO_ROWS, error=IndexError)
@failing(NOTHING, error=IndexError)
@program(NO_COLUMNS)
@program(M)
def rows_times_the_first(x):
    return np.sum(x * x[0])


@failing(NO_ROWS, error=IndexError)
@program(M)
def first_row_of_what_is_computed(x):
    y = np.exp(x)
    first = y[0]
    return np.sum(first * x) + np.sum(first * first)


@failing(NO_COLUMNS, 2, error=IndexError)
@failing(NO_COLUMNS, -3, error=IndexError)
@failing(NOTHING, 0, error=IndexError)
@program(M, 1)
@program(NO_COLUMNS, -2)
def row_without_elements(x, k):
    y = x[k]
    return np.sum(y * y)


@failing(NO_ROWS, 3, error=IndexError)
@program(NO_ROWS, 2)
@program(M, 2)
def column_without_elements(x, k):
    return np.sum(x[:, k] * x[:, 0])


@failing(NO_COLUMNS, 3, error=IndexError)
@program(NO_COLUMNS, 2)
@program(M, 2)
def rows_of_a_loop(x, n):
    s = 0.0
    for i in range(n):
        s += np.sum(x[i] * x[i])
    return s


@failing(NO_COLUMNS, np.array([1, 2]), error=IndexError)
@program(NO_COLUMNS, np.array([1, 0]))
@program(M, np.array([1, 0, 1]))
def rows_of_a_list(x, rows):
    s = 0.0
    for i in range(rows.shape[0]):
        s += np.sum(x[rows[i]] * x[0])
    return s


@failing(NO_COLUMNS, 2, error=IndexError)
@program(NO_COLUMNS, 1)
@program(M, 1)
def row_that_is_written(x, k):
    y = x.copy()
    y[k] = np.sin(y[0])
    return np.sum(y * y)


@failing(NO_COLUMNS, 2, error=IndexError)
@program(M, 1)
def row_that_is_added_to(x, k):
    y = x * 2.0
    y[k] += np.cos(x[0])
    return np.sum(y * y)


@failing(NO_ROWS, 3, error=IndexError)
@program(M, 2)
def column_that_is_written(x, k):
    y = x * 2.0
    y[:, k] = 1.5
    y[:, k] *= x[:, 0]
    return np.sum(y * y)


@failing(NO_COLUMNS, 2, error=IndexError)
@program(M, 1)
def place_of_a_row_of_a_cube(x, k):
    y = np.stack((x, x * x))
    return np.sum(y[1][k] * x[0]) + np.sum(y[:, k])


@failing(NO_ROWS, error=IndexError)
@program(M)
def only_where_there_are_some(x):
    s = 0.0
    if x.shape[1] > 0:
        s += np.sum(x[0] * x)
    return s
