"""Incompressible flow in a cavity and in a channel, a lattice gas, and transport with limiters."""

import numpy as np

from real_programs import draw, real


def ddx(f, h):
    return (f[1:-1, 2:] - f[1:-1, :-2]) / (2 * h)


def ddy(f, h):
    return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2 * h)


def lap(f, h):
    return (f[1:-1, 2:] + f[1:-1, :-2] + f[2:, 1:-1] + f[:-2, 1:-1] - 4 * f[1:-1, 1:-1]) / h**2


def relax_pressure(p, rhs, h, sweeps):
    for _ in range(sweeps):
        old = p.copy()
        p[1:-1, 1:-1] = 0.25 * (old[1:-1, 2:] + old[1:-1, :-2] + old[2:, 1:-1] + old[:-2, 1:-1] - h**2 * rhs)
        p[:, 0] = p[:, 1]
        p[:, -1] = p[:, -2]
        p[0] = p[1]
        p[-1] = 0
    return p


@real(draw(0, 6, 6), draw(1, 6, 6), draw(2, 6, 6), 1.0, 0.1, 0.2, 0.01, 3, wrt=(0, 1, 2, 3, 4))
def cavity_flow(u, v, p, rho, nu, h, dt, steps):
    div = np.empty((u.shape[0] - 2, u.shape[1] - 2))
    for step in range(steps):
        u_old = u.copy()
        v_old = v.copy()
        div[:] = (ddx(u, h) + ddy(v, h)) / dt
        rhs = rho * (div - ddx(u, h) ** 2 - 2 * ddy(u, h) * ddx(v, h) - ddy(v, h) ** 2)
        p = relax_pressure(p, rhs, h, 2)
        for new, old, grad_p in ((u, u_old, ddx(p, h)), (v, v_old, ddy(p, h))):
            c = old[1:-1, 1:-1]
            adv = u_old[1:-1, 1:-1] * (c - old[1:-1, :-2]) + v_old[1:-1, 1:-1] * (c - old[:-2, 1:-1])
            new[1:-1, 1:-1] = c + dt * (nu * lap(old, h) - adv / h - grad_p / rho)
            new[0, :] = new[:, 0] = new[:, -1] = 0
        u[-1, :] = 1
        v[-1, :] = 0
    return u, v, p


@real(draw(3, 6, 5), 0.1, 0.3, 0.02, wrt=(0, 1, 2))
def channel_flow(u, nu, force, tol):
    """Until the total stops changing; periodic along the channel."""
    change, iterations = 1.0, 0
    while change > tol and iterations < 5:
        un = u.copy()
        left, right = np.roll(un, 1, axis=1), np.roll(un, -1, axis=1)
        u[1:-1] = (
            un[1:-1]
            + nu * (un[2:] - 2 * un[1:-1] + un[:-2])
            + nu * (right - 2 * un + left)[1:-1]
            - 0.1 * (un * (un - left))[1:-1]
            + force
        )
        u[0] = u[-1] = 0
        change = (np.sum(u) - np.sum(un)) / np.sum(u)
        iterations += 1
    return u


DIRECTIONS = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
WEIGHTS = [4 / 9] + 4 * [1 / 9] + 4 * [1 / 36]
OPPOSITE = [0, 3, 4, 1, 2, 7, 8, 5, 6]


@real(draw(6, 9, 4, 4) + 1.0, 0.6, np.arange(16).reshape(4, 4) == 9, wrt=(0, 1))
def lattice_boltzmann(f, tau, wall):
    for _ in range(2):
        for k, (cx, cy) in enumerate(DIRECTIONS):
            f[k] = np.roll(f[k], (cx, cy), axis=(0, 1))
        bounced = f[OPPOSITE][:, wall]
        rho = f.sum(axis=0)
        ux = sum(c[0] * f[k] for k, c in enumerate(DIRECTIONS)) / rho
        uy = sum(c[1] * f[k] for k, c in enumerate(DIRECTIONS)) / rho
        usq = 1.5 * (ux**2 + uy**2)
        for k, ((cx, cy), w) in enumerate(zip(DIRECTIONS, WEIGHTS)):
            cu = 3 * (cx * ux + cy * uy)
            f[k] += (w * rho * (1 + cu + 0.5 * cu**2 - usq) - f[k]) / tau
        f[:, wall] = bounced
    return f


def minmod(a, b):
    return 0.5 * (np.sign(a) + np.sign(b)) * np.minimum(np.abs(a), np.abs(b))


@real(draw(7, 10), 0.4, wrt=(0, 1))
def muscl_advection(q, cfl):
    for _ in range(3):
        slope = minmod(q - np.roll(q, 1), np.roll(q, -1) - q)
        flux = cfl * (q + 0.5 * (1 - cfl) * slope)
        q = q - (flux - np.roll(flux, 1))
    return q


@real(draw(8, 3, 8) + np.array([[1.0], [0.0], [3.0]]), 1.4, wrt=(0, 1))
def shock_tube(U, gamma):
    """Rusanov's flux for the Euler equations in one dimension."""

    def primitive(U):
        rho, m, E = U
        v = m / rho
        return rho, v, (gamma - 1) * (E - 0.5 * m * v)

    def flux(U):
        rho, v, p = primitive(U)
        return np.array([rho * v, rho * v * v + p, (U[2] + p) * v])

    t = 0.0
    while t < 0.03:
        rho, v, p = primitive(U)
        speed = np.max(np.abs(v) + np.sqrt(gamma * p / rho))
        dt = min(0.1 * 0.125 / speed, 0.03 - t + 1e-12)
        right = np.roll(U, -1, axis=1)
        F = 0.5 * (flux(U) + flux(right)) - 0.5 * speed * (right - U)
        U = U - dt / 0.125 * (F - np.roll(F, 1, axis=1))
        t += dt
    return U
