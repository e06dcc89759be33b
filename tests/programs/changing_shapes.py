"""Arrays whose sizes change or only seem to be known: compiled indices are checked against the size that they have."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.3, 0.9])
M = np.arange(12.0).reshape(3, 4) / 7.0 - 0.6


@program(X)
def shrinking(x):
    y = x * 1.0
    total = 0.0
    for _ in range(4):
        y = y[1:] * 2.0
        total += y[0] * y[-1]
    return total


@failing(X, error=IndexError)
def shrinking_too_far(x):
    y = x * 1.0
    total = 0.0
    for _ in range(6):
        total += y[0]
        y = y[1:] * 2.0
    return total


@program(X)
def growing(x):
    y = x * 1.0
    total = 0.0
    for _ in range(3):
        y = np.concatenate((y, y[:2]))
        for j in range(y.shape[0]):
            total += y[j] * y[y.shape[0] - 1 - j]
    return total


@failing(X, error=IndexError)
def size_of_an_earlier_iteration(x):
    y = x * 1.0
    n = y.shape[0]
    total = 0.0
    for _ in range(2):
        y = y[1:] * 1.0
        for j in range(n):
            total += y[j]
    return total


@program(X)
def sized_by_the_iteration(x):
    total = 0.0
    for k in range(1, 4):
        y = np.zeros(k)
        for i in range(k):
            y[i] = x[i] * k
        for i in range(3):
            if i < y.shape[0]:
                total += y[i] ** 2
    return total


@failing(X, error=IndexError)
def longer_than_the_iteration_allows(x):
    total = 0.0
    for k in range(1, 4):
        y = np.zeros(k)
        for i in range(3):
            y[i] = x[i] * k
        total += np.sum(y * y)
    return total


@failing(M, np.ones((1, 4)), error=IndexError)
def axis_of_one_is_not_stretched(m, b):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m[i, j] * b[i, j]
    return total


@program(X)
def reversed_view(x):
    y = x[::-1]
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i] ** 2
    return total


@failing(X, error=IndexError)
def every_second_is_half_as_long(x):
    y = x[::2]
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i]
    return total


@failing(X, error=IndexError)
def slice_from_before_the_start(x):
    y = x[-9:]
    total = 0.0
    for i in range(9):
        total += y[i]
    return total


@failing(M, error=IndexError)
def transposed_the_wrong_way(m):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            total += m.T[i, j] ** 2
    return total


@failing(M, error=IndexError)
def reduced_along_the_other_axis(m):
    r = np.sum(m, axis=1)
    total = 0.0
    for j in range(m.shape[1]):
        total += r[j] ** 2
    return total


@failing(X, error=IndexError)
def shorter_in_one_branch(x):
    y = x[1:] * 1.0 if x[0] > 0 else x * 1.0
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i]
    return total


def _reversed_between(x, p):
    if p < 0.27:
        if p + x[-2] < 0.39:
            return x[3::-1] - x
    return x


@program(np.array([0.1, 0.2, 0.3, 0.4]), 0.9)
@program(np.array([0.1, 0.2, 0.3, 0.4]), 0.26)
@program(np.array([0.1, 0.2, 0.3, 0.4]), 0.05)
def returned_from_a_branch_in_a_branch(x, p):
    """Where the inner branch is not taken, its array has no size either."""
    y = _reversed_between(x, p)
    return np.sum(y * y)


@program(np.array([0.1, 0.2, 0.3, 0.4]), 3.4)
@program(np.array([0.1, 0.2, 0.3, 0.4]), 0.5)
def size_that_one_branch_makes(x, p):
    if p > 1.0:
        m = int(p)
        y = np.zeros(m) + x[0]
        y[: m - 1] *= x[1:m]
    total = np.sum(x * x)
    if p > 1.0:
        total += np.sum(y * y) * p
    return total


@program(1.1, 0.3, 5)
@program(1.1, 0.3, 1)
@program(1.1, 0.3, 0)
def two_that_shrink_alike(s, rate, n):
    """A tree of an option in rows, which may be exercised at any time."""
    prices = s * 1.2 ** np.arange(-n, n + 1)
    values = np.maximum(1.0 - prices, 0.0)
    for _ in range(n):
        values = rate * (0.9 * values[:-2] + values[1:-1] + 0.8 * values[2:])
        prices = prices[1:-1]
        values = np.maximum(values, 1.05 - prices)
    return values[0] * prices[0]


@program(X, X[::-1])
def exchanged_and_shrunk(x, y):
    for _ in range(3):
        x, y = y[1:] * 0.5, x[:-1] + 1.0
        y = x * y
    return np.sum(x * y)


@program(X, X[::-1])
def two_that_shrink_apart(x, y):
    total = 0.0
    for _ in range(3):
        x = x[1:] * 2.0
        y = y[:-1] * 1.5
        total += np.sum(x) * np.sum(y)
        y = y * 1.1
    return total + np.sum(x * y)


@failing(X, X[::-1], error=ValueError)
def equal_at_first(x, y):
    total = 0.0
    for _ in range(3):
        total += np.sum(x * y)
        x = x[1:] * 2.0
        y = y[2:] * 1.5
    return total


@failing(X, X[::-1], X * 0.5, error=ValueError)
def equal_for_two_iterations(x, y, z):
    """Their sizes differ as soon as that of another has come round."""
    total = 0.0
    for _ in range(4):
        total += np.sum(x * y)
        x, y, z = y[1:] * 1.0, z[1:] * 1.0, z[2:] * 1.0
    return total


@program(X, X[::-1], True)
@program(X, X[::-1], False)
def shrunk_in_a_branch(x, y, both):
    total = 0.0
    for i in range(3):
        if both or i < 0:
            x = x[1:] * 2.0
            y = y[:-1] * 0.5
        total += np.sum(x * y) * (i + 1)
    return total


@failing(X, X[::-1], error=ValueError)
def shrunk_in_one_branch(x, y):
    total = 0.0
    for i in range(3):
        if i == 1:
            x = x[1:] * 2.0
        total += np.sum(x * y)
    return total


@program(X, X[::-1], 1.0)
@program(X, X[::-1], 9.0)
def until_they_are_small(x, y, bound):
    while np.sum(x * x) > bound:
        x = x[1:] * 0.9
        y = y[1:] * 1.1
        if x.shape[0] == 2:
            break
    return np.sum(x * y)


@program(np.arange(16.0).reshape(4, 4) / 9.0 + 2.0 * np.eye(4))
def determinant_by_elimination(m):
    """Both axes shrink alike."""
    product = 1.0
    for _ in range(3):
        product *= m[0, 0]
        m = m[1:, 1:] - np.outer(m[1:, 0], m[0, 1:]) / m[0, 0]
    return product * m[0, 0] + np.sum(m.T * m)


@program(X, X[::-1])
def loops_in_loops(x, y):
    total = 0.0
    for _ in range(2):
        x, y = x[1:] * 1.0, y[:-1] * 1.0
        for _ in range(2):
            total += np.sum(x * y)
            a, b = x * 2.0, y * 3.0
            for _ in range(2):
                a, b = a[:-1] * b[1:], b[:-1] * a[1:]
            total += np.sum(a - b * 2.0)
    return total


@program(M, M * 0.5)
def rows_of_two(m, k):
    total = 0.0
    for _ in range(2):
        m = m[1:] * 1.1
        k = k[:-1] * 0.9
        for i in range(m.shape[0]):
            for j in range(k.shape[1]):
                total += m[i, j] * k[i, j]
    return total


@failing(M, M * 0.5, error=IndexError)
def rows_of_one_only(m, k):
    total = 0.0
    for _ in range(2):
        m = m[1:] * 1.1
        for i in range(k.shape[0]):
            total += m[i, 0] * k[i, 0]
    return total


@program(X)
def overwritten_after_the_loop(x):
    """The backward sweep leaves an array of the loop undefined."""
    y = x * 0.5
    z = np.outer(x, x)[1]
    w = y + z
    for i in range(2):
        y = z if i == 0 else w
    y = z
    z *= y
    return np.sum(y) + np.sum(z * 2.5) + np.sum(w)
