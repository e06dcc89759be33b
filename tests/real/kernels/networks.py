"""Layers of networks written with loops over the window."""

import numpy as np

from real_programs import draw, real


def relu(x):
    return np.maximum(x, 0)


def normalised_exponentials(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    e /= np.sum(e, axis=-1, keepdims=True)
    return e


def convolve(images, kernel):
    """images: (n, h, w, c); kernel: (k, k, c, d)."""
    k = kernel.shape[0]
    n, h, w = images.shape[0], images.shape[1] - k + 1, images.shape[2] - k + 1
    out = np.empty((n, h, w, kernel.shape[3]), dtype=images.dtype)
    for i in range(h):
        for j in range(w):
            window = images[:, i : i + k, j : j + k, :, np.newaxis]
            out[:, i, j, :] = np.sum(window * kernel[np.newaxis], axis=(1, 2, 3))
    return out


def pool(x):
    n, h, w, c = x.shape
    out = np.empty([n, h // 2, w // 2, c], dtype=x.dtype)
    for i in range(h // 2):
        for j in range(w // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * (i + 1), 2 * j : 2 * (j + 1), :], axis=(1, 2))
    return out


def normalise(x, eps=1e-5):
    return (x - x.mean(axis=0, keepdims=True)) / np.sqrt(np.var(x, axis=0, keepdims=True) + eps)


@real(draw(0, 2, 5, 5, 2, low=-1.0), draw(1, 3, 3, 2, 3, low=-1.0), draw(2, 3), wrt=(0, 1, 2))
def conv2d_bias(images, kernel, bias):
    return convolve(images, kernel) + bias


@real(draw(3, 2, 3, 4, 5, low=-1.0))
def softmax(x):
    return normalised_exponentials(x)


@real(draw(4, 3, 4), [draw(5, 4, 6, low=-1.0), draw(7, 6, 5, low=-1.0), draw(9, 5, 3)],
      [draw(6, 6), draw(8, 5), draw(10, 3)], wrt=(0, 1, 2))  # fmt: skip
def mlp(x, weights, biases):
    for W, b in zip(weights[:-1], biases[:-1]):
        x = relu(x @ W + b)
    return normalised_exponentials(x @ weights[-1] + biases[-1])


@real(
    draw(11, 2, 14, 14, 1), draw(12, 3, 3, 1, 2, low=-1.0), draw(13, 2), draw(14, 3, 3, 2, 3, low=-1.0), draw(15, 3),
    draw(16, 12, 5, low=-1.0), draw(17, 5), draw(18, 5, 3), draw(19, 3),
    wrt=(1, 2, 3, 4, 5, 6, 7, 8),
)  # fmt: skip
def lenet(images, k1, b1, k2, b2, W3, b3, W4, b4):
    x = pool(relu(convolve(images, k1) + b1))
    x = pool(relu(convolve(x, k2) + b2))
    x = x.reshape(len(images), -1)
    x = relu(x @ W3 + b3)
    return x @ W4 + b4


@real(draw(20, 3, 5, 5, 2), draw(21, 1, 1, 2, 2, low=-1.0), draw(22, 3, 3, 2, 2, low=-1.0), wrt=(0, 1, 2))
def resnet_block(x, k1, k2):
    shortcut = x
    y = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, k1.shape[-1]))
    y[:, 1:-1, 1:-1, :] = convolve(x, k1)
    y = relu(normalise(y))
    y = normalise(convolve(y, k2))
    return relu(y + shortcut)


@real(draw(24, 4, 6, low=-1.0), draw(25, 6), draw(26, 6), wrt=(0, 1, 2))
def layernorm_gelu(x, gain, shift, eps=1e-5):
    y = gain * (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + eps) + shift
    return 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
