"""Rolled arrays that loops read, and that backward sweeps add up."""

import numpy as np

from collect import failing, program

U = np.array([0.7, -1.3, 0.4, 1.9, 0.6, -0.2, 0.9])
P = np.linspace(0.2, 1.4, 20).reshape(4, 5) ** 2
T = np.cos(np.arange(24.0)).reshape(2, 3, 4)
W = np.array([0.3, -0.8, 1.1])


@program(U)
@program(U[:3])
@program(U[:2])
@program(U[:1])
@program(U[:0])
@program(U[::-2])
def once(u):
    return np.sum((np.roll(u, 1) - u) ** 2 * np.roll(u, -2))


@program(P, 0.2, 3)
@program(P, 0.2, 0)
@program(np.asfortranarray(P), 0.2, 2)
@program(P[::2, ::-1], 0.2, 2)
@program(P[:1], 0.2, 2)
@program(P[:, :1], 0.2, 2)
@program(P[:2, :2], 0.2, 2)
def reaction_and_diffusion(u, nu, steps):
    for _ in range(steps):
        around = np.roll(u, 1, axis=0) + np.roll(u, -1, axis=0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1)
        u = u + 0.1 * (nu * (around - 4 * u) + u - u**3)
    return np.sum(u**2)


@program(P, P[::-1], 2)
def two_fields(u, v, steps):
    for _ in range(steps):
        mixed = u * v**2
        u = u + 0.1 * (np.roll(u, (1, -1), axis=(0, 1)) - u) - 0.05 * mixed
        v = v + 0.1 * (np.roll(v, 2, axis=-1) - v) + 0.05 * mixed + 0.01 * np.roll(u, -1, axis=0)
    return np.sum(u * v)


@program(T, cotangent=np.sin(np.arange(24.0)).reshape(2, 3, 4))
def three_axes(t):
    return np.roll(t, 1, axis=1) * np.roll(t, -1, axis=2) + np.roll(t, 1, axis=0) * t


@program(U, 2)
@program(U, -3)
@program(U, 0)
@program(U, 40)
def shifts_from_outside(u, k):
    return np.sum(u * np.roll(u, k) ** 2)


@program(P, 3)
@program(P, -5)
def shifts_of_rows(p, k):
    for _ in range(2):
        p = 0.5 * p * np.roll(p, k, axis=0)
    return np.sum(p)


@program(U)
def in_written_loops(u):
    before, after = np.roll(u, 1), np.roll(u, -1)
    s = 0.0
    for i in range(len(u)):
        s += before[i] * after[i] ** 2
    for i in range(1, len(u) - 2):
        s += before[i] * u[i]
    for i in range(len(u) - 1, -1, -1):
        s = 0.9 * s + after[i]
    return s


@program(U)
def other_elements(u):
    r = np.roll(u, 1)
    s = r[0] * r[-1]
    for i in range(len(u) - 1):
        s += r[i + 1] * r[i] + r[i - 1]
    return s


@failing(U, error=IndexError)
def beyond_the_end(u):
    r = np.roll(u, 1)
    s = 0.0
    for i in range(len(u) + 1):
        s += r[i] * u[0]
    return s


@program(U)
def written_before_it_is_read(u):
    v = u * 2.0
    r = np.roll(v, 1)
    for i in range(len(v)):
        v[i] = v[i] * r[i]
    return np.sum(v * r)


@program(U)
def written_while_it_is_read(u):
    v = u.copy()
    r, q = np.roll(v, -1), np.roll(u, -1)
    for i in range(len(v)):
        v[i] += r[i] * q[i]
    return np.sum(v**2)


@program(U)
def a_view_is_written(u):
    v = u * 1.0
    w = v[1:]
    r = np.roll(v, 1)
    for i in range(len(w)):
        w[i] = r[i] * u[0]
    return np.sum(v * u)


@program(P, W)
def rows_in_a_loop(p, w):
    s = 0.0
    for k in range(len(w)):
        row = np.roll(p[k], 1)
        s += w[k] * np.sum(row * p[k + 1])
    return s


@program(P, W)
def rolled_again(p, w):
    s = 0.0
    for k in range(len(w)):
        q = np.roll(np.roll(p, 1, axis=0), -1, axis=1)
        r = np.roll(np.roll(p[0], 1), 1)
        s += w[k] * (np.sum(q * p) + np.sum(r * p[1]))
        p = 0.5 * p + 0.1 * q
    return s


@program(U, 3)
def made_in_iterations(u, n):
    s = 0.0
    for k in range(1, n + 1):
        v = u[: 2 * k] ** 2
        s += np.sum(v * np.roll(v, 1)) / k
    return s


@program(U, 3)
def both_of_two_sizes(u, n):
    total = np.zeros(n)
    for k in range(n):
        total += np.roll(u[:n], 1) * u[k]
    return np.sum(total * np.roll(total, -1))


@program(U, 3)
def into_a_sum(u, n):
    total = u * 1.0
    for _ in range(n):
        total += np.roll(u, 1)
        total += np.roll(u, 1)
        total += np.roll(total, -1) * 0.1
    return np.sum(total**2)


@program(U.astype(np.float32), 2)
def single_precision(u, n):
    for _ in range(n):
        u = u - np.float32(0.3) * u * (u - np.roll(u, 1))
    return u[0] + u[3]


@program(np.array([1, 4, 2, 7]), W)
def integers(k, w):
    s = 0.0
    for i in range(3):
        s += w[i] * np.roll(k, 1)[i]
    return s


@program(U > 0.5, U)
def truths(given, u):
    return np.sum(np.where(np.roll(given, 1), u, u**2))


@program(U, 2)
def branches(u, n):
    for k in range(n):
        r = np.roll(u, 1)
        u = np.where(r > 0.5, r * u, u - 0.1 * r) if k else u * r
    return np.sum(u)


@program(U)
def handed_to_both(u):
    a, b = np.exp(-u), np.sin(u)
    total = a + b
    return np.sum(np.roll(a, 1) * total + np.roll(b, 1) * np.cumsum(total))


@program(U)
def sums_that_are_rolled(u):
    w = np.roll(u, 1)
    v = u * 0.6 - 0.1 * w * u * np.roll(w, 3)
    r = np.roll(v, -1)
    return np.sum(v * r * np.roll(r, 2) * np.roll(np.roll(r, 1), -2))
