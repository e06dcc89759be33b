"""Integers that iterations count: some have a closed form, some look as if they had."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.4])


@program(X, 3)
@program(X, 0)
@program(X, 1)
def triangle_in_a_row(x, n):
    total = 0.1
    p = 0
    for i in range(n):
        for _ in range(i):
            total = np.sin(total + x[p])
            p += 1
    return total * x[p]


@program(X, 2, 3)
@program(X, 2, 0)
@program(X, 0, 3)
@program(X, -1, -2)
def rectangle_in_a_row(x, n, m):
    total = 0.1
    p = 0
    for _ in range(n):
        for _ in range(m):
            total = np.sin(total + x[p])
            p += 1
    return total + p


@program(X, 2, 2)
@program(X, 5, -1)
@program(X, 1, 0)
def steps_from_an_argument(x, p, step):
    total = 0.1
    for _ in range(3):
        total = np.sin(total * x[p % 6])
        p += step
    return total * p


@program(X, 6, 0, -2)
@program(X, 5, -1, -1)
@program(X, 0, 7, 3)
@program(X, 3, 0, 2)
def loops_in_strides(x, start, stop, stride):
    total = 0.1
    p = 0
    for i in range(start, stop, stride):
        total = np.sin(total * x[p]) + 0.1 * i
        p += 1
    return total * (p + 1)


@program(X)
def two_counters_in_opposite_directions(x):
    total = 0.1
    low = 0
    high = 5
    for _ in range(3):
        total = np.sin(total + x[low]) * x[high]
        low = 1 + low
        high = high - 1
    return total * (high - low)


@program(X)
def several_steps_in_an_iteration(x):
    total = 0.1
    p = 0
    for _ in range(2):
        total = np.sin(total + x[p])
        p += 1
        total = np.cos(total * x[p])
        p += 1
        p -= 1
        total += x[p + 1] * total
        p += 2
    return total * p


@program(X)
def left_early(x):
    total = 0.1
    p = 0
    for i in range(6):
        total = np.sin(total + x[p])
        if total < 0.0:
            break
        p += 1
    return total * p


@program(X)
def counted_now_and_then(x):
    total = 0.1
    p = 0
    for i in range(6):
        total = np.sin(total + x[p])
        if x[i] > 0.0:
            p += 1
    return total * p


@program(X)
def grows_faster_and_faster(x):
    total = 0.1
    p = 0
    for i in range(3):
        total = np.sin(total + x[p])
        p += i
    return total * p


@program(X, 5)
def mirrored_in_every_iteration(x, n):
    total = 0.1
    p = 1
    for _ in range(3):
        total = np.sin(total + x[p])
        p = n - p
    return total * p


@program(X)
def begun_anew_in_every_iteration(x):
    total = 0.1
    for i in range(3):
        p = i
        for _ in range(3):
            total = np.sin(total + x[p])
            p += 1
        total *= p
    return total


@program(X)
def handed_from_one_to_the_other(x):
    total = 0.1
    p = 0
    q = 5
    for _ in range(3):
        total = np.sin(total + x[p])
        p, q = q, p + 1
    return total * p - q


@program(X)
def single_precision_counter(x):
    total = 0.1
    p = np.int32(0)
    for _ in range(5):
        total = np.sin(total + x[p])
        p = np.int32(p + 1)
    return total * p


@program(X)
def counts_in_floats(x):
    total = 0.1
    p = 0.0
    for i in range(5):
        total = np.sin(total + x[i] * p)
        p += 1.0
    return total * p


@program(X)
def counter_of_a_while(x):
    total = 0.1
    p = 0
    q = 0
    while p < 5:
        for _ in range(2):
            total = np.sin(total + x[p]) + 0.01 * q
            q += 3
        p += 1
    return total * q


@program(X, 4)
@program(X, 0)
def element_of_an_outer_loop(x, n):
    """`x[i]` is the same in all inner iterations."""
    total = 0.1
    for i in range(6):
        for j in range(n):
            total = np.sin(total + x[i] * x[j])
    return total


@program(X, 6)
def element_outside_of_a_loop_without_iterations(x, n):
    """`x[i]` does not exist in the last iteration, nor does anybody read it."""
    total = 0.1
    for i in range(n + 1):
        for _ in range(n - i):
            total = np.sin(total + x[i])
    return total


@program(X)
def element_changed_in_the_inner_loop(x):
    y = x.copy()
    total = 0.1
    for i in range(6):
        for j in range(3):
            total = np.sin(total + y[i])
            y[j] = total * y[5 - j]
    return total + np.sum(y)


@program(X)
def element_changed_between_inner_loops(x):
    y = np.zeros(6)
    total = 0.1
    for i in range(1, 6):
        y[i] = x[i] * x[i - 1]
        for j in range(4):
            total = np.sin(total + y[i] * x[j]) + y[i - 1] * total
        y[i] = total
    return total


M = np.array([[0.5, -1.2, 2.0], [0.3, 1.1, -0.4], [0.7, 0.2, 0.9]])


@program(X, M, 3)
@program(X, M, 1)
@program(X, M, 0)
@program(X, M, -2)
def upper_triangle_in_a_row(x, m, n):
    total = 0.1
    p = 0
    for i in range(n):
        for j in range(i, n):
            total = np.sin(total + x[p] * m[i, j])
            p += 1
    return total * (p + 1)


@program(X, M, 3)
@program(X, M, 0)
def triangles_one_after_the_other(x, m, n):
    y = np.zeros(n)
    for k in range(n):
        p = n
        for i in range(n):
            for j in range(i + 1, n):
                y[j] += np.sin(x[p] * m[k, i]) * y[i] + x[p - n]
                p += 1
    return np.sum(y)


@program(X, -3, 4, 1)
@program(X, 4, -3, -1)
@program(X, -4, 5, 2)
@program(X, 3, 8, 2)
@program(X, 5, -2, -3)
def triangle_whose_first_iterations_are_empty(x, start, stop, stride):
    total = 0.1
    p = -1
    for i in range(start, stop, stride):
        for _ in range(i - 2):
            total = np.sin(total + x[p % 6])
            p += 1
    return total * (p + 3)


@program(X, -2, 9)
@program(X, 1, 4)
@program(X, 4, 1)
def triangle_in_fixed_strides(x, start, stop):
    total = 0.1
    p, q = 5, 7
    for i in range(start, stop, 3):
        for _ in range(2 * start - i, i + i):
            total = np.sin(total + x[p % 6] * x[q % 6])
            p = 1 + p
            q -= 1
    for i in range(stop, start, -2):
        for _ in range(stop - i):
            total = np.cos(total * x[p % 6])
            p -= 1
        p = p + 2
    return total * (p + q)


@program(X, 3)
@program(X, 0)
def triangle_from_the_end(x, n):
    y = np.zeros(n + 1)
    p = -1
    for i in range(n):
        for j in range(i, n):
            y[j] += x[p] * y[j + 1] + x[p] ** 2
            p -= 1
    return np.sum(y) * p


@program(X, 4)
@program(X, 1)
def steps_of_steps(x, n):
    total = 0.1
    p = 0
    for i in range(n):
        for j in range(i):
            for _ in range(j):
                total = np.sin(total + x[p % 6])
                p += 1
    return total * (p + 1)


@program(X, 3)
@program(X, 6)
@program(X, 0)
def index_that_is_negative_in_one_branch(x, n):
    total = 0.1
    for i in range(n):
        for j in range(n):
            p = i - j
            if p >= 0:
                total += np.sin(total * x[p])
            else:
                total -= np.cos(total * x[p])
    return total


@program(X, 4, 2)
@program(X, 4, -4)
@program(X, 0, -4)
def index_that_is_read_before_it_is_compared(x, n, shift):
    total = 0.1
    for i in range(n):
        for j in range(2):
            p = shift + i - j
            total += np.sin(total * x[p])
            if p >= 0:
                total += x[p] ** 2
    return total


@program(X, np.array([0, -1, 2, -6]))
@program(X, np.array([], dtype=np.int64))
def sums_of_indices_and_entries(x, idx):
    total = 0.1
    for i in range(idx.shape[0]):
        for j in range(i + 1):
            total += np.sin(x[idx[i] + i - j] * x[i + j - idx.shape[0]])
            total *= x[i - j]
    return total


@program(X, np.array([1, 2, 0], np.int8), 120)
@program(X, np.array([1, 2, 0], np.int8), 125)
def narrow_sum_that_may_wrap_around(x, idx, offset):
    total = 0.1
    for i in range(idx.shape[0]):
        for j in range(2):
            p = np.int8(idx[i] + np.int8(offset))
            if p >= 0:
                total += np.sin(x[p % 6 + j - 1] * total)
            else:
                total -= np.sin(x[-1 - j] * total)
    return total


@program(np.arange(6, dtype=np.float32) / 4, 3)
@program(np.zeros(0, dtype=np.float32), 0)
def sums_of_single_precision_at_sums_of_indices(x, n):
    y = np.zeros(2 * n, dtype=np.float32)
    for i in range(n):
        for j in range(n):
            y[i + j] += x[i] * x[j + 1] + np.float32(0.5)
    return np.sum(y * y)
