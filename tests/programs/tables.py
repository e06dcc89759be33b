"""Tables in which each element depends on its neighbours: dynamic programming, and sweeps over a grid."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(12)
A = RANDOM.normal(size=9)
B = RANDOM.normal(size=11)
LONG = RANDOM.normal(size=70)
GRID = RANDOM.normal(size=(10, 12)) * 0.3


@program(A, B, 0.6)
@program(A[:3], B, 0.6)
@program(A[:0], B, 0.6)
@program(A, B[:0], 0.6)
@program(LONG, B[:9], 0.9)
@program(A.astype(np.float32), B.astype(np.float32), np.float32(0.6))
@program(np.repeat(A, 2)[::2], np.repeat(B, 3)[::3], 0.6)
def soft_warping(x, y, gamma):
    n, m = x.shape[0], y.shape[0]
    r = np.full((n + 1, m + 1), 50.0)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            a, b, c = r[i - 1, j - 1], r[i - 1, j], r[i, j - 1]
            low = min(a, b, c)
            s = np.exp((low - a) / gamma) + np.exp((low - b) / gamma) + np.exp((low - c) / gamma)
            r[i, j] = (x[i - 1] - y[j - 1]) ** 2 + low - gamma * np.log(s)
    return r[n, m]


@program(A, B, 0.7)
def soft_local_alignment(x, y, gap):
    """Smith-Waterman with soft maxima; the best end is a soft maximum too."""
    n, m = x.shape[0], y.shape[0]
    h = np.zeros((n + 1, m + 1))
    total = 0.0
    for i in range(n):
        for j in range(m):
            match = h[i, j] + np.exp(-((x[i] - y[j]) ** 2)) - 0.4
            up = h[i, j + 1] - gap
            left = h[i + 1, j] - gap
            h[i + 1, j + 1] = np.log(1.0 + np.exp(match) + np.exp(up) + np.exp(left))
    for i in range(n + 1):
        for j in range(m + 1):
            total += np.exp(h[i, j])
    return np.log(total)


@program(A, B, 0.2, 0.4)
def pair_hidden_markov(x, y, opening, extension):
    """The forward algorithm of a pair model: a match, a gap in x, a gap in y."""
    n, m = x.shape[0], y.shape[0]
    match, above, beside = np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1)), np.zeros((n + 1, m + 1))
    match[0, 0] = 1.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            emitted = np.exp(-0.5 * (x[i - 1] - y[j - 1]) ** 2)
            stay = (1.0 - 2.0 * opening) * match[i - 1, j - 1]
            back = (1.0 - extension) * (above[i - 1, j - 1] + beside[i - 1, j - 1])
            match[i, j] = emitted * (stay + back)
            above[i, j] = np.exp(-0.1 * x[i - 1] ** 2) * (opening * match[i - 1, j] + extension * above[i - 1, j])
            beside[i, j] = np.exp(-0.1 * y[j - 1] ** 2) * (opening * match[i, j - 1] + extension * beside[i, j - 1])
    return np.log(match[n, m] + above[n, m] + beside[n, m])


@program(A, B, 0.8)
def affine_gaps(x, y, temperature):
    """Gotoh's global alignment with soft minima; the borders are written row by row."""
    n, m = x.shape[0], y.shape[0]
    d = np.zeros((n + 1, m + 1))
    p = np.zeros((n + 1, m + 1))
    q = np.zeros((n + 1, m + 1))
    for j in range(1, m + 1):
        d[0, j] = 1.0 + 0.3 * j
        p[0, j] = 20.0
    for i in range(1, n + 1):
        d[i, 0] = 1.0 + np.sin(x[i - 1])
        q[i, 0] = 20.0 + d[i - 1, 0]
        for j in range(1, m + 1):
            u, v = d[i - 1, j] + 1.0, p[i - 1, j] + 0.3
            p[i, j] = -temperature * np.log(np.exp(-u / temperature) + np.exp(-v / temperature))
            s, t = d[i, j - 1] + 1.0, q[i, j - 1] + 0.3
            q[i, j] = -temperature * np.log(np.exp(-s / temperature) + np.exp(-t / temperature))
            a = d[i - 1, j - 1] + (x[i - 1] - y[j - 1]) ** 2
            e = np.exp(-a / temperature) + np.exp(-p[i, j] / temperature) + np.exp(-q[i, j] / temperature)
            d[i, j] = -temperature * np.log(e)
    return d[n, m]


