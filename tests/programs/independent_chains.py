"""Loops whose iterations make small arrays of their own: most run side by side when compiled, the others look so."""

import numpy as np

from collect import program

W = np.linspace(-0.8, 0.9, 4)
M = np.cos(np.arange(16.0)).reshape(4, 4)


def rows(n, m=4):
    return np.sin(np.arange(1.0, n * m + 1.0)).reshape(n, m)


@program(rows(5), W)
@program(rows(4), W)
@program(rows(1), W)
@program(rows(0), W)
@program(rows(5, 0), W[:0])
@program(rows(66, 1), W[:1])
def distance_of_each_row(x, w):
    t = np.empty(x.shape[1])
    total = 0.0
    for p in range(x.shape[0]):
        for j in range(x.shape[1]):
            t[j] = x[p, j] - w[j]
        s = 0.0
        for j in range(x.shape[1]):
            s += t[j] * t[j] * w[x.shape[1] - 1 - j]
        total += np.exp(-s)
    return total


@program(rows(3), W, M)
def product_with_a_triangle(x, w, m):
    n = x.shape[1]
    total = 0.0
    t = np.empty(n)
    u = np.empty(n)
    best = np.empty(3)
    for p in range(x.shape[0]):
        for k in range(3):
            for i in range(n):
                t[i] = x[p, i] - k * w[i]
                u[i] = np.exp(w[i]) * t[i]
            c = 0
            for i in range(n):
                for j in range(i + 1, n):
                    u[j] += m[c // n, c % n] * t[i]
                    c += 1
            s = 0.0
            for i in range(n):
                s += u[i] * u[i]
            best[k] = -0.5 * s
        largest = best[0]
        for k in range(1, 3):
            if best[k] > largest:
                largest = best[k]
        s = 0.0
        for k in range(3):
            s += np.exp(best[k] - largest)
        total += np.log(s) + largest
    return total


@program(rows(5), W)
def arrays_made_in_each_iteration(x, w):
    total = 0.0
    y = np.zeros(x.shape[0])
    for p in range(x.shape[0]):
        a = np.zeros(4)
        b = np.ones((2, 3))
        for j in range(4):
            a[j] += x[p, j] * w[j]
            a[3 - j] += 0.5 * a[j]
        for i in range(2):
            for j in range(3):
                b[i, j] *= a[i + j]
                b[1 - i, j] += np.sin(b[i, j])
        y[p] = a[0] * b[1, 2] + b[0, -1]
        total += y[p] * a[-1]
    return total + np.sum(y * y)


@program(rows(5), W)
def elements_written_under_a_condition(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(4)
        for j in range(4):
            if x[p, j] > 0.2:
                a[j] = x[p, j] * w[j]
                if w[j] > 0.0:
                    a[j - 1] += x[p, j]
            elif x[p, j] < -0.5:
                a[0] -= np.sin(x[p, j])
            else:
                a[j] = a[j - 1] * 0.5 + 1.0
        for j in range(1, 4):
            total += a[j] * a[j - 1]
        total = total - a[0]
    return total


@program(rows(5), W, np.array([0, 3, -1, 1]))
def elements_found_by_each_iteration(x, w, places):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.ones(4)
        k = p % 4
        for j in range(4):
            a[k] += x[p, j] * w[j]
            k = places[(k + j) % 4]
            a[places[j]] *= 0.9
        total += a[k] * a[1]
    return total


@program(rows(5), W)
def arrays_that_change_places(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.ones(4)
        b = np.zeros(4)
        for t in range(3):
            for j in range(4):
                b[j] = np.sin(a[j - 1] + x[p, j]) * w[t]
            a, b = b, a
        total += a[0] * b[1] + a[3]
    return total


@program(rows(5), W)
def array_made_anew_in_an_inner_iteration(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        old = np.ones(4)
        for t in range(3):
            new = np.empty(4)
            for j in range(4):
                new[j] = old[j - 1] * x[p, j] + w[t]
            old = new
        for j in range(4):
            total += old[j] * w[j]
    return total


@program(rows(5), W)
def numbers_between_the_loops(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.empty(4)
        first = x[p, 0]
        scale = np.exp(first)
        for j in range(4):
            inner = scale * x[p, j]
            for k in range(2):
                inner = np.sin(inner + w[k] * first)
            a[j] = inner
            scale = scale * 0.5 + inner
        s, r = 0.0, scale
        for j in range(4):
            s, r = r + a[j], s * w[j]
        total += s * r * first
    return total


@program(rows(5), W)
def what_an_iteration_hands_to_the_next(x, w):
    last = 0.3
    y = np.ones(x.shape[0] + 1)
    for p in range(x.shape[0]):
        a = np.empty(4)
        s = 0.0
        for j in range(4):
            a[j] = np.sin(x[p, j])
            s += a[j] * w[j]
        last = 0.5 * last + s
        y[p + 1] = 0.2 * y[p] + a[2] * last
    return np.sum(y * y) * last


@program(rows(5), W)
def array_read_by_the_next_iteration(x, w):
    a = np.ones(4)
    total = 0.0
    for p in range(x.shape[0]):
        for j in range(4):
            a[j] = 0.5 * a[j] + x[p, j]
        for j in range(4):
            total += a[j] * w[j]
    return total


@program(rows(5), W)
def array_read_after_the_loop(x, w):
    a = np.ones(4)
    total = 0.0
    for p in range(x.shape[0]):
        for j in range(4):
            a[j] = np.sin(x[p, j])
        for j in range(4):
            total += a[j] * w[j]
    return total * a[1]


@program(rows(5), W)
def array_summed_by_a_function(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.empty(4)
        for j in range(4):
            a[j] = x[p, j] * w[j] + p
        total += np.max(a) * np.sum(a[1:])
    return total


@program(rows(5), W)
def array_copied_before_it_is_changed(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(4)
        for j in range(4):
            a[j] = x[p, j]
        old = a[1]
        a[1] = np.sin(old) * a[2]
        for j in range(4):
            a[j] = a[j] * old + w[j]
        total += a[1] * old
    return total


@program(rows(5), W)
def inner_iterations_that_differ(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(4)
        for j in range(p % 5):
            a[j % 4] += x[p, j % 4] * w[j % 4]
        total += a[0] * a[1] + a[2]
    return total


@program(rows(5), W)
def inner_loop_that_stops(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(4)
        for j in range(4):
            a[j] = x[p, j] * w[j]
            if a[j] > 0.5:
                break
        k = 0
        while k < 3 and a[k] < 0.2:
            k += 1
        total += a[0] * a[1] + a[k]
    return total


@program(rows(5).astype(np.float32), W)
@program(rows(5).astype(np.float32), W.astype(np.float32))
@program(rows(5), W.astype(np.float32))
def arrays_of_single_precision(x, w):
    total = np.float32(0.0)
    for p in range(x.shape[0]):
        a = np.empty(4, dtype=np.float32)
        b = np.empty(4)
        s = 0.5
        for j in range(4):
            a[j] = x[p, j] * w[j]
            b[j] = a[j] * s
            s = s * 0.5 + 0.25
        for j in range(4):
            total += a[j] * np.sin(b[3 - j])
        total = total * np.float32(0.99)
    return total


@program(rows(5), W)
def loop_with_a_number_for_all(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.empty(4)
        scale = 1.0
        k = 0
        for j in range(4):
            scale = scale * 0.5 + w[j]
            if w[j] > 0.0:
                k = k + j
                scale = scale + w[k % 4]
            a[j] = x[p, j] * scale
        for j in range(3, -1, -1):
            total += a[j] * w[k % 4] * scale
    return total


@program(rows(5), W, 3)
@program(rows(5), W, 0)
def iterations_that_start_elsewhere(x, w, first):
    total = 0.0
    for p in range(first, x.shape[0] - 1):
        a = np.ones(4)
        for j in range(1, 4):
            a[j] = a[j - 1] * x[p + 1, j] + x[p, j]
        for j in range(4):
            total += a[j] * x[p, j] * w[j]
    return total


@program(rows(5), W)
def array_filled_twice(x, w):
    t = np.zeros(4)
    total = 0.0
    for p in range(x.shape[0]):
        for j in range(4):
            t[j] = x[p, j]
        s = 0.0
        for j in range(4):
            s += t[j] * w[j]
        for j in range(4):
            t[j] = np.cos(s * t[j])
        for j in range(4):
            total += t[j] * t[j - 1]
    return total


@program(rows(5), W)
def whole_rows_kept(x, w):
    y = np.zeros((x.shape[0], 4))
    for p in range(x.shape[0]):
        a = np.empty(4)
        for j in range(4):
            a[j] = np.sin(x[p, j] * w[j])
        for j in range(4):
            y[p, j] = a[j] * a[3 - j]
    return np.sum(y * y)


@program(rows(3), M)
def small_matrix_products(x, m):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros((4, 4))
        b = np.zeros((4, 4))
        for i in range(4):
            for j in range(4):
                a[i, j] = m[i, j] * x[p, i] + x[p, j]
        for t in range(2):
            for i in range(4):
                for j in range(4):
                    s = 0.0
                    for k in range(4):
                        s += a[i, k] * a[k, j]
                    b[i, j] = np.tanh(s)
            for i in range(4):
                for j in range(4):
                    a[i, j] = b[i, j] + t
        total += a[0, 0] + a[1, 2] * b[3, 3]
    return total


@program(rows(5), W)
def number_that_is_sometimes_missing(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.ones(4)
        if x[p, 0] > 0.0:
            extra = x[p, 1]
        for j in range(4):
            if x[p, 0] > 0.0:
                a[j] = extra * x[p, j]
        for j in range(4):
            total += a[j] * w[j]
    return total


@program(rows(5), W)
def elements_read_in_deep_loops(x, w):
    total = 0.0
    for k in range(3):
        a = np.empty(4)
        for i in range(4):
            a[i] = np.sin(x[k, i])
        for i in range(4):
            for j in range(3):
                for m in range(2):
                    total += a[i] * x[j + m, i] * a[j]
        for i in range(4):
            a[i] = a[i] * w[k]
        for i in range(4):
            for j in range(3):
                total += np.exp(a[i] * a[j])
    return total


@program(rows(5), W, 3)
@program(rows(5), W, 0)
def elements_of_a_growing_array_read_in_deep_loops(x, w, n):
    total = 0.0
    k = 1
    while k < n:
        a = np.empty(k + 2)
        for i in range(k + 2):
            a[i] = np.sin(x[k, i % 4]) * k
        for i in range(k):
            for j in range(2):
                for m in range(2):
                    total += a[i + m] * x[j + m, i % 4] * a[j]
        k += 1
    return total


@program(rows(5), W, M[:0], 6)
@program(rows(5, 3), W, M[:2], 3)
def lines_that_nobody_may_read(x, w, m, count):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(count)
        for k in range(m.shape[0]):
            for j in range(count):
                a[j] += x[p, j] * m[k, j] * w[j]
        total += a[0] * a[count - 1] + w[0]
    return total


@program(rows(5), W)
def sums_added_to_in_branches(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = x[p, 0]
        for t in range(w.shape[0]):
            s += np.sin(s * w[t])
        total += s
        if s > 0.3:
            total += 2.0 * s
        total -= w[0]
    return total


@program(rows(5), W)
def branch_that_makes_a_number_beside_a_sum(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        a = np.zeros(3)
        for t in range(3):
            a[t] = np.sin(x[p, t] * w[t])
            total += a[t]
        scale = 0.5
        if a[0] > 0.1:
            total += 2.0 * a[1]
            scale = a[2]
        s = scale
        for t in range(3):
            s = s * a[t] + 0.1
            total += a[t] * scale
        total += s
    return total
