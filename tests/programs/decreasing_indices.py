"""Loops that fall, or whose backward iterations do, around loops that go through several arrays."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 0.8, -0.4])
W = np.array([0.1, 0.3, 0.2, 0.4, 0.15, 0.25])
M = np.array([[0.5, 1.2, -2.0], [0.3, 0.4, 0.1], [-0.4, 1.9, 1.8], [0.2, 0.6, -0.9]])


@program(X, W, 3)
@program(X, W, 0)
@program(X, W, 1)
@program(X[:3], W, 4)
@program(X[:2], W, 4)
@program(X[::-1], W, 2)
@program(X.astype(np.float32), W.astype(np.float32), 3)
def leapfrog(u, courant, steps):
    n = u.shape[0]
    before = u.copy()
    now = u.copy()
    energy = 0.0
    for _ in range(steps):
        after = np.empty(n)
        for i in range(1, n - 1):
            after[i] = 2 * now[i] - before[i] + courant[i] * (now[i - 1] - 2 * now[i] + now[i + 1])
        after[0] = 2 * now[0] - before[0] + 2 * courant[0] * (now[1] - now[0])
        after[n - 1] = 2 * now[n - 1] - before[n - 1] + 2 * courant[n - 1] * (now[n - 2] - now[n - 1])
        before = now
        now = after
        energy += now[n - 1] ** 2
    for i in range(n):
        energy += now[i] ** 2
    return energy


@program(M, X[:4])
@program(M[:0], X[:0])
@program(M[:1], X[:1])
@program(np.asfortranarray(M), X[:4])
def from_the_last_row(m, x):
    y = np.zeros(m.shape[1])
    for i in range(m.shape[0] - 1, -1, -1):
        for j in range(m.shape[1]):
            y[j] = np.sin(y[j] * x[i]) + m[i, j]
    return np.sum(y * y)


@program(M, X[:4])
def every_other_row_from_the_last(m, x):
    y = np.zeros(m.shape[1])
    for i in range(m.shape[0] - 1, 0, -2):
        for j in range(m.shape[1]):
            y[j] = np.sin(y[j] * x[i]) + m[i, j] * m[i - 1, j]
    return np.sum(y * y)


@program(X, W)
@program(X[:1], W)
def triangle_from_the_last_row(x, w):
    n = x.shape[0]
    y = np.zeros(n)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            y[i] += x[j - i] * np.tanh(y[j]) * w[j]
        y[i] += x[i]
    return np.sum(y * y)


@program(X, W)
def rows_counted_from_the_end(x, w):
    n = x.shape[0]
    y = x.copy()
    for k in range(-1, -n, -1):
        for j in range(n - 1):
            y[k] += w[j] * w[k] * np.sin(y[k - 1])
            w[k - 1] = w[j] * 0.9
    return np.sum(y * w)


@program(M, X[:3])
def rows_changed_below(m, w):
    a = m.copy()
    for i in range(m.shape[0] - 2, -1, -1):
        for j in range(1, m.shape[1]):
            a[i, j] += a[i + 1, j - 1] * w[j] * a[i, j - 1]
            w[j] = w[j] * a[i + 1, j]
    return np.sum(a * a) + np.sum(w)


@program(M, X[:4])
def only_some_rows(m, x):
    y = np.zeros(m.shape[1])
    for i in range(m.shape[0] - 1, -1, -1):
        if x[i] < 0.0:
            continue
        if x[i] > 1.5:
            for j in range(m.shape[1]):
                y[j] = y[j] * x[i] + m[i, j]
        else:
            for j in range(m.shape[1]):
                if y[j] > 1.0:
                    break
                y[j] = np.sin(y[j] * x[i]) + m[i, j]
    return np.sum(y * y)
