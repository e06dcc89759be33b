"""A stencil with boundary conditions: the wave equation on a line with free ends, leapfrog in loops."""

import numpy as np

from harness.compiled import adjoint
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(1)
    n, steps = max(8, int(1000 * scale)), max(4, int(100 * scale))
    bump = np.exp(-(np.linspace(-4.0, 4.0, n) ** 2))
    return bump, random.uniform(0.1, 0.4, n), steps


def primal(u, courant, steps):
    n = u.shape[0]
    before = u.copy()
    now = u.copy()
    energy = 0.0
    for _ in range(steps):
        after = np.empty(n)
        for i in range(1, n - 1):
            after[i] = 2 * now[i] - before[i] + courant[i] * (now[i - 1] - 2 * now[i] + now[i + 1])
        after[0] = 2 * now[0] - before[0] + 2 * courant[0] * (now[1] - now[0])
        after[n - 1] = 2 * now[n - 1] - before[n - 1] + 2 * courant[n - 1] * (now[n - 2] - now[n - 1])
        before = now
        now = after
        energy += now[n - 1] ** 2
    for i in range(n):
        energy += now[i] ** 2
    return energy


@adjoint
def hand(u, courant, steps):
    n = u.shape[0]
    last = n - 1
    path = np.empty((steps + 2, n))
    path[0] = u
    path[1] = u
    energy = 0.0
    for t in range(2, steps + 2):
        before, now, after = path[t - 2], path[t - 1], path[t]
        for i in range(1, last):
            after[i] = 2 * now[i] - before[i] + courant[i] * (now[i - 1] - 2 * now[i] + now[i + 1])
        after[0] = 2 * now[0] - before[0] + 2 * courant[0] * (now[1] - now[0])
        after[last] = 2 * now[last] - before[last] + 2 * courant[last] * (now[last - 1] - now[last])
        energy += after[last] ** 2
    now = path[steps + 1]
    after_bar = np.empty(n)
    for i in range(n):
        energy += now[i] ** 2
        after_bar[i] = 2 * now[i]
    u_bar, courant_bar = wave_backward(path, courant, after_bar)
    return energy, u_bar, courant_bar


@adjoint
def wave_backward(path, courant, after_bar):
    n = courant.shape[0]
    last = n - 1
    next_bar = np.zeros(n)  # of the row behind `after`, and then of the row before it
    courant_bar = np.zeros(n)
    flux = np.empty(n)
    for t in range(path.shape[0] - 1, 1, -1):
        now = path[t - 1]
        after_bar[last] += 2 * path[t, last]
        for i in range(1, last):
            flux[i] = courant[i] * after_bar[i]
            courant_bar[i] += after_bar[i] * (now[i - 1] - 2 * now[i] + now[i + 1])
        # A free end counts its one neighbour twice.
        flux[0] = 2 * courant[0] * after_bar[0]
        flux[last] = 2 * courant[last] * after_bar[last]
        courant_bar[0] += 2 * after_bar[0] * (now[1] - now[0])
        courant_bar[last] += 2 * after_bar[last] * (now[last - 1] - now[last])
        for i in range(1, last):
            next_bar[i] = 2 * (after_bar[i] - flux[i]) - next_bar[i] + flux[i - 1] + flux[i + 1]
        next_bar[0] = 2 * after_bar[0] - next_bar[0] - flux[0] + flux[1]
        next_bar[last] = 2 * after_bar[last] - next_bar[last] + flux[last - 1] - flux[last]
        after_bar, next_bar = next_bar, after_bar
    for i in range(n):
        after_bar[i] -= next_bar[i]
    return after_bar, courant_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    u, courant, steps = arguments

    def loss(u, courant):
        def step(state, _):
            before, now = state
            padded = jnp.concatenate([now[1:2], now, now[-2:-1]])
            after = 2 * now - before + courant * (padded[:-2] - 2 * now + padded[2:])
            return (now, after), after[-1] ** 2

        (_, now), at_end = lax.scan(step, (u, u), None, length=steps)
        return jnp.sum(at_end) + jnp.sum(now**2)

    return jax_gradient(loss, (u, courant))


PEERS = {"jax": jax}
