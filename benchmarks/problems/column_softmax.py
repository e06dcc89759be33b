"""Loops down the columns of a matrix: the logarithms of the sums of exponentials of scores, weighted (softmax)."""

import numpy as np

from harness.compiled import adjoint
from harness.libm import exp, log, select
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(20)
    n, m = max(3, int(1000 * scale)), max(4, int(900 * scale))
    return random.standard_normal((n, m)) * 3, random.uniform(0.5, 1.5, m)


def primal(scores, weights):
    n, m = scores.shape
    total = 0.0
    for j in range(m):
        largest = scores[0, j]
        for i in range(1, n):
            if scores[i, j] > largest:
                largest = scores[i, j]
        s = 0.0
        for i in range(n):
            s += np.exp(scores[i, j] - largest)
        total += weights[j] * (largest + np.log(s))
    return total


@adjoint
def hand(scores, weights):
    """Row by row. The cotangents of `largest` cancel: the result does not depend on it."""
    n, m = scores.shape
    largest, sums = scores[0].copy(), np.zeros(m)
    scores_bar, weights_bar = np.empty((n, m)), np.empty(m)  # scores_bar holds the exponentials before its own values
    for i in range(1, n):
        for j in range(m):
            largest[j] = select(scores[i, j] > largest[j], scores[i, j], largest[j])
    for i in range(n):
        for j in range(m):
            scores_bar[i, j] = exp(scores[i, j] - largest[j])
            sums[j] += scores_bar[i, j]
    total = 0.0
    for j in range(m):
        weights_bar[j] = largest[j] + log(sums[j])
        total += weights[j] * weights_bar[j]
        sums[j] = weights[j] / sums[j]
    for i in range(n):
        for j in range(m):
            scores_bar[i, j] *= sums[j]
    return total, scores_bar, weights_bar


@adjoint
def in_order(scores, weights):
    """The program's own order: one column after the other, copied so that the loops over it are contiguous."""
    n, m = scores.shape
    scores_bar, weights_bar = np.empty((n, m)), np.empty(m)
    column = np.empty(n)
    total = 0.0
    for j in range(m):
        largest = scores[0, j]
        for i in range(n):
            column[i] = scores[i, j]
            largest = select(column[i] > largest, column[i], largest)
        s = 0.0
        for i in range(n):
            column[i] = exp(column[i] - largest)
            s += column[i]
        weights_bar[j] = largest + log(s)
        total += weights[j] * weights_bar[j]
        for i in range(n):
            scores_bar[i, j] = weights[j] / s * column[i]
    return total, scores_bar, weights_bar


def jax(arguments):
    from jax import numpy as jnp
    from jax.scipy.special import logsumexp

    return jax_gradient(lambda scores, weights: jnp.sum(weights * logsumexp(scores, axis=0)), arguments)


PEERS = {"jax": jax}
