"""A reduction over the middle axis, then elementwise work: instance normalisation (Ulyanov et al. 2016)."""

import numpy as np

from harness.compiled import adjoint
from harness.libm import tanh
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1, 2)


def make(scale=1.0):
    random = np.random.default_rng(8)
    batch, length, channels = max(2, int(16 * scale)), max(3, int(64 * scale)), max(3, int(64 * scale))
    x = random.standard_normal((batch, length, channels)) * random.uniform(0.5, 2.0, channels)
    return x, random.uniform(0.5, 1.5, channels), random.uniform(-0.5, 0.5, channels)


def primal(x, gain, shift):
    length = x.shape[1]
    mean = np.sum(x, axis=1) / length
    centred = x - mean[:, None, :]
    variance = np.sum(centred * centred, axis=1) / length
    scale = gain / np.sqrt(variance + 1e-5)
    y = np.tanh(centred * scale[:, None, :] + shift)
    return np.sum(y * y)


@adjoint
def hand(x, gain, shift):
    batch, length, channels = x.shape
    x_bar = np.empty(x.shape)  # holds the argument of tanh's cotangent before its own values
    gain_bar, shift_bar = np.zeros(channels), np.zeros(channels)
    mean, inverse = np.empty(channels), np.empty(channels)
    sum_bar, dot_bar = np.empty(channels), np.empty(channels)
    total = 0.0
    for b in range(batch):
        mean[:] = 0.0
        inverse[:] = 0.0
        for t in range(length):
            for c in range(channels):
                mean[c] += x[b, t, c]
        for c in range(channels):
            mean[c] /= length
        for t in range(length):
            for c in range(channels):
                inverse[c] += (x[b, t, c] - mean[c]) ** 2
        for c in range(channels):
            inverse[c] = 1 / np.sqrt(inverse[c] / length + 1e-5)
        sum_bar[:] = 0.0
        dot_bar[:] = 0.0
        for t in range(length):
            for c in range(channels):
                z = (x[b, t, c] - mean[c]) * inverse[c]
                y = tanh(z * gain[c] + shift[c])
                total += y * y
                bar = 2 * y * (1 - y * y)
                x_bar[b, t, c] = bar
                sum_bar[c] += bar
                dot_bar[c] += bar * z
        for c in range(channels):
            shift_bar[c] += sum_bar[c]
            gain_bar[c] += dot_bar[c]
            sum_bar[c] /= length
            dot_bar[c] *= inverse[c] / length
        for t in range(length):
            for c in range(channels):
                along = (x[b, t, c] - mean[c]) * dot_bar[c]
                x_bar[b, t, c] = gain[c] * inverse[c] * (x_bar[b, t, c] - sum_bar[c] - along)
    return total, x_bar, gain_bar, shift_bar


def vectorised(package):
    """The same loss, in the functions of another array package."""

    def loss(x, gain, shift):
        centred = x - x.mean(1)[:, None, :]
        scale = gain / package.sqrt((centred * centred).mean(1) + 1e-5)
        return (package.tanh(centred * scale[:, None, :] + shift) ** 2).sum()

    return loss


def jax(arguments):
    from jax import numpy as jnp

    return jax_gradient(vectorised(jnp), arguments)


def torch(arguments):
    import torch

    return torch_gradient(vectorised(torch), arguments)


def autograd(arguments):
    import autograd.numpy

    return autograd_gradient(vectorised(autograd.numpy), arguments)


PEERS = {"jax": jax, "torch": torch, "autograd": autograd}
