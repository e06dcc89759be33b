"""Loops whose backward sweeps add outer products to matrices."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(5)
A = RANDOM.normal(size=(9, 9)) * 0.4
B = RANDOM.normal(size=(9, 8)) * 0.3
X = RANDOM.normal(size=(5, 8))


@program(A, B, X)
@program(A, B, X[:0])
@program(A, B, X[:1])
@program(np.asfortranarray(A), B, X[::2])
def recurrent_network(a, b, x):
    h = np.zeros(9)
    loss = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(a @ h + b @ x[t])
        loss += np.sum(h**2)
    return loss


@program(A, X[:4] @ B.T)
def from_the_end(a, x):
    s = 0.0
    h = np.ones(9)
    for t in range(x.shape[0] - 1, -1, -1):
        h = np.sin(h @ a) * x[t]
        s += h[t]
    return s


@program(A, X @ B.T)
def each_row_by_itself(a, x):
    s = 0.0
    for t in range(x.shape[0]):
        y = a @ x[t]
        s += np.sum(np.cos(y) * y)
    return s


@program(A, B, X)
def loops_in_a_loop(a, b, x):
    s = 0.0
    for k in range(2):
        h = np.full(9, 0.3 + k)
        for t in range(x.shape[0]):
            h = np.tanh(a @ h + b @ x[t])
        s += np.sum(h) * (k + 1)
    return s


@program(A, X @ B.T)
def matrix_that_changes(a, x):
    s = 0.0
    w = a.copy()
    for t in range(x.shape[0]):
        y = np.sin(w @ x[t])
        s += np.sum(y * y)
        w = 0.9 * w
    return s


@program(A, X @ B.T)
def only_now_and_then(a, x):
    s = 0.0
    for t in range(x.shape[0]):
        if x[t, 0] > 0:
            y = a @ x[t]
            s += np.sum(y * y)
    return s


@program(A, X @ B.T)
def the_same_vector_twice(a, x):
    s = 0.0
    for t in range(x.shape[0]):
        y = a @ x[t]
        s += y @ (a @ y)
    return s
