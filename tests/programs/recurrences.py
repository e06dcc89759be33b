"""Elements that an iteration reads and the one before it, or the one before that, has written."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.7])
Y = np.array([0.7, -0.2, -0.6, 1.4, 0.3, 0.9])
TABLE = np.array([[0.4, -0.3, 1.2, 0.8], [-0.8, 0.5, 0.9, -0.1], [1.5, 0.2, -1.1, 0.6]])


@program(X, 0.4)
@program(X[::-1], 0.4)
@program(X.astype(np.float32), np.float32(0.4))
@program(X[:1], 0.4)
@program(X[:0], 0.4)
def filtered(x, a):
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = a * y[i - 1] + np.sin(x[i])
    return np.sum(y**2)


@program(X, np.array([0.6, -0.3]))
@program(X[:3], np.array([0.6, -0.3]))
@program(X[:2], np.array([0.6, -0.3]))
@program(X[:1], np.array([0.6, -0.3]))
def second_order(x, a):
    """The element two iterations before is handed on twice."""
    y = x.copy()
    for i in range(2, x.shape[0]):
        y[i] = a[0] * y[i - 1] + a[1] * y[i - 2] + x[i]
    return np.sum(np.tanh(y))


@program(X, Y)
@program(X[:4], Y[:4])
@program(X[:3], Y[:3])
def two_before_alone(x, w):
    y = x.copy()
    for i in range(2, x.shape[0]):
        y[i] += w[i] * y[i - 2]
    return np.sum(y**2)


@program(X, Y, 2)
@program(X, Y, 0)
@program(X[:1], Y[:1], 2)
def tridiagonal_solves(b, diagonal, steps):
    """Elimination upwards and substitution downwards (Thomas 1949)."""
    n = b.shape[0]
    x = b.copy()
    upper = np.empty(n)
    for _ in range(steps):
        upper[0] = 0.5 / (2.0 + diagonal[0] ** 2)
        x[0] = x[0] / (2.0 + diagonal[0] ** 2)
        for i in range(1, n):
            pivot = 2.0 + diagonal[i] ** 2 - 0.4 * upper[i - 1]
            upper[i] = 0.5 / pivot
            x[i] = (x[i] - 0.4 * x[i - 1]) / pivot
        for i in range(n - 2, -1, -1):
            x[i] -= upper[i] * x[i + 1]
    return np.sum(x**2)


@program(X, Y, 1)
@program(X, Y, 3)
def overwritten_two_before(x, w, count):
    """The adjoints are read one iteration after they were set to 0, and two."""
    y = x.copy()
    for i in range(count - 1, -1, -1):
        y[i + 2] = np.tanh(w[i])
        y[i + 1] += y[i] ** 2
    return np.sum(y**2)


@program(X, Y)
def starts_at_the_last_element(x, w):
    """x[-1] in the first iteration."""
    y = x.copy()
    for i in range(x.shape[0]):
        y[i] = w[i] * y[i - 1] + 0.1
    return np.sum(y**3)


@program(X, Y)
def counts_from_the_end(x, w):
    y = x.copy()
    for i in range(-4, 2):
        y[i] = w[i] * y[i - 1]
    return np.sum(y**2)


@program(X, Y)
def written_in_between(x, w):
    """What an iteration reads was written by the one before, twice."""
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = w[i] * y[i - 1]
        y[i - 1] = 0.3 * y[i]
        y[i] += y[i - 1]
    return np.sum(y**2)


@program(X, Y, 1)
@program(X, Y, 0)
@program(X, Y, 4)
def written_at_an_unknown_place(x, w, k):
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = w[i] * y[i - 1]
        y[k] = 0.5 * x[i]
    return np.sum(y**2)


@program(X, Y)
def written_in_a_branch(x, w):
    y = x.copy()
    for i in range(1, x.shape[0]):
        if w[i] > 0:
            y[i] = w[i] * y[i - 1]
    return np.sum(y**2)


@program(X, Y)
def read_in_a_branch(x, w):
    """The first iterations do not read y[i - 3], which is not there."""
    y = x.copy()
    for i in range(x.shape[0]):
        if i > 2:
            y[i] = w[i] * y[i - 1] - y[i - 3]
    return np.sum(y**2)


@program(X, Y, 2)
def read_behind_a_place(x, w, place):
    y = x.copy()
    for i in range(x.shape[0]):
        if i > place:
            y[i] = w[i] * y[i - 1] - y[i - 3]
    return np.sum(y**2)


@program(X, Y)
def sums_to_the_left(x, w):
    y = x.copy()
    for i in range(x.shape[0] - 1, 0, -1):
        y[i - 1] += w[i] * y[i]
    return np.sum(y**2)


@program(X, Y)
def left_early(x, w):
    y = x.copy()
    for i in range(1, x.shape[0]):
        y[i] = w[i] * y[i - 1]
        if y[i] > 1.0:
            break
    return np.sum(y**2)


@program(TABLE, 0.5)
@program(TABLE[:, :1], 0.5)
def table(a, scale):
    """In a row and from row to row: the rows are different ones."""
    r = a.copy()
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            r[i, j] += scale * r[i, j - 1] + np.sin(r[i - 1, j]) * r[i - 1, j - 1]
    return np.sum(r**2)


@program(TABLE)
def rows_that_are_one_row(a):
    """a[i - 3] is a[i]."""
    r = a.copy()
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            r[i, j] = 0.5 * r[i, j - 1] + 0.1 * a[i, j]
            r[i - 3, j] += 0.3
    return np.sum(r**2)


@program(np.array([3, 1, 4, 1, 5]), X)
def of_integers(k, x):
    steps = k.copy()
    for i in range(1, k.shape[0]):
        steps[i] = steps[i - 1] + k[i]
    total = 0.0
    for i in range(k.shape[0]):
        total += steps[i] * x[i] ** 2
    return total
