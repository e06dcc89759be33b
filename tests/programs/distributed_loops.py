"""Iterations that compute something after their inner loops: what of it can be a loop of its own, and what cannot."""

import numpy as np

from collect import program

W = np.sin(np.arange(12.0).reshape(4, 3) * 1.3)
H = np.array([0.3, -0.7, 0.5])


@program(W, H)
@program(W[:0], H)
@program(W[:1], H[:0])
@program(np.asfortranarray(W), H[::-1])
def cell(w, h):
    out = np.empty(w.shape[0])
    for i in range(w.shape[0]):
        s = 0.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        out[i] = np.tanh(s)
    return np.sum(out * out)


@program(W, H)
def two_numbers_and_a_sum(w, h):
    out, total = np.empty(w.shape[0]), 0.0
    for i in range(w.shape[0]):
        a, b, count = 0.1, 1.0, 0
        for j in range(h.shape[0]):
            a += w[i, j] * h[j]
            b += w[i, j] ** 2
            count += i
        out[i] = np.exp(a) / b + count
        total += out[i] * a
    return np.sum(out) * total


@program(W, H)
def read_by_the_next_iteration(w, h):
    out = np.zeros(w.shape[0] + 1)
    for i in range(w.shape[0]):
        s = out[i]
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        out[i + 1] = np.tanh(s)
    return np.sum(out * out)


@program(W, H)
def written_before_and_read_after(w, h):
    out, sums = np.zeros(4), np.zeros(5)
    for i in range(w.shape[0]):
        for j in range(h.shape[0]):
            sums[i] += w[i, j] * h[j]
            sums[i + 1] += h[j]
        out[i] = np.tanh(sums[i])
    return np.sum(out * out) + np.sum(sums)


@program(W, H)
def handed_on_by_the_first(w, h):
    out, s = np.zeros(4), 0.5
    for i in range(w.shape[0]):
        for j in range(h.shape[0]):
            s = s * 0.9 + w[i, j] * h[j]
        out[i] = np.tanh(s) + s
    return np.sum(out * out) + s


@program(W, H)
def handed_on_by_the_second(w, h):
    out, s = np.zeros(4), 0.5
    for i in range(w.shape[0]):
        a = 0.0
        for j in range(h.shape[0]):
            a += w[i, j] * h[j]
        s = s * 0.9 + np.exp(a)
        out[i] = np.tanh(s)
    return np.sum(out * out) + s


@program(W, H)
def downwards_from_an_offset(w, h):
    out = np.zeros(4)
    for i in range(w.shape[0] - 1, 0, -1):
        s = 0.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        out[i - 1] = np.tanh(s) * i
    return np.sum(out * out)


@program(W, H)
def every_second_one(w, h):
    out = np.zeros(4)
    for i in range(1, w.shape[0], 2):
        s = 0.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        out[i] = np.tanh(s)
    return np.sum(out * out) + i


@program(W, H)
def branches_and_conditions(w, h):
    out = np.zeros(4)
    for i in range(w.shape[0]):
        s, largest = 0.0, -1.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
            largest = max(largest, w[i, j])
        is_large = largest > 0.8
        if is_large:
            out[i] = np.exp(s)
        else:
            out[i] = s * np.sin(s)
    return np.sum(out * out)


@program(W.astype(np.float32), H.astype(np.float32))
def of_single_precision(w, h):
    out = np.zeros(4)
    for i in range(w.shape[0]):
        s = 0.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        out[i] = np.tanh(s)
    return np.sum(out * out)


@program(W, H.copy())
def over_what_it_reads(w, h):
    for i in range(h.shape[0]):
        s = 0.0
        for j in range(w.shape[0]):
            s += w[j, i] * h[i]
        h[i] = np.tanh(s)
    return np.sum(h * h)


@program(W, H.copy())
def over_what_all_read(w, h):
    for i in range(h.shape[0]):
        s = 0.0
        for j in range(h.shape[0]):
            s += w[i, j] * h[j]
        h[i] = np.tanh(s)
    return np.sum(h * h)


@program(W, H)
def columns_in_time(w, h):
    now = h.copy()
    for _ in range(3):
        after = np.empty(3)
        for i in range(3):
            s = 0.1
            for j in range(3):
                s += w[i, j] * now[j]
            after[i] = np.tanh(s) * now[i] + 0.5 * s
        now = after
    return np.sum(now * now)


@program(W, H)
def two_inner_loops(w, h):
    out = np.empty(4)
    for i in range(4):
        a = 0.0
        for j in range(3):
            a += w[i, j] * h[j]
        b = np.exp(a)
        for j in range(3):
            b += w[i, j] * a
        out[i] = np.log(b * b + 1.0) + a
    return np.sum(out)


@program(W, H, 5)
def raising(w, h, n):
    out = np.zeros(4)
    for i in range(n):
        s = 0.0
        for j in range(3):
            s += w[i % 4, j] * h[j]
        out[min(i, 3)] = np.tanh(s)
    return np.sum(out * out)
