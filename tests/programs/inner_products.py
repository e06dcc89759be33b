"""Products of vectors that are parts of arrays, or made element by element, and parts that go backwards."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(41)
X = RANDOM.normal(size=7)
A = np.array([0.5, -0.3, 0.2])
M = RANDOM.normal(size=(3, 4))


@program(X, A)
@program(X[:4], A)
@program(X[:3], A)
@program(X[:2], A)
def of_a_window(x, a):
    total = 0.0
    for t in range(x.shape[0] - 3):
        total += (a @ x[t : t + 3]) ** 2
    return total


@program(X, A)
@program(X[:3], A)
def autoregressive(x, a):
    y = np.zeros(x.shape[0])
    for t in range(3, x.shape[0]):
        y[t] = x[t] + a @ y[t - 3 : t][::-1]
    return np.sum(y**2)


@program(X, A)
@program(X, X[:2])
@program(X, X[:1])
@program(X, X[:0])
@program(X, X)
def as_long_as_the_filter(x, a):
    k = a.shape[0]
    total = 0.0
    for t in range(k, x.shape[0]):
        total += np.dot(x[t - k : t], a[::-1]) ** 2
    return total


@program(M, X[:4], A)
@program(M[:0], X[:4], A)
@program(M[:, :0], X[:0], A)
def of_rows(m, w, y):
    total = 0.0
    for t in range(m.shape[0]):
        total += np.log1p(np.exp(-y[t] * (m[t] @ w)))
    return total


@program(M, X[:3])
def of_columns(m, x):
    total = 0.0
    for j in range(m.shape[1]):
        total += np.inner(m[:, j], x) * np.vdot(x, m[::-1, j])
    return total


@program(X, X[::-1] * 0.5)
@program(X[:0], X[:0])
def made_element_by_element(x, y):
    r = x - np.sin(y)
    return r @ r + np.dot(r, x) * (y @ (r * r))


@program(X, 2)
def conjugate_directions(b, n):
    x, r = np.zeros(b.shape[0]), b - 0.1 * b**2
    p, before = r, r @ r
    for _ in range(n):
        q = p + 0.3 * np.sin(p)
        step = before / (p @ q)
        x = x + step * p
        r = r - step * q
        now = r @ r
        p = r + now / before * p
        before = now
    return x @ b


@program(X)
@program(X[:1])
@program(X[:0])
def palindrome(x):
    y = x[::-1] * x + x[::-1][1:].sum()
    return np.sum(y * y[::-1])


@program(M)
def turned_by_half(m):
    return np.sum(m[::-1, ::-1] * m**2) + np.sum(m.T[::-1] * np.cos(m.T))


@program(X)
def written_backwards(x):
    y = np.zeros(x.shape[0])
    y[::-1] = x * x
    z = np.ones(x.shape[0])
    z[1:][::-1] = y[:-1] * 2
    z[::-1][:2] += x[:2]
    return np.sum(y * x) + z @ (x * z)


@program(X)
def turned_in_place(x):
    y = x * 1.0
    y[:] = y[::-1]
    y[1:] = y[:-1][::-1] * x[1:]
    return y @ (x * x)


@program(X, A)
def a_window_of_the_run(x, a):
    """Parts that end before three elements, as those at the start, are shorter."""
    total = 0.0
    for t in range(x.shape[0]):
        part = x[max(t - 2, 0) : t + 1][::-1]
        total += part @ a[: part.shape[0]]
    return total


@failing(X, A[:1], error=ValueError)
@failing(X, X[:4], error=ValueError)
def windows_that_do_not_fit(x, a):
    """A product does not broadcast."""
    total = 0.0
    for t in range(x.shape[0] - 3):
        total += a @ x[t : t + 3]
    return total


@failing(X, X[:1], error=ValueError)
@failing(X[:1], X, error=ValueError)
def vectors_that_do_not_fit(x, y):
    return (x * 2) @ y
