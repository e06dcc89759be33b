"""Stencils whose iterations branch or store between loads: upwind schemes, limiters, fluxes, and missing neighbours."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(59)
U, V, W = (_RNG.normal(size=(5, 7)) for _ in range(3))
CUBES = _RNG.normal(size=(4, 3, 4, 5))


@program(U, V, W, 0.1, 2)
@program(U[:, :2], V, W, 0.1, 2)
@program(U[:2], V, W, 0.1, 1)
@program(U, V, W, 0.1, 0)
def upwind(u, along, across, dt, steps):
    """Five contributions to the adjoint of `u` in each iteration."""
    rows, columns = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                if along[i, j] > 0:
                    d = u[i, j] - u[i - 1, j]
                else:
                    d = u[i + 1, j] - u[i, j]
                if across[i, j] > 0:
                    e = u[i, j] - u[i, j - 1]
                else:
                    e = u[i, j + 1] - u[i, j]
                new[i, j] = u[i, j] - dt * (along[i, j] * d + across[i, j] * e)
        u = new
    return np.sum(u * u)


@program(*CUBES, 0.1)
def upwind_in_a_cube(u, a, b, c, dt):
    """Seven contributions, in planes, rows and columns."""
    new = u.copy()
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            for k in range(1, u.shape[2] - 1):
                x = u[i, j, k] - u[i - 1, j, k] if a[i, j, k] > 0 else u[i + 1, j, k] - u[i, j, k]
                y = u[i, j, k] - u[i, j - 1, k] if b[i, j, k] > 0 else u[i, j + 1, k] - u[i, j, k]
                z = u[i, j, k] - u[i, j, k - 1] if c[i, j, k] > 0 else u[i, j, k + 1] - u[i, j, k]
                new[i, j, k] -= dt * (a[i, j, k] * x + b[i, j, k] * y + c[i, j, k] * z)
    return np.sum(new**3)


@program(U, 0.2, 2)
@program(U[:, :1], 0.2, 2)
def limited(u, c, steps):
    """Branches in branches, and the element on the right is that on the left of the next iteration."""
    rows, columns = u.shape
    for _ in range(steps):
        new = u.copy()
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                a = u[i, j] - u[i - 1, j]
                b = u[i + 1, j] - u[i, j]
                if a * b > 0:
                    s = a if abs(a) < abs(b) else b
                else:
                    s = 0.0
                a = u[i, j] - u[i, j - 1]
                b = u[i, j + 1] - u[i, j]
                if a * b > 0:
                    t = a if abs(a) < abs(b) else b
                else:
                    t = 0.0
                new[i, j] = u[i, j] - c * (s + t)
        u = new
    return np.sum(u * u)


@program(U)
@program(U[:1])
@program(U[:, :0])
def rows_that_are_not_always_there(u):
    """Before the first row and behind the last one there is none: what a branch loads must stay in it."""
    total = 0.0
    for i in range(u.shape[0]):
        for j in range(u.shape[1]):
            if i < u.shape[0] - 1:
                d = u[i + 1, j] - u[i, j]
            else:
                d = u[i, j]
            if i > 0:
                d = d * u[i - 1, j]
            total += d * d
    return total


@program(U, V)
def read_behind_a_branch_after_it_was_written(u, v):
    """The second read of `y` is of what the iteration has written between."""
    y = v.copy()
    for i in range(1, u.shape[0]):
        for j in range(1, u.shape[1]):
            d = y[i, j] - u[i, j]
            if d > 0.1:
                y[i, j] = d * u[i - 1, j]
            y[i - 1, j] += y[i, j] * u[i, j - 1]
    return np.sum(y * y)


@program(U[0], 0.3, 2)
@program(U[0, :2], 0.3, 2)
def fluxes(u, c, steps):
    """The first loop reads one element of `u`, the second one two: each step keeps `u` once, for both."""
    for _ in range(steps):
        squares = 0.5 * u**2
        speed = np.maximum(np.abs(u[:-1]), np.abs(u[1:]))
        f = 0.5 * (squares[:-1] + squares[1:]) - 0.5 * speed * (u[1:] - u[:-1])
        new = u.copy()
        new[1:-1] = u[1:-1] - c * (f[1:] - f[:-1])
        u = new
    return np.sum(u * u)


@program(U[0] + 3.0, V[0], 0.1, 2)
@program(U[0, :1] + 3.0, V[0, :1], 0.1, 2)
@program(np.repeat(U[0] + 3.0, 2)[::2], V[0], 0.1, 1)
@program(U[0] + 3.0, V.T[:, 0], 0.1, 0)
@program(U[0] + 3.0, np.append(V[0], 1.0), 0.1, 2)
def faces(h, q, c, steps):
    """What is kept of the cell on the left of a face would be stored before that on the right is loaded."""
    n = h.shape[0]
    h, q = h.copy(), q.copy()
    f, g = np.zeros(n + 1), np.zeros(n + 1)
    for _ in range(steps):
        for i in range(1, n):
            left, right = q[i - 1] / h[i - 1], q[i] / h[i]
            fastest = max(abs(left), abs(right))
            f[i] = q[i - 1] + q[i] - fastest * (h[i] - h[i - 1])
            g[i] = q[i - 1] * left + q[i] * right - fastest * (q[i] - q[i - 1])
        for i in range(n):
            q[i] -= c * (g[i + 1] - g[i])
            h[i] -= c * (f[i + 1] - f[i])
    return np.sum(h * h) + np.sum(q**3)


@program(U[0], V[0])
@program(U[0, :2], V[0, :2])
@program(U[0, ::-1], V.T[:, 0])
def backwards(x, y):
    """The next iteration reads on the right what this one reads on the left."""
    n = x.shape[0]
    y = y.copy()
    total = 0.0
    for i in range(n - 2, -1, -1):
        a = np.sin(x[i + 1])
        y[i] += a
        total += a * np.cos(x[i]) * y[i + 1]
    return total + np.sum(y * y)
