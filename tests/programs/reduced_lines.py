"""Reductions of lines whose results meet the lines again: their sizes are those of the other axes."""

import numpy as np

from collect import program

A = np.sin(np.arange(12.0) * 1.7).reshape(3, 4) + 0.1 * np.arange(4)
B = np.cos(np.arange(12.0) * 0.9).reshape(3, 4)
V = np.array([0.4, -0.7, 1.1, 0.3])


@program(A, V)
@program(np.asfortranarray(A), V[::-1])
def standardised_columns(x, w):
    z = (x - np.mean(x, axis=0)) / np.std(x, axis=0)
    return np.sum(np.sin(z) * w * x)


@program(A)
@program(A[:, ::2])
def standardised_rows(x):
    z = (x - np.mean(x, axis=-1, keepdims=True)) / np.sqrt(np.var(x, axis=-1, ddof=1, keepdims=True) + 1e-3)
    return np.sum(np.tanh(z) * x)


@program(A)
@program(np.asfortranarray(A))
def unit_vectors(x):
    u = x / np.linalg.norm(x, axis=1)[:, None]
    return np.sum(u @ u.T * np.arange(3.0))


@program(A)
def unit_columns(x):
    u = x / np.linalg.norm(x, 2, 0, keepdims=True)
    return np.sum(np.exp(u) * x[0])


@program(A, B)
def the_largest_of_each_row(x, y):
    k = np.argmax(x, axis=1)
    return np.sum((x[np.arange(x.shape[0]), k] * k)[:, None] * y)


@program(A, B)
def rows_without_negative_elements(x, y):
    keeps = np.all(x > -0.5, axis=1)
    has = np.any(y > 0.9, axis=1)
    return np.sum(x * y * (keeps | has)[:, None])


@program(A, B)
def sums_of_what_is_there(x, y):
    x = np.where(x > 0.9, np.nan, x)
    return np.sum(np.nansum(x, axis=0) * y)


@program(A[0], np.array([-1.0, -0.2, 0.4, 2.0]), V)
def between_points(x, points, values):
    return np.sum(np.interp(x, points, values) * x * np.searchsorted(points, x))


@program(A, V, 2)
def standardised_in_each_layer(x, w, layers):
    for _ in range(layers):
        x = (x - np.mean(x, axis=0)) / (np.std(x, axis=0) + 0.1)
        x = 1 / (1 + np.exp(-x * w))
    return np.sum(x * x)
