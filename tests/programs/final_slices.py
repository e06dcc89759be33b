"""Slices that are read before or after parts of their array are written: next to them, on them, over them in part."""

import numpy as np

from collect import program

A = np.array([[4.1, 0.3, -0.4, 0.2], [0.9, 5.2, 0.7, 0.5], [-0.5, 0.6, 4.3, 0.1], [0.2, -0.8, 0.1, 3.9]])
S = A @ A.T
X = np.array([0.3, 1.1, -0.4, 0.9, 0.2, 0.7, -0.5, 0.6])
W = np.array([0.5, -0.2, 0.8])


@program(S)
@program(S[:3, :3].copy())
@program(S[:1, :1].copy())
def cholesky_by_columns(s):
    n = len(s)
    factor = np.zeros_like(s)
    for j in range(n):
        factor[j, j] = np.sqrt(s[j, j] - factor[j, :j] @ factor[j, :j])
        factor[j + 1 :, j] = (s[j + 1 :, j] - factor[j + 1 :, :j] @ factor[j, :j]) / factor[j, j]
    return np.sum(np.log(np.diag(factor))) + np.sum(factor**2)


@program(A)
@program(np.asfortranarray(A))
def elimination(a):
    a = a.copy()
    n = len(a)
    for k in range(n - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(a)))) + np.sum(np.sin(a))


@program(X, W)
def filtered_behind_itself(x, w):
    y = x.copy()
    k = len(w)
    for i in range(k, len(y)):
        y[i] = np.tanh(y[i]) + np.sum(w * y[i - k : i] ** 2)
    return np.sum(y**2)


@program(X, W)
def one_element_is_overwritten(x, w):
    y = x.copy()
    k = len(w)
    for i in range(k, len(y)):
        y[i - 1] = np.tanh(y[i]) + np.sum(w * y[i - k : i] ** 2)
    return np.sum(y**2)


@program(X, W)
def filtered_from_the_end(x, w):
    y = x.copy()
    n, k = len(y), len(w)
    for i in range(n - k - 1, -1, -1):
        y[i] = y[i] * 0.5 + np.sum(w * y[i + 1 : i + 1 + k] ** 2)
    return np.sum(y**2)


@program(X)
def every_second_element(x):
    y = x.copy()
    n = len(y)
    for i in range(2, n):
        y[i] = y[i] + np.sum(np.sin(y[i % 2 : i : 2])) * np.sum(y[: i - 1] ** 2)
    return np.sum(y**2)


@program(X, 3)
@program(X, 0)
@program(X, -2)
def ends_that_the_run_knows(x, k):
    y = x.copy()
    for i in range(4):
        y[4 + i] = np.sin(np.sum(y[k : 4 + i] ** 2)) + np.sum(np.cos(y[:k]))
        y[i] = np.sum(y[i + 1 :] ** 2) * 0.1
    return np.sum(y**2)


@program(X)
def ends_counted_from_the_end(x):
    y = x.copy()
    n = len(y)
    for i in range(1, 4):
        s = np.sum(y[:-i] ** 2)
        y[n - i - 1] = np.sin(s)
        y[-i] = y[0] * np.sum(y[-i:] ** 2)
    return np.sum(y**2)


@program(A)
def rows_below_and_columns_beside(a):
    a = a.copy()
    n = len(a)
    total = 0.0
    for i in range(n):
        for j in range(n - 1):
            row, column = a[i, j + 1 :], a[i + 1 :, j]
            total += np.sum(row**2) + np.sum(column**3)
            a[i, j] = np.sum(np.cos(row)) * np.sum(np.sin(column))
    return total + np.sum(a)
