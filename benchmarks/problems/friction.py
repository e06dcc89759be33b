"""A while inside a for: the friction factor of pipes (Colebrook and White) by fixed-point iteration."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import log, select
from harness.peers import jax_gradient, torch_gradient

WRT = (0, 1)
FACTOR = -2 / np.log(10.0)
LANES = 64
MOST_STEPS = 500


def make(scale=1.0):
    random = np.random.default_rng(4)
    n = max(5, int(5000 * scale))
    return 10 ** random.uniform(-5.0, -1.5, n), 10 ** random.uniform(3.6, 7.5, n)


def primal(roughness, reynolds):
    total = 0.0
    for i in range(roughness.shape[0]):
        wall = roughness[i] / 3.7
        film = 2.51 / reynolds[i]
        x = 7.0
        change = 1.0
        while abs(change) > 1e-11:
            change = -2 * np.log10(wall + film * x) - x
            x += change
        total += 1 / x**2
    return total


@adjoint
def hand(roughness, reynolds):
    """In blocks of elements that iterate together until the last has converged; each keeps its own count of steps."""
    n = roughness.shape[0]
    roughness_bar, reynolds_bar = np.empty(n), np.empty(n)
    path, inner = np.empty((MOST_STEPS + 1, LANES)), np.empty((MOST_STEPS, LANES))
    wall, film, counts, x_bar = np.empty(LANES), np.empty(LANES), np.empty(LANES), np.empty(LANES)
    wall_bar, film_bar = np.empty(LANES), np.empty(LANES)
    total = 0.0
    for first in range(0, n, LANES):
        lanes = min(LANES, n - first)
        for l in range(LANES):
            i = first + min(l, lanes - 1)  # lanes without an element of their own repeat the last one
            wall[l] = roughness[i] / 3.7
            film[l] = 2.51 / reynolds[i]
        steps = iterate(wall, film, path, inner, counts)
        for l in range(LANES):
            x_bar[l] = -2 / (path[steps, l] ** 3)
        for l in range(lanes):
            total += 1 / path[steps, l] ** 2
        iterate_back(film, path[:steps], inner, counts, x_bar, wall_bar, film_bar)
        for l in range(lanes):
            roughness_bar[first + l] = wall_bar[l] / 3.7
            reynolds_bar[first + l] = -film_bar[l] * film[l] / reynolds[first + l]
    return total, roughness_bar, reynolds_bar


@inlined
def iterate(wall, film, path, inner, counts):
    """How many steps the slowest lane takes. LLVM vectorises these loops because each concerns few arrays."""
    change = np.ones(LANES)
    counts[:] = 0.0
    path[0] = 7.0
    steps = 0
    active = 1.0
    while active > 0 and steps < MOST_STEPS:
        x, after, inside = path[steps], path[steps + 1], inner[steps]
        for l in range(LANES):
            inside[l] = wall[l] + film[l] * x[l]
        for l in range(LANES):
            after[l] = select(change[l] > 1e-11, FACTOR * log(inside[l]), x[l])
        for l in range(LANES):
            counts[l] += select(change[l] > 1e-11, 1.0, 0.0)
        active = 0.0
        for l in range(LANES):
            change[l] = select(change[l] > 1e-11, abs(after[l] - x[l]), 0.0)
            active += select(change[l] > 1e-11, 1.0, 0.0)
        steps += 1
    return steps


@inlined
def iterate_back(film, path, inner, counts, x_bar, wall_bar, film_bar):
    inner_bar = np.empty(LANES)
    wall_bar[:] = 0.0
    film_bar[:] = 0.0
    for step in range(path.shape[0] - 1, -1, -1):
        x, inside = path[step], inner[step]
        for l in range(LANES):
            inner_bar[l] = select(step < counts[l], FACTOR * x_bar[l] / inside[l], 0.0)
        for l in range(LANES):
            x_bar[l] = select(step < counts[l], inner_bar[l] * film[l], x_bar[l])
        for l in range(LANES):
            wall_bar[l] += inner_bar[l]
        for l in range(LANES):
            film_bar[l] += inner_bar[l] * x[l]


@adjoint
def in_order(roughness, reynolds):
    """The program's own order: one element after the other, forwards and at once backwards."""
    n = roughness.shape[0]
    roughness_bar, reynolds_bar = np.empty(n), np.empty(n)
    path, inner = np.empty(MOST_STEPS), np.empty(MOST_STEPS)
    total = 0.0
    for i in range(n):
        wall, film = roughness[i] / 3.7, 2.51 / reynolds[i]
        x, change, steps = 7.0, 1.0, 0
        while abs(change) > 1e-11 and steps < MOST_STEPS:
            path[steps], inner[steps] = x, wall + film * x
            change = FACTOR * log(inner[steps]) - x
            x += change
            steps += 1
        total += 1 / x**2
        x_bar = -2 / (x * x * x)
        wall_bar = film_bar = 0.0
        for step in range(steps - 1, -1, -1):
            inner_bar = FACTOR * x_bar / inner[step]
            x_bar = inner_bar * film
            wall_bar += inner_bar
            film_bar += inner_bar * path[step]
        roughness_bar[i] = wall_bar / 3.7
        reynolds_bar[i] = -film_bar * film / reynolds[i]
    return total, roughness_bar, reynolds_bar


def fixed_count(log10, iterations):
    """The loss with the same number of iterations for all, which array packages need."""

    def loss(roughness, reynolds):
        wall = roughness / 3.7
        film = 2.51 / reynolds
        x = 7.0
        for _ in range(iterations):
            x = -2 * log10(wall + film * x)
        return (1 / x**2).sum()

    return loss


def jax(arguments):
    from jax import numpy as jnp

    return jax_gradient(fixed_count(jnp.log10, 20), arguments)


def torch(arguments):
    import torch

    return torch_gradient(fixed_count(torch.log10, 20), arguments)


PEERS = {"jax": jax, "torch": torch}
