"""A while in a while over tied times, with running sums: Cox's partial likelihood (1972) with Efron's ties (1977)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp, log, select
from harness.peers import jax_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(23)
    n, m = max(12, int(100_000 * scale)), 10
    x = random.standard_normal((n, m))
    beta = random.normal(0.0, 0.3, m)
    lifetime = random.exponential(400 * np.exp(-x @ beta))
    censored = random.exponential(600.0, n)
    days = np.ceil(np.minimum(lifetime, censored))
    order = np.argsort(-days, kind="stable")
    return beta + random.normal(0.0, 0.1, m), x[order], days[order], (lifetime <= censored)[order]


def primal(beta, x, days, died):
    """The subjects are in descending order of days."""
    n, m = x.shape
    eta = np.zeros(n)
    for i in range(n):
        for j in range(m):
            eta[i] += x[i, j] * beta[j]
    loss = 0.0
    risk = 0.0
    i = 0
    while i < n:
        day = days[i]
        deaths = 0
        tied = 0.0
        while i < n and days[i] == day:
            hazard = np.exp(eta[i])
            risk += hazard
            if died[i]:
                deaths += 1
                tied += hazard
                loss -= eta[i]
            i += 1
        for l in range(deaths):
            loss += np.log(risk - l / deaths * tied)
    return loss


@adjoint
def hand(beta, x, days, died):
    """Group after group of tied times. The sums in a group are loops of their own, without branches.

    Slices of what a group holds count from 0: for other ranges Numba tests each index for being negative.
    """
    n = x.shape[0]
    hazards, weights, denominators, eta_bar = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    starts, slots = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    linear_predictors(x, beta, hazards)
    loss = 0.0
    for i in range(n):
        weights[i] = select(died[i], 1.0, 0.0)
        loss -= weights[i] * hazards[i]
        hazards[i] = exp(hazards[i])
    groups = find_groups(days, starts)
    deaths = risk_sets(hazards, weights, starts[: groups + 1], slots, denominators)
    for s in range(deaths):
        loss += log(denominators[s])
        denominators[s] = 1 / denominators[s]
    risk_sets_back(hazards, weights, starts[: groups + 1], slots, denominators, eta_bar)
    return loss, *linear_predictors_back(x, beta, eta_bar)


@inlined
def linear_predictors(x, beta, eta):
    for i in range(x.shape[0]):
        s = 0.0
        for j in range(x.shape[1]):
            s += x[i, j] * beta[j]
        eta[i] = s


@inlined
def find_groups(days, starts):
    """How many times there are; the first subject of each, and the number of subjects behind the last."""
    starts[0] = groups = 0
    for i in range(1, days.shape[0]):
        if days[i] != days[i - 1]:
            groups += 1
            starts[groups] = i
    starts[groups + 1] = days.shape[0]
    return groups + 1


@inlined
def risk_sets(hazards, weights, starts, slots, denominators):
    """The number of deaths; what the logarithm of each is taken of, where those of a group begin at its slot."""
    risk = 0.0
    slot = 0
    for group in range(starts.shape[0] - 1):
        start, stop = starts[group], starts[group + 1]
        hazard, weight = hazards[start:stop], weights[start:stop]
        total = tied = count = 0.0
        for i in range(stop - start):
            total += hazard[i]
            tied += weight[i] * hazard[i]
            count += weight[i]
        risk += total
        slots[group] = slot
        slot += int(count)
        here = denominators[slots[group] : slot]
        for l in range(here.shape[0]):
            here[l] = risk - l * (tied / count)
    slots[starts.shape[0] - 1] = slot
    return slot


@inlined
def risk_sets_back(hazards, weights, starts, slots, inverses, eta_bar):
    risk_bar = 0.0
    for group in range(starts.shape[0] - 2, -1, -1):
        start, stop = starts[group], starts[group + 1]
        hazard, weight, bar = hazards[start:stop], weights[start:stop], eta_bar[start:stop]
        here = inverses[slots[group] : slots[group + 1]]
        tied_bar = 0.0
        for l in range(here.shape[0]):
            risk_bar += here[l]
            tied_bar -= l * here[l]
        tied_bar /= max(1, here.shape[0])
        for i in range(stop - start):
            bar[i] = hazard[i] * (risk_bar + weight[i] * tied_bar) - weight[i]


@adjoint
def linear_predictors_back(x, beta, eta_bar):
    """Four rows at a time, so that beta_bar is loaded and stored a quarter as often."""
    n, m = x.shape
    beta_bar, x_bar = np.zeros(m), np.empty((n, m))
    for i in range(0, n - n % 4, 4):
        e0, e1, e2, e3 = eta_bar[i], eta_bar[i + 1], eta_bar[i + 2], eta_bar[i + 3]
        for j in range(m):
            beta_bar[j] += e0 * x[i, j] + e1 * x[i + 1, j] + e2 * x[i + 2, j] + e3 * x[i + 3, j]
        for k in range(4):
            for j in range(m):
                x_bar[i + k, j] = eta_bar[i + k] * beta[j]
    for i in range(n - n % 4, n):
        for j in range(m):
            beta_bar[j] += eta_bar[i] * x[i, j]
            x_bar[i, j] = eta_bar[i] * beta[j]
    return beta_bar, x_bar


def jax(arguments):
    from jax import numpy as jnp

    beta, x, days, died = arguments
    n, last = len(days), np.searchsorted(-days, -days, side="right") - 1
    rank = np.cumsum(died) - died  # of a death among all of them
    first_rank = rank[np.searchsorted(-days, -days, side="left")]
    deaths = np.bincount(last, weights=died, minlength=n)[last]
    fraction = (rank - first_rank)[died] / deaths[died]

    def loss(beta, x):
        eta = x @ beta
        hazards = jnp.exp(eta)
        tied = jnp.zeros(n).at[last].add(hazards * died)
        end = last[died]
        return jnp.sum(jnp.log(jnp.cumsum(hazards)[end] - fraction * tied[end])) - jnp.sum(eta[died])

    return jax_gradient(loss, (beta, x))


PEERS = {"jax": jax}
