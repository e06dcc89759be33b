"""Differences within images, and between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.image.colours import convert_image_dtype
from pullback.tf.image.geometry import images_of
from pullback.tf.nn.activations import relu
from pullback.tf.nn.convolutions import depthwise_conv2d
from pullback.tf.nn.pooling import POOLING
from pullback.tf.values import convert_to_tensor, floats

_abs, _pow = ELEMENTWISE["abs"], ELEMENTWISE["pow"]


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighbours in each of `images`.

    >>> import pullback.tf as tf
    >>> tf.image.total_variation([[[1.0], [3.0]], [[0.0], [3.0]]])
    <Tensor 6.0, float32>
    """
    x, along = images_of(images), (-3, -2, -1)
    down, across = x[..., 1:, :, :] - x[..., :-1, :, :], x[..., 1:, :] - x[..., :-1, :]
    return np.sum(_abs(down), axis=along) + np.sum(_abs(across), axis=along)


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """(dy, dx): how much the next element of `image`, (n, height, width, channels), is larger; 0 for the last.

    >>> import pullback.tf as tf
    >>> tf.image.image_gradients([[[[1.0], [3.0]]]])[1][0, 0, :, 0]
    <View [2. 0.], float32>
    """
    x = convert_to_tensor(image)
    if x.ndim != 4:
        raise ValueError(f"(n, height, width, channels) is wanted, not the shape {x.shape}")
    down, across = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
    return np.pad(down, [(0, 0), (0, 1), (0, 0), (0, 0)]), np.pad(across, [(0, 0), (0, 0), (0, 1), (0, 0)])


def sobel_edges(image: Any) -> Tensor:
    """Sobel's derivatives of `image`, (n, height, width, channels), down and across, along a last axis of two.

    >>> import pullback.tf as tf
    >>> tf.image.sobel_edges(tf.reshape(tf.cast(tf.range(9), tf.float32), [1, 3, 3, 1]))[0, 1, 1, 0]
    <View [24.  8.], float32>
    """
    (x,) = floats(image)
    padded = np.pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], mode="reflect")
    down, across = padded[:, 2:] - padded[:, :-2], padded[:, :, 2:] - padded[:, :, :-2]
    vertical = down[:, :, :-2] + 2 * down[:, :, 1:-1] + down[:, :, 2:]
    horizontal = across[:, :-2] + 2 * across[:, 1:-1] + across[:, 2:]
    return np.stack([vertical, horizontal], axis=-1)


def _pair(first: Any, second: Any, max_val: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Two images and their largest value as float32. ValueError for images of several sizes."""
    a, b = convert_to_tensor(first), convert_to_tensor(second)
    if min(a.ndim, b.ndim) < 3 or a.shape[-3:] != b.shape[-3:]:
        raise ValueError(f"images of one size are wanted, not of the shapes {a.shape} and {b.shape}")
    largest = convert_to_tensor(max_val).astype(a.dtype)
    wide_a, wide_b, wide_largest = (convert_image_dtype(one, np.float32) for one in (a, b, largest))
    return wide_a, wide_b, wide_largest


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The ratio of peak and noise in decibels: 10 log₁₀(m² / mean (a - b)²) for each pair of images `a` and `b`.

    max_val: the largest value m that the elements may have.

    >>> import pullback.tf as tf
    >>> bool(abs(tf.image.psnr(tf.zeros([2, 2, 1]), tf.fill([2, 2, 1], 0.1), max_val=1.0) - 20) < 1e-4)
    True
    """
    first, second, largest = _pair(a, b, max_val)
    error = np.mean((first - second) ** 2, axis=(-3, -2, -1))
    ten = np.float32(10 / np.log(10))
    return 2 * ten * np.log(largest) - ten * np.log(error)


def _window(size: int, sigma: float, channels: int) -> np.ndarray:
    """The weights of a Gaussian window, the same for each channel."""
    t = np.arange(size) - (size - 1) / 2
    weights = np.exp(-t * t / (2 * sigma * sigma))
    square = np.outer(weights, weights) / np.sum(weights) ** 2
    return np.repeat(square[:, :, None, None], channels, axis=2).astype(np.float32)


def _similarity(
    x: Tensor, y: Tensor, largest: Tensor, filter_size: int, filter_sigma: float, k1: float, k2: float
) -> tuple[Tensor, Tensor]:
    """The structural similarity of images at each place, and its factor of contrast and structure."""
    if min(x.shape[-3:-1]) < filter_size:
        raise ValueError(f"images of shape {x.shape} are smaller than a window of {filter_size}")
    weights = _window(filter_size, filter_sigma, x.shape[-1])

    def mean(z: Tensor) -> Tensor:
        found = depthwise_conv2d(np.reshape(z, (-1, *z.shape[-3:])), weights, [1, 1, 1, 1], "VALID")
        return np.reshape(found, (*z.shape[:-3], *found.shape[1:]))

    c1, c2 = (k1 * largest) ** 2, (k2 * largest) ** 2
    mean_x, mean_y = mean(x), mean(y)
    product, squares = 2 * mean_x * mean_y, mean_x**2 + mean_y**2
    structure = (mean(x * y) * 2 - product + c2) / (mean(x**2 + y**2) - squares + c2)
    return (product + c1) / (squares + c1) * structure, structure


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of the images `img1` and `img2`, whose largest value is `max_val`. Wang et al. (2004).

    filter_size, filter_sigma: the size and the deviation of the Gaussian window. k1, k2: the constants are the squares
    of these times `max_val`. return_index_map: one number for each place, not their mean.

    >>> import numpy as np, pullback.tf as tf
    >>> np.round(tf.image.ssim(tf.ones([12, 12, 1]), tf.ones([12, 12, 1]), max_val=1.0), 4)
    <Tensor 1.0, float32>
    """
    values, _ = _similarity(*_pair(img1, img2, max_val), filter_size, filter_sigma, k1, k2)
    return np.mean(values, axis=-1 if return_index_map else (-3, -2, -1))


def _halved(images: Tensor) -> Tensor:
    """The means of 2 x 2 elements; the last row or column counts twice where there is an odd number."""
    flat = np.reshape(images, (-1, *images.shape[-3:]))
    odd = [(0, n % 2) for n in flat.shape[1:3]]
    found = POOLING["avg_pool2d"](np.pad(flat, [(0, 0), *odd, (0, 0)], mode="edge"), 2, 2, "VALID")
    return np.reshape(found, (*images.shape[:-3], *found.shape[1:]))


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The product of similarities of `img1` and `img2`, in sizes that are halved, to the powers `power_factors`.

    Wang et al. (2003), Multiscale structural similarity for image quality assessment. `max_val`, `filter_size`,
    `filter_sigma`, `k1` and `k2` are those of `tf.image.ssim`.

    >>> import numpy as np, pullback.tf as tf
    >>> x = tf.ones([24, 24, 1])
    >>> np.round(tf.image.ssim_multiscale(x, x, max_val=1.0, power_factors=(0.5, 0.5)), 4)
    <Tensor 1.0, float32>
    """
    x, y, largest = _pair(img1, img2, max_val)
    factors = []
    for k in range(len(power_factors)):
        if k:
            x, y = _halved(x), _halved(y)
        whole, structure = _similarity(x, y, largest, filter_size, filter_sigma, k1, k2)
        last = k == len(power_factors) - 1
        factors.append(relu(np.mean(whole if last else structure, axis=(-3, -2))))
    powers = _pow(np.stack(factors, axis=-1), np.array(power_factors, np.float32))
    return np.mean(np.prod(powers, axis=-1), axis=-1)
