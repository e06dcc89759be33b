"""Loops whose sums, buffers and orders compiled code rearranges, in forms that must not be mistaken for others."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 0.9])
Y = np.array([1.5, 0.2, -0.7, 0.9, 0.4])
M = np.arange(12.0).reshape(3, 4) / 7.0 - 0.6


@program(X)
def part_of_a_buffer_outlives_its_iteration(x):
    last = np.zeros(2)
    total = 0.0
    for i in range(x.shape[0]):
        b = np.empty(3)
        b[0] = x[i]
        b[1] = x[i] ** 2
        b[2] = 1.0
        total += np.sum(last * b[1:])
        last = b[:2]
    return total


@program(X)
def buffers_kept_in_a_list(x):
    rows = []
    for i in range(x.shape[0]):
        b = np.empty(2)
        b[0] = x[i]
        b[1] = np.sin(x[i])
        rows.append(b)
    total = 0.0
    for k in range(len(rows)):
        total += rows[k][0] * rows[k][1]
    return total


@program(M)
def buffer_of_each_row(m):
    total = 0.0
    for i in range(m.shape[0]):
        acc = np.empty(m.shape[1])
        for j in range(m.shape[1]):
            acc[j] = m[i, j] * (j + 1)
        for j in range(1, m.shape[1]):
            acc[j] += acc[j - 1] * acc[j - 1]
        total += acc[-1]
    return total


@program(np.array([1.0, 1e-16, -1.0, 3e-17, 0.5]))
def compensated_sum(x):
    """Kahan's sum: its running value is read, so the order of additions must stay."""
    total = 0.0
    lost = 0.0
    for i in range(x.shape[0]):
        y = x[i] - lost
        t = total + y
        lost = (t - total) - y
        total = t
    return total * total


@program(X)
def every_second_element(x):
    total = 0.0
    for i in range(0, x.shape[0] - 1, 2):
        total += x[i] * x[i + 1]
    return total


@program(X)
def downwards(x):
    total = 0.0
    for i in range(x.shape[0] - 1, 0, -1):
        total += x[i] * x[i - 1] * np.exp(-x[i])
    return total


@program(X.astype(np.float32))
def single_precision_sum(x):
    total = np.float32(0.0)
    for i in range(x.shape[0]):
        total += np.tanh(x[i]) * x[i]
    return total


@program(X, Y)
def two_sums_that_change_places(x, y):
    a = 0.0
    b = 0.0
    for i in range(x.shape[0]):
        a += x[i]
        b += y[i] * x[i]
        a, b = b, a
    return a * 2.0 + b


@program(X)
def sum_that_starts_anew(x):
    part = 0.0
    total = 0.0
    for i in range(x.shape[0]):
        part += x[i] ** 2
        if i % 2 == 1:
            total += part
            part = 0.0
    return total + part


@program(M)
def triangle_with_a_state(m):
    total = 0.0
    for i in range(m.shape[0]):
        u = m[i, 0]
        for j in range(i, m.shape[1]):
            u = np.sin(u) * m[i, j] + u
        total += u
    return total


@program(M)
def shrinking_loops_in_a_while(m):
    total = 0.0
    i = 0
    u = 0.3
    while i < m.shape[0]:
        for j in range(m.shape[1] - i):
            u = np.tanh(u + m[i, j]) * 1.1
        i += 1
        total += u
    return total


@program(M, X)
def element_that_a_loop_adds_to(m, x):
    y = np.zeros(3)
    for i in range(3):
        for j in range(4):
            y[i] += m[i, j] * x[j]
    total = 0.0
    for i in range(3):
        total += y[i] * y[(i + 1) % 3]
    return total


@program(M, X)
def element_added_to_and_read(m, x):
    y = np.ones(3)
    for i in range(3):
        for j in range(1, 4):
            y[0] += m[i, j] * x[j] * y[i]
    return y[0] * y[1]


@program(X, np.zeros(0))
def element_that_no_iteration_adds_to(x, none):
    y = np.ones(2)
    for _ in range(2):
        for j in range(none.shape[0]):
            y[17] += none[j] * x[0]
    return np.sum(y) * x[1]


@program(X, Y)
def gradient_shared_by_loops_and_single_elements(x, y):
    a = 0.0
    for i in range(x.shape[0]):
        a += x[i] * y[i]
    g = 0.0
    for i in range(x.shape[0]):
        g += np.cos(x[i]) * y[-1 - i]
    z = x[0] * g
    for i in range(y.shape[0]):
        a += y[i] ** 2
    return a + z


@program(X)
def return_from_a_loop_that_adds_up(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
        if total > 4.0:
            return total * 2.0
    return total


@program(np.array([0.5, -0.8, 1.2, 0.3]), np.array([3, -1, 4, 0, 9, 2]), 4)
@program(np.array([0.5, -0.8, 1.2, 0.3]), np.array([3, 2]), -2)
def to_the_smaller_of_two_numbers(x, lengths, n):
    """No inner loop has more iterations than the number that is known before."""
    total = 0.0
    for i in range(lengths.shape[0]):
        s = 1.0
        for j in range(1, min(n, lengths[i])):
            s = np.sin(s * x[j]) + s
        total += s * s
    return total
