"""Stencils that write each state into a row of its own, on rings whose first neighbour is the last element."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(31)
U = RANDOM.uniform(0.2, 1.4, 6)
SIGNED = np.array([0.7, -0.4, -1.1, 0.3, 0.9, -0.8])


@program(U, 0.3, 3)
@program(U[:1], 0.3, 2)
@program(U[:2], 0.3, 2)
@program(U, 0.3, 0)
def upwind_on_a_ring(u, c, n):
    w = np.empty((n + 1, u.shape[0]))
    w[0] = u
    for t in range(n):
        for i in range(u.shape[0]):
            w[t + 1, i] = w[t, i] - c * (w[t, i] ** 2 - w[t, i - 1] ** 2)
    return np.sum(w[n] ** 3)


@program(U, 0.3, 3)
@program(U[:3], 0.3, 2)
@program(U[:2], 0.3, 2)
def central_differences(u, c, n):
    w = np.zeros((n + 1, u.shape[0]))
    w[0] = u
    for t in range(n):
        for i in range(1, u.shape[0] - 1):
            w[t + 1, i] = w[t, i] - c * (w[t, i + 1] ** 2 - w[t, i - 1] ** 2)
    return np.sum(w[n] ** 2) + w[n, 0] * w[n - 1, -1]


@program(SIGNED, 0.7, 3)
@program(SIGNED[:1], 0.7, 2)
def fluxes_of_a_limited_scheme(u, c, n):
    m = u.shape[0]
    w = np.empty((n + 1, m))
    w[0] = u
    for t in range(n):
        for i in range(m):
            a, left, right = w[t, i], w[t, i - 1], w[t, (i + 1) % m]
            flux_in = max(max(left, 0.0) ** 2, min(a, 0.0) ** 2) * 0.5
            flux_out = max(max(a, 0.0) ** 2, min(right, 0.0) ** 2) * 0.5
            w[t + 1, i] = a - 0.3 * c * (flux_out - flux_in)
    return np.sum(w[n] ** 2) + np.sum(w[: n // 2] ** 3)


@program(U, 0.3, 4)
def two_rows_back(u, c, n):
    """A leapfrog: the row that is added to is one of two that are loaded."""
    w = np.zeros((n + 2, u.shape[0]))
    w[0] = u
    w[1] = u * 0.9
    for t in range(1, n + 1):
        for i in range(1, u.shape[0] - 1):
            w[t + 1, i] = 2 * w[t, i] - w[t - 1, i] + c * (w[t, i + 1] - 2 * w[t, i] * w[t - 1, i] + w[t, i - 1])
    return np.sum(w**2)


@program(U, 4)
def rows_that_may_be_the_same(u, n):
    """The row before the first one is the last one: of two rows, it is the same."""
    w = np.zeros((2, u.shape[0]))
    w[0] = u
    for t in range(n):
        for i in range(1, u.shape[0] - 1):
            w[t % 2 - 1, i] = w[t % 2, i] * w[t % 2, i - 1] + 0.1 * w[t % 2, i + 1]
    return np.sum(w**2)


@program(U, np.array([0, 1, 1, 2, 0]))
def rows_by_number(u, rows):
    """A row may be the one that is added to."""
    w = np.ones((4, u.shape[0]))
    w[0] = u
    for k in range(rows.shape[0] - 1):
        for i in range(1, u.shape[0] - 1):
            w[rows[k + 1], i] = w[rows[k], i] * 0.5 + w[rows[k], i - 1] * w[rows[k], i + 1]
    return np.sum(w * w)


@program(U)
@program(U[:2])
def differences_around_the_end(u):
    """The last two elements are the neighbours of the first two."""
    total = 0.0
    for i in range(u.shape[0]):
        total += (u[i] - u[i - 1]) * u[i - 2] ** 2
    return total


@failing(U[:1], error=IndexError)
@failing(U[:2], error=IndexError)
def further_from_the_end_than_there_are(u):
    total = 0.0
    for i in range(u.shape[0]):
        total += u[i] * u[i - 3]
    return total


@program(RANDOM.normal(size=(3, 3)), 2)
@program(RANDOM.normal(size=(1, 4)), 2)
def periodic_in_both_directions(u, n):
    for _ in range(n):
        v = np.empty_like(u)
        for i in range(u.shape[0]):
            for j in range(u.shape[1]):
                v[i, j] = u[i, j] * 0.5 + u[i - 1, j] * u[i, j - 1] * 0.25
        u = v
    return np.sum(u * u)


@program(U, 2)
def neighbours_in_place(u, n):
    """Each element is computed of the one before it as it has become; the first one of the last as it was."""
    y = u.copy()
    for _ in range(n):
        for i in range(y.shape[0]):
            y[i] = 0.5 * y[i] + 0.3 * y[i - 1] ** 2
    return np.sum(y)


@program(U)
def downwards_past_the_first(u):
    y = u * 1.0
    for i in range(u.shape[0] - 1, -1, -1):
        y[i] = y[i] * y[i - 1] + u[i - 2]
    return np.sum(y * y)
