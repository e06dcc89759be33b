"""Short innermost loops with iterations that are known before the run."""

import numpy as np

from collect import program

M = np.array([[0.5, 1.2, -2.0], [0.3, 0.4, 0.1], [-0.4, 1.9, 1.8], [0.2, 0.6, -0.9]])
X = np.array([0.5, -1.2, 2.0, 0.3, 2.1, -0.4])


@program(M)
@program(M[:0])
@program(np.asfortranarray(M))
@program(M.astype(np.float32))
def perimeters(corners):
    total = 0.0
    for t in range(corners.shape[0]):
        for a in range(3):
            total += (corners[t, (a + 1) % 3] - corners[t, a]) ** 2 * (a + 1)
    return total


@program(M)
def in_one_another(a):
    total = 0.0
    for t in range(a.shape[0]):
        for i in range(3):
            for j in range(2, -1, -1):
                total += np.sin(a[t, i] * a[t, j]) * (i + 2 * j)
    return total


@program(X)
def no_iterations_or_one(x):
    total = 0.0
    for t in range(x.shape[0]):
        s = x[t]
        for _ in range(0):
            s = s * s
        for k in range(5, 6):
            s = s * k
        for k in range(3, 3):
            s += k
        total += s * x[t]
    return total


@program(X)
def index_read_after_the_loop(x):
    total = 0.0
    for t in range(x.shape[0]):
        for k in range(1, 4, 2):  # noqa: B007
            total += x[t] ** k
        total += k * x[t]
    return total


@program(X)
def array_that_iterations_write(x):
    y = np.zeros(4)
    for t in range(x.shape[0]):
        for k in range(3):
            y[k + 1] = y[k] * 0.5 + x[t] * (k + 1)
            y[k] += np.cos(y[k + 1])
    return np.sum(y * y)


@program(X)
def loops_that_stop(x):
    total = 0.0
    for t in range(x.shape[0]):
        s = x[t]
        for _ in range(3):
            if s > 2.37:
                break
            s = s * s + 0.5
        total += s
    return total


@program(X)
def iterations_that_choose(x):
    total = 0.0
    for t in range(x.shape[0]):
        for k in range(4):
            if x[t] * k > 1.07:
                total += x[t] * k
            elif k == 2:
                total -= x[t] ** 3
    return total


@program(X, 3)
def while_loop_around_it(x, n):
    total = 0.0
    i = 0
    while i < n:
        v = x[i]
        for k in range(2):
            v = np.tanh(v + x[i + k])
        total += v
        i += 1
    return total
