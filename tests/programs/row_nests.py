"""Nests over the rows of one matrix, one after the other: what each row needs of the nest before."""

import numpy as np

from collect import failing, program

X = np.array([[0.5, -1.2, 0.1, 0.9], [2.0, 0.3, -0.8, 1.4], [1.1, -0.7, 0.6, -0.3]])
W = np.array([0.7, -0.2, 1.4, 0.3])
S = np.array([[0.3, -0.6, 0.2], [1.2, 0.4, -0.9], [0.1, 0.8, 0.5]])


@program(X, W)
@program(X[:1], W)
@program(X[:0], W)
@program(X[::-1, ::2], W[::2])
@program(np.asfortranarray(X), W)
@program(X.astype(np.float32), W.astype(np.float32))
def softmax_of_rows(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    return np.sum(np.log(p + 0.1) * w)


@program(X, W)
@program(X[:, :1], W[:1])
def normalised_rows(x, w):
    mean = np.mean(x, axis=1, keepdims=True)
    centred = x - mean
    variance = np.mean(centred**2, axis=1, keepdims=True)
    y = np.tanh(centred / np.sqrt(variance + 0.1) * w)
    return np.sum(y * y)


@program(X, W, cotangent=np.linspace(-1.0, 1.0, 12).reshape(3, 4))
@program(X[:0], W, cotangent=np.zeros((0, 4)))
def scaled_by_sums(x, w):
    """Loops of the user's."""
    n, m = x.shape
    sums = np.zeros(n)
    y = np.empty((n, m))
    for i in range(n):
        for j in range(m):
            sums[i] += np.exp(x[i, j]) * w[j]
    for k in range(n):
        for j in range(m):
            y[k, j] = np.sin(x[k, j]) / sums[k]
    return y


@program(S)
def reads_the_row_before(s):
    """The second nest reads rows that later iterations of the first one write: both stay."""
    n = s.shape[0]
    t = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            t[i, j] = np.exp(s[i, j])
    for i in range(n):
        for j in range(n):
            total += t[i, j] * t[n - 1 - i, j] * t[j, i]
    return total


@program(S)
def writes_what_was_read(s):
    """The second nest writes rows that later iterations of the first one read."""
    n = s.shape[0]
    a, b = s * 2.0, np.zeros((n, n))
    for i in range(n - 1):
        for j in range(n):
            b[i, j] = a[i + 1, j] * a[i, j]
    for i in range(n - 1):
        for j in range(n):
            a[i, j] = b[i, j] + np.sin(b[i, j])
    return np.sum(a * b)


@program(S)
def writes_the_row_that_was_read(s):
    n = s.shape[0]
    a, b = s * 2.0, np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            b[i, j] = a[i, 0] * a[i, j]
    for i in range(n):
        for j in range(n):
            a[i, j] = b[i, j] + np.sin(b[i, n - 1]) * a[i, j]
    return np.sum(a * b)


@program(S)
def the_old_matrix_too(s):
    """The second nest reads the matrix as it was, and as the first one leaves it."""
    n = s.shape[0]
    a = s * 2.0
    old = a.copy()
    total = 0.0
    for i in range(n):
        for j in range(n):
            a[i, j] = np.sin(a[i, j]) * 3.0
    for i in range(n):
        for j in range(n):
            total += a[i, j] * old[i, j] + old[j, i]
    return total


@program(S)
def by_columns(s):
    """Rows of the one are columns of the other."""
    n = s.shape[0]
    t = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            t[j, i] = np.exp(s[i, j])
    for i in range(n):
        for j in range(n):
            total += t[j, i] * t[0, i] * s[i, j]
    for i in range(n):
        for j in range(n):
            total += t[i, j] * s[i, j]
    return total


@program(S)
def needs_the_whole_sum(s):
    n = s.shape[0]
    t = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            t[i, j] = np.exp(s[i, j])
            total += t[i, j]
    other = 0.0
    for i in range(n):
        for j in range(n):
            other += t[i, j] ** 2 / total
    return other


@program(S)
def one_element_for_all(s):
    n = s.shape[0]
    t = np.zeros((n, n))
    sums = np.zeros(2)
    for i in range(n):
        for j in range(n):
            t[i, j] = np.exp(s[i, j])
            sums[0] += t[i, j]
    for i in range(n):
        for j in range(n):
            t[i, j] = t[i, j] * np.cos(sums[0])
            sums[1] += t[i, j]
    return sums[1]


@program(S, 3)
@program(S, 0)
def in_time(s, steps):
    """The nests are in a loop themselves."""
    n = s.shape[0]
    u = s.copy()
    for _ in range(steps):
        flux = np.zeros((n, n))
        for i in range(n):
            for j in range(1, n):
                flux[i, j] = u[i, j] - u[i, j - 1]
        for i in range(n):
            for j in range(n - 1):
                u[i, j] += 0.1 * np.tanh(flux[i, j + 1] - flux[i, j])
    return np.sum(u * u)


@program(S, W)
def counts_of_rows(s, w):
    """Counts are integers."""
    n = s.shape[0]
    counts = np.zeros(n, dtype=np.int64)
    total = 0.0
    for i in range(n):
        for j in range(n):
            counts[i] += s[i, j] > 0.15
    for i in range(n):
        for j in range(n):
            total += np.exp(s[i, j]) * counts[i] * w[j]
    return total


@program(S, True)
@program(S, False)
def in_branches(s, squared):
    n = s.shape[0]
    t = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(n):
            if squared:
                t[i, j] = s[i, j] ** 2
            else:
                t[i, j] = s[i, j] * 3.0
    for i in range(n):
        if s[i, 0] > 0.2:
            for j in range(n):
                total += t[i, j] * t[i, 0]
    return total


@program(S)
@program(S[:1, :1])
def overwritten_and_read_in_one_nest(s):
    """The adjoint of what is overwritten becomes 0 before the next loop of the nest reads it."""
    n = s.shape[0]
    a = s * 1.5
    sums = np.zeros(n)
    for i in range(n):
        for j in range(n - 1):
            a[i, j] = 0.3
    for i in range(n - 1):
        for j in range(n):
            sums[i] += a[j, i]
    b = np.exp(-(a**2))
    return np.sum(a * b) + np.sum(sums)


@program(S)
def counted_from_the_end(s):
    """Two iterations have the same row."""
    n = s.shape[0]
    t = s * 1.5
    total = 0.0
    for i in range(-2, n):
        for j in range(n):
            t[i, j] = np.sin(t[i, j]) + 0.1
    for i in range(-2, n):
        for j in range(n):
            total += np.exp(t[i, j]) * s[i, j]
    return total


@program(S)
def rows_counted_from_the_end(s):
    n = s.shape[0]
    t = np.zeros((n, n))
    total = 0.0
    for i in range(-2, n):
        for j in range(n):
            t[i, j] += np.sin(s[i, j]) + 0.1
        for j in range(n):
            total += np.exp(t[i, j]) * s[i, j]
    return total


@program(S, np.array([2, 0, 1]))
def found_by_an_index(s, places):
    """Innermost loops, of which the second one finds its elements."""
    x = s[0]
    y = np.empty(x.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        y[i] = np.exp(x[i])
    for i in range(x.shape[0]):
        total += y[i] * x[places[i]]
    return total


@program(S, 2)
def copied_between(s, steps):
    """Nothing but a copy of what the first nest makes stands between it and the second one."""
    kept = np.zeros((steps, s.shape[0], s.shape[1]))
    y = np.empty(s.shape)
    total = 0.0
    for k in range(steps):
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                y[i, j] = np.sin(s[i, j] + k)
        kept[k] = y
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                total += np.exp(y[i, j]) * s[i, j]
    return total + np.sum(kept**2)


@program(S, 2)
def copy_read_behind(s, steps):
    kept = np.zeros((steps, s.shape[0], s.shape[1]))
    y = np.empty(s.shape)
    total = 0.0
    for k in range(steps):
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                y[i, j] = np.sin(s[i, j] + k)
        kept[k] = y
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                total += np.exp(y[i, j]) * kept[k, i, j]
    return total


@program(S, 2)
def copied_before_it_changes(s, steps):
    kept = np.zeros((steps, s.shape[0], s.shape[1]))
    y = np.empty(s.shape)
    for k in range(steps):
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                y[i, j] = np.sin(s[i, j] + k)
        kept[k] = y
        for i in range(s.shape[0]):
            for j in range(s.shape[1]):
                y[i, j] = y[i, j] * s[i, j]
    return np.sum(kept**3) + np.sum(y)


@failing(np.arange(7.0), 7, 3, error=IndexError)
def beyond_an_array_of_its_own(x, n, m):
    """Nobody sees the array, in which there is no place for all that is written."""
    y = np.empty(m)
    for j in range(n):
        y[j] = x[j]
    s = 0.0
    for j in range(n):
        s += y[j]
    return s