@program(GRID, 0.3)
@program(np.asfortranarray(GRID), 0.3)
@program(GRID[::-1, ::2], 0.3)
def gauss_seidel(start, rate):
    """Sweeps in place: later rows read what the sweep before has left."""
    u = start.copy()
    for sweep in range(2):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                mean = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                u[i, j] = u[i, j] + rate * (mean - u[i, j] + np.exp(-u[i, j] * u[i, j]) * np.sin(mean))
    return np.sum(u * u)


@program(A, B)
def downwards(x, y):
    n, m = x.shape[0], y.shape[0]
    r = np.ones((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            r[i, j] = np.log(1.0 + np.exp(r[i + 1, j] * np.sin(x[i])) + np.exp(r[i, j + 1] * np.sin(y[j]))) * 0.5
    return r[0, 0]


@program(A, B)
def up_and_down(x, y):
    """Rows go upwards, columns downwards."""
    n, m = x.shape[0], y.shape[0]
    r = np.ones((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        for j in range(m):
            r[i, j + 1] = np.tanh(r[i + 1, j + 1] * x[i] + np.exp(-r[i, j] * y[j] ** 2)) + np.exp(-(r[i + 1, j] ** 2))
    return r[0, m] + r[0, m - 1]


@program(A, B)
def carried_left(x, y):
    """What is to the left is a variable, above is the row before."""
    above = np.cos(y)
    total = 0.0
    last = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        left = np.sin(x[i])
        scale = np.exp(-x[i] * x[i])
        for j in range(y.shape[0]):
            left = np.log(1.0 + np.exp(left) + np.exp(above[j] * scale)) * 0.4
            above[j] = left
        last[i] = left * scale
    for i in range(x.shape[0]):
        total += last[i]
    return total + np.sum(above)


@program(GRID)
def reads_ahead(start):
    """Reads what is above and two to the right: an antidiagonal of its own would be needed."""
    r = start.copy()
    for i in range(1, r.shape[0]):
        for j in range(1, r.shape[1] - 2):
            r[i, j] = np.exp(-(r[i - 1, j + 2] ** 2)) * np.cos(r[i, j - 1]) + np.exp(-r[i, j])
    return np.sum(r)


@program(A)
def triangle(x):
    n = x.shape[0]
    r = np.ones((n, n))
    for i in range(1, n):
        for j in range(1, i):
            r[i, j] = np.exp(-r[i - 1, j] * x[i] ** 2) + np.exp(-r[i, j - 1] * x[j] ** 2)
    return np.sum(r)


@program(RANDOM.normal(size=(3, 9)), B)
def batch(xs, y):
    total = 0.0
    for b in range(xs.shape[0]):
        r = np.ones((xs.shape[1] + 1, y.shape[0] + 1))
        for i in range(xs.shape[1]):
            for j in range(y.shape[0]):
                a = np.exp(0.5 * r[i, j] * np.sin(xs[b, i])) + np.exp(0.5 * r[i + 1, j])
                r[i + 1, j + 1] = np.log(a + np.exp(0.5 * r[i, j + 1] * np.sin(y[j])))
        total += r[xs.shape[1], y.shape[0]]
    return total


@program(A, B)
def planes(x, y):
    """Two tables in one array."""
    n, m = x.shape[0], y.shape[0]
    r = np.ones((2, n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            r[0, i + 1, j + 1] = np.exp(-r[1, i, j + 1] * x[i] ** 2) + 0.3 * r[0, i + 1, j]
            r[1, i + 1, j + 1] = np.exp(-r[0, i, j] * y[j] ** 2) + 0.3 * np.sin(r[1, i + 1, j])
    return r[0, n, m] + r[1, n, m]


@program(A, B, np.arange(9) % 3, np.arange(11) % 4, RANDOM.normal(size=(3, 4)))
def substitutions(x, y, first, second, scores):
    """Scores are found by letters."""
    n, m = x.shape[0], y.shape[0]
    r = np.zeros((n + 1, m + 1))
    for i in range(n):
        for j in range(m):
            kept = np.exp(r[i, j] + scores[first[i], second[j]])
            r[i + 1, j + 1] = np.log(kept + np.exp(r[i, j + 1] - x[i] ** 2) + np.exp(r[i + 1, j] - y[j] ** 2))
    return r[n, m]
