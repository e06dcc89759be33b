"""A Monte Carlo path loop: an Asian option where volatility depends on the price (normals given), by Euler steps."""

import numpy as np

from harness.compiled import adjoint, inlined
from harness.libm import tanh
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1)
BLOCK = 64


def make(scale=1.0):
    random = np.random.default_rng(10)
    paths, steps = max(6, int(2000 * scale)), max(4, int(50 * scale))
    return 1.0, np.array([0.03, 0.25, 0.15, 2.0]), random.standard_normal((paths, steps)), 1.0, 1.0


def primal(price, parameters, normals, strike, maturity):
    paths, steps = normals.shape
    rate = parameters[0]
    level = parameters[1]
    tilt = parameters[2]
    steepness = parameters[3]
    dt = maturity / steps
    root = np.sqrt(dt)
    payoff = 0.0
    for p in range(paths):
        s = price
        total = 0.0
        for t in range(steps):
            volatility = level - tilt * np.tanh(steepness * (s - 1.0))
            s += s * (rate * dt + volatility * root * normals[p, t])
            total += s
        payoff += max(total / steps - strike, 0.0)
    return np.exp(-rate * maturity) * payoff / paths


@adjoint
def hand(price, parameters, normals, strike, maturity):
    """Paths in blocks, which become the innermost loop; the block that is left over is filled with zeros."""
    paths, steps = normals.shape
    rate = parameters[0]
    discount = np.exp(-rate * maturity) / paths
    noise, s_path, tanh_path = np.empty((steps, BLOCK)), np.empty((steps + 1, BLOCK)), np.empty((steps, BLOCK))
    payoff = price_bar = 0.0
    bar, s_bar = np.zeros(4), np.empty(BLOCK)
    for first in range(0, paths, BLOCK):
        count = min(BLOCK, paths - first)
        noise[:] = 0.0
        for p in range(count):
            for t in range(steps):
                noise[t, p] = normals[first + p, t]
        payoff += walk(price, parameters, noise, strike, maturity, count, s_path, tanh_path, s_bar)
        price_bar += walk_back(parameters, noise, maturity, s_path, tanh_path, s_bar, bar)
    for k in range(4):
        bar[k] *= discount
    bar[0] -= maturity * discount * payoff
    return discount * payoff, discount * price_bar, bar


@inlined
def walk(price, parameters, noise, strike, maturity, count, s_path, tanh_path, total_bar):
    """The sum of the payoffs; fills the paths, and the cotangents of their sums."""
    rate, level, tilt, steepness = parameters[0], parameters[1], parameters[2], parameters[3]
    steps = noise.shape[0]
    dt = maturity / steps
    root = np.sqrt(dt)
    total = np.zeros(BLOCK)
    s_path[0] = price
    for t in range(steps):
        s, after, h, z = s_path[t], s_path[t + 1], tanh_path[t], noise[t]
        for p in range(BLOCK):
            h[p] = tanh(steepness * (s[p] - 1.0))
        for p in range(BLOCK):
            after[p] = s[p] + s[p] * (rate * dt + (level - tilt * h[p]) * root * z[p])
        for p in range(BLOCK):
            total[p] += after[p]
    payoff = 0.0
    for p in range(BLOCK):
        gain = total[p] / steps - strike
        paid = gain > 0 and p < count
        payoff += gain if paid else 0.0
        total_bar[p] = 1 / steps if paid else 0.0
    return payoff


@inlined
def walk_back(parameters, noise, maturity, s_path, tanh_path, total_bar, bar):
    """The cotangent of the first price; adds those of the parameters to `bar`."""
    rate, level, tilt, steepness = parameters[0], parameters[1], parameters[2], parameters[3]
    steps = noise.shape[0]
    dt = maturity / steps
    root = np.sqrt(dt)
    s_bar = np.zeros(BLOCK)
    rate_bar = level_bar = tilt_bar = steepness_bar = price_bar = 0.0
    for t in range(steps - 1, -1, -1):
        s, h, z = s_path[t], tanh_path[t], noise[t]
        for p in range(BLOCK):
            after_bar = s_bar[p] + total_bar[p]
            along = after_bar * s[p]
            volatility_bar = along * root * z[p]
            inner_bar = -tilt * volatility_bar * (1 - h[p] * h[p])
            rate_bar += along
            level_bar += volatility_bar
            tilt_bar -= volatility_bar * h[p]
            steepness_bar += inner_bar * (s[p] - 1.0)
            step = rate * dt + (level - tilt * h[p]) * root * z[p]
            s_bar[p] = after_bar * (1 + step) + inner_bar * steepness
    for p in range(BLOCK):
        price_bar += s_bar[p]
    bar[0] += rate_bar * dt
    bar[1] += level_bar
    bar[2] += tilt_bar
    bar[3] += steepness_bar
    return price_bar


def vectorised(package, constants):
    """The same loss over all paths at once, with its steps unrolled."""
    normals, strike, maturity = constants
    steps = normals.shape[1]
    dt = maturity / steps

    def loss(price, parameters):
        rate, level, tilt, steepness = parameters[0], parameters[1], parameters[2], parameters[3]
        s, total = price, 0.0
        for t in range(steps):
            volatility = level - tilt * package.tanh(steepness * (s - 1.0))
            s = s + s * (rate * dt + volatility * dt**0.5 * normals[:, t])
            total = total + s
        gain = total / steps - strike
        return package.exp(-rate * maturity) * package.where(gain > 0, gain, 0.0).mean()

    return loss


def jax(arguments):
    from jax import numpy as jnp

    return jax_gradient(vectorised(jnp, arguments[2:]), arguments[:2])


def torch(arguments):
    import torch

    return torch_gradient(vectorised(torch, (torch.tensor(arguments[2]), *arguments[3:])), arguments[:2])


def autograd(arguments):
    import autograd.numpy

    return autograd_gradient(vectorised(autograd.numpy, arguments[2:]), arguments[:2])


PEERS = {"jax": jax, "torch": torch, "autograd": autograd}
