"""Arrays that an iteration makes, writes over as a whole, and keeps elsewhere."""

import numpy as np

from collect import program

X = np.array([0.7, 0.9])


@program(X, 3)
@program(X, 0)
def scaled_and_stored(x, n):
    a = x
    rows = np.zeros((n, 2))
    for t in range(n):
        a = a * x
        a /= np.sum(a)
        rows[t] = a
    return np.sum(rows**2)


@program(X)
def exponential_in_place(x):
    a = x
    rows = np.zeros((2, 2))
    for t in range(2):
        a = a * x
        a[:] = np.exp(0.5 * a)
        rows[t] = a
    return rows[1, 1]


@program(X, 3)
def filled_and_read(x, n):
    a = x
    s = 0.0
    for _ in range(n):
        y = np.empty(2)
        y[:] = np.exp(0.3 * a)
        s += np.sum(y * y * a)
        a = y * x
    return s


@program(X, 3)
def filled_stored_and_read(x, n):
    a = x
    s = 0.0
    rows = np.zeros((n, 2))
    for t in range(n):
        y = np.zeros(2)
        y[:] = np.exp(0.3 * a)
        rows[t] = y
        s += np.sum(y * y * a)
        a = y * x
    return s + np.sum(rows[:, 0])


@program(X, 3)
def element_after_element(x, n):
    a = x
    s = 0.0
    for _ in range(n):
        y = np.zeros(2)
        y[0] = np.exp(0.3 * a[0])
        y[1] = np.sin(a[1]) * y[0]
        s += np.sum(y * y * a)
        a = y * x
    return s


@program(X, 3)
def copied_from_row_to_row(x, n):
    a = x
    rows = np.zeros((n, 2))
    others = np.zeros((n, 2))
    for t in range(n):
        a = a * x
        a[:] = np.exp(0.2 * a)
        rows[t] = a
        others[t] = rows[t]
        a = rows[t] * x
    return others[1, 1] * np.sum(rows)


@program(X, 3)
def hidden_states(x, n):
    chances = np.outer(x, x) + 0.1
    chances /= np.sum(chances, axis=1)[:, None]
    alpha = x / np.sum(x)
    kept = np.empty((n, 2))
    scales = np.empty(n)
    for t in range(n):
        alpha = (alpha @ chances) * np.exp(-x * (t + 1.0))
        scales[t] = np.sum(alpha)
        alpha /= scales[t]
        kept[t] = alpha
    beta = np.ones(2)
    total = 0.0
    for t in range(n - 1, -1, -1):
        both = kept[t] * beta
        total += both[0] / np.sum(both)
        beta = chances @ (beta * np.exp(-x * (t + 1.0))) / scales[t]
    return total * np.sum(np.log(scales))


@program(X, 3)
def normalised_matrix(x, n):
    m = np.outer(x, x) + np.eye(2)
    rows = np.zeros((n, 2, 2))
    for t in range(n):
        m = m @ m
        m /= np.trace(m)
        rows[t] = m
    return np.sum(rows * rows)


@program(X, 3)
def of_two_branches(x, n):
    a = x
    rows = np.zeros((n, 2))
    s = 0.0
    for t in range(n):
        if t % 2 == 0:
            a = a * x
            a[:] = np.exp(0.3 * a)
            rows[t] = a
        else:
            a = np.sin(a)
            a /= np.sum(a)
            rows[t] = a
        s += np.sum(a * a)
    return s * np.sum(rows)


@program(X, X + 1.0, 5)
def replaced_and_asked_for_its_size(x, s, n):
    v = s
    for _ in range(0, n, 2):
        v = x
    v = v + s
    return x[1] ** 2 * s[0]


@program(X, X + 1.0, 0.5)
def in_one_branch(x, s, a):
    y = x * 0.5
    v = s
    if a < 0.13:
        y = y * a
    else:
        w = np.ones(2)
        w[:] = w * 0.7 + x * 0.3
        w /= np.sum(w * w) + 1.0
        y = w * x
        v = np.log(1.5 + v**2) * y
    y[1:] = (y[1:] + 0.1) / (s[1:] + 0.5)
    return np.sum(y * v)
