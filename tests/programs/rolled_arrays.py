"""Arrays that iterations roll along an axis."""

import numpy as np

from collect import program

U = np.array([0.7, -1.3, 0.4, 1.9, 0.6, -0.2, 0.9])
P = np.linspace(0.2, 1.4, 12).reshape(3, 4) ** 2
G = np.cos(np.arange(12.0)).reshape(3, 4)


@program(U, 3, cotangent=np.sin(np.arange(7.0)))
@program(U[:1], 2, cotangent=np.array([0.7]))
@program(U[:0], 2, cotangent=U[:0])
@program(U[::-1], 2, cotangent=np.sin(np.arange(7.0)))
@program(U.astype(np.float32), 2, cotangent=np.sin(np.arange(7.0)).astype(np.float32))
def advected(u, n):
    for _ in range(n):
        u = u - 0.3 * u * (u - np.roll(u, 1)) + 0.1 * np.roll(u, -1)
    return u


@program(U, 3)
@program(U[:2], 3)
def rolled_by_more(u, n):
    for _ in range(n):
        u = 0.4 * u * np.roll(u, 2) - 0.3 * np.roll(u, -3) + 0.2 * np.roll(u, 9)
    return np.sum(u * u)


@program(U, 3)
def rolled_by_the_iteration(u, n):
    s = 0.0
    for k in range(-n, n):
        s += np.sum(u * np.roll(u, k)) * (k + 0.5)
    return s


@program(P, 2, cotangent=G)
@program(np.asfortranarray(P), 2, cotangent=G)
@program(P[:1], 2, cotangent=G[:1])
def on_a_torus(p, n):
    for _ in range(n):
        around = np.roll(p, 1, axis=0) + np.roll(p, -1, 0) + np.roll(p, 1, axis=1) * np.roll(p, -1, axis=-1)
        p = p + 0.1 * (around - 4.0 * p)
    return p


@program(P, 2)
def rolled_flat_and_along_both_axes(p, n):
    s = 0.0
    for _ in range(n):
        p = 0.5 * np.roll(p, 1) + 0.3 * np.roll(p, (1, 2), axis=(0, 1)) * p
        s += p[0, 1]
    return s


@program(U, 3)
def read_after_a_write(u, n):
    u = u * 2.0
    s = 0.0
    for k in range(n):
        r = np.roll(u, 1)
        u[k] = np.sin(r[k]) + r[0]
        s += np.sum(r * u) + r[k + 1]
    return s


@program(U, 3)
def handed_on(u, n):
    r = u * u
    for _ in range(n):
        r = np.roll(r, 1)
        r[0] = 0.5 * r[1] * u[2]
    return np.sum(r * u)
