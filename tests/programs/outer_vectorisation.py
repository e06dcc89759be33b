"""Loops whose iterations run chains of steps: most run side by side when compiled, the others look as if they could."""

import numpy as np

from collect import program

W = np.linspace(-0.8, 0.9, 4)


def many(n):
    return np.cos(np.arange(float(n)))


@program(many(129), W)
@program(many(64), W)
@program(many(65), W[:1])
@program(many(5), W)
@program(many(70), W[:0])
@program(many(0), W)
def chains_summed(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s += np.sin(s * w[t]) * x[p]
        total += s * s
    return total


@program(many(67), W)
@program(many(3), W)
def two_chains_in_an_iteration(x, w):
    total = 0.1
    product = 1.0
    y = np.zeros(x.shape[0])
    for p in range(x.shape[0]):
        a = np.exp(-x[p])
        b = x[p] * 0.5
        for t in range(w.shape[0]):
            a, b = np.sin(b * w[t]), np.cos(a - b)
        c = a * b + x[p]
        for t in range(1, w.shape[0] - 1):
            b = np.tanh(b * c + a * w[t - 1])
            c = 0.5 * c + b * w[t + 1]
        y[p] = a + b * c
        total += np.sin(y[p])
        product = 0.9 * product + c
    return total * product + np.sum(y * y)


@program(many(67), W)
@program(many(2), W)
def chain_that_starts_where_the_last_one_ended(x, w):
    s = 0.3
    total = 0.0
    for p in range(x.shape[0]):
        for t in range(w.shape[0]):
            s = np.sin(s * w[t] + x[p])
        total += s
    return total * s


@program(many(67), W)
def start_that_the_iteration_before_has_set(x, w):
    start = 0.3
    total = 0.0
    for p in range(x.shape[0]):
        s = start
        for t in range(w.shape[0]):
            s = np.sin(s * w[t] + x[p])
        start = 0.5 * s
        total += s
    return total + start


@program(many(67), W)
def carried_number_that_the_chain_reads(x, w):
    factor = 1.0
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s * w[t] * factor)
        factor = 1.0 + 0.1 * x[p]
        total += s
    return total


@program(many(67), W)
def carried_number_read_after_the_chain(x, w):
    last = 1.0
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s * w[t]) + 0.1
        total = total * 0.5 + s * last
        last = s
    return total * last


@program(many(67), W)
@program(many(1), W)
@program(many(0), W)
def results_of_the_last_chain(x, w):
    s = 0.5
    k = 3
    for p in range(x.shape[0]):
        s = x[p]
        k = p
        for t in range(w.shape[0]):
            s = np.sin(s * w[t]) + 0.1
            k += t
    return s * k


@program(many(67), W)
def element_that_the_iteration_before_has_written(x, w):
    y = np.ones(x.shape[0] + 1)
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s + w[t])
        y[p + 1] = 0.3 * y[p] + s
    return np.sum(y * y)


@program(many(67), W)
def chain_that_reads_what_iterations_write(x, w):
    y = np.ones(x.shape[0] + 1)
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s + w[t]) * y[p]
        y[p + 1] = 0.3 + s
    return np.sum(y * y)


@program(many(67), W)
def array_written_before_and_after_the_chain(x, w):
    y = np.zeros(x.shape[0] + 1)
    for p in range(x.shape[0]):
        y[p + 1] = x[p] * 2.0
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s + w[t])
        y[p] += s * s
    return np.sum(y * y)


@program(many(67))
def chains_of_different_lengths(x):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(p % 5):
            s = np.sin(s + x[t])
        total += s
    return total


@program(many(67), W, 2)
@program(many(67), W, -70)
def iterations_and_steps_that_start_elsewhere(x, w, first):
    total = 0.0
    for p in range(first, x.shape[0] - 1):
        s = x[p % 67] if p > 3 else 0.25 * p
        for t in range(w.shape[0] - 1, 0, -2):
            if s > 0.2 * w[t]:
                s = s * np.cos(w[t - 1] * s) - 0.1
            else:
                s = s + x[p - 67 if p > 0 else (-p - 1) % 67] * w[t]
        if s > 0.0:
            total += s * s
        else:
            total -= s
    return total


@program(many(67), W)
def chain_that_may_stop(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s + w[t])
            if s > 0.9:
                break
        total += s
    return total


