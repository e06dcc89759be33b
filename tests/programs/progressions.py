"""np.arange as an operand of arithmetic: its elements are numbers that an index gives."""

import numpy as np

from collect import failing, program

_RNG = np.random.default_rng(207)
X = _RNG.uniform(0.5, 1.5, 7)
A = _RNG.uniform(0.5, 1.5, (4, 5))
NEAR = np.array([2, 0, 5, 3])


@program(1.137, 0.93, 5)
@program(1.137, 0.93, 1)
@program(1.137, 0.93, 0)
def american_tree(u, p, n):
    """A size of ceil((stop - start) / step), which is linear in the index of the loop."""
    v = np.maximum(1.03 - 0.97 * u ** np.arange(n, -n - 1, -2.0), 0.0)
    for i in range(n - 1, -1, -1):
        s = u ** np.arange(i, -i - 1, -2.0)
        v = np.maximum(0.46 * (p * v[:-1] + v[1:]), 1.013 - s)
    return v[0]


@program(1.1, 6)
@program(1.1, 0)
def integer_exponents(u, n):
    return np.sum(u ** np.arange(n) * np.arange(n, 0, -1))


@program(X, 7)
def in_steps_of_three(x, n):
    k = np.arange(1, 3 * n, 3)
    return np.sum(np.sin(k * x) * np.sqrt(k))


@program(X, 2, 16)
@program(X, 3, 16)
def of_a_size_that_the_steps_do_not_divide(x, start, stop):
    k = np.arange(start, stop, 2)
    return np.sum(np.cos(k * x[0])) * x[1]


@program(X, 4)
@program(X, -1)
def with_a_negative_count(x, n):
    return np.sum(np.exp(-np.arange(n) * x[0])) + np.sum(np.arange(n, 2.0) * x[2])


@program(A)
def beside_rows_and_columns(a):
    rows, columns = a.shape
    i, j = np.arange(rows)[:, None], np.arange(columns)
    return np.sum(np.sin(a * (i + 2 * j)) / (1.0 + i))


@program(X)
def cut_and_reversed(x):
    k = np.arange(9.0)
    return np.sum(x * k[1:-1] + x[::2] @ k[:4]) + np.sum(x * k[::-1][:7])


@program(X)
def places_of_elements(x):
    """Elements at the places that a progression names."""
    n = x.shape[0]
    return np.sum(x[np.arange(n - 1, -1, -1)] * x**2) + np.sum(np.sin(x[np.arange(0, n, 3)]) ** 2)


@failing(X, 8, error=IndexError)
def places_that_are_not_there(x, n):
    return np.sum(np.sin(x[np.arange(0, n)]) ** 2)


@program(X)
def written_to(x):
    k = np.arange(7.0)
    s = np.sum(k * x)
    k[2] = x[3]
    return s + np.sum(np.sin(k * x))


@program(X)
def of_a_carried_start(x):
    start, s = 1, 0.0
    for i in range(4):
        k = np.arange(start, start + 7)
        s += np.sum(np.cos(k * x)) * (i + 1)
        start = 2 * start + i
    return s


@program(X.astype(np.float32), 7)
def beside_narrow_floats(x, n):
    return np.sum(np.cos(x * np.arange(n))) + np.sum(x * np.arange(0, 2 * n, 2, dtype=np.float32))


@program(X, NEAR)
def functions_of_integers(x, near):
    """Each converts its integers to floats."""
    k = np.arange(4)
    t = np.exp(-0.3 * near) + np.arctan2(k, 1 + near) + np.hypot(near, k) + np.sqrt(near) * np.tanh(k)
    return np.sum(t * x[:4]) + np.sum(x[:4] ** near) + np.sum(np.power(x[0], k))


@program(X)
def over_a_range_with_two_readers(x):
    k = np.arange(x.shape[0])
    order = np.argsort(-k * 1.0)
    return np.sum(x[order] * x * k)
