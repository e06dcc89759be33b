"""Equations on grids, stepped by differences of neighbours."""

import numpy as np

from harness.kernels import kernel


@kernel(
    lambda random: (random.standard_normal((60, 60)), random.uniform(0.05, 0.2, (60, 60)), 20),
    wrt=(0, 1),
)
def heat_on_a_plate(temperature, conductivity, steps):
    """Heat in a plate of varying conductivity, whose edges keep their temperature."""
    old = temperature.copy()
    for _ in range(steps):
        new = old.copy()
        new[1:-1, 1:-1] += conductivity[1:-1, 1:-1] * (
            old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2] - 4 * old[1:-1, 1:-1]
        )
        old = new
    return np.mean(old**2)


@kernel(
    lambda random: (random.standard_normal((64, 64, 8)), random.uniform(0.0, 0.1, (60, 60, 8))),
    wrt=(0, 1),
)
def horizontal_diffusion(field, coefficient):
    """Fourth-order diffusion of a weather model, whose fluxes never point up the gradient."""
    laplacian = 4 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    flux_x = laplacian[1:, 1:-1] - laplacian[:-1, 1:-1]
    flux_x = np.where(flux_x * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, flux_x)
    flux_y = laplacian[1:-1, 1:] - laplacian[1:-1, :-1]
    flux_y = np.where(flux_y * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, flux_y)
    out = field[2:-2, 2:-2] - coefficient * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])
    return np.sum(out**2)


@kernel(
    lambda random: (1.0 + 0.1 * random.random((40, 40)), np.zeros((40, 40)), np.zeros((40, 40)), 9.81, 0.01, 15),
    wrt=(0, 1, 2),
)
def shallow_water(h, u, v, gravity, dt, steps):
    """Waves in a basin with periodic sides: depth and two velocities, by central differences."""
    for _ in range(steps):
        dh_dx = (np.roll(h, -1, axis=0) - np.roll(h, 1, axis=0)) / 2
        dh_dy = (np.roll(h, -1, axis=1) - np.roll(h, 1, axis=1)) / 2
        u = u - dt * gravity * dh_dx
        v = v - dt * gravity * dh_dy
        du_dx = (np.roll(h * u, -1, axis=0) - np.roll(h * u, 1, axis=0)) / 2
        dv_dy = (np.roll(h * v, -1, axis=1) - np.roll(h * v, 1, axis=1)) / 2
        h = h - dt * (du_dx + dv_dy)
    return np.sum(h * (u * u + v * v)) + np.var(h)


@kernel(
    lambda random: (
        random.standard_normal((50, 50)),
        random.standard_normal((50, 50)),
        random.standard_normal((50, 50)),
        random.standard_normal(15),
    ),
    wrt=(0, 1, 2, 3),
)
def electromagnetic_field(ex, ey, hz, source):
    """Maxwell's equations in the plane by finite differences in the time domain (polybench's fdtd-2d)."""
    ex = ex.copy()
    ey = ey.copy()
    hz = hz.copy()
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(ex * ex + ey * ey + hz * hz)


@kernel(lambda random: (np.cumsum(random.standard_normal(1000)) * 0.03, 0.2, 60), wrt=(0,))
def burgers(u, ratio, steps):
    """Burgers' equation by upwind differences: the side they are taken from follows the sign of the speed."""
    u = u.copy()
    n = u.shape[0]
    for _ in range(steps):
        before = u.copy()
        for i in range(1, n - 1):
            if before[i] > 0:
                u[i] = before[i] - ratio * before[i] * (before[i] - before[i - 1])
            else:
                u[i] = before[i] - ratio * before[i] * (before[i + 1] - before[i])
        u[0] = u[n - 2]
        u[n - 1] = u[1]
    return np.sum(u**2)


@kernel(
    lambda random: (0.5 + 0.1 * random.random((48, 48)), 0.25 + 0.1 * random.random((48, 48)), 0.035, 0.06, 12),
    wrt=(0, 1, 2, 3),
)
def gray_scott(u, v, feed, kill, steps):
    """Two reacting substances that diffuse at different rates, on a torus."""
    u = u.copy()
    v = v.copy()
    n, m = u.shape
    for _ in range(steps):
        new_u = np.empty((n, m))
        new_v = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                up, down, left, right = (i - 1) % n, (i + 1) % n, (j - 1) % m, (j + 1) % m
                around_u = u[up, j] + u[down, j] + u[i, left] + u[i, right] - 4 * u[i, j]
                around_v = v[up, j] + v[down, j] + v[i, left] + v[i, right] - 4 * v[i, j]
                reaction = u[i, j] * v[i, j] ** 2
                new_u[i, j] = u[i, j] + 0.16 * around_u - reaction + feed * (1 - u[i, j])
                new_v[i, j] = v[i, j] + 0.08 * around_v + reaction - (feed + kill) * v[i, j]
        u = new_u
        v = new_v
    return np.mean(v) + np.mean(u * u)
