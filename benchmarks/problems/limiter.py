"""A stencil with limiters: Burgers' equation by MUSCL with minmod slopes (van Leer 1979), Hancock's predictor."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import select
from harness.peers import jax_gradient

WRT = (0,)


def make(scale=1.0):
    random = np.random.default_rng(15)
    n, steps = max(10, int(500 * scale)), max(4, int(1000 * scale))
    x = np.linspace(0.0, 1.0, n)
    u = np.sin(4 * np.pi * x) + 0.3 + 0.05 * random.standard_normal(n)
    return u, 0.4, np.sin(4 * np.pi * x + 0.5), steps


def minmod(a, b):
    if a * b <= 0:
        return 0.0
    if abs(a) < abs(b):
        return a
    return b


def godunov(left, right):
    return max(max(left, 0.0) ** 2, min(right, 0.0) ** 2) / 2


def primal(u, ratio, observed, steps):
    """The two cells at either end keep their values. ratio: time step / width of a cell."""
    n = u.shape[0]
    now = u.copy()
    west = np.empty(n)
    east = np.empty(n)
    flux = np.empty(n)
    for _ in range(steps):
        for i in range(1, n - 1):
            slope = minmod(now[i] - now[i - 1], now[i + 1] - now[i])
            west[i] = now[i] - slope / 2
            east[i] = now[i] + slope / 2
            half = ratio / 2 * (east[i] ** 2 / 2 - west[i] ** 2 / 2)
            west[i] -= half
            east[i] -= half
        for i in range(1, n - 2):
            flux[i] = godunov(east[i], west[i + 1])
        for i in range(2, n - 2):
            now[i] -= ratio * (flux[i] - flux[i - 1])
    return np.sum((now - observed) ** 2)


@inlined
def limited(a, b):
    """The value of minmod, without branches."""
    return select(a * b <= 0, 0.0, select(abs(a) < abs(b), a, b))


@adjoint
def hand(u, ratio, observed, steps):
    """Each step keeps the value that its flux is the half square of: its sign tells from which side it comes."""
    n = u.shape[0]
    path, upwind = np.empty((steps + 1, n)), np.empty((steps, n))
    west, east = np.empty(n), np.empty(n)
    path[0] = u
    for t in range(steps):
        limited_step(path[t], ratio, west, east, upwind[t], path[t + 1])
    value = 0.0
    bar = np.empty(n)
    for i in range(n):
        difference = path[steps, i] - observed[i]
        value += difference * difference
        bar[i] = 2 * difference
    return value, limiter_backward(path, upwind, ratio, bar)


@inlined
def limited_step(now, ratio, west, east, upwind, after):
    n = now.shape[0]
    for i in range(1, n - 1):
        slope = limited(now[i] - now[i - 1], now[i + 1] - now[i])
        middle = now[i] - 0.5 * ratio * now[i] * slope
        west[i] = middle - 0.5 * slope
        east[i] = middle + 0.5 * slope
    for i in range(1, n - 2):
        left, right = max(east[i], 0.0), min(west[i + 1], 0.0)
        upwind[i] = select(left * left >= right * right, left, right)
    # Numba tests the indices of loops that start at 2 for being negative, but not those of views.
    inner, middle, faces = after[2 : n - 2], now[2 : n - 2], upwind[1 : n - 2]
    for i in range(n - 4):
        inner[i] = middle[i] - 0.5 * ratio * (faces[i + 1] * faces[i + 1] - faces[i] * faces[i])
    for i in (0, 1, n - 2, n - 1):
        after[i] = now[i]


@adjoint
def limiter_backward(path, upwind, ratio, bar):
    """The loops are several because LLVM tests at most eight pairs of arrays for overlap.

    It tests rows before the loop over t, but for a t that falls by a constant it then runs the loops unvectorised.
    """
    n = bar.shape[0]
    east_bar, west_bar = np.zeros(n), np.zeros(n)  # both by the face that they are at
    behind_bar, ahead_bar = np.zeros(n), np.zeros(n)  # of the differences to the cells at either side
    kept_bar = np.zeros(n)  # of the cells that keep their values
    for t in np.arange(upwind.shape[0] - 1, -1, -1):
        now, at_face = path[t], upwind[t]
        for i in (0, 1, n - 2, n - 1):
            kept_bar[i] += bar[i]
            bar[i] = 0.0
        for i in range(1, n - 2):
            flux_bar = ratio * (bar[i + 1] - bar[i])
            east_bar[i] = flux_bar * max(at_face[i], 0.0)
            west_bar[i] = flux_bar * min(at_face[i], 0.0)
        for i in range(1, n - 1):
            a, b = now[i] - now[i - 1], now[i + 1] - now[i]
            along = 0.5 * (east_bar[i] - west_bar[i - 1])
            slope_bar = along - 0.5 * ratio * now[i] * (east_bar[i] + west_bar[i - 1])
            slope_bar = select(a * b <= 0, 0.0, slope_bar)
            behind_bar[i] = select(abs(a) < abs(b), slope_bar, 0.0)
            ahead_bar[i] = select(abs(a) < abs(b), 0.0, slope_bar)
        for i in range(1, n - 1):
            slope = limited(now[i] - now[i - 1], now[i + 1] - now[i])
            bar[i] += (1 - 0.5 * ratio * slope) * (east_bar[i] + west_bar[i - 1])
        for i in range(1, n - 1):
            bar[i] += behind_bar[i] - behind_bar[i + 1] + ahead_bar[i - 1] - ahead_bar[i]
        bar[0] -= behind_bar[1]
        bar[n - 1] += ahead_bar[n - 2]
    for i in range(n):
        bar[i] += kept_bar[i]
    return bar


def jax(arguments):
    from jax import checkpoint, lax
    from jax import numpy as jnp

    u, ratio, observed, steps = arguments

    def loss(u):
        def step(now, _):
            a, b = now[1:-1] - now[:-2], now[2:] - now[1:-1]
            slope = jnp.where(a * b <= 0, 0.0, jnp.where(jnp.abs(a) < jnp.abs(b), a, b))
            west, east = now[1:-1] - slope / 2, now[1:-1] + slope / 2
            half = ratio / 2 * (east**2 / 2 - west**2 / 2)
            left, right = (east - half)[:-1], (west - half)[1:]
            flux = jnp.maximum(jnp.maximum(left, 0.0) ** 2, jnp.minimum(right, 0.0) ** 2) / 2
            return now - ratio * jnp.pad(flux[1:] - flux[:-1], 2), None

        # It computes a step again where it would keep much of it, and is faster for it.
        now, _ = lax.scan(checkpoint(step), u, None, length=steps)
        return jnp.sum((now - observed) ** 2)

    return jax_gradient(loss, (u,))


PEERS = {"jax": jax}
