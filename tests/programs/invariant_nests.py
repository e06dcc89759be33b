"""Nests that are the same in every iteration of the loop around them, whole or in part, and such as only look so."""

import numpy as np

from collect import program

U = np.array([0.3, -0.7, 1.1, 0.4, -0.2])
K = np.array([0.9, 1.3, 0.6, 0.8, 1.7, 0.5])
A = np.sin(np.arange(12.0).reshape(3, 4) * 1.3)
X = np.array([0.2, 0.9, 0.4, 1.3])


@program(U, K, 0.7, 3)
@program(U, K, 0.7, 0)
@program(U[:2], K[:3], 0.7, 2)
@program(np.repeat(U, 2)[::2], K, 0.7, 2)
def implicit_steps(u, k, r, steps):
    n = u.shape[0]
    now, upper, reduced = u.copy(), np.empty(n), np.empty(n)
    for _ in range(steps):
        pivot = 1 + r * (k[0] + k[1])
        upper[0] = -r * k[1] / pivot
        reduced[0] = now[0] / pivot
        for i in range(1, n):
            lower = -r * k[i]
            pivot = 1 + r * (k[i] + k[i + 1]) - lower * upper[i - 1]
            upper[i] = -r * k[i + 1] / pivot
            reduced[i] = (now[i] - lower * reduced[i - 1]) / pivot
        now[n - 1] = reduced[n - 1]
        for i in range(n - 2, -1, -1):
            now[i] = reduced[i] - upper[i] * now[i + 1]
    return np.sum(now**2)


