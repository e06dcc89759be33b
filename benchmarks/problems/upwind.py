"""A loop that branches and scatters to two cells: upwind advection (Courant, Isaacson and Rees 1952), closed ends."""

import numpy as np

from harness.compiled import adjoint
from harness.libm import select
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(12)
    n, steps = max(8, int(1000 * scale)), max(4, int(1500 * scale))
    x = np.linspace(0.0, 1.0, n)
    velocity = np.sin(6 * np.pi * x[1:]) + 0.02 * random.standard_normal(n - 1)
    return random.uniform(0.5, 1.5, n), velocity, 0.4, 1 + np.sin(2 * np.pi * x), steps


def primal(u, velocity, ratio, observed, steps):
    """velocity: at the faces between the cells. ratio: time step / width of a cell."""
    n = u.shape[0]
    now = u.copy()
    for _ in range(steps):
        after = now.copy()
        for i in range(n - 1):
            if velocity[i] > 0:
                flux = ratio * velocity[i] * now[i]
            else:
                flux = ratio * velocity[i] * now[i + 1]
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return np.sum((now - observed) ** 2)


@adjoint
def hand(u, velocity, ratio, observed, steps):
    """Each step keeps what it takes from the upwind side of each face, which is all that the way back reads.

    Neighbours go from one iteration to the next by names: LLVM then shuffles registers where it would load again.
    """
    n = u.shape[0]
    last = n - 1
    courant = ratio * velocity
    upwind = np.empty((steps, last))
    now, after = u.copy(), np.empty(n)
    for t in range(steps):
        at_face = upwind[t]
        behind, here = now[0], now[1]
        at_face[0] = select(courant[0] > 0, behind, here)
        after[0] = behind - courant[0] * at_face[0]
        for i in range(1, last):
            ahead = now[i + 1]
            leaving = select(courant[i] > 0, here, ahead)
            at_face[i] = leaving
            after[i] = here - courant[i] * leaving + courant[i - 1] * select(courant[i - 1] > 0, behind, here)
            behind, here = here, ahead
        after[last] = now[last] + courant[last - 1] * at_face[last - 1]
        now, after = after, now
    value = 0.0
    bar = np.empty(n)
    for i in range(n):
        difference = now[i] - observed[i]
        value += difference * difference
        bar[i] = 2 * difference
    u_bar, velocity_bar = upwind_backward(upwind, courant, bar)
    return value, u_bar, ratio * velocity_bar


@adjoint
def upwind_backward(upwind, courant, bar):
    """Cotangents of the first state and, but for the factor `ratio`, of the velocity.

    The steps are an array: where LLVM sees that t falls by a constant, it runs the loop inside unvectorised.
    """
    last = courant.shape[0]
    before_bar, velocity_bar = np.empty(last + 1), np.zeros(last)
    for t in np.arange(upwind.shape[0] - 1, -1, -1):
        at_face = upwind[t]
        behind, here = bar[0], bar[1]
        velocity_bar[0] += (here - behind) * at_face[0]
        before_bar[0] = behind + max(courant[0], 0.0) * (here - behind)
        for i in range(1, last):
            ahead = bar[i + 1]
            flux_bar = ahead - here
            velocity_bar[i] += flux_bar * at_face[i]
            before_bar[i] = here + max(courant[i], 0.0) * flux_bar + min(courant[i - 1], 0.0) * (here - behind)
            behind, here = here, ahead
        before_bar[last] = bar[last] + min(courant[last - 1], 0.0) * (bar[last] - bar[last - 1])
        bar, before_bar = before_bar, bar
    return bar, velocity_bar


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    u, velocity, ratio, observed, steps = arguments

    def loss(u, velocity):
        def step(now, _):
            flux = ratio * velocity * jnp.where(velocity > 0, now[:-1], now[1:])
            return now - jnp.pad(flux, (0, 1)) + jnp.pad(flux, (1, 0)), None

        now, _ = lax.scan(step, u, None, length=steps)
        return jnp.sum((now - observed) ** 2)

    return jax_gradient(loss, (u, velocity))


PEERS = {"jax": jax}
