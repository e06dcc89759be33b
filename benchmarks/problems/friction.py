"""A while inside a for: the friction factor of pipes (Colebrook and White) by fixed-point iteration, each to its end."""

import numpy as np
from harness.compiled import adjoint
from harness.libm import log
from harness.peers import jax_gradient, torch_gradient

WRT = (0, 1)
FACTOR = -2 / np.log(10.0)


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
    n = roughness.shape[0]
    roughness_bar, reynolds_bar = np.empty(n), np.empty(n)
    path, inverses = np.empty(1000), np.empty(1000)
    total = 0.0
    for i in range(n):
        wall = roughness[i] / 3.7
        film = 2.51 / reynolds[i]
        x = 7.0
        change = 1.0
        count = 0
        while abs(change) > 1e-11:
            inner = wall + film * x
            path[count] = x
            inverses[count] = FACTOR / inner
            count += 1
            change = FACTOR * log(inner) - x
            x += change
        total += 1 / (x * x)
        x_bar = -2 / (x * x * x)
        wall_bar = film_bar = 0.0
        for k in range(count - 1, -1, -1):
            inner_bar = x_bar * inverses[k]
            wall_bar += inner_bar
            film_bar += inner_bar * path[k]
            x_bar = inner_bar * film
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
