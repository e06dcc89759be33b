"""A long scalar chain: calibration of the SABR volatility formula (Hagan et al. 2002) to option prices."""

import math

import numpy as np

from harness.compiled import adjoint
from harness.libm import exp, log, normal
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(6)
    n = max(5, int(5000 * scale))
    forward = random.uniform(0.8, 1.2, n)
    strike = forward * np.exp(random.choice([-1.0, 1.0], n) * random.uniform(0.05, 0.3, n))
    maturity = random.uniform(0.2, 3.0, n)
    return np.array([0.25, 0.6, -0.3, 0.5]), forward, strike, maturity, random.uniform(0.0, 0.3, n)


def primal(parameters, forward, strike, maturity, market):
    alpha = parameters[0]
    beta = parameters[1]
    rho = parameters[2]
    nu = parameters[3]
    loss = 0.0
    for i in range(forward.shape[0]):
        f = forward[i]
        k = strike[i]
        t = maturity[i]
        fk = f * k
        moneyness = f / k
        log_moneyness = math.log(moneyness)
        log_fk = math.log(fk)
        skew = 1.0 - beta
        skew2 = skew * skew
        half_skew = 0.5 * skew
        exponent = half_skew * log_fk
        g = math.exp(exponent)
        g2 = g * g
        w = log_moneyness * log_moneyness
        w1 = skew2 * w
        w2 = w1 * w1
        series = 1.0 + w1 / 24.0
        series += w2 / 1920.0
        bottom = g * series
        ratio = nu / alpha
        scaled = ratio * g
        z = scaled * log_moneyness
        z2 = z * z
        twice = 2.0 * rho
        cross = twice * z
        inside = 1.0 - cross
        inside += z2
        root = math.sqrt(inside)
        top = root + z
        top -= rho
        below = 1.0 - rho
        quotient = top / below
        chi = math.log(quotient)
        stretch = z / chi
        alpha2 = alpha * alpha
        first = skew2 * alpha2
        first /= g2
        first /= 24.0
        second = rho * beta
        second *= nu
        second *= alpha
        second /= g
        second /= 4.0
        rho2 = rho * rho
        third = 2.0 - 3.0 * rho2
        third *= nu
        third *= nu
        third /= 24.0
        correction = first + second
        correction += third
        correction *= t
        level = alpha / bottom
        level *= stretch
        volatility = level * (1.0 + correction)
        root_t = math.sqrt(t)
        deviation = volatility * root_t
        half = 0.5 * deviation
        d1 = log_moneyness / deviation
        d1 += half
        d2 = d1 - deviation
        s1 = d1 / math.sqrt(2.0)
        s2 = d2 / math.sqrt(2.0)
        p1 = 0.5 + 0.5 * math.erf(s1)
        p2 = 0.5 + 0.5 * math.erf(s2)
        paid = f * p1
        price = paid - k * p2
        miss = price - market[i]
        loss += miss * miss
    return loss


