"""Lists and tuples that stand several times over, and what is added up of them."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])
M = np.array([[0.5, -1.2], [2.0, 0.3], [1.1, 0.7]])
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


@program(M)
@program(M[:1])
def sum_of_outer_products(m):
    return np.sum(np.sin(sum(np.outer(row, row) for row in m) / len(m)))


@program(M)
def sum_of_rows_in_a_list(m):
    return np.sum(np.exp(sum([2.0 * row for row in m])))


@program(M)
def sum_of_known_arrays(m):
    return np.sum(np.exp(sum(row * row for row in (m[0], m[1]))))


@program(M)
def largest_of_a_generator(m):
    return max(v * v for v in m[0]) + min(2.0 * v for v in (m[0, 0], m[1, 1]))


@failing(M, error=ValueError)
def sum_of_no_arrays(m):
    return np.sum(sum(row for row in m if row[0] > 100.0))


@program(M)
def keys_that_are_indices(m):
    places = {0: m[0], 2: m[1]}
    total = np.zeros(3)
    for k, row in places.items():
        total[k] += row[0] * row[1]
    for k in places.keys():
        total[k] *= m[0, 0]
    return np.sum(total)


ROWS = [0, 2]
FIRST = [1]
PLACES = [[0, 1], [2, 0]]
CORNER = (2, 1)


@program(M)
def indices_from_lists_outside(m):
    y = m.copy()
    y[FIRST] *= 3.0
    return np.sum(np.sin(y[ROWS])) + np.sum(y[:, FIRST] ** 2) + np.sum(y[PLACES] ** 3) * y[CORNER]


@program(M)
def tuples_that_are_index_arrays(m):
    return np.sum(np.sin(m[(0, 2), 1])) + np.sum(m[(0, 1), (1, 0)] ** 2) + m[CORNER] + np.sum(m[((0, 1), (1, 0))] ** 3)


@program(M)
def lists_outside_stay_lists(m):
    total = 0.0
    for k in ROWS + FIRST:
        total += m[k, 0] * len(ROWS * 2)
    return total if isinstance(ROWS, list) else 2.0 * total