@program(many(67).astype(np.float32), W)
@program(many(67).astype(np.float32), W.astype(np.float32))
@program(many(67), W.astype(np.float32))
def chains_of_single_precision(x, w):
    total = np.float32(0.0)
    for p in range(x.shape[0]):
        s = x[p]
        r = 0.5
        for t in range(w.shape[0]):
            s = np.sin(s * w[t]) * np.float32(0.5) + np.float32(0.25)
            r = r * 0.5 + 0.25
        total += s * r * w[0]
    return total


@program(many(67), W, np.int8(100))
@program(many(67), W, np.int8(-3))
def chain_with_an_integer_that_wraps_around(x, w, k):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        i = k
        for t in range(w.shape[0]):
            i = np.int8(i + np.int8(9))
            s = np.sin(s * w[t] + x[i % 5]) + 0.1
        total += s * i
    return total


@program(many(67), np.array([0, -1, 66, -67, 3]))
@program(many(67), np.array([], dtype=np.int64))
def chain_along_indices(x, idx):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        k = p
        for t in range(idx.shape[0]):
            s = np.sin(s * x[idx[t]]) + x[k - 1]
            k = abs(idx[t])
            if k > 66:
                k = 0
        total += s
    return total


@program(many(12).reshape(6, 2), W)
@program(many(130).reshape(65, 2), W)
@program(np.zeros((65, 0)), W)
@program(np.zeros((0, 3)), W)
def chains_in_rows_that_are_written(x, w):
    y = x.copy()
    for _ in range(2):
        for p in range(x.shape[0]):
            s = 0.1
            for t in range(x.shape[1]):
                s = 0.5 * s + np.sin(x[p, t] * w[t])
            y[p] *= s
    return np.sum(y * y)


@program(many(195).reshape(65, 3))
def chains_over_a_row(x):
    total = 0.0
    for p in range(x.shape[0]):
        row = x[p]
        s = 0.1
        for t in range(row.shape[0]):
            s = 0.5 * s + np.sin(row[t])
        total += s
    return total


@program(many(67), W)
def numbers_of_two_iterations_before(x, w):
    older, newer = 0.1, 0.2
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s = np.sin(s + w[t])
        total += s * older
        older = newer
        newer = s
    return total * newer


@program(many(67), W)
def index_that_becomes_narrow(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        k = p * 3
        for t in range(w.shape[0]):
            s = np.sin(s + w[t]) * np.float32(0.5)
            k = k + t
        total += s * (np.int8(2) + k % 7)
    return total


@program(many(65 * 2).reshape(65, 2), W)
@program(many(65 * 2).reshape(2, 65).T, W)
@program(many(65 * 4).reshape(65, 4)[:, ::-2], W)
@program(np.zeros((65, 0)), W)
def chains_that_read_lines(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = 0.1
        for t in range(x.shape[1]):
            if w[t] > 0.0:
                s = 0.5 * s + np.sin(x[p, t] * w[t]) * x[p, t - 1]
            else:
                s = s * x[p, t]
        total += s * s
    return total


@program(many(66 * 3).reshape(66, 3), W, 3)
@program(many(66 * 3).reshape(66, 3), W, 0)
@program(many(66 * 3).reshape(66, 3), W, -2)
def chains_that_read_parts_of_lines(x, w, n):
    total = 0.0
    for p in range(1, x.shape[0]):
        a = 0.1
        b = 0.2
        for t in range(n):
            a = 0.5 * a + np.sin(x[p, t] * w[t])
        for t in range(n - 1, -1, -1):
            b = 0.5 * b + np.sin(x[p, t] * w[t] + a)
        for t in range(1, n):
            b = b * x[p, t] + x[p - 1, t]
        total += a * b
    return total


@program(many(65 * 2).reshape(65, 2), W)
def lines_written_by_the_chain(x, w):
    y = x.copy()
    total = 0.0
    for p in range(x.shape[0]):
        s = 0.1
        for t in range(x.shape[1]):
            s = 0.5 * s + np.sin(y[p, t] * w[t])
        total += s
        y[p, 0] = s
    return total + np.sum(y * y)


@program(many(67), W)
def scaled_by_what_comes_later(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p]
        for t in range(w.shape[0]):
            s += np.sin(s * w[t])
        total += s
    scale = np.exp(-w[0] * w[1]) / x.shape[0]
    return scale * total * np.cos(w[2])
