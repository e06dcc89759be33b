"""Integers that rounds count: some have a closed form, some look as if they had."""

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
def several_steps_in_a_round(x):
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
def mirrored_in_every_round(x, n):
    total = 0.1
    p = 1
    for _ in range(3):
        total = np.sin(total + x[p])
        p = n - p
    return total * p


@program(X)
def begun_anew_in_every_round(x):
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
    """`x[i]` is the same in all inner rounds."""
    total = 0.1
    for i in range(6):
        for j in range(n):
            total = np.sin(total + x[i] * x[j])
    return total


@program(X, 6)
def element_outside_of_a_loop_without_rounds(x, n):
    """`x[i]` does not exist in the last round, nor does anybody read it."""
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
