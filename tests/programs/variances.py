"""Variances among other arithmetic of the elements: sums of squares of differences from the mean."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(66)
X = _RNG.uniform(0.5, 2.5, (4, 5))
W = _RNG.uniform(0.5, 1.5, 5)


@program(X, W)
@program(X[:1], W)
@program(np.asfortranarray(X), W)
@program(X[::2, ::-1], W)
def normalised_rows(x, w):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    return np.sum(centred / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-2) * w * x)


@program(X)
@program(X[:, :1])
def of_all_elements(x):
    return np.var(x) * np.sum(x) + np.var(x, axis=None, keepdims=True)[0, 0]


@program(X)
def down_the_columns(x):
    return np.sum(np.var(x, axis=0) ** 2) + np.sum(x.var(0) * x[0]) + np.sum(np.var(x, axis=(0, 1)) * x)


@program(X)
def with_fewer_degrees_of_freedom(x):
    return np.sum(np.var(x, axis=0, ddof=1) * x) + np.sum(np.std(x, axis=1) * x[:, 0])


@program(X, 3)
def in_a_loop(x, steps):
    for _ in range(steps):
        x = x / np.sqrt(np.var(x, axis=1, keepdims=True) + 0.1) + 0.3 * x
    return np.sum(x * x * x)


@program(W)
def of_a_vector(w):
    return np.var(w * w) + np.var(np.sin(w[1:]))
