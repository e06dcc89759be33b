"""Parts of arrays that are added to parts of others, and to parts of themselves."""

import numpy as np

from collect import program

X = np.array([0.7, -1.3, 0.4, 1.9, 0.6, -0.2, 0.9])
A = np.linspace(-0.8, 1.4, 12).reshape(3, 4) ** 3
S = np.cos(np.arange(16.0)).reshape(4, 4)


@program(A, A[::-1] * 0.5, 2)
@program(A[:1], A[:1] * 0.5, 2)
@program(A[:, :1], A[:, :1] * 0.5, 2)
@program(np.asfortranarray(A), A.T.copy().T * 0.5, 2)
@program(A.astype(np.float32), A[::-1].astype(np.float32), 2)
def divergence(px, py, n):
    s = 0.0
    for _ in range(n):
        d = np.zeros_like(px)
        d[:, :-1] += px[:, :-1]
        d[:, 1:] -= px[:, :-1]
        d[:-1, :] += py[:-1, :]
        d[1:, :] -= py[:-1, :]
        px = px + 0.3 * np.sin(d)
        py = py - 0.2 * d * px
        s += np.sum(d * d)
    return s


@program(X)
@program(X[:2])
@program(X[::-1])
def a_part_of_itself(x):
    y = x * x
    for _ in range(3):
        y[1:] += y[:-1]
        y[:-1] += 0.5 * y[1:]
    return np.sum(np.sin(y))


@program(X)
def a_part_under_another_name(x):
    y = x * x
    z = y[1:]
    y[:-1] += z
    w = y[::-1]
    y[:3] += w[:3]
    return np.sum(np.sin(y) * z[0])


@program(S)
def the_transpose(s):
    m = s * 1.0
    m[:, 1:] += m.T[:, :-1]
    m[1:3] += m.T[1:3]
    return np.sum(m * m)


@program(A, X[:4])
def rows_and_columns(a, x):
    m = np.exp(a)
    for i in range(1, 3):
        m[i, 1:] += m[i - 1, :-1]
        m[:, i] += m[:, 0]
        m[i] += x
        m[0, :3] += x[1:]
    return np.sum(np.sin(m))


@program(X, 3)
def read_after_it_was_added(x, n):
    y, z = x * 2.0, np.cos(x)
    s = 0.0
    for k in range(n):
        part = z[k : k + 3]
        y[1:4] += part
        z[k] = 0.5 * s
        s += np.sum(part * y[:3]) + y[2]
    return s
