"""Images turned, cut and put into larger ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.nn.windows import Windows, for_each_axis
from pullback.tf.values import convert_to_tensor, number


def images_of(given: Any) -> Tensor:
    """An image or a stack of images. ValueError for other shapes."""
    x = convert_to_tensor(given)
    if x.ndim not in (3, 4):
        raise ValueError(f"(height, width, channels) or a stack of these is wanted, not the shape {x.shape}")
    return x


def flip_left_right(image: Any) -> Tensor:
    """`image` with its columns in reverse order.

    >>> import pullback.tf as tf
    >>> tf.image.flip_left_right([[[1.0], [2.0]]])[0, :, 0]
    <View [2. 1.], float32>
    """
    return np.flip(images_of(image), -2)


def flip_up_down(image: Any) -> Tensor:
    """`image` with its rows in reverse order.

    >>> import pullback.tf as tf
    >>> tf.image.flip_up_down([[[1.0]], [[2.0]]])[:, 0, 0]
    <View [2. 1.], float32>
    """
    return np.flip(images_of(image), -3)


def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """`image` turned `k` times by a right angle, anticlockwise.

    >>> import pullback.tf as tf
    >>> tf.image.rot90([[[1.0], [2.0]]])[:, 0, 0]
    <View [2. 1.], float32>
    """
    return np.rot90(images_of(image), int(number(k)), (-3, -2))


def transpose(image: Any, name: str | None = None) -> Tensor:
    """`image` with rows and columns exchanged.

    >>> import pullback.tf as tf
    >>> tf.image.transpose([[[1.0], [2.0]]])[:, 0, 0]
    <View [1. 2.], float32>
    """
    return np.swapaxes(images_of(image), -3, -2)


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of `image`, of which it has the share `central_fraction` along each axis.

    ValueError for a share that is not positive, or above 1.

    >>> import pullback.tf as tf
    >>> tf.image.central_crop(tf.ones([4, 6, 1]), 0.5).shape
    (2, 4, 1)
    """
    x, share = images_of(image), float(number(central_fraction))
    if not 0 < share <= 1:
        raise ValueError(f"a share lies above 0 and is 1 at most, not {share}")
    top, left = (int((n - n * share) / 2) for n in x.shape[-3:-1])
    return x[..., top : x.shape[-3] - top, left : x.shape[-2] - left, :]


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The part of `image` of `target_height` rows from `offset_height` on, and so its columns.

    offset_width, target_width: those of the columns. ValueError for a part that is not there.

    >>> import pullback.tf as tf
    >>> tf.image.crop_to_bounding_box(tf.ones([4, 6, 1]), 1, 2, 3, 4).shape
    (3, 4, 1)
    """
    x = images_of(image)
    top, left, height, width = (int(number(n)) for n in (offset_height, offset_width, target_height, target_width))
    fits = top >= 0 and left >= 0 and top + height <= x.shape[-3] and left + width <= x.shape[-2]
    if not fits or height < 1 or width < 1:
        raise ValueError(f"images of shape {x.shape} have no {height} x {width} elements from ({top}, {left}) on")
    return x[..., top : top + height, left : left + width, :]


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """`image` in zeros of `target_height` rows, from the row `offset_height` on, and so its columns.

    offset_width, target_width: those of the columns. ValueError where there is no room.

    >>> import pullback.tf as tf
    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 1, 3)[0, :, 0]
    <View [0. 1. 0.], float32>
    """
    x = images_of(image)
    top, left, height, width = (int(number(n)) for n in (offset_height, offset_width, target_height, target_width))
    below, right = height - top - x.shape[-3], width - left - x.shape[-2]
    if min(top, left, below, right) < 0:
        raise ValueError(f"{height} x {width} elements have no room from ({top}, {left}) on for the shape {x.shape}")
    return np.pad(x, [*[(0, 0)] * (x.ndim - 3), (top, below), (left, right), (0, 0)])


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The middle of `image`, or `image` in the middle of zeros, along each axis.

    target_height, target_width: the size of the result.

    >>> import pullback.tf as tf
    >>> tf.image.resize_with_crop_or_pad([[[1.0], [2.0], [3.0]]], 3, 1)[:, 0, 0]
    <View [0. 2. 0.], float32>
    """
    x, height, width = images_of(image), int(number(target_height)), int(number(target_width))
    if min(height, width) < 1:
        raise ValueError(f"the size of an image is positive, not {height} x {width}")
    down, across = height - x.shape[-3], width - x.shape[-2]
    least = min(height, x.shape[-3]), min(width, x.shape[-2])
    part = crop_to_bounding_box(x, max(-down // 2, 0), max(-across // 2, 0), *least)
    return pad_to_bounding_box(part, max(down // 2, 0), max(across // 2, 0), height, width)


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: str, name: str | None = None) -> Tensor:
    """The patches of `images`, (n, height, width, channels), each with its elements along the last axis.

    sizes, strides, rates: the size of patches, their distances and those of their elements, with 1 for rows and
    channels. padding: 'VALID', or 'SAME' for zeros around.

    >>> import pullback.tf as tf
    >>> tf.image.extract_patches(tf.ones([1, 4, 4, 3]), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape
    (1, 2, 2, 12)
    """
    x = convert_to_tensor(images)
    if x.ndim != 4:
        raise ValueError(f"(n, height, width, channels) is wanted, not the shape {x.shape}")
    size, steps, distances = (for_each_axis(one, 2) for one in (sizes, strides, rates))
    windows = Windows(x.shape[1:3], size, steps, distances, padding)
    padded = np.pad(x, [(0, 0), *windows.margins, (0, 0)])
    return np.concatenate([padded[part] for _, part in windows.parts()], axis=-1)
