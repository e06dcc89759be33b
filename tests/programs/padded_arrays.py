"""Arrays that iterations lengthen by a few elements at their ends, and cut again: ghost cells, rings and windows."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(51)
U = RANDOM.uniform(0.3, 1.5, 5)
M = RANDOM.uniform(0.3, 1.5, (2, 3))


@program(U, 0.3, 2)
@program(U[:2], 0.3, 2)
@program(U[:1], 0.3, 2)
@program(U[:0], 0.3, 2)
@program(U, 0.3, 0)
def limited_slopes_on_a_ring(u, nu, n):
    for _ in range(n):
        d = np.diff(np.concatenate((u[-1:], u)))
        e = np.diff(np.concatenate((u, u[:1])))
        s = np.where(d * e > 0, d * e * (d + e) / (d * d + e * e + 0.1), 0.0)
        f = u + 0.5 * (1 - nu) * s
        u = u - nu * (f - np.roll(f, 1))
    return np.sum(u**3)


@program(U, 3)
@program(U[:1], 3)
@program(U[:0], 3)
def between_ghost_cells(u, n):
    for _ in range(n):
        w = np.concatenate((np.zeros(1), u, np.ones(1)))
        u = u + 0.1 * (w[2:] - 2 * u + w[:-2] * u)
    return np.sum(u**2)


@program(U, 2)
@program(U[:2], 2)
@program(U[:1], 2)
def two_ghost_cells_at_each_end(u, n):
    """Two elements of one are one, so that the parts no longer fit, unless they are one as well."""
    total = 0.0
    for _ in range(n):
        w = np.hstack((u[-2:], u, u[:2]))
        total += np.sum(w[4:] * w[:-4])
        u = u * 0.9
    return total


@program(M, 2)
@program(M[:1], 2)
@program(M[:, :1], 2)
def rows_above_and_below(m, n):
    for _ in range(n):
        w = np.vstack((m[-1:], m, m[:1]))
        m = m * 0.5 + 0.2 * w[2:] * w[:-2]
    return np.sum(m * m)


@program(M, 2)
@program(M[:, :1], 2)
def columns_at_both_sides(m, n):
    for _ in range(n):
        w = np.concatenate((m[:, -1:], m, m[:, :1]), axis=1)
        m = m * 0.5 + 0.2 * w[:, 2:] * w[:, :-2]
    return np.sum(m * m)


@program(U, 3)
@program(U[:3], 3)
@program(U[:2], 3)
@program(U[:1], 3)
def a_queue(u, n):
    """The oldest element leaves, a new one comes: with one element, none is left to be added to."""
    for _ in range(n):
        u = np.concatenate((u[1:], u[:1] * u[-1:]))
    return np.sum(u * np.cos(u))


@program(U, 3)
@program(U[:2], 3)
@program(U[:1], 2)
def only_in_some_iterations(u, n):
    for k in range(n):
        if k % 2 == 0:
            u = np.concatenate((u[:1], u[1:] * 0.5))
        u = u + u[:1] * 0.1
    return np.sum(u**2)


@program(U, 3)
@program(U[:0], 3)
def it_grows_at_both_ends(u, n):
    for _ in range(n):
        u = np.concatenate((np.ones(1), u * 0.5, np.ones(1)))
    return np.sum(u**2)


@program(U, 2)
def it_is_doubled(u, n):
    for _ in range(n):
        u = np.concatenate((u, u[:2], u * 0.5))
    return np.sum(u**2)


@program(U, 3)
@program(U[:2], 3)
def parts_that_overlap(u, n):
    total = 0.0
    for _ in range(n):
        first, last = u[:3], u[-3:]
        total += np.sum(first) * np.sum(last**2)
        u = u * 0.8
    return total


@failing(U[:2], 2, error=ValueError)
def parts_that_are_too_short(u, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(u[:3] * np.ones(3) * u[-3:] * np.arange(3.0)) + np.sum(np.arange(3.0) * u[:3] * np.ones((2, 3)))
        u = np.concatenate((u, u[:1]))[1:]
    return total


@program(U, 2)
@program(U[:3], 2)
@program(U[:2], 2)
def the_last_of_parts(u, n):
    """What counts from the end of a part does not count from the end of the array."""
    total = 0.0
    for _ in range(n):
        u[1:][-1:] *= u[:1]
        u[:-1][-1:] += u[1:][:1]
        total += u[::-1][-2:] @ u[:2] + np.sum(u[:2][-1:] * u[:1])
        u = u * 0.9
    return total + np.sum(u)


@program(M, 2)
@program(M[:, :2], 2)
def the_last_columns_turned(m, n):
    total = 0.0
    for _ in range(n):
        total += np.sum(m.T[-2:] * m.T[:2]) + np.sum(m[:, ::-1][:, -2:] * m[:, :2] ** 2)
        m = m * 0.9
    return total
