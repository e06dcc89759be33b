"""Arrays that iterations of an outer loop make or change, of which inner loops need elements on the way back."""

import numpy as np

from collect import program

X = np.array([0.5, -1.3, 0.8, 0.2, 1.1])
W = np.array([0.3, 0.9, -0.4])
SQUARE = np.cos(np.arange(16.0)).reshape(4, 4)


@program(X, 0)
@program(X, 1)
@program(X, 3)
@program(X[:2], 2)
@program(X[:0], 2)
def neighbours(x, steps):
    now = x.copy()
    for _ in range(steps):
        before = now.copy()
        for i in range(1, x.shape[0] - 1):
            now[i] = before[i] * np.sin(before[i - 1] + before[i + 1])
    return np.sum(now * now)


@program(X, 3)
def neighbours_in_place(x, steps):
    """Each element is written between the loads of its neighbours."""
    now = x.copy()
    for _ in range(steps):
        for i in range(1, x.shape[0] - 1):
            now[i] = now[i] * np.sin(now[i - 1] + now[i + 1])
    return np.sum(now * now)


@program(X, 3)
def needed_as_a_whole_and_by_elements(x, steps):
    p = x.copy()
    total = 0.0
    for _ in range(steps):
        q = np.sin(p)
        s = 0.0
        for i in range(x.shape[0]):
            s += p[i] * q[i]
        p = q * s + p
        total += np.dot(p, q)
    return total


@program(X, 4)
def a_few_elements_of_many(x, steps):
    now = x.copy()
    for _ in range(steps):
        for i in range(1, 3):
            now[0] = now[0] + np.sin(now[i] * now[i + 1])
            now[i] = now[i] * 0.9
    return now[0] * now[1]


@program(X, 3)
def changed_between_two_loops(x, steps):
    now = x.copy()
    total = 0.0
    for k in range(steps):
        for i in range(1, x.shape[0]):
            total += now[i] * now[i] * now[i - 1]
        now[k] = now[k] * 0.5
        for i in range(1, x.shape[0]):
            total += np.cos(now[i] * now[i - 1])
        now[k + 1] = total * 0.1
    return total


@program(X, 3)
def under_a_condition(x, steps):
    now = x.copy()
    total = 0.0
    for _ in range(steps):
        before = now * 1.0
        for i in range(1, x.shape[0]):
            if before[i] > 0.3:
                total += before[i] * before[i - 1]
            else:
                now[i] = before[i] * before[i - 1] * 0.5
    return total + np.sum(now)


@program(SQUARE, 2)
def five_points(u, steps):
    now = u.copy()
    for _ in range(steps):
        before = now.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                cross = before[i - 1, j] + before[i + 1, j] + before[i, j - 1] + before[i, j + 1]
                now[i, j] = before[i, j] * cross + np.tanh(before[i, j])
    return np.sum(now * u)


@program(X, W, 2)
def rows_of_other_lengths(x, w, steps):
    """The inner loop runs over another array than the one that it loads twice."""
    now = x.copy()
    total = 0.0
    for _ in range(steps):
        for i in range(w.shape[0]):
            total += now[i] * now[i + 1] * w[i]
        for i in range(x.shape[0]):
            now[i] = np.sin(now[i])
    return total


@program(X, 5)
def until_it_is_small(x, steps):
    now = x.copy()
    k = 0
    while k < steps and now[0] > -1.0:
        before = now.copy()
        for i in range(1, x.shape[0]):
            now[i] = before[i] * before[i - 1]
        now[0] = now[0] - 0.4
        k += 1
    return np.sum(now * x)


@program(X, 3)
def shorter_in_each_iteration(x, steps):
    now = x.copy()
    total = 0.0
    for k in range(steps):
        now = np.sin(now[: now.shape[0] - 1])
        for i in range(1, now.shape[0]):
            total += now[i] * now[i] * now[i - 1] * (k + 1)
    return total


@program(X, W, 2)
@program(X, W, 1)
@program(X, W, 0)
def shrinking(v, w, steps):
    """Each step has an array of its own size: it is kept whole on a stack, not once for each of its three readers."""
    for _ in range(steps):
        v = w[0] * v[2:] + w[1] * v[1:-1] * v[2:] + w[2] * np.sin(v[:-2])
    return np.sum(v**2)


@program(X, W, 4)
def shrinking_to_nothing(v, w, steps):
    total = 0.0
    for _ in range(steps):
        v = w[0] * v[1:] + w[1] * np.cos(v[:-1] * v[1:])
        total += np.sum(v)
    return total


@program(X, 0.3)
@program(X[:2], 0.3)
def shrinking_while_it_is_long(v, a):
    while v.shape[0] > 2:
        v = np.tanh(v[:-1] * v[1:]) + a * v[1:]
    return np.sum(v)


@program(SQUARE, 0.3)
def shrinking_matrices(m, a):
    for _ in range(2):
        m = m[1:, 1:] * np.sin(m[:-1, :-1]) + a * m[1:, :-1] * m[:-1, 1:]
    return np.sum(m)


@program(X, W, 3)
def shrinking_in_some_iterations(v, w, steps):
    for k in range(steps):
        if k % 2 == 0:
            v = w[0] * v[1:] * v[:-1]
        v = np.sin(v) + w[1] * v * v
    return np.sum(v)


@program(X, 0.3, 3)
@program(X, 0.3, 1)
@program(X, 0.3, 0)
@program(X[:2], 0.3, 2)
@program(X[:0], 0.3, 2)
@program(np.repeat(X, 2)[::2], 0.3, 2)
@program(X.astype(np.float32), np.float32(0.3), 2)
def changed_behind_a_stencil(x, c, steps):
    """The second nest changes elements that the step keeps for the first: those it reads are kept as well, then."""
    y, z = x.copy(), np.zeros(x.shape[0] + 1)
    for _ in range(steps):
        for i in range(1, x.shape[0]):
            z[i] = y[i - 1] * np.sin(y[i])
        for i in range(x.shape[0]):
            y[i] = c * y[i] * y[i] + z[i + 1] - z[i]
    return np.sum(y * y)


@program(X, 0.3, 3)
def changed_behind_a_stencil_by_neighbours(x, c, steps):
    """Of the neighbours that the second nest reads, one has been changed by then."""
    y, z = x.copy(), np.zeros(x.shape[0] + 1)
    for _ in range(steps):
        for i in range(1, x.shape[0]):
            z[i] = y[i - 1] * np.sin(y[i])
        for i in range(1, x.shape[0] - 1):
            y[i] = c * y[i - 1] * y[i + 1] + z[i + 1] - z[i]
    return np.sum(y * y)
