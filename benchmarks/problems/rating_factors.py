"""Gathered and scattered rows: factors and biases of users and items for a list of ratings (Koren et al. 2009)."""

import numpy as np

from harness.compiled import adjoint
from harness.peers import jax_gradient

WRT = (0, 1, 2, 3)


def make(scale=1.0):
    random = np.random.default_rng(21)
    ratings, factors = max(20, int(80_000 * scale)), 16
    n, m = max(5, int(2000 * scale)), max(4, int(1200 * scale))
    users, items = random.integers(0, n, ratings), random.integers(0, m, ratings)
    user_factors, item_factors = random.normal(0.0, 0.3, (n, factors)), random.normal(0.0, 0.3, (m, factors))
    user_bias, item_bias = random.normal(0.0, 0.3, n), random.normal(0.0, 0.3, m)
    values = random.integers(1, 6, ratings).astype(np.float64)
    return user_factors, item_factors, user_bias, item_bias, users, items, values, values.mean(), 0.02


def primal(user_factors, item_factors, user_bias, item_bias, users, items, values, mean, penalty):
    factors = user_factors.shape[1]
    loss = 0.0
    for k in range(values.shape[0]):
        u = users[k]
        i = items[k]
        predicted = mean + user_bias[u] + item_bias[i]
        norms = user_bias[u] ** 2 + item_bias[i] ** 2
        for f in range(factors):
            predicted += user_factors[u, f] * item_factors[i, f]
            norms += user_factors[u, f] ** 2 + item_factors[i, f] ** 2
        loss += (values[k] - predicted) ** 2 + penalty * norms
    return loss


@adjoint
def hand(user_factors, item_factors, user_bias, item_bias, users, items, values, mean, penalty):
    """The penalty of a user or an item is computed once and multiplied by the number of their ratings."""
    factors = user_factors.shape[1]
    user_factors_bar, item_factors_bar = np.zeros(user_factors.shape), np.zeros(item_factors.shape)
    user_bias_bar, item_bias_bar = np.zeros(user_bias.shape), np.zeros(item_bias.shape)
    user_counts, item_counts = np.zeros(user_bias.shape), np.zeros(item_bias.shape)
    loss = 0.0
    for k in range(values.shape[0]):
        u, i = np.uint64(users[k]), np.uint64(items[k])  # Numba tests signed indices for being negative
        error = mean + user_bias[u] + item_bias[i] - values[k]
        for f in range(factors):
            error += user_factors[u, f] * item_factors[i, f]
        loss += error * error
        bar = 2 * error
        for f in range(factors):
            user_factors_bar[u, f] += bar * item_factors[i, f]
        for f in range(factors):
            item_factors_bar[i, f] += bar * user_factors[u, f]
        user_bias_bar[u] += bar
        item_bias_bar[i] += bar
        user_counts[u] += 1
        item_counts[i] += 1
    loss += penalise(user_factors, user_bias, user_counts, penalty, user_factors_bar, user_bias_bar)
    loss += penalise(item_factors, item_bias, item_counts, penalty, item_factors_bar, item_bias_bar)
    return loss, user_factors_bar, item_factors_bar, user_bias_bar, item_bias_bar


@adjoint
def penalise(factors, bias, counts, penalty, factors_bar, bias_bar):
    """The penalty of all users, or of all items; adds its gradient."""
    loss = 0.0
    for u in range(bias.shape[0]):
        weight = penalty * counts[u]
        norm = bias[u] * bias[u]
        for f in range(factors.shape[1]):
            norm += factors[u, f] * factors[u, f]
        for f in range(factors.shape[1]):
            factors_bar[u, f] += 2 * weight * factors[u, f]
        loss += weight * norm
        bias_bar[u] += 2 * weight * bias[u]
    return loss


def jax(arguments):
    from jax import numpy as jnp

    users, items, values, mean, penalty = arguments[4:]

    def loss(user_factors, item_factors, user_bias, item_bias):
        p, q, b, c = user_factors[users], item_factors[items], user_bias[users], item_bias[items]
        errors = values - mean - b - c - jnp.sum(p * q, axis=1)
        return jnp.sum(errors**2) + penalty * (jnp.sum(p**2) + jnp.sum(q**2) + jnp.sum(b**2) + jnp.sum(c**2))

    return jax_gradient(loss, arguments[:4])


PEERS = {"jax": jax}
