"""Arrays that iterations stack of others, factor, step in place, or lengthen at an end and cut at the other one."""

import numpy as np

from collect import program

X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9, 0.6])
P = np.array([[1.3, 0.2, -0.1], [0.2, 0.9, 0.3], [-0.1, 0.3, 1.1]])


@program(X, P, 0.3, 3)
@program(X, P, 0.3, 0)
def sigma_points(x, p, dt, steps):
    m, weights = x[:3] + 0.0, np.full(7, 0.125)
    p = 0.5 * (p + p.T)
    s = 0.0
    for t in range(steps):
        root = np.linalg.cholesky(2.5 * p)
        points = np.empty((7, 3))
        points[0] = m
        for i in range(3):
            points[1 + i] = m + root[:, i]
            points[4 + i] = m - root[:, i]
        for _ in range(2):
            a, b, c = points[:, 0], points[:, 1], points[:, 2]
            change = np.stack((x[0] * (b - a), a * (1.2 - c) - b, a * b - c), axis=1)
            points = points + dt * change
        m = weights @ points
        centred = points - m
        p = (weights[:, None] * centred).T @ centred + np.eye(3)
        s += m[0] * m[1] + p[2, 0] + t
    return s


@program(P, 3)
@program(P[:2, :2], 3)
@program(P[:1, :1], 2)
@program(np.asfortranarray(P), 2)
def factors_in_a_loop(p, steps):
    s, p = 0.0, 0.5 * (p + p.T)
    for _ in range(steps):
        root = np.linalg.cholesky(p)
        s += np.log(root[0, 0]) + np.sum(root[-1])
        p = 0.5 * (root @ root.T) + np.eye(p.shape[0])
    return s


@program(X, X[::-1] * 0.5, 3)
@program(X[:1], X[:1], 2)
@program(X[:0], X[:0], 2)
def stacked_along_each_axis(x, y, n):
    s = 0.0
    for k in range(n):
        rows = np.stack((x * k, np.sin(y), x + y))
        columns = np.stack((x, rows[1]), axis=-1)
        s = s + np.sum(rows[2] * rows[0]) + np.sum(columns[:, 1] ** 2) + np.sum(columns)
        x = 0.5 * x + rows[1]
    return s


@program(X, X[:3], 3)
def one_array_stacked_twice(x, y, n):
    s = 0.0
    for k in range(n):
        z = np.stack((y, y * y, y), axis=1)
        y = np.cos(y) + z[:, 1] * k
        s += np.sum(z[:, 0] * z[:, 2]) + z[-1, 1]
    return s + x[0]


@program(X, 4)
@program(X[:1], 3)
@program(X[::2], 0)
def steps_in_place(x, n):
    y, z = np.sin(x), np.cos(x)
    for _ in range(n):
        y = y + 0.1 * z * y
        z = z - 0.1 * y
    return np.sum(y * z)


@program(X, 4)
def steps_with_neighbours(x, n):
    y = np.sin(x)
    for _ in range(n):
        z = np.empty(y.shape)
        for i in range(y.shape[0]):
            z[i] = y[i] * y[i - 1] if i > 1 else y[i]
        y = z
    return np.sum(y)


@program(X, 4)
def steps_that_are_kept(x, n):
    y = np.sin(x)
    before, s = y, 0.0
    for k in range(n):
        before = y
        y = y * y + 0.3
        s += np.sum(before * y) * k
    return s + before[0] * y[1]


@program(X, 4)
def steps_read_as_views(x, n):
    y, s = np.sin(x), 0.0
    for _ in range(n):
        part = y[1:]
        y = y * np.cos(y) + 0.3
        s += np.sum(part * y[:-1])
    return s


@program(P, 3)
def transposed_steps(p, n):
    for _ in range(n):
        p = p.T * 0.5 + p
    return p[0, 1] * p[2, 0]


@program(X, X * 0.2, 4)
@program(X[:2], X[:2], 3)
@program(X[:4:2], X[:2] * 0.1, 3)
def shifted_by_one_and_two(x, skip, n):
    alpha = np.full(x.shape[0], -5.0)
    alpha[0] = x[0]
    alpha[1] = x[1]
    for t in range(n):
        one = np.concatenate((np.array([-5.0]), alpha[:-1]))
        two = np.concatenate((np.array([-5.0, -5.0]), alpha[:-2])) + skip
        alpha = np.logaddexp(np.logaddexp(alpha, one), two) + x[t % 2]
    return np.logaddexp(alpha[-1], alpha[-2])


@program(X, 3)
@program(X[:1], 3)
@program(X[:0], 3)
def lengthened_at_the_end(x, n):
    y = np.sin(x)
    for k in range(n):
        y = np.concatenate((y[1:], np.array([0.5 * k]))) * y
    return np.sum(y)


@program(X, 3)
@program(X[:2], 1)
def longer_than_before(x, n):
    y = np.sin(x)
    for _ in range(n):
        y = np.concatenate((y[2:], y[:1], y[:1] * y[-1:]))
    return np.sum(y * y)


@program(X, 3)
@program(X[:1], 3)
def moving_average(x, n):
    for _ in range(n):
        x = (np.concatenate((x[:1], x[:-1])) + x + np.concatenate((x[1:], x[-1:]))) / 3.0
    return np.sum(x * x)


@program(X[:4], 3)
@program(X[:4], 70)
def stacked_with_integers(x, n):
    s = 0.0
    for k in range(n):
        z = np.stack((np.arange(4), x * k))
        s += np.sum(z * z)
    return s


@program(X, 3)
@program(X, 0)
def zeros_at_an_end(x, n):
    for _ in range(n):
        x = np.hstack((np.zeros(1), x[:-1])) + 0.5 * x
    return np.sum(x * x)


@program(X, 2)
@program(X, 6)
def cut_and_lengthened(x, n):
    y = np.sin(x)
    for _ in range(n):
        z = np.concatenate((y[1:], np.ones(1)))
        y = z[:-1] * 0.5
    return np.sum(y) + y.shape[0]


@program(np.outer(X, X[:3]), 2)
@program(np.outer(X, X[:3])[:1], 2)
@program(np.outer(X, X[:3])[:0], 2)
def rows_turned(a, n):
    for _ in range(n):
        a = np.concatenate((a[1:], a[:1] * 0.5), axis=0) * a
    return np.sum(a)
