"""Indirect indexing: a network of springs, its forces gathered and scattered through an array of ends."""

import numpy as np

from harness.compiled import adjoint
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(3)
    n, springs, steps = max(6, int(500 * scale)), max(9, int(1500 * scale)), max(3, int(20 * scale))
    first = random.integers(0, n, springs)
    ends = np.stack([first, (first + random.integers(1, n, springs)) % n], axis=1)
    return random.uniform(0.0, 3.0, (n, 2)), random.uniform(0.5, 2.0, springs), ends, np.full(springs, 1.0), steps, 0.02


def primal(x, stiffness, ends, rest, steps, dt):
    n = x.shape[0]
    x = x.copy()
    v = np.zeros((n, 2))
    for _ in range(steps):
        force = np.zeros((n, 2))
        for s in range(ends.shape[0]):
            i = ends[s, 0]
            j = ends[s, 1]
            dx = x[j, 0] - x[i, 0]
            dy = x[j, 1] - x[i, 1]
            length = np.sqrt(dx * dx + dy * dy)
            pull = stiffness[s] * (length - rest[s]) / length
            force[i, 0] += pull * dx
            force[i, 1] += pull * dy
            force[j, 0] -= pull * dx
            force[j, 1] -= pull * dy
        for i in range(n):
            v[i, 0] += dt * force[i, 0]
            v[i, 1] += dt * force[i, 1]
            x[i, 0] += dt * v[i, 0]
            x[i, 1] += dt * v[i, 1]
    return np.sum(v * v) + np.sum(x * x)


@adjoint
def hand(x, stiffness, ends, rest, steps, dt):
    n, springs = x.shape[0], ends.shape[0]
    path = np.empty((steps + 1, n, 2))
    path[0] = x
    v = np.zeros((n, 2))
    for t in range(steps):
        x = path[t]
        for s in range(springs):
            i, j = ends[s, 0], ends[s, 1]
            dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
            pull = dt * stiffness[s] * (1 - rest[s] / np.sqrt(dx * dx + dy * dy))
            v[i, 0] += pull * dx
            v[i, 1] += pull * dy
            v[j, 0] -= pull * dx
            v[j, 1] -= pull * dy
        for i in range(n):
            path[t + 1, i, 0] = x[i, 0] + dt * v[i, 0]
            path[t + 1, i, 1] = x[i, 1] + dt * v[i, 1]
    x = path[steps]
    value = 0.0
    x_bar, v_bar = np.empty((n, 2)), np.empty((n, 2))
    for i in range(n):
        for c in range(2):
            value += v[i, c] * v[i, c] + x[i, c] * x[i, c]
            x_bar[i, c] = 2 * x[i, c]
            v_bar[i, c] = 2 * v[i, c]
    stiffness_bar = np.zeros(springs)
    for t in range(steps - 1, -1, -1):
        x = path[t]
        for i in range(n):
            v_bar[i, 0] += dt * x_bar[i, 0]
            v_bar[i, 1] += dt * x_bar[i, 1]
        for s in range(springs):
            i, j = ends[s, 0], ends[s, 1]
            dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
            fx, fy = dt * (v_bar[i, 0] - v_bar[j, 0]), dt * (v_bar[i, 1] - v_bar[j, 1])
            inverse = 1 / np.sqrt(dx * dx + dy * dy)
            stretch = 1 - rest[s] * inverse
            along = fx * dx + fy * dy
            stiffness_bar[s] += along * stretch
            radial = stiffness[s] * rest[s] * along * inverse * inverse * inverse
            pull = stiffness[s] * stretch
            dx_bar, dy_bar = pull * fx + radial * dx, pull * fy + radial * dy
            x_bar[j, 0] += dx_bar
            x_bar[j, 1] += dy_bar
            x_bar[i, 0] -= dx_bar
            x_bar[i, 1] -= dy_bar
    return value, x_bar, stiffness_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    x, stiffness, ends, rest, steps, dt = arguments

    def loss(x, stiffness):
        def step(state, _):
            x, v = state
            d = x[ends[:, 1]] - x[ends[:, 0]]
            pull = d * (stiffness * (1 - rest / jnp.sqrt(jnp.sum(d * d, axis=1))))[:, None]
            v = v.at[ends[:, 0]].add(dt * pull).at[ends[:, 1]].add(-dt * pull)
            return (x + dt * v, v), None

        (x, v), _ = lax.scan(step, (x, jnp.zeros_like(x)), None, length=steps)
        return jnp.sum(v * v) + jnp.sum(x * x)

    return jax_gradient(loss, (x, stiffness))


PEERS = {"jax": jax}
