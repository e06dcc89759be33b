"""An array program of twenty elementwise statements: evaporation by Penman and Monteith (FAO paper 56, 1998)."""

import numpy as np

from harness.compiled import adjoint
from harness.libm import exp, tanh
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1, 2, 3)
STEFAN_BOLTZMANN = 4.903e-9  # MJ K⁻⁴ m⁻² d⁻¹
PSYCHROMETRIC = 0.0665  # kPa / °C


def make(scale=1.0):
    random = np.random.default_rng(7)
    n = max(5, int(20000 * scale))
    ranges = ((5.0, 30.0), (0.3, 0.9), (0.5, 6.0), (8.0, 28.0), (0.1, 0.4))
    return tuple(random.uniform(low, high, n) for low, high in ranges)


def primal(temperature, humidity, wind, sun, soil):
    kelvin = temperature + 273.16
    shifted = temperature + 237.3
    saturated = 0.6108 * np.exp(17.27 * temperature / shifted)
    vapour = humidity * saturated
    deficit = saturated - vapour
    slope = 4098.0 * saturated / (shifted * shifted)
    absorbed = 0.77 * sun
    radiated = STEFAN_BOLTZMANN * kelvin**4
    humid = 0.34 - 0.14 * np.sqrt(vapour)
    cloud = 1.35 * sun / 30.0 - 0.35
    longwave = radiated * humid * cloud
    net = absorbed - longwave
    energy = 0.408 * slope * net
    carried = PSYCHROMETRIC * 900.0 / kelvin * wind * deficit
    resistance = slope + PSYCHROMETRIC * (1.0 + 0.34 * wind)
    reference = (energy + carried) / resistance
    wetness = np.tanh(5.0 * soil)
    actual = reference * wetness
    surplus = actual - 3.0
    squared = surplus * surplus
    return np.mean(squared)


@adjoint
def hand(temperature, humidity, wind, sun, soil):
    n = temperature.shape[0]
    temperature_bar, humidity_bar, wind_bar, sun_bar = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    total = 0.0
    for i in range(n):
        kelvin = temperature[i] + 273.16
        inverse_kelvin = 1 / kelvin
        inverse_shifted = 1 / (temperature[i] + 237.3)
        saturated = 0.6108 * exp(17.27 * temperature[i] * inverse_shifted)
        vapour = humidity[i] * saturated
        deficit = saturated - vapour
        growth = 4098.0 * inverse_shifted * inverse_shifted
        slope = growth * saturated
        radiated = STEFAN_BOLTZMANN * kelvin * kelvin * kelvin * kelvin
        root = np.sqrt(vapour)
        humid = 0.34 - 0.14 * root
        cloud = 1.35 / 30.0 * sun[i] - 0.35
        longwave = radiated * humid * cloud
        net = 0.77 * sun[i] - longwave
        carried = PSYCHROMETRIC * 900.0 * inverse_kelvin * wind[i] * deficit
        inverse_resistance = 1 / (slope + PSYCHROMETRIC * (1.0 + 0.34 * wind[i]))
        reference = (0.408 * slope * net + carried) * inverse_resistance
        wetness = tanh(5.0 * soil[i])
        surplus = reference * wetness - 3.0
        total += surplus * surplus

        top_bar = 2 / n * surplus * wetness * inverse_resistance
        resistance_bar = -top_bar * reference
        slope_bar = 0.408 * top_bar * net + resistance_bar
        net_bar = 0.408 * top_bar * slope
        carried_bar = top_bar * carried
        longwave_bar = -net_bar * longwave
        deficit_bar = top_bar * PSYCHROMETRIC * 900.0 * inverse_kelvin * wind[i]
        vapour_bar = net_bar * radiated * cloud * 0.07 / root - deficit_bar
        saturated_bar = deficit_bar + vapour_bar * humidity[i] + slope_bar * growth
        # The derivative of `saturated` by temperature is `slope`, but for the rounded 4098.
        temperature_bar[i] = (
            saturated_bar * slope * (17.27 * 237.3 / 4098.0)
            - 2 * slope_bar * slope * inverse_shifted
            + (4 * longwave_bar - carried_bar) * inverse_kelvin
        )
        humidity_bar[i] = vapour_bar * saturated
        wind_bar[i] = top_bar * PSYCHROMETRIC * 900.0 * inverse_kelvin * deficit + 0.34 * PSYCHROMETRIC * resistance_bar
        sun_bar[i] = net_bar * (0.77 - 1.35 / 30.0 * radiated * humid)
    return total / n, temperature_bar, humidity_bar, wind_bar, sun_bar


def vectorised(package, soil):
    """The same loss, in the functions of another array package."""

    def loss(temperature, humidity, wind, sun):
        kelvin, shifted = temperature + 273.16, temperature + 237.3
        saturated = 0.6108 * package.exp(17.27 * temperature / shifted)
        vapour = humidity * saturated
        slope = 4098.0 * saturated / (shifted * shifted)
        longwave = STEFAN_BOLTZMANN * kelvin**4 * (0.34 - 0.14 * package.sqrt(vapour)) * (1.35 * sun / 30.0 - 0.35)
        carried = PSYCHROMETRIC * 900.0 / kelvin * wind * (saturated - vapour)
        resistance = slope + PSYCHROMETRIC * (1.0 + 0.34 * wind)
        reference = (0.408 * slope * (0.77 * sun - longwave) + carried) / resistance
        return ((reference * package.tanh(5.0 * soil) - 3.0) ** 2).mean()

    return loss


def jax(arguments):
    from jax import numpy as jnp

    return jax_gradient(vectorised(jnp, arguments[4]), arguments[:4])


def torch(arguments):
    import torch

    return torch_gradient(vectorised(torch, torch.tensor(arguments[4])), arguments[:4])


def autograd(arguments):
    import autograd.numpy

    return autograd_gradient(vectorised(autograd.numpy, arguments[4]), arguments[:4])


PEERS = {"jax": jax, "torch": torch, "autograd": autograd}
