"""Backward induction in place over a triangle: American puts on a binomial tree (Cox, Ross and Rubinstein 1979)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import exp
from harness.peers import jax_gradient

WRT = (0, 1, 2, 3)


def make(scale=1.0):
    strikes = np.array([85.3, 93.1, 99.2, 107.7, 118.9])
    quotes = np.array([2.0, 4.1, 7.0, 12.1, 21.4])
    return 100.0, strikes, 0.04, 0.25, quotes, 0.75, max(5, int(800 * scale))


def primal(spot, strikes, rate, volatility, quotes, maturity, steps):
    dt = maturity / steps
    up = np.exp(volatility * np.sqrt(dt))
    down = 1 / up
    discount = np.exp(-rate * dt)
    chance = (np.exp(rate * dt) - down) / (up - down)
    prices = spot * up ** np.arange(-steps, steps + 1)
    misfit = 0.0
    for k in range(strikes.shape[0]):
        values = np.empty(steps + 1)
        for j in range(steps + 1):
            values[j] = max(strikes[k] - prices[2 * j], 0.0)
        for step in range(steps - 1, -1, -1):
            for j in range(step + 1):
                exercise = strikes[k] - prices[steps - step + 2 * j]
                continuation = discount * (chance * values[j + 1] + (1 - chance) * values[j])
                values[j] = max(exercise, continuation)
        misfit += (values[0] - quotes[k]) ** 2
    return misfit


@adjoint
def hand(spot, strikes, rate, volatility, quotes, maturity, steps):
    """Node j of a step has the price spot upᵐ with m = 2 j - step: 2 steps + 1 prices serve all nodes.

    Their table has a row for even and a row for odd m: then neighbouring nodes read neighbouring prices.
    """
    dt = maturity / steps
    root = np.sqrt(dt)
    up, growth = np.exp(volatility * root), np.exp(rate * dt)
    down, discount = 1 / up, 1 / growth
    chance = (growth - down) / (up - down)
    to_up, to_down = discount * chance, discount * (1 - chance)

    half = (steps + 1) // 2
    powers = np.empty((2, 2 * half + 1))
    for odd in range(2):
        for c in range(2 * half + 1):
            powers[odd, c] = 2 * (c - half) - odd
    prices = np.empty(powers.shape)
    for odd in range(2):
        for c in range(2 * half + 1):
            prices[odd, c] = spot * exp(volatility * root * powers[odd, c])

    values = np.empty((steps + 1, steps + 1))
    bar = np.empty(steps + 2)
    prices_bar, strikes_bar = np.zeros(powers.shape), np.zeros(strikes.shape[0])
    misfit = to_up_bar = to_down_bar = 0.0
    for k in range(strikes.shape[0]):
        induction(strikes[k], prices, to_up, to_down, values)
        misfit += (values[0, 0] - quotes[k]) ** 2
        bar[:] = 0.0
        bar[0] = 2 * (values[0, 0] - quotes[k])
        strikes_bar[k], up_part, down_part = induction_backward(
            strikes[k], prices, to_up, to_down, values, bar, prices_bar
        )
        to_up_bar += up_part
        to_down_bar += down_part

    spot_bar = power_bar = 0.0
    for odd in range(2):
        for c in range(2 * half + 1):
            spot_bar += prices_bar[odd, c] * prices[odd, c]
            power_bar += prices_bar[odd, c] * prices[odd, c] * powers[odd, c]
    chance_bar = discount * (to_up_bar - to_down_bar)
    discount_bar = to_up_bar * chance + to_down_bar * (1 - chance)
    # chance = (growth - 1 / up) / (up - 1 / up)
    up_bar = chance_bar * (down * down * (1 - chance) - chance) / (up - down)
    growth_bar = chance_bar / (up - down) - discount_bar * discount * discount
    volatility_bar = root * (power_bar + up_bar * up)
    return misfit, spot_bar / spot, strikes_bar, growth_bar * growth * dt, volatility_bar


@inlined
def induction(strike, prices, to_up, to_down, values):
    """The values of all nodes, a row for each step."""
    steps = values.shape[0] - 1
    half = (steps + 1) // 2
    now, price = values[steps], prices[steps % 2, half - steps // 2 :]
    for j in range(steps + 1):
        now[j] = max(strike - price[j], 0.0)
    for step in range(steps - 1, -1, -1):
        now, after, price = values[step], values[step + 1], prices[step % 2, half - step // 2 :]
        for j in range(step + 1):
            now[j] = max(strike - price[j], to_up * after[j + 1] + to_down * after[j])


@inlined
def induction_backward(strike, prices, to_up, to_down, values, bar, prices_bar):
    """Cotangents of the strike and of the two factors; those of the prices are added to `prices_bar`.

    Nodes before `first` have no part in the value: all ways to them meet an early exercise. The views count from 0,
    because Numba tests each index of other ranges for being negative.
    """
    steps = values.shape[0] - 1
    half = (steps + 1) // 2
    held = np.zeros(steps + 3)  # what is not exercised, between zeros
    strike_bar = to_up_bar = to_down_bar = 0.0
    first = 0
    for step in range(steps):
        nodes = step + 1 - first
        of_first = half - step // 2 + first
        now, after, bars = values[step, first:], values[step + 1, first:], bar[first:]
        price, price_bar = prices[step % 2, of_first:], prices_bar[step % 2, of_first:]
        for j in range(nodes):
            held[j + 1] = bars[j] if now[j] > strike - price[j] else 0.0
        held[nodes + 1] = 0.0
        for j in range(nodes):
            to_up_bar += held[j + 1] * after[j + 1]
            to_down_bar += held[j + 1] * after[j]
        for j in range(nodes):
            strike_bar += bars[j] - held[j + 1]
            price_bar[j] -= bars[j] - held[j + 1]
        for j in range(nodes + 1):
            bars[j] = to_down * held[j + 1] + to_up * held[j]
        while first <= step and bar[first] == 0.0:
            first += 1
    now, price_bar = values[steps], prices_bar[steps % 2, half - steps // 2 :]
    for j in range(first, steps + 1):
        exercised = bar[j] if now[j] > 0.0 else 0.0
        strike_bar += exercised
        price_bar[j] -= exercised
    return strike_bar, to_up_bar, to_down_bar


def jax(arguments):
    from jax import lax, vmap
    from jax import numpy as jnp

    spot, strikes, rate, volatility, quotes, maturity, steps = arguments
    dt = maturity / steps
    nodes = np.arange(steps + 1)

    def put(spot, strike, rate, volatility):
        up = jnp.exp(volatility * np.sqrt(dt))
        discount = jnp.exp(-rate * dt)
        chance = (jnp.exp(rate * dt) - 1 / up) / (up - 1 / up)

        def induct(values, step):
            """All elements of a step, of which the first step + 1 are nodes."""
            after = jnp.append(values[1:], 0.0)
            continuation = discount * (chance * after + (1 - chance) * values)
            return jnp.maximum(strike - spot * up ** (2 * nodes - step), continuation), None

        values = jnp.maximum(strike - spot * up ** (2 * nodes - steps), 0.0)
        values, _ = lax.scan(induct, values, jnp.arange(steps - 1, -1, -1))
        return values[0]

    def loss(spot, strikes, rate, volatility):
        values = vmap(put, in_axes=(None, 0, None, None))(spot, strikes, rate, volatility)
        return jnp.sum((values - quotes) ** 2)

    return jax_gradient(loss, (spot, strikes, rate, volatility))


PEERS = {"jax": jax}
