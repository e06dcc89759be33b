"""Branches that ask whether two floats are equal, in loops whose iterations may run side by side."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(64)
X = _RNG.uniform(0.5, 1.5, 9)
Y = _RNG.uniform(0.5, 1.5, 9)
K = np.arange(9) % 3 - 1
W = _RNG.uniform(0.5, 1.5, (4, 9))
NOTHING = -np.inf


def log_add(a, b):
    if a == NOTHING:
        return b
    if b == NOTHING:
        return a
    return max(a, b) + np.log1p(np.exp(-abs(a - b)))


@program(W)
@program(W[:1])
@program(W[:, :2])
def log_paths(w):
    n = w.shape[1]
    a = np.full(n, NOTHING)
    a[0] = w[0, 0]
    for t in range(1, w.shape[0]):
        after = np.full(n, NOTHING)
        for s in range(n):
            best = a[s]
            if s > 0:
                best = log_add(best, a[s - 1])
            if s > 1 and s % 2 == 0:
                best = log_add(best, a[s - 2])
            after[s] = best + w[t, s]
        a = after
    return log_add(a[0], a[n - 1])


@program(Y, X, K)
@program(Y[:0], X[:0], K[:0])
@program(Y[::-1], X[::-1], K[::-1])
def guarded_quotients(y, x, k):
    f = k * 1.0
    total = 0.0
    for i in range(y.shape[0]):
        q = np.sin(y[i]) / y[i] if f[i] != 0.0 else 1.0
        total += q * x[i]
    return total


@program(Y, X, K)
def skipped_zeros(y, x, k):
    f = k * 1.0
    total = 0.0
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            total += y[i] * np.exp(-x[i] * y[i])
    return total


@program(Y, X, K)
def nested(y, x, k):
    f = k * 1.0
    out = np.zeros(y.shape[0])
    for i in range(y.shape[0]):
        if f[i] == 0.0:
            out[i] = x[i]
        else:
            e = np.exp(y[i])
            if f[i] == 1.0:
                out[i] = e
            elif e > 1.0:
                out[i] = np.log(e + x[i]) * e
            else:
                out[i] = e * x[i] ** 2
    return np.sum(out**2)


@program(Y, X, K, 3)
def several_times(y, x, k, n):
    f = k * 1.0
    total = 0.0
    for step in range(n):
        for i in range(y.shape[0]):
            z = np.exp(y[i] * x[i]) if f[i] != 0.0 else x[i] * step
            x[i] = 0.5 * z + 0.1
            total += z
    return total


@program(Y, X, K, 3)
def until(y, x, k, n):
    f = k * 1.0
    total, step = 0.0, 0
    while step < n:
        for i in range(y.shape[0]):
            if f[i] != 0.0:
                e = np.exp(-y[i] * x[i])
                total += e * e
                x[i] = e
        step += 1
    return total


@program(Y, X, K)
def kept_by_the_program(y, x, k):
    f = k * 1.0
    kept = np.empty(y.shape[0])
    total = 0.0
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            kept[i] = np.exp(y[i])
            total += kept[i] * x[i]
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            total += kept[i] ** 2
    return total


@program(Y, X, K)
def kept_by_both_sides(y, x, k):
    f = k * 1.0
    kept = np.empty(y.shape[0])
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            kept[i] = np.exp(y[i])
        else:
            kept[i] = x[i]
    return np.sum(kept**2 * x)


@program(Y, X, K)
def one_element_for_two(y, x, k):
    f = k * 1.0
    kept = np.ones(5)
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            kept[i // 2] = np.exp(y[i]) * x[i]
    return np.sum(kept**2)


@program(Y.astype(np.float32), X.astype(np.float32), K)
def single_precision(y, x, k):
    f = k * 1.0
    out = np.zeros_like(x)
    for i in range(y.shape[0]):
        out[i] = x[i] if f[i] == 0.0 else y[i] * np.exp(x[i])
    return out[0] + out[4]


@program(Y, X, K)
def a_quotient_of_zeros(y, x, k):
    f = k * 1.0
    total = 0.0
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            r = y[i] / f[i]
            total += np.sqrt(r * r + x[i]) / f[i]
    return total


@program(X, 7, 7)
@program(X, 7, 8)
def numbers_from_outside(x, m, n):
    a, b = 0.1 * m, 0.1 * n
    total = 0.0
    for i in range(x.shape[0]):
        if a == b:
            total += x[i]
        else:
            total += np.log(abs(a - b) * x[i]) / (a - b)
    return total


@program(Y, K, True)
@program(Y, K, False)
def written_by_another_name(y, k, flag):
    f = k * 1.0
    kept, other = np.empty(y.shape[0]), np.zeros(y.shape[0])
    either = kept if flag else other
    for i in range(y.shape[0]):
        either[i] = 5.0 * y[i]
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            kept[i] = np.exp(y[i])
    total = np.sum(other)
    for i in range(y.shape[0]):
        if flag or f[i] != 0.0:
            total += kept[i] ** 2
    return total


@program(Y, K)
def written_by_a_view(y, k):
    f = k * 1.0
    kept = np.empty(y.shape[0])
    whole = kept[:]
    whole[:] = 3.0 * y
    for i in range(y.shape[0]):
        if f[i] != 0.0:
            kept[i] = np.exp(y[i])
    return np.sum(kept**2)


@program(Y, K, 3)
def exchanged(y, k, n):
    f = k * 1.0
    a, b = np.empty(y.shape[0]), y * 1.0
    for _ in range(n):
        for i in range(y.shape[0]):
            a[i] = np.exp(-b[i]) if f[i] != 0.0 else b[i]
        a, b = b, a
        for i in range(y.shape[0]):
            if f[i] != 0.0:
                a[i] = np.sin(b[i])
    return np.sum(b) + a[0]
