"""Rows that iterations make in sizes of their own, and parts of rows that move from iteration to iteration."""

import numpy as np

from collect import failing, program

X = np.array([0.7, -1.3, 0.4, 1.9, 0.6, -0.2, 0.9])
F = X.astype(np.float32)


@program(X, 7)
@program(X, 1)
@program(X, 0)
@program(F, 5)
def falling(x, n):
    s = 0.0
    for i in range(n):
        y = np.empty(n - i)
        for j in range(n - i):
            y[j] = np.sin(x[i + j]) + s
        for j in range(n - i):
            s += y[n - i - 1 - j] * y[j] * 0.1
    return s


@program(X, 4)
@program(X, 0)
def rising_in_a_nest(x, n):
    s = 0.0
    for k in range(2):
        for i in range(n - 1, -1, -1):
            y = np.empty(2 * i + 1)
            for j in range(2 * i + 1):
                y[j] = x[min(j, 6)] * x[k]
            for j in range(i + 1):
                s += np.cos(y[2 * j]) + y[j] * s * 0.1
    return s


@program(X, 4)
def counted_from_the_end(x, n):
    s = 0.0
    for i in range(n):
        y = np.empty(i + 2)
        for j in range(i + 2):
            y[j] = x[j] * (s + 1.0)
        s += np.sin(y[-1]) + 0.1 * y[-1 - i]
    return s


@program(X, 4)
def size_asked_for(x, n):
    s = 0.0
    for i in range(n):
        y = np.empty(i + 1)
        for j in range(i + 1):
            y[j] = x[j] * (s + 1.0)
        for j in range(y.shape[0]):
            s += np.sin(y[j]) / len(y)
    return s


@program(X, 4)
def read_as_a_whole(x, n):
    s = 0.0
    for i in range(n):
        y = np.empty(i + 1)
        for j in range(i + 1):
            y[j] = x[j] * (s + 1.0)
        s += np.max(y) * 0.2 + np.dot(y, y)
    return s


@program(X, 5)
def the_last_is_kept(x, n):
    y = np.ones(1)
    for i in range(n):
        z = np.empty(i + 1)
        for j in range(i + 1):
            z[j] = x[j] * y[min(j, i - 1)] if i > 0 else x[0]
        y = z
    return np.sum(y * y)


@program(X, 100)
def left_before_it_is_large(x, n):
    s = 0.0
    for i in range(n):
        if i > 4:
            break
        y = np.empty(i * 1000000000 + 3 if i > 4 else i + 3)
        for j in range(i + 3):
            y[j] = x[min(i, j)] ** 2
        s += y[0] * y[i] * s + y[i + 2]
    return s


@program(X, 3)
@program(X, 0)
@program(F, 3)
def cut_at_both_ends(x, n):
    y = np.exp(x)
    s = 0.0
    for _ in range(n):
        s += np.sum(np.sin(y)) * y[0]
        y = y[1:-1]
    return s


@program(X)
def windows_that_move(x):
    y = np.exp(x)
    s = 0.0
    for k in range(4):
        window = y[k : k + 3]
        largest = np.max(window)
        s += largest + np.log(np.sum(np.exp(window - largest)))
    return s


@program(X)
def windows_cut_off_by_the_ends(x):
    y = np.exp(x)
    s = 0.0
    for k in range(-2, 8):
        window = y[k : k + 3]
        for j in range(window.shape[0]):
            s += window[j] * window[0] * (k + 0.5)
    return s


@program(X, 2)
def part_that_is_read_beside_the_row(x, n):
    y = np.exp(x)
    s = 0.0
    for k in range(n):
        part = y[k + 1 : k + 5]
        s = np.sin(s) + np.dot(part, part[::-1]) * y[k] + np.sum(part * y[k : k + 4])
    return s


@program(X, 6)
def tree(x, n):
    values = np.exp(x * 0.3)
    prices = np.cos(x)
    for _ in range(n // 2):
        values = 0.4 * values[:-2] + 0.3 * values[1:-1] * values[2:]
        prices = prices[1:-1]
        values = np.maximum(values, 0.9 - 0.4 * prices)
    return values[0]


@program(X, 3, 3)
@program(X, 0, -2)
@program(X, -1, -2)
def array_of_a_negative_size_in_no_iteration(x, steps, n):
    s = x[0]
    for _ in range(steps):
        y = np.zeros(n)
        for j in range(n):
            y[j] = np.exp(-0.1 * j * x[0] * s)
        s = s * 0.9 + np.sum(y / np.sum(y) ** 2)
    return s + x[1]


@program(X, 4)
@program(X, -2)
def list_of_arrays_of_a_negative_size_in_no_iteration(x, n):
    s, rows = x[0], []
    for i in range(n):
        y = np.zeros(n)
        for j in range(n):
            y[j] = np.exp(-0.1 * j * x[0] * s)
        s = s * 0.9 + y[i]
        rows.append(y)
    for row in rows:
        s += row[0] * x[1]
    return s


@failing(X, 2, -2, error=ValueError)
def array_of_a_negative_size(x, steps, n):
    s = x[0]
    for _ in range(steps):
        y = np.zeros(n)
        s = s * 0.9 + np.sum(np.exp(y * s))
    return s


@failing(X, 2, -2, error=ValueError)
def another_array_of_a_negative_size(x, steps, n):
    s = x[0]
    for _ in range(steps):
        y, z = np.zeros(n), np.empty(n, np.float32)
        s = s * 0.9 + np.sum(np.exp(y * s)) + np.sum(z)
    return s
