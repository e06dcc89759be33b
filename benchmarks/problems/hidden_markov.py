"""A recurrence of log-sum-exps: the likelihood of a hidden Markov model, forwards in logarithms (Rabiner 1989)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp, log
from harness.peers import jax_gradient

WRT = (0, 1, 2)


def make(scale=1.0):
    random = np.random.default_rng(14)
    states, symbols, steps = 12, 20, max(4, int(2000 * scale))
    transition = random.dirichlet(np.ones(states), states)
    emission = random.dirichlet(np.ones(symbols), states)
    initial = random.dirichlet(np.ones(states))
    return np.log(transition), np.log(emission), np.log(initial), random.integers(0, symbols, steps)


def primal(log_transition, log_emission, log_initial, observed):
    steps = observed.shape[0]
    states = log_initial.shape[0]
    alpha = np.empty((steps, states))
    for s in range(states):
        alpha[0, s] = log_initial[s] + log_emission[s, observed[0]]
    for t in range(1, steps):
        for s in range(states):
            largest = -np.inf
            for p in range(states):
                largest = max(largest, alpha[t - 1, p] + log_transition[p, s])
            total = 0.0
            for p in range(states):
                total += np.exp(alpha[t - 1, p] + log_transition[p, s] - largest)
            alpha[t, s] = largest + np.log(total) + log_emission[s, observed[t]]
    largest = -np.inf
    for s in range(states):
        largest = max(largest, alpha[steps - 1, s])
    total = 0.0
    for s in range(states):
        total += np.exp(alpha[steps - 1, s] - largest)
    return largest + np.log(total)


@adjoint
def hand(log_transition, log_emission, log_initial, observed):
    """All states of a step together; the exponentials are kept. The largest term has no cotangent: it cancels.

    Rows are as wide as whole vectors of eight, because the last states would cost as much one by one.
    """
    steps, states = observed.shape[0], log_initial.shape[0]
    width = (states + 7) // 8 * 8
    transition, emission = widened(log_transition, width), widened(log_emission.T, width)
    weights, inverse = np.empty((steps, states, width)), np.empty((steps, width))
    alpha, largest = emission[observed[0]].copy(), np.empty(width)
    for s in range(states):
        alpha[s] += log_initial[s]
    for t in range(1, steps):
        advance(alpha, transition, emission[observed[t]], largest, weights[t], inverse[t])
    highest = alpha[0]
    for s in range(states):
        highest = max(highest, alpha[s])
    total = 0.0
    for s in range(states):
        total += exp(alpha[s] - highest)
    alpha_bar = np.zeros(width)
    for s in range(states):
        alpha_bar[s] = exp(alpha[s] - highest) / total
    gradients = hidden_markov_backward(alpha_bar, weights, inverse, observed, log_emission.shape[1])
    return highest + np.log(total), *gradients


@inlined
def widened(table, width):
    """A copy with columns of zeros on the right."""
    wide = np.zeros((table.shape[0], width))
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            wide[i, j] = table[i, j]
    return wide


@inlined
def advance(alpha, transition, emission, largest, weights, inverse):
    """alpha of the next step, in place; the largest terms of four previous states at a time."""
    states, width = weights.shape
    whole = states - states % 4
    largest[:] = -np.inf
    for p in range(0, whole, 4):
        first, second, third, fourth = transition[p], transition[p + 1], transition[p + 2], transition[p + 3]
        a, b, c, d = alpha[p], alpha[p + 1], alpha[p + 2], alpha[p + 3]
        for s in range(width):
            of_pairs = max(a + first[s], b + second[s]), max(c + third[s], d + fourth[s])
            largest[s] = max(largest[s], max(of_pairs[0], of_pairs[1]))
    for p in range(whole, states):
        for s in range(width):
            largest[s] = max(largest[s], alpha[p] + transition[p, s])
    inverse[:] = 0.0
    for p in range(states):
        row, to = weights[p], transition[p]
        for s in range(width):
            row[s] = exp(alpha[p] + to[s] - largest[s])
            inverse[s] += row[s]
    for s in range(width):
        alpha[s] = largest[s] + log(inverse[s]) + emission[s]
    for s in range(width):
        inverse[s] = 1 / inverse[s]


@adjoint
def hidden_markov_backward(alpha_bar, weights, inverse, observed, symbols):
    """Cotangents of the three tables from that of the last alpha, which is overwritten."""
    steps, states, width = weights.shape
    transition_bar, emission_bar = np.zeros((states, width)), np.zeros((symbols, width))
    scaled = np.empty(width)
    for t in range(steps - 1, 0, -1):
        of_symbol, inverses = emission_bar[observed[t]], inverse[t]
        for s in range(width):
            of_symbol[s] += alpha_bar[s]
            scaled[s] = alpha_bar[s] * inverses[s]
        for p in range(states):
            row, row_bar = weights[t, p], transition_bar[p]
            bar = 0.0
            for s in range(width):
                share = row[s] * scaled[s]
                row_bar[s] += share
                bar += share
            alpha_bar[p] = bar
    for s in range(states):
        emission_bar[observed[0], s] += alpha_bar[s]
    return transition_bar[:, :states].copy(), emission_bar[:, :states].T.copy(), alpha_bar[:states].copy()


def jax(arguments):
    from jax import lax
    from jax.scipy.special import logsumexp

    log_transition, log_emission, log_initial, observed = arguments

    def loss(log_transition, log_emission, log_initial):
        def step(alpha, symbol):
            return logsumexp(alpha[:, None] + log_transition, axis=0) + log_emission[:, symbol], None

        alpha, _ = lax.scan(step, log_initial + log_emission[:, observed[0]], observed[1:])
        return logsumexp(alpha)

    return jax_gradient(loss, (log_transition, log_emission, log_initial))


PEERS = {"jax": jax}
