"""Products of matrices of which one axis is long and the others have a few elements, as in regressions."""

import numpy as np

from collect import failing, program

X = np.array([[0.3, 1.1, -0.4], [0.9, 0.2, 0.7], [-0.5, 0.6, 1.3], [1.2, -0.8, 0.1], [0.4, 0.5, -1.1]])
Y = np.array([0.7, 1.9, -0.3, 0.8, 1.4])
W = np.array([0.6, -1.2, 0.9])
A = np.array([[0.8, -0.3, 0.2], [0.1, 0.9, -0.4], [-0.2, 0.5, 1.1]])


@program(X, Y, W)
@program(X.astype(np.float32), Y.astype(np.float32), W.astype(np.float32))
@program(np.asfortranarray(X), Y[::-1], W)
@program(X[::2, ::-1], Y[1:4], W)
@program(X[:1], Y[:1], W)
@program(X[:, :2], Y, W[:2])
@program(np.concatenate((X, X), 1), Y, np.concatenate((W, W)))
def residuals_of_a_line(x, y, w):
    r = x @ w - y
    return np.sum(r * r)


@program(X, Y)
@program(X[:, :1], Y)
def normal_equations(x, y):
    a = x.T @ x
    b = np.dot(x.T, y)
    return np.sum(a * a) + np.sum(b * b)


@program(X[:0], Y[:0], W)
def no_rows(x, y, w):
    return np.sum(x @ w) + np.sum((x.T @ x) * w) + np.sum(x.T @ y) + w[0] * w[1]


@program(Y, Y[::-1] * 0.7)
def a_polynomial_of_columns(x, y):
    columns = np.column_stack((np.ones(x.shape[0]), x, x**2))
    weights = np.linalg.solve(columns.T @ columns, columns.T @ y)
    return np.sum((columns @ weights - y * x) ** 2)


@program(Y, Y[::-1] * 0.7)
def rows_that_are_stacked(x, y):
    rows = np.stack((x, y, x * y))
    gram = rows @ rows.T
    mixed = np.stack((y, x), axis=1)
    return np.sum(np.sin(gram)) + np.sum((rows @ mixed) ** 2) + np.sum(x @ mixed)


@program(X, A, W)
def points_that_are_turned(points, a, shift):
    q = points @ a.T + shift
    p = a @ q.T
    return np.sum(np.sin(q)) + np.sum(p[0] * p[1]) + np.sum(shift @ points.T)


@program(X, Y, A)
def products_of_products(x, y, a):
    return np.sum((x @ a @ x.T @ y) * y) + np.sum(((x @ a).T @ (x * y[:, None])) ** 2)


@program(Y, 0.1)
def a_regression_in_each_iteration(x, rate):
    value = np.maximum(1.0 - x, 0.2 * x)
    for t in range(3):
        x = x * (1.0 + rate * t)
        basis = np.column_stack((np.ones(x.shape[0]), x, x**2))
        weights = np.linalg.solve(basis.T @ basis + 0.01 * np.eye(3), basis.T @ (0.9 * value))
        value = np.maximum(0.8 - x, basis @ weights)
    return np.mean(value)


@program(X, Y)
def columns_overwritten_after_they_were_joined(x, y):
    z = y.copy()
    columns = np.column_stack((z, x[:, 0]))
    z[1] = 3.0 * y[0]
    z *= 2.0
    return np.sum((columns.T @ columns) ** 2) + np.sum((columns.T @ z) ** 2)


@program(X, Y)
def columns_of_a_matrix_that_is_written(x, y):
    x = x.copy()
    gram = x.T @ x
    x[1, :] = y[:3]
    x[:, 2] *= y
    return np.sum(gram * (x.T @ x)) + np.sum(x @ gram)


@program(X, W)
def states_that_points_change(points, w):
    for _ in range(2):
        centre = np.mean(points, axis=0)
        spread = (points - centre).T @ (points - centre)
        points = points + 0.1 * np.tanh(points @ spread)
    return np.sum(points @ w)


@failing(X, Y[:4], W, error=ValueError)
def lengths_that_differ(x, y, w):
    return np.sum(x.T @ y * w)


@failing(X, Y[:1], W, error=ValueError)
def one_element_is_not_repeated(x, y, w):
    return np.sum(x.T @ y * w)


@failing(X, Y, W[:2], error=ValueError)
def columns_that_differ(x, y, w):
    return np.sum(x @ w * y)


@failing(X, Y[:1], error=ValueError)
def joined_columns_of_other_lengths(x, y):
    columns = np.column_stack((x[:, 0], y))
    return np.sum(x.T @ x) + np.sum((columns.T @ columns)[0, :1])


TURNS = np.stack((A, A.T, A + 0.3, A * A))
ARMS = np.array([[0.4, -0.2, 0.9], [1.1, 0.3, -0.6], [0.2, 0.8, 0.5], [-0.7, 0.1, 0.3]])


@program(TURNS, ARMS)
@program(TURNS.astype(np.float32), ARMS.astype(np.float32))
@program(TURNS[::-1, :2, :2], ARMS[:, 1:])
@program(TURNS[:1], ARMS[:1])
@program(TURNS[:0], ARMS[:0])
@program(np.repeat(np.repeat(TURNS, 2, 1), 2, 2), np.repeat(ARMS, 2, 1))
def a_matrix_for_each_vector(turns, arms):
    one = np.einsum("nij,nj->ni", turns, arms)
    other = (turns @ arms[:, :, None])[:, :, 0]
    return np.sum(np.sin(one) * other)


@program(TURNS, ARMS)
@program(TURNS, ARMS[:1])
def products_of_many_matrices(turns, arms):
    gram = turns @ turns.transpose(0, 2, 1)
    chained = np.einsum("nij,njk,nkl->nil", turns, gram, turns)
    forms = np.einsum("ni,nij,nj->n", arms, turns, arms)
    return np.sum(np.tanh(chained)) + np.sum(forms**2) + np.sum(arms[:, None, :] @ turns)


@program(TURNS, A)
def one_matrix_for_all(turns, a):
    return np.sum((a @ turns) * (turns @ a.T)) + np.sum(np.einsum("ij,njk->nik", a, turns) ** 2)


@program(TURNS, ARMS)
def poses_that_are_changed_in_time(turns, arms):
    for _ in range(2):
        turns = turns @ turns.transpose(0, 2, 1) * 0.2
        arms = arms + 0.1 * np.einsum("nij,nj->ni", turns, arms)
    return np.sum(arms * arms)


@failing(TURNS, ARMS[:3], error=ValueError)
def other_numbers_of_vectors(turns, arms):
    return np.sum(np.einsum("nij,nj->ni", turns, arms))


@failing(TURNS, ARMS[:, :2], error=ValueError)
def vectors_of_another_length(turns, arms):
    return np.sum(turns @ arms[:, :, None])
