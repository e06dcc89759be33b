"""Sections of arrays between places that only the run knows, as the rows of a sparse matrix are."""

import numpy as np

from collect import failing, program

DATA = np.array([0.5, -0.2, 0.8, 1.3, 0.4, -0.9, 0.7])
COLUMNS = np.array([0, 2, 1, 0, 3, 3, 1])
FIRST = np.array([0, 2, 3, 3, 7])
X = np.array([0.3, 1.1, -0.4, 0.9])
A = np.array([[2.1, 0.3, -0.4, 0.2], [0.9, 3.2, 0.7, 0.5], [-0.5, 0.6, 2.3, 0.1], [0.2, -0.8, 0.1, 1.9]])


@program(DATA, COLUMNS, FIRST, X)
@program(DATA, COLUMNS, FIRST[::-1].copy(), X)
@program(DATA, COLUMNS, np.array([-3, -1, 9, 2, 40]), X)
@program(DATA, COLUMNS.astype(np.int32), FIRST.astype(np.int32), X)
@program(DATA.astype(np.float32), COLUMNS, FIRST, X.astype(np.float32))
@program(np.append(DATA, 5.0), COLUMNS, FIRST, X)
@program(DATA, COLUMNS, np.zeros(5, int), X)
def rows_of_a_sparse_matrix(data, columns, first, x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = data[first[i] : first[i + 1]] @ x[columns[first[i] : first[i + 1]]]
    return np.sum(y**2)


@program(DATA, FIRST)
@program(DATA, np.array([0, 7]))
def softmax_of_sections(scores, first):
    out = np.zeros(len(scores))
    for i in range(len(first) - 1):
        start, stop = first[i], first[i + 1]
        e = np.exp(scores[start:stop] - 0.5)
        out[start:stop] = e / (np.sum(e) + 0.1)
    return np.sum(out**2)


@program(DATA, FIRST)
def sections_added_to(x, first):
    y = np.sin(x)
    for i in range(len(first) - 1):
        y[first[i] : first[i + 1]] += x[first[i] : first[i + 1]] * (i + 1.0)
        y[first[i] :] *= 1.1
    return np.sum(y**2)


@program(DATA, X, FIRST)
@program(DATA, X, np.array([3, 0, 2, -4, 9]))
def sections_of_two_arrays(x, y, first):
    s = 0.0
    for i in range(len(first) - 1):
        k = first[i]
        s += np.sum(x[:k] ** 2) + np.sum(np.cos(y[k:])) * np.sum(x[k : k + 2])
    return s


@program(DATA, FIRST)
def one_element_of_a_section_is_repeated(x, first):
    s = 0.0
    for i in range(len(first) - 1):
        part = x[first[i] : first[i + 1]]
        if len(part) == 1:
            s += np.sum(part * x)
        else:
            s += np.sum(part * part)
    return s


@program(np.outer(DATA, X), FIRST)
def sections_of_rows(x, first):
    means = np.zeros((len(first) - 1, x.shape[1]))
    for i in range(len(first) - 1):
        if first[i + 1] > first[i]:
            means[i] = np.sum(x[first[i] : first[i + 1]] ** 2, axis=0) / (first[i + 1] - first[i])
    return np.sum(means**2)


@program(A, X)
@program(A[:, :3].copy(), X[:3])
@program(A.astype(np.float32), X.astype(np.float32))
@program(np.asfortranarray(A), X)
def back_substitution_with_slices(a, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - a[i, i + 1 :] @ x[i + 1 :]) / a[i, i]
    return np.sum(x**2)


@failing(A[:, :3].copy(), X, error=ValueError)
def rows_are_too_short(a, b):
    s = 0.0
    for i in range(len(b)):
        s += a[i, i + 1 :] @ b[i + 1 :]
    return s


@program(np.outer(DATA, X), FIRST[:3])
def sections_of_the_last_axes(x, first):
    k, n = first[1], first[2]
    y = x.copy()
    y[..., :k] = np.sin(x[..., 1 : k + 1]) * 2.0
    return np.sum(y[None, k:, ..., k:n] ** 2) + np.sum(y[k:, None, :n] * y[k:, None, :n])


@failing(DATA, X, np.array([0, 2, 7]), error=ValueError)
def sections_of_other_lengths(x, y, first):
    s = 0.0
    for i in range(len(first) - 1):
        s += np.sum(x[first[i] : first[i + 1]] * y[first[i] : first[i + 1]])
    return s


@program(DATA, np.cos(DATA))
@program(DATA, np.cos(DATA[:1]))
@program(DATA[:1], np.cos(DATA[:1]))
def whole_arrays_replaced(x, y):
    out = np.ones(len(x))
    out[:] = y * 2.0
    out[1:] += y[1:] if len(y) > 1 else y
    return np.sum(out**2 * x)


@failing(DATA, np.cos(DATA[:3]), error=ValueError)
def no_room_for_so_many(x, y):
    out = np.zeros(len(x))
    out[:] = y * 2.0
    return np.sum(out**2)


@program(X, A)
@program(X[:3], A[:3, :3])
def equal_parts_of_what_is_as_long(x, a):
    n = len(x)
    p = a.copy()
    q = np.zeros((n, n))
    p[n:] = q[n:] * p[n:]
    p[1:] = p[1:] * x[1:, None]
    return np.sum(p * p)
