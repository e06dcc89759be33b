"""Arrays made before a loop: some are overwritten in every iteration before they are read, some only look so."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3])
W = np.array([0.7, 0.2, -0.4])
M = np.array([[0.5, 1.2, -2.0], [0.3, 0.4, 0.1], [-0.4, 1.9, 1.8], [0.2, 0.6, -0.9]])


@program(X, W)
@program(X, W[:0])
@program(X[:0], W)
def overwritten_in_every_iteration(x, w):
    t = np.empty(w.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(w.shape[0]):
            t[j] = np.sin(x[i] * w[j])
        for j in range(w.shape[0]):
            total += t[j] * t[j] * w[w.shape[0] - 1 - j]
    return total


@program(X, W)
def two_levels(x, w):
    n = w.shape[0]
    t = np.zeros(n)
    u = np.zeros(n)
    sums = np.empty(2)
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(2):
            for j in range(n):
                t[j] = x[i] - w[j]
                u[j] = np.exp(t[j] * k)
            for j in range(1, n):
                u[j] += u[j - 1] * t[j]
            sums[k] = u[n - 1] * t[0]
        total += sums[0] * sums[1]
    return total


@program(X, M)
def matrix_overwritten(x, m):
    t = np.ones((4, 3))
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(4):
            for k in range(3):
                t[j, k] = x[i] * m[j, k]
        total += np.sin(t[i, 1]) * t[3 - i, 2]
    return total


@program(X, W)
def assigned_as_a_whole(x, w):
    t = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        t[:] = x[i] * w
        t[1] *= x[i]
        total += np.sum(t * t)
    return total


@program(X, W)
def added_to_from_iteration_to_iteration(x, w):
    t = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] += np.sin(x[i] * w[j])
        total += t[0] * t[2]
    return total


@program(X, W)
def one_element_never_written(x, w):
    t = np.full(4, 0.5)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        t[3] = t[3] * t[0] + 0.1
        total += t[0] * t[3]
    return total


@program(X, W)
def read_before_it_is_written(x, w):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        total += t[1] * x[i]
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += t[2]
    return total


@program(X, W)
def the_one_before_is_read(x, w):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] = np.sin(x[i] * w[j]) * t[j - 1]
        total += t[2]
    return total


@program(X, W)
def read_after_the_loop(x, w):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += t[2]
    return total * t[1]


@program(X, W)
def written_in_some_iterations(x, w):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.4:
            for j in range(3):
                t[j] = np.sin(x[i] * w[j])
        total += t[2] * x[i]
    return total


@program(X, W, 2)
@program(X, W, 0)
def loop_that_may_have_no_iterations(x, w, n):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        for _ in range(i * n):
            for j in range(3):
                t[j] = np.sin(x[i] * w[j] + t[j] * 0.0)
            total += t[0]
        total += t[2] * x[i]
    return total


@program(X, W)
def inner_loop_without_iterations_at_first(x, w):
    t = np.ones(3)
    total = 0.0
    for i in range(x.shape[0]):
        for k in range(i):
            for j in range(3):
                t[j] = np.sin(x[k] * w[j])
            total += t[0] * t[1]
    return total


@program(X, W)
def under_another_name(x, w):
    t = np.ones(3)
    u = t
    total = 0.0
    for i in range(x.shape[0]):
        total += u[0]
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += u[2] * t[1]
    return total


@program(X, W)
def from_an_argument(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(w.shape[0]):
            w[j] = np.sin(x[i] + j)
        total += w[0] * w[2]
    return total


@program(X, W)
def made_from_an_argument(x, w):
    t = w.copy()
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(t.shape[0]):
            t[j] = np.sin(x[i] + j)
        total += t[0] * t[2] + len(t)
    return total


@program(X, W)
def with_a_way_out(x, w):
    t = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += t[0] * t[1]
        if total > 0.05:
            break
    return total


@program(X, W)
def while_it_lasts(x, w):
    t = np.zeros(3)
    total = 0.0
    i = 0
    while total < 0.2 and i < 4:
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += t[0] * t[0]
        i += 1
    return total


@program(X, W)
def half_of_it_in_each_loop(x, w):
    t = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(1):
            t[j] = np.sin(x[i] * w[j])
        for j in range(1, 3):
            t[j] = np.cos(x[i] * w[j]) * t[0]
        total += t[0] * t[2]
    return total


@program(X, W)
def exchanged_in_some_iterations(x, w):
    t = np.ones(3)
    u = w * 1.0
    total = 0.0
    for i in range(x.shape[0]):
        for _ in range(i):
            t, u = u, t
        total += np.sum(u) * x[i]
    return total


@program(X, W)
def exchanged_before_it_is_overwritten(x, w):
    t = np.ones(3)
    u = w * 1.0
    total = 0.0
    for i in range(x.shape[0]):
        t, u = u, t
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += u[0] * t[1] * x[i]
    return total


@program(X, W)
def handed_on_after_it_is_overwritten(x, w):
    t = np.ones(3)
    u = w * 1.0
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            t[j] = np.sin(x[i] * w[j])
        total += u[0] * t[1] * x[i]
        t, u = u, t
    return total * u[0]


@program(X, W)
def of_another_size_in_each_iteration(x, w):
    t = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        t[:] = x[i] * w[0]
        total += np.sum(t * t)
        t = np.zeros(i + 4)
    return total
