"""A convolution by slices: a 5 × 5 kernel over an image, then a smooth rectifier."""

import numpy as np

from harness.compiled import adjoint
from harness.libm import exp, log
from harness.peers import autograd_gradient, jax_gradient, torch_gradient

WRT = (0, 1)


def make(scale=1.0):
    random = np.random.default_rng(12)
    n = max(8, int(128 * scale))
    return random.standard_normal((n, n)), 0.3 * random.standard_normal((5, 5))


def primal(image, kernel):
    rows = image.shape[0] - 4
    columns = image.shape[1] - 4
    response = np.zeros((rows, columns))
    for i in range(5):
        for j in range(5):
            response += kernel[i, j] * image[i : i + rows, j : j + columns]
    bright = np.log(1.0 + np.exp(response))
    return np.sum(bright * bright)


@adjoint
def hand(image, kernel):
    height, width = image.shape
    rows, columns = height - 4, width - 4
    # Four rows and columns of zeros around it spare the transposed convolution its boundaries.
    response_bar = np.zeros((height + 4, width + 4))
    image_bar, kernel_bar = np.empty((height, width)), np.empty((5, 5))
    total = 0.0
    for r in range(rows):
        line = response_bar[r + 4, 4:]
        for i in range(5):
            above = image[r + i]
            k0, k1, k2, k3, k4 = kernel[i, 0], kernel[i, 1], kernel[i, 2], kernel[i, 3], kernel[i, 4]
            for c in range(columns):
                line[c] += k0 * above[c] + k1 * above[c + 1] + k2 * above[c + 2] + k3 * above[c + 3] + k4 * above[c + 4]
        for c in range(columns):
            e = exp(line[c])
            bright = log(1.0 + e)
            total += bright * bright
            line[c] = 2 * bright * e / (1.0 + e)
    for r in range(height):
        line = image_bar[r]
        line[:] = 0.0
        for i in range(5):
            below = response_bar[r + 4 - i]
            k0, k1, k2, k3, k4 = kernel[i, 0], kernel[i, 1], kernel[i, 2], kernel[i, 3], kernel[i, 4]
            for c in range(width):
                line[c] += k4 * below[c] + k3 * below[c + 1] + k2 * below[c + 2] + k1 * below[c + 3] + k0 * below[c + 4]
    for i in range(5):
        s0 = s1 = s2 = s3 = s4 = 0.0
        for r in range(rows):
            above, bar = image[r + i], response_bar[r + 4]
            for c in range(columns):
                s0 += above[c] * bar[c + 4]
                s1 += above[c + 1] * bar[c + 4]
                s2 += above[c + 2] * bar[c + 4]
                s3 += above[c + 3] * bar[c + 4]
                s4 += above[c + 4] * bar[c + 4]
        kernel_bar[i, 0], kernel_bar[i, 1], kernel_bar[i, 2] = s0, s1, s2
        kernel_bar[i, 3], kernel_bar[i, 4] = s3, s4
    return total, image_bar, kernel_bar


def vectorised(package):
    """The same loss, in the functions of another array package."""

    def loss(image, kernel):
        rows, columns = image.shape[0] - 4, image.shape[1] - 4
        shifts = [(i, j) for i in range(5) for j in range(5)]
        response = sum(kernel[i, j] * image[i : i + rows, j : j + columns] for i, j in shifts)
        return (package.log(1.0 + package.exp(response)) ** 2).sum()

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