@adjoint
def hand(parameters, forward, strike, maturity, market):
    alpha, beta, rho, nu = parameters[0], parameters[1], parameters[2], parameters[3]
    skew = 1 - beta
    skew2 = skew * skew
    third = (2 - 3 * rho * rho) * nu * nu / 24
    forward_bar = np.empty(forward.shape[0])
    loss = alpha_bar = skew_bar = beta_bar = rho_bar = nu_bar = 0.0
    for i in range(forward.shape[0]):
        f, k, t = forward[i], strike[i], maturity[i]
        log_f, log_k = log(f), log(k)
        x, log_fk = log_f - log_k, log_f + log_k
        inverse_g = exp(-0.5 * skew * log_fk)
        w = skew2 * x * x
        inverse_series = 1 / (1 + w / 24 + w * w / 1920)
        z = nu / alpha * x / inverse_g
        inverse_root = 1 / np.sqrt(1 - 2 * rho * z + z * z)
        top = 1 / inverse_root + z - rho
        inverse_chi = 1 / log(top / (1 - rho))
        first = skew2 * alpha * alpha * inverse_g * inverse_g / 24
        second = rho * beta * nu * alpha * inverse_g / 4
        bracket = 1 + (first + second + third) * t
        level = alpha * inverse_g * inverse_series * z * inverse_chi
        volatility = level * bracket
        deviation = volatility * np.sqrt(t)
        d1 = x / deviation + 0.5 * deviation
        p1, density = normal(d1)
        p2, _ = normal(d1 - deviation)
        miss = f * p1 - k * p2 - market[i]
        loss += miss * miss

        price_bar = 2 * miss
        # f φ(d1) = k φ(d2): the price depends on d1 and d2 through the deviation alone, and on f through p1.
        volatility_bar = price_bar * f * density * np.sqrt(t)
        level_bar = volatility_bar * volatility  # the cotangents of logarithms, here and where it says `_log_bar`
        correction_bar = volatility_bar * level * t
        third_bar = correction_bar
        first_log_bar = correction_bar * first
        second_log_bar = correction_bar * second
        g_log_bar = -level_bar - 2 * first_log_bar - second_log_bar
        series_bar = -level_bar * inverse_series
        w_bar = series_bar * (1 / 24 + w / 960)
        chi_bar = -level_bar * inverse_chi
        top_bar = chi_bar / top
        z_bar = top_bar * (1 + (z - rho) * inverse_root)
        z_log_bar = level_bar + z_bar * z
        g_log_bar += z_log_bar
        x_bar = z_log_bar / x + 2 * w_bar * skew2 * x
        fk_log_bar = 0.5 * skew * g_log_bar
        forward_bar[i] = price_bar * p1 + (x_bar + fk_log_bar) / f
        alpha_bar += level_bar + 2 * first_log_bar + second_log_bar - z_log_bar
        skew_bar += 2 * (first_log_bar + w_bar * w) / skew + 0.5 * log_fk * g_log_bar
        beta_bar += second_log_bar
        rho_bar += (
            second_log_bar / rho
            - third_bar * rho * nu * nu / 4
            + chi_bar / (1 - rho)
            - top_bar * (1 + z * inverse_root)
        )
        nu_bar += second_log_bar + 2 * third_bar * third + z_log_bar
    return loss, np.array([alpha_bar / alpha, beta_bar / beta - skew_bar, rho_bar, nu_bar / nu]), forward_bar


def vectorised(package, erf, constants):
    """The same loss as an array program."""
    strike, maturity, market = constants

    def loss(parameters, forward):
        alpha, beta, rho, nu = parameters[0], parameters[1], parameters[2], parameters[3]
        x, g = package.log(forward / strike), (forward * strike) ** (0.5 * (1 - beta))
        w = (1 - beta) ** 2 * x**2
        z = nu / alpha * g * x
        chi = package.log((package.sqrt(1 - 2 * rho * z + z * z) + z - rho) / (1 - rho))
        correction = ((1 - beta) * alpha / g) ** 2 / 24 + rho * beta * nu * alpha / g / 4
        correction = correction + (2 - 3 * rho**2) * nu**2 / 24
        volatility = alpha / (g * (1 + w / 24 + w**2 / 1920)) * z / chi * (1 + correction * maturity)
        deviation = volatility * maturity**0.5
        d1 = x / deviation + 0.5 * deviation
        p1, p2 = 0.5 + 0.5 * erf(d1 / 2**0.5), 0.5 + 0.5 * erf((d1 - deviation) / 2**0.5)
        return ((forward * p1 - strike * p2 - market) ** 2).sum()

    return loss


def jax(arguments):
    from jax import numpy as jnp
    from jax.scipy.special import erf

    return jax_gradient(vectorised(jnp, erf, arguments[2:]), arguments[:2])


def torch(arguments):
    import torch

    constants = [torch.tensor(argument) for argument in arguments[2:]]
    return torch_gradient(vectorised(torch, torch.erf, constants), arguments[:2])


def autograd(arguments):
    import autograd.numpy
    from autograd.scipy.special import erf

    return autograd_gradient(vectorised(autograd.numpy, erf, arguments[2:]), arguments[:2])


PEERS = {"jax": jax, "torch": torch, "autograd": autograd}