def solved(lower, diagonal, upper, right):
    n = right.shape[0]
    above, x = np.empty(n), np.empty(n)
    above[0] = upper[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * above[i - 1]
        above[i] = upper[i] / pivot
        x[i] = (right[i] - lower[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= above[i] * x[i + 1]
    return x


@program(U, K, 3)
@program(U, K, 0)
def steps_by_a_function(u, k, steps):
    for _ in range(steps):
        u = solved(-k[:-1], 3.0 + k[:-1], -k[1:], u)
    return u[0] * u[2] + u[4]


@program(U, K, 3)
@program(U, K, 0)
def elimination_in_numbers(u, k, steps):
    u = u.copy()
    for _ in range(steps):
        share = above = 0.0
        for i in range(u.shape[0]):
            pivot = 2.0 + k[i] - k[i] * share
            share = k[i + 1] / pivot
            above = (u[i] + k[i] * above) / pivot
            u[i] = above
    return np.sum(u * u)


@program(A, X, 0.8)
@program(A[:0], X, 0.8)
@program(A[:, :0], X[:0], 0.8)
def columns_of_a_sum(a, x, b):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(x.shape[0]):
            s += a[i, j] * np.sqrt(b * x[j]) if a[i, j] > 0.01 else a[i, j] * np.exp(-b * x[j])
    return s


@program(A, X, 0.8)
@program(A[:0], -X, 0.8)
def a_root_that_has_no_derivative(a, x, b):
    s, zero = 0.0, b - 0.8
    for i in range(a.shape[0]):
        for j in range(x.shape[0]):
            s += a[i, j] * np.sqrt(x[j] * (1.0 + zero))
    return s + b


@program(A, X)
@program(A[:0], X)
def weights_of_each_iteration(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        w = np.exp(-x) / np.sum(np.exp(-x))
        s += np.sin(np.sum(w * a[i]))
    return s


@program(A, X)
def weights_that_are_written(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        w = np.empty(x.shape[0])
        for j in range(x.shape[0]):
            w[j] = np.exp(-x[j])
        s += w[0] * w[1]
        w[0] = a[i, 0]
        s += np.sum(w * w) * a[i, 1]
    return s


@program(X, 3)
@program(X, 0)
def elements_of_the_iteration_before(x, steps):
    c, s = np.ones(x.shape[0]), 0.0
    for _ in range(steps):
        for i in range(1, x.shape[0]):
            c[i] = c[i - 1] * x[i] / (1.0 + c[i] * c[i])
        s += c[-1] * x[0]
    return s + np.sum(c)


@program(X, 3)
@program(X, 0)
def a_first_element_from_before(x, steps):
    c, s = np.ones(x.shape[0]), 0.0
    for t in range(steps):
        s += c[0] + c[-1]
        c[0] = x[0]
        for i in range(1, x.shape[0]):
            c[i] = x[i] / (1.0 + c[i - 1])
        s = s * 0.5 + c[1] * t
    return s * c[2]


@program(X, 3)
@program(X, 0)
def a_last_element_from_before(x, steps):
    n = x.shape[0]
    c, s = np.ones(n), 0.0
    for t in range(steps):
        for i in range(n - 2, -1, -1):
            c[i] = x[i] / (1.0 + c[i + 1])
        c[n - 1] = 0.5 * x[0]
        s = s * 0.5 + c[1] * t
    return s * c[2]


@program(X, 3)
def steps_of_two(x, steps):
    n = x.shape[0]
    c, s = np.ones(n), 0.0
    for t in range(steps):
        c[0] = x[0]
        c[1] = x[0] * x[1]
        for i in range(2, n):
            c[i] = x[i] / (1.0 + c[i - 2] * c[i - 1])
        s = s * 0.5 + c[3] * t
    return s


@program(X, 3)
def the_last_iterations_numbers(x, steps):
    last, s, p = 0.0, 0.0, 1.0
    for t in range(steps):
        p = 1.0
        for i in range(x.shape[0]):
            last = np.exp(p * x[i])
            p = p / (1.0 + last)
            s += last * t * x[i]
    return s * last + p


@program(A, X)
def invariant_in_two_loops(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total = 0.0
            for k in range(x.shape[0]):
                total += np.exp(x[k] * x[0])
            s += a[i, j] / total
    return s


@program(U, X, 2)
@program(U, X, 0)
def an_argument_is_written(u, x, steps):
    s = 0.0
    for t in range(steps):
        u[t] = 2.0 * u[t]
        for j in range(x.shape[0]):
            s += u[j] / (1.0 + x[j])
    return s + u[0]


@program(X, 4)
def left_early(x, steps):
    s = 0.0
    for t in range(steps):
        for j in range(x.shape[0]):
            s += t * np.exp(x[j])
        if s > 3.0:
            break
    return s


@program(X, 4)
def array_after_the_loop(x, steps):
    w = np.zeros(x.shape[0])
    for t in range(steps):
        w = np.zeros(x.shape[0])
        for j in range(x.shape[0]):
            w[j] = np.exp(x[j])
    w[0] = 2.0
    return np.sum(w * x)


@program(A, X)
def array_handed_on(a, x):
    before, s = np.zeros(x.shape[0]), 0.0
    for i in range(a.shape[0]):
        w = np.empty(x.shape[0])
        for j in range(x.shape[0]):
            w[j] = np.exp(x[j])
        s += np.sum(before * a[i])
        before[1] = s
        before = w
    return s


@program(A, X)
def part_of_an_array(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        w = np.empty(x.shape[0])
        for j in range(x.shape[0]):
            w[j] = np.exp(x[j])
        part = w[1:]
        part[0] = a[i, 1]
        s += np.sum(w * a[i])
    return s


@program(X, U[:4], 3)
@program(X, U[:4], 0)
def array_of_an_inner_loop(x, b, n):
    """What an iteration of the middle loop makes changes with that loop, and is an array."""
    for _ in range(1, x.shape[0], 2):
        for j in range(n):
            b[1:2] = x[x.shape[0] - 1 :] / (1.56 + j)
    return np.sum(b)


@program(X, U[:4], 3)
def sum_of_an_inner_loop(x, b, n):
    for k in range(x.shape[0]):
        for j in range(n):
            s = 0.0
            for i in range(x.shape[0]):
                s += np.exp(-x[i] * j) / (1.0 + j)
            b[k] += s * x[k]
    return np.sum(b)
