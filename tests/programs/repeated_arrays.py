"""Arrays that iterations make of what they have: the backward sweep makes them again where that is kept anyway."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(31)
U = _RNG.uniform(0.5, 1.5, 7)
C = _RNG.uniform(-0.6, 0.6, 7)
P = _RNG.uniform(0.5, 1.5, (4, 5))


@program(U, C, 3)
@program(U, C, 0)
@program(U[:1], C[:1], 2)
def upwind_on_a_ring(u, c, steps):
    """Both neighbours are made again of one row."""
    for _ in range(steps):
        before, behind = np.roll(u, 1), np.roll(u, -1)
        u = u - np.maximum(c, 0.0) * (u - before) * u - np.minimum(c, 0.0) * (behind - u) * behind
    return np.sum(u**2)


@program(U, 3)
@program(U, 0)
@program(U[:1], 2)
def differences_for_two_readers(u, steps):
    u = u.copy()
    n = u.shape[0]
    for _ in range(steps):
        d = np.empty(n - 1)
        for i in range(n - 1):
            d[i] = u[i + 1] - u[i]
        for i in range(1, n - 1):
            u[i] += 0.3 * d[i] * d[i - 1] * u[i]
    return np.sum(u**3)


@program(U, 3)
def ends_stored_alone(u, steps):
    n = u.shape[0]
    for _ in range(steps):
        g = np.empty(n + 2)
        g[0], g[n + 1] = u[n - 1], u[0]
        g[1 : n + 1] = u
        v = np.empty(n)
        for i in range(n):
            v[i] = 0.5 * g[i] * g[i + 1] + 0.25 * g[i + 2] * g[i + 1] ** 2 - 0.2 * u[i]
        u = v
    return np.sum(u)


@program(U, 2)
def written_to_after_it_was_made(u, steps):
    """What is made again is what the readers had, not what is written later."""
    n = u.shape[0]
    u, s = u.copy(), 0.0
    for _ in range(steps):
        d = np.empty(n)
        for i in range(n):
            d[i] = 2.0 * u[i]
        for i in range(1, n):
            s += np.sin(d[i] * d[i - 1])
        for i in range(n):
            d[i] *= u[i]
        for i in range(1, n):
            u[i] = 0.5 * d[i] * d[i - 1] + 0.1 * u[i]
    return s + np.sum(u**2)


@program(U, 3)
def in_rows_of_their_own_size(u, steps):
    s = 0.0
    for k in range(steps):
        n = u.shape[0] - k
        d = np.zeros(n)
        for i in range(n):
            d[i] = u[i] + 0.5 * k
        for i in range(1, n):
            s += np.cos(d[i] * d[i - 1])
        u = u * 0.9 * u
    return s


@program(P, 3)
def tables(p, steps):
    n, m = p.shape
    p = p.copy()
    for _ in range(steps):
        q = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                q[i, j] = p[i, j] - 0.5 * p[i, j - 1]
        for i in range(1, n):
            for j in range(1, m):
                p[i, j] += 0.2 * q[i, j] * q[i - 1, j] * q[i, j - 1]
    return np.sum(p**2)


@program(P, 3)
def rolled_along_an_axis(p, steps):
    for _ in range(steps):
        p = p + 0.1 * np.roll(p, 1, axis=0) * np.roll(p, -1, axis=1) - 0.05 * p**3
    return np.sum(p)


@program(U.astype(np.float32), 3)
def narrow(u, steps):
    for _ in range(steps):
        u = u - np.float32(0.25) * u * (u - np.roll(u, 2))
    return np.sum(u)


@program(U, 5)
def only_in_some_iterations(u, steps):
    n = u.shape[0]
    for k in range(steps):
        if k % 2:
            w = np.roll(u, 1)
            u = u * (1.0 - 0.2 * w * u)
        else:
            d = np.empty(n)
            for i in range(n):
                d[i] = u[i] + 0.1 * i
            u = u + 0.1 * d * d[::-1]
    return np.sum(u**2)


@program(U, 0.3)
def until_it_is_small(u, limit):
    while np.sum(u) > limit:
        w = np.roll(u, 1)
        u = u * 0.6 - 0.1 * w * u * np.roll(w, 3)
    return np.sum(u**2)


@program(U, 3)
def sums_that_go_on(u, steps):
    """A recurrence fills the array."""
    n = u.shape[0]
    for _ in range(steps):
        c = np.zeros(n + 1)
        for i in range(n):
            c[i + 1] = c[i] + u[i]
        v = np.empty(n)
        for i in range(n):
            v[i] = np.tanh(c[i + 1] * c[i] - u[i] ** 2)
        u = v
    return np.sum(u)


@program(U, C)
def a_choice_that_two_sides_compute(u, c):
    """What a branch hands on is kept once, as the branch's result."""
    s = 0.0
    for k in range(3):
        for i in range(1, u.shape[0] - 1):
            a, b = u[i] - u[i - 1], u[i + 1] - u[i]
            slope = 2.0 * a * b / (a + b) if a * b > 0.0 else 0.1 * (a - b) / (1.0 + a * a)
            if c[i] > 0.0:
                t = slope / (1.0 + u[i])
                flux = c[i] * (u[i] + 0.5 * t) * t
            else:
                t = np.sin(slope)
                flux = c[i] * (u[i + 1] - 0.5 * t) * t
            s += flux * t * slope + k
    return s
