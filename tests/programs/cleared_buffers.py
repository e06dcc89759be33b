"""Zeros that every iteration of a loop makes anew, in one memory for all iterations or not."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.7, 1.1])
PLACES = np.array([0, 2, 1, 2])
A = np.asfortranarray(np.outer(X[:3], X[1:]) + 0.1)


@program(X, PLACES, 3)
@program(X[:1], PLACES, 4)
@program(X[:0], PLACES, 3)
@program(X[::2], PLACES, 3)
@program(X.astype(np.float32), PLACES, 3)
@failing(X, PLACES, 2, error=IndexError)
@failing(X, PLACES, -2, error=ValueError)
def sums_by_place(x, places, n):
    total = 0.0
    for i in range(x.shape[0]):
        y = np.zeros(n)
        for j in places:
            y[j] += np.sin(x[i] * (j + 1))
        for j in range(n):
            total += y[j] ** 2
    return total


@program(A)
@program(A.T)
@program(A[:, ::2])
def of_two_axes_in_two_loops(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            y = np.zeros_like(a)
            for k in range(a.shape[0]):
                if a[k, j] > 0:
                    y[k, j] += a[k, j] * a[i, j]
            total += np.sum(y * a[i]) + np.max(y)
    return total


@program(X * 1.05, 4)
def whole_numbers(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        counts = np.zeros(n, dtype=np.int64)
        for j in range(x.shape[0]):
            counts[int(abs(x[j] * x[i])) % n] += 1
        for j in range(n):
            total += counts[j] * x[i] ** (j + 1)
    return total


@program(X, 4)
def kept_as_a_view(x, n):
    before = np.zeros(n - 1)
    total = 0.0
    for i in range(3):
        y = np.zeros(n)
        for k in range(1, n):
            y[k] += np.sin(x[k] * (i + 1)) + before[k - 1]
        before = y[1:]
        total += before[0] * before[1]
    return total + before[2]


@program(X, 4)
def kept_on_one_path(x, n):
    best = np.ones(n)
    total = 0.0
    for i in range(4):
        y = np.zeros(n)
        for k in range(n):
            y[k] += np.sin(x[k] * (i + 1)) + total
        if y[1] > 0.3:
            best = y
        total += 0.1 * np.sum(y * best)
    return total + best[1]


@program(X, 4)
def kept_in_a_list(x, n):
    rows, total = [], 0.0
    for i in range(3):
        y = np.zeros(n)
        for k in range(1, n):
            y[k] += np.sin(x[k] * (i + 1)) + total
        rows.append(y)
        total += 0.1 * np.sum(y)
    for row in rows:
        total += row[1] * row[2]
    return total


@program(X, 4)
def replaced_by_another(x, n):
    total = 0.0
    for i in range(3):
        y = np.zeros(n)
        for k in range(3):
            y = y * x[k] + x[:n]
            y[k] += total
        total += np.sin(y[0] * y[3])
    return total


@program(X, 4)
@program(X, 0)
def in_a_loop_that_is_left(x, n):
    total = x[0]
    k = 0
    while total < 60.0:
        y = np.zeros(n)
        for i in range(n):
            y[i] += total * x[i] ** 2
            if y[i] > 30.0:
                break
            y[i] += 1.0
        total += np.sum(y) + 1.0
        k += 1
        if k == 9:
            break
    return total


@program(X, 4)
def of_changing_sizes(x, n):
    total = 0.0
    for i in range(n):
        for j in range(2):
            y = np.zeros(n - i)
            for k in range(n - i):
                y[k] += x[k] * x[j] + 0.1 * total
            total += np.tanh(0.2 * np.sum(y * y[0]))
    return total


@program(X, 4)
def read_again_behind_the_loop(x, n):
    y = np.ones(n)
    total = 0.0
    for i in range(3):
        y = np.zeros(n)
        for k in range(n):
            y[k] += x[k] * (i + total)
        total += np.sin(y[0])
    return total + y[n - 1] * y[0]
