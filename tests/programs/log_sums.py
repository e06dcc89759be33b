"""Logarithms of sums of exponentials, term by term: in recurrences, tables, branches, and of rows at once."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(21)
X = RANDOM.normal(size=7)
Y = RANDOM.normal(size=7)
P = RANDOM.normal(size=(5, 4))


@program(X)
@program(X[:1])
@program(X[:0])
def running_sum(x):
    total = 0.1
    for i in range(x.shape[0]):
        total = np.logaddexp(total, x[i])
    return total


@program(P)
@program(P[:1])
def paths_through_a_table(scores):
    low = np.zeros(scores.shape)
    for i in range(1, scores.shape[0]):
        for j in range(1, scores.shape[1]):
            both = np.logaddexp(low[i - 1, j], low[i, j - 1])
            low[i, j] = np.logaddexp(both, 2.0 * low[i - 1, j - 1]) + scores[i, j]
    return low[-1, -1] + low[0, 0] * 0.0 + np.sum(scores[0])


@program(X, Y, 0.7)
@program(X[::2], Y[::2], 0.7)
def logistic_loss_of_some(x, y, weight):
    loss = 0.0
    for i in range(x.shape[0]):
        z = weight * x[i] + y[i]
        if z > -0.3:
            loss += np.logaddexp(0.0, z)
        else:
            loss += np.logaddexp(z, -z) * y[i]
    return loss


@program(X, Y)
def sums_of_rows(x, y):
    total = np.logaddexp(x[:, None], y * x)
    return np.sum(np.logaddexp(total, 0.2) * y)


@program(X, 0.4)
def until_it_is_large(x, step):
    total, k = 0.0, 0
    while total < 2.5:
        total = np.logaddexp(total, x[k % 7] + step * k)
        k += 1
    return total * step
