"""Arrays that get shorter: an American put on a trinomial tree, in slices (Boyle 1986)."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.peers import jax_gradient

WRT = (0, 1, 2)


def make(scale=1.0):
    return 100.0, 0.25, 0.04, 105.0, max(3, int(300 * scale))


def primal(spot, volatility, rate, strike, steps):
    dt = 1.0 / steps
    growth = np.exp(rate * dt / 2)
    factor = np.exp(volatility * np.sqrt(dt / 2))
    up = ((growth - 1 / factor) / (factor - 1 / factor)) ** 2
    down = ((factor - growth) / (factor - 1 / factor)) ** 2
    middle = 1 - up - down
    discount = np.exp(-rate * dt)
    prices = spot * np.exp(volatility * np.sqrt(2 * dt)) ** np.arange(-steps, steps + 1)
    values = np.maximum(strike - prices, 0.0)
    for _ in range(steps):
        values = discount * (down * values[:-2] + middle * values[1:-1] + up * values[2:])
        prices = prices[1:-1]
        values = np.maximum(values, strike - prices)
    return values[0]


@adjoint
def hand(spot, volatility, rate, strike, steps):
    dt = 1.0 / steps
    growth, discount = np.exp(rate * dt / 2), np.exp(-rate * dt)
    factor, ratio = np.exp(volatility * np.sqrt(dt / 2)), np.exp(volatility * np.sqrt(2 * dt))
    width = factor - 1 / factor
    up_root, down_root = (growth - 1 / factor) / width, (factor - growth) / width
    up, down = up_root**2, down_root**2
    middle = 1 - up - down
    prices = np.empty(2 * steps + 1)
    for j in range(2 * steps + 1):
        prices[j] = spot * ratio ** (j - steps)
    values = induction(prices, discount, down, middle, up, strike, steps)
    bar, prices_bar, down_sum, middle_sum, up_sum = induction_backward(
        prices, values, discount, down, middle, up, strike
    )
    spot_bar = ratio_bar = 0.0
    for j in range(2 * steps + 1):
        price_bar = prices_bar[j] - (bar[j] if values[0, j] > 0 else 0.0)
        spot_bar += price_bar * prices[j]
        ratio_bar += price_bar * prices[j] * (j - steps)
    discount_bar = down * down_sum + middle * middle_sum + up * up_sum
    up_bar = 2 * up_root * discount * (up_sum - middle_sum)
    down_bar = 2 * down_root * discount * (down_sum - middle_sum)
    growth_bar = (up_bar - down_bar) / width
    width_bar = -(up_bar * up_root + down_bar * down_root) / width
    inverse = 1 / (factor * factor)
    factor_bar = (up_bar * inverse + down_bar) / width + width_bar * (1 + inverse)
    volatility_bar = ratio_bar * np.sqrt(2 * dt) + factor_bar * factor * np.sqrt(dt / 2)
    rate_bar = growth_bar * growth * dt / 2 - discount_bar * discount * dt
    return values[steps, 0], spot_bar / spot, volatility_bar, rate_bar


@inlined
def induction(prices, discount, down, middle, up, strike, steps):
    """The values of all nodes, a row for each step; row k has 2 k nodes less than the first."""
    values = np.empty((steps + 1, 2 * steps + 1))
    for j in range(2 * steps + 1):
        values[0, j] = max(strike - prices[j], 0.0)
    for k in range(steps):
        before, now, price = values[k], values[k + 1], prices[k + 1 :]
        for j in range(2 * (steps - k) - 1):
            held = discount * (down * before[j] + middle * before[j + 1] + up * before[j + 2])
            now[j] = max(held, strike - price[j])
    return values


@inlined
def induction_backward(prices, values, discount, down, middle, up, strike):
    """Cotangents of the first row of values and of the prices; sums of what is held times the value at each branch."""
    steps = values.shape[0] - 1
    bar, held = np.zeros(2 * steps + 1), np.zeros(2 * steps + 5)  # what is held, between two zeros on either side
    prices_bar = np.zeros(2 * steps + 1)
    bar[0] = 1.0
    down_sum = middle_sum = up_sum = 0.0
    for k in range(steps - 1, -1, -1):
        nodes = 2 * (steps - k) - 1
        before, now, price, price_bar = values[k], values[k + 1], prices[k + 1 :], prices_bar[k + 1 :]
        for j in range(nodes):
            is_held = now[j] > strike - price[j]
            price_bar[j] -= 0.0 if is_held else bar[j]
            held[j + 2] = bar[j] if is_held else 0.0
        held[nodes + 2] = held[nodes + 3] = 0.0
        for j in range(nodes):
            down_sum += held[j + 2] * before[j]
            middle_sum += held[j + 2] * before[j + 1]
            up_sum += held[j + 2] * before[j + 2]
        for j in range(nodes + 2):
            bar[j] = discount * (down * held[j + 2] + middle * held[j + 1] + up * held[j])
    return bar, prices_bar, down_sum, middle_sum, up_sum


def jax(arguments):
    from jax import lax
    from jax import numpy as jnp

    spot, volatility, rate, strike, steps = arguments
    dt = 1.0 / steps

    def value(spot, volatility, rate):
        growth, factor = jnp.exp(rate * dt / 2), jnp.exp(volatility * np.sqrt(dt / 2))
        up = ((growth - 1 / factor) / (factor - 1 / factor)) ** 2
        down = ((factor - growth) / (factor - 1 / factor)) ** 2
        prices = spot * jnp.exp(volatility * np.sqrt(2 * dt)) ** np.arange(-steps, steps + 1)

        def induct(values, k):
            """All elements of a step, of which those before the last 2 (k + 1) are nodes."""
            after, second = jnp.append(values[1:], 0.0), jnp.append(values[2:], jnp.zeros(2))
            held = jnp.exp(-rate * dt) * (down * values + (1 - up - down) * after + up * second)
            return jnp.maximum(held, strike - jnp.roll(prices, -k - 1)), None

        values, _ = lax.scan(induct, jnp.maximum(strike - prices, 0.0), jnp.arange(steps))
        return values[0]

    return jax_gradient(value, (spot, volatility, rate))


PEERS = {"jax": jax}
