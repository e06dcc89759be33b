"""Loops that go down the columns of matrices: they go along rows when compiled, where the order is free."""

import numpy as np

from collect import program


def matrix(rows, columns):
    return np.cos(np.arange(float(rows * columns)) * 1.7).reshape(rows, columns)


def vector(size):
    return np.sin(np.arange(float(size)) + 0.3)


@program(vector(5), matrix(5, 7), cotangent=vector(7))
@program(vector(0), matrix(0, 4), cotangent=vector(4))
@program(vector(5), matrix(10, 14)[::2, ::2], cotangent=vector(7))
def row_times_matrix(a, m):
    out = np.empty(m.shape[1])
    for j in range(m.shape[1]):
        s = 0.0
        for i in range(m.shape[0]):
            s += a[i] * m[i, j]
        out[j] = s
    return out


@program(vector(5).astype(np.float32), matrix(5, 7).astype(np.float32))
def sines_of_column_sums(a, m):
    total = 0.0
    for j in range(m.shape[1]):
        s = m[0, j] * a[0]
        for i in range(1, m.shape[0]):
            s = s * 0.5 + a[i] * np.sin(m[i, j])
        total += s * s
    return total


@program(matrix(6, 9), vector(9))
@program(matrix(1, 257), vector(257))
@program(np.round(matrix(6, 9)), vector(9))
@program(np.where(matrix(6, 9) > 0.9, np.nan, matrix(6, 9)), vector(9))
def column_softmax(scores, weights):
    total = 0.0
    for j in range(scores.shape[1]):
        largest = scores[0, j]
        for i in range(1, scores.shape[0]):
            if scores[i, j] > largest:
                largest = scores[i, j]
        s = 0.0
        for i in range(scores.shape[0]):
            s += np.exp(scores[i, j] - largest)
        total += weights[j] * (largest + np.log(s))
    return total


@program(matrix(4, 4), matrix(3, 4))
@program(matrix(0, 0), matrix(3, 0))
def row_behind_row(transition, gain):
    """A row is read by the loop that writes the next."""
    steps, states = gain.shape
    alpha = np.ones((steps, states))
    for t in range(1, steps):
        for s in range(states):
            total = 0.0
            for p in range(states):
                total += np.exp(alpha[t - 1, p] * transition[p, s])
            alpha[t, s] = np.log(total) * gain[t, s]
    total = 0.0
    for s in range(states):
        total += alpha[steps - 1, s] * (s + 1)
    return total


@program(matrix(4, 4), matrix(3, 4))
def row_behind_itself(transition, gain):
    """Each element reads those of its own row: what earlier iterations wrote, and what later ones will write."""
    steps, states = gain.shape
    alpha = np.ones((steps, states))
    for t in range(1, steps):
        for s in range(states):
            total = 0.0
            for p in range(states):
                total += alpha[t, p] * transition[p, s]
            alpha[t, s] = np.sin(total) * gain[t, s] + alpha[t - 1, s]
    return np.sum(alpha * alpha)


@program(matrix(4, 4), vector(4))
def row_that_may_be_the_last(transition, x):
    """At t = 0 the row before is the last one, which that iteration does not write."""
    n = x.shape[0]
    a = np.zeros((n, n))
    for s in range(n):
        a[n - 1, s] = x[s]
    for t in range(n):
        for s in range(n):
            total = x[s]
            for p in range(n):
                total += a[t - 1, p] * transition[p, s]
            a[t, s] = np.tanh(total)
    return np.sum(a)


@program(matrix(4, 4), vector(4))
def written_in_place(m, x):
    """Iterations read what earlier ones have written over."""
    y = x * 1.0
    for _ in range(2):
        for j in range(m.shape[1]):
            s = 0.0
            for i in range(m.shape[0]):
                s += y[i] * m[i, j]
            y[j] = np.sin(s)
    return np.sum(y * x)


@program(matrix(5, 8), vector(8))
def neighbouring_columns(m, w):
    total = 0.0
    for j in range(1, m.shape[1] - 1):
        s = 0.0
        for i in range(m.shape[0]):
            s += m[i, j - 1] * m[i, j + 1] - m[i, j]
        total += s * s * w[j]
    return total


@program(matrix(5, 5))
def columns_up_to_the_diagonal(m):
    total = 0.0
    for j in range(m.shape[1]):
        s = 1.0
        for i in range(j + 1):
            s *= 1.0 + 0.1 * m[i, j]
        total += s
    return total


@program(matrix(4, 6), vector(4))
def sums_through_all_columns(m, a):
    """The sum goes on from column to column; its square is taken behind each."""
    total, squares = 0.0, 0.0
    for j in range(m.shape[1]):
        for i in range(m.shape[0]):
            total += a[i] * m[i, j]
        squares += total * total
    return squares


@program(matrix(4, 6), vector(4))
def until_a_threshold(m, a):
    total = 0.0
    for j in range(m.shape[1]):
        s = 0.0
        for i in range(m.shape[0]):
            s += a[i] * m[i, j]
            if s > 0.6:
                break
        total += s * s
    return total


@program(np.arange(12).reshape(3, 4) % 5, vector(4))
def integers_down_the_columns(m, x):
    total = 0.0
    for j in range(m.shape[1]):
        count = 0
        for i in range(m.shape[0]):
            count += m[i, j] * (i + 1)
        total += count * x[j] ** 2
    return total


@program(matrix(3, 4), vector(4))
def scaled_down_the_columns(m, x):
    """A column is written in the loop that goes down it."""
    y = m.copy()
    for j in range(m.shape[1]):
        s = x[j]
        for i in range(m.shape[0]):
            s = s * 0.7 + m[i, j]
            y[i, j] = s * s
    return np.sum(y * m)


@program(matrix(3, 4), matrix(4, 5))
def product_by_columns(a, b):
    c = np.empty((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return np.sum(np.sin(c))


@program(matrix(3, 4), vector(3))
def read_again_behind_the_sum(m, a):
    """The array that is written is read in the loop above its store, at its own element."""
    y = np.ones(m.shape[1])
    for j in range(m.shape[1]):
        s = 0.0
        for i in range(m.shape[0]):
            s += a[i] * m[i, j] * y[j]
        y[j] = s * y[j]
    return np.sum(y * y)
