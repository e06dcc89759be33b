"""Elements between channels and space, and the largest and smallest sums of windows and a filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.nn.convolution import channels_last, moved_back, moved_last
from pullback.tf.nn.windows import Windows, for_each_axis
from pullback.tf.values import convert_to_tensor, floats, number


def _block(input: Any, block_size: Any, data_format: str) -> tuple[Tensor, int, bool]:
    """A tensor with its channels last, the size of a block, and whether they were there. ValueError for other ranks."""
    x, size, last = convert_to_tensor(input), int(number(block_size)), channels_last(data_format)
    if x.ndim != 4 or size < 2:
        raise ValueError(f"blocks of 2 or more are wanted, of a tensor of four axes, not {size} of the shape {x.shape}")
    return moved_last(x, last), size, last


def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """The channels of `input`, (n, height, width, channels), as blocks of `block_size` rows and columns.

    data_format: 'NHWC', or 'NCHW' for channels along the second axis.

    >>> import pullback.tf as tf
    >>> tf.nn.depth_to_space([[[[1, 2, 3, 4]]]], 2)[0, :, :, 0]
    <View [[1 2]
     [3 4]], int32>
    """
    x, size, last = _block(input, block_size, data_format)
    n, height, width, channels = x.shape
    if channels % (size * size):
        raise ValueError(f"{channels} channels do not make up blocks of {size} x {size}")
    blocks = np.reshape(x, (n, height, width, size, size, channels // (size * size)))
    return moved_back(np.reshape(np.transpose(blocks, (0, 1, 3, 2, 4, 5)), (n, height * size, width * size, -1)), last)


def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Blocks of `block_size` rows and columns of `input`, (n, height, width, channels), as channels.

    data_format: 'NHWC', or 'NCHW' for channels along the second axis.

    >>> import pullback.tf as tf
    >>> tf.nn.space_to_depth([[[[1], [2]], [[3], [4]]]], 2)[0, 0]
    <View [[1 2 3 4]], int32>
    """
    x, size, last = _block(input, block_size, data_format)
    n, height, width, channels = x.shape
    if height % size or width % size:
        raise ValueError(f"{height} x {width} elements do not consist of blocks of {size} x {size}")
    blocks = np.reshape(x, (n, height // size, size, width // size, size, channels))
    shape = (n, height // size, width // size, size * size * channels)
    return moved_back(np.reshape(np.transpose(blocks, (0, 1, 3, 2, 4, 5)), shape), last)


def dilation2d(
    input: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """The largest sum of an element of each window of `input` and that of `filters` at its place, for each channel.

    input: (n, height, width, channels). filters: (height, width, channels). `strides`, `padding` and `dilations` are
    those of `tf.nn.convolution`; data_format: 'NHWC'. Of equal sums the first one gets the gradient.

    >>> import pullback.tf as tf
    >>> x = tf.constant([[[[1.0], [5.0], [2.0]]]])
    >>> tf.nn.dilation2d(x, tf.zeros([1, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4)[0, 0, :, 0]
    <View [5. 5.], float32>
    """
    x, w = floats(input, filters)
    if data_format != "NHWC":
        raise ValueError(f"data_format is 'NHWC', not {data_format!r}")
    if x.ndim != 4 or w.ndim != 3 or x.shape[-1] != w.shape[-1]:
        raise ValueError(f"filters of shape {w.shape} do not fit an input of shape {x.shape}")
    steps, distances = for_each_axis(strides, 2), for_each_axis(dilations, 2)
    windows = Windows(x.shape[1:3], w.shape[:2], steps, distances, padding)
    padded = np.pad(x, [(0, 0), *windows.margins, (0, 0)], constant_values=-np.inf)
    sums: Any = np.stack([padded[part] + w[place] for place, part in windows.parts()])
    return np.take_along_axis(sums, np.argmax(sums._value, axis=0)[None], axis=0)[0]


def erosion2d(
    value: Any, filters: Any, strides: Any, padding: str, data_format: str, dilations: Any, name: str | None = None
) -> Tensor:
    """The smallest difference of an element of each window of `value` and that of `filters` at the opposite place.

    It is -dilation2d of -value and of the filters in reverse order: see `tf.nn.dilation2d` for `strides`, `padding`,
    `data_format` and `dilations`.

    >>> import pullback.tf as tf
    >>> x = tf.constant([[[[1.0], [5.0], [2.0]]]])
    >>> tf.nn.erosion2d(x, tf.zeros([1, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4)[0, 0, :, 0]
    <View [1. 2.], float32>
    """
    x, w = floats(value, filters)
    return -dilation2d(-x, np.flip(w, (0, 1)), strides, padding, data_format, dilations)
