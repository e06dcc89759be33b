"""Dtypes, brightness and colours of images. What is computed of integers is computed of floats from 0 to 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.environment import saturate_cast
from pullback.tf.values import convert_to_tensor, floats, number


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """The elements of `image` in another `dtype`: 0 to the largest integer of a dtype stand for the floats 0 to 1.

    saturate: what lies beyond is the nearest integer of the dtype.

    >>> import numpy as np, pullback.tf as tf
    >>> tf.image.convert_image_dtype(np.array([0, 255], np.uint8), tf.float32)
    <Tensor [0. 1.], float32>
    >>> tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8)
    <Tensor [  0 127 255], uint8>
    """
    x, kind = convert_to_tensor(image), np.dtype(dtype)
    cast = saturate_cast if saturate else Tensor.astype
    if x.dtype == kind or (x.dtype.kind == kind.kind == "f"):
        return x.astype(kind)
    if x.dtype.kind == "f":
        return cast(x * (np.iinfo(kind).max + 0.5), kind)
    largest = np.iinfo(x.dtype).max
    if kind.kind == "f":
        return x.astype(kind) * kind.type(1 / largest)
    ratio = (largest + 1) // (np.iinfo(kind).max + 1)
    if ratio:
        return cast(x // x.dtype.type(ratio), kind)
    return cast(x, kind) * kind.type((np.iinfo(kind).max + 1) // (largest + 1))


def as_floats(image: Any) -> tuple[Tensor, np.dtype[Any]]:
    """An image of floats, and the dtype that it had."""
    x = convert_to_tensor(image)
    return (x if x.dtype.kind == "f" else convert_image_dtype(x, np.float32)), x.dtype


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """The elements of `image` plus `delta`.

    >>> import pullback.tf as tf
    >>> tf.image.adjust_brightness([[[0.25]]], 0.5)
    <Tensor [[[0.75]]], float32>
    """
    x, dtype = as_floats(image)
    return convert_image_dtype(x + convert_to_tensor(delta).astype(x.dtype), dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Each channel's distances from its mean times `contrast_factor`. images: (…, height, width, channels).

    >>> import pullback.tf as tf
    >>> tf.image.adjust_contrast([[[1.0], [3.0]]], 2.0)[0, :, 0]
    <View [0. 4.], float32>
    """
    x, dtype = as_floats(images)
    mean = np.mean(x, axis=(-3, -2), keepdims=True)
    factor = convert_to_tensor(contrast_factor).astype(x.dtype)
    return convert_image_dtype((x - mean) * factor + mean, dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain` times the elements of `image` to the power of `gamma`. ValueError for a negative one.

    >>> import pullback.tf as tf
    >>> tf.image.adjust_gamma([[[0.5]]], gamma=2.0)
    <Tensor [[[0.25]]], float32>
    """
    if number(gamma) < 0:
        raise ValueError(f"a gamma is 0 or positive, not {gamma!r}")
    x, dtype = as_floats(image)
    power, factor = (convert_to_tensor(one).astype(x.dtype) for one in (gamma, gain))
    return convert_image_dtype(factor * x**power, dtype, saturate=True)


def per_image_standardization(image: Any) -> Tensor:
    """(image - mean) / deviation for each `image`, as float32 or float16.

    The deviation is at least one over the root of the count of an image's elements.

    >>> import pullback.tf as tf
    >>> tf.image.per_image_standardization([[[1.0], [3.0]]])[0, :, 0]
    <View [-1.  1.], float32>
    """
    x = convert_to_tensor(image)
    x = x if x.dtype == np.float16 else convert_image_dtype(x, np.float32)
    along = (-3, -2, -1)
    deviation = np.std(x, axis=along, keepdims=True)
    least = x.dtype.type(1 / np.sqrt(np.prod(x.shape[-3:])))
    return (x - np.mean(x, axis=along, keepdims=True)) / np.where(deviation >= least, deviation, least)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The brightness of `images`, (…, 3), as one channel.

    >>> import pullback.tf as tf
    >>> tf.image.rgb_to_grayscale([[[1.0, 0.0, 0.0]]])
    <Tensor [[[0.2989]]], float32>
    """
    x, dtype = as_floats(images)
    return convert_image_dtype(_mixed(x, [[0.2989], [0.5870], [0.1140]]), dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel of `images` three times. ValueError where there are several.

    >>> import pullback.tf as tf
    >>> tf.image.grayscale_to_rgb([[[0.5]]])
    <Tensor [[[0.5 0.5 0.5]]], float32>
    """
    x = convert_to_tensor(images)
    if x.shape[-1:] != (1,):
        raise ValueError(f"one channel is wanted, not images of shape {x.shape}")
    return np.concatenate([x, x, x], axis=-1)


def _mixed(images: Any, matrix: Any) -> Tensor:
    """The channels of images times a matrix."""
    (x,) = floats(images)
    if not x.ndim or x.shape[-1] != len(matrix):
        raise ValueError(f"{len(matrix)} channels are wanted, not images of shape {x.shape}")
    return x @ np.array(matrix, x.dtype)


_RGB_TO_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_YIQ_TO_RGB = [[1.0, 1.0, 1.0], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_RGB_TO_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_YUV_TO_RGB = [[1.0, 1.0, 1.0], [0.0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0.0]]


def _conversion(source: str, target: str, matrix: list[list[float]]) -> Any:
    def function(images: Any) -> Tensor:
        return _mixed(images, matrix)

    function.__name__ = function.__qualname__ = f"{source}_to_{target}"
    function.__doc__ = f"""The {target.upper()} values of `images` of {source.upper()} values, (…, 3).

    >>> import pullback.tf as tf
    >>> tf.image.{source}_to_{target}(tf.zeros([1, 1, 3]))
    <Tensor [[[0. 0. 0.]]], float32>
    """
    return function


rgb_to_yiq, yiq_to_rgb = _conversion("rgb", "yiq", _RGB_TO_YIQ), _conversion("yiq", "rgb", _YIQ_TO_RGB)
rgb_to_yuv, yuv_to_rgb = _conversion("rgb", "yuv", _RGB_TO_YUV), _conversion("yuv", "rgb", _YUV_TO_RGB)
