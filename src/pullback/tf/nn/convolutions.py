"""TensorFlow's convolutions by their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import GradientTape, Tensor
from pullback.tf.nn.convolution import convolution, convolved_back
from pullback.tf.values import extents, operands

_OF = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.convolution` along one axis. input: (n, width, channels). filters: (width, channels, outputs).

    `stride`, `padding`, `data_format` ('NWC' or 'NCW') and `dilations` are those of `tf.nn.convolution`.

    >>> import pullback.tf as tf
    >>> tf.nn.conv1d([[[1.0], [2.0], [4.0]]], [[[1.0]], [[1.0]]], stride=1, padding="VALID")[0, :, 0]
    <View [3. 6.], float32>
    """
    return convolution(input, filters, stride, padding, data_format, dilations)


def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.convolution` along two axes.

    input: (n, height, width, channels). filters: (height, width, channels, outputs). `strides`, `padding`,
    `data_format` ('NHWC' or 'NCHW') and `dilations` are those of `tf.nn.convolution`.

    >>> import pullback.tf as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), strides=1, padding="VALID")[0, :, :, 0]
    <View [[4. 4.]
     [4. 4.]], float32>
    """
    return convolution(input, filters, strides, padding, data_format, dilations)


def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.convolution` along three axes.

    input: (n, depth, height, width, channels). filters: (depth, height, width, channels, outputs). `strides`,
    `padding`, `data_format` ('NDHWC' or 'NCDHW') and `dilations` are those of `tf.nn.convolution`.

    >>> import pullback.tf as tf
    >>> tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID").shape
    (1, 1, 1, 1, 1)
    """
    return convolution(input, filters, strides, padding, data_format, dilations)


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.convolution` by its input, which makes larger tensors of smaller ones.

    input: (n, *space, channels). filters: (*size, outputs, channels). output_shape: the shape of the result. `strides`,
    `padding`, `data_format` and `dilations` are those of the convolution.

    >>> import pullback.tf as tf
    >>> tf.nn.conv_transpose([[[1.0], [2.0]]], [[[1.0]], [[1.0]]], [1, 4, 1], 2)[0, :, 0]
    <View [1. 1. 2. 2.], float32>
    """
    return convolved_back(input, filters, output_shape, strides, padding, data_format, dilations)


def _transposed(count: int) -> Any:
    def function(
        input: Any,
        filters: Any,
        output_shape: Any,
        strides: Any,
        padding: Any = "SAME",
        data_format: str = _OF[count],
        dilations: Any = None,
        name: str | None = None,
    ) -> Tensor:
        return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)

    function.__name__ = function.__qualname__ = f"conv{count}d_transpose"
    function.__doc__ = f"""`tf.nn.conv_transpose` along {("one axis", "two axes", "three axes")[count - 1]}.

    `input`, `filters`, `output_shape`, `strides`, `padding`, `data_format` and `dilations` are those that it has.

    >>> import pullback.tf as tf
    >>> x, w = tf.ones({[1] + [2] * count + [1]}), tf.ones({[2] * count + [1, 1]})
    >>> tf.nn.conv{count}d_transpose(x, w, {[1] + [4] * count + [1]}, 2).shape
    {(1, *[4] * count, 1)}
    """
    return function


conv1d_transpose, conv2d_transpose, conv3d_transpose = (_transposed(count) for count in (1, 2, 3))


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution of each channel of `input` by filters of its own.

    filter: (height, width, channels, multiplier); the result has channels × multiplier channels. `strides`, `padding`,
    `data_format` and `dilations` are those of `tf.nn.convolution`.

    >>> import pullback.tf as tf
    >>> tf.nn.depthwise_conv2d(tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "VALID").shape
    (1, 2, 2, 2)
    """
    x, w = operands(input, filter)
    grouped = np.reshape(w, (*w.shape[:2], 1, w.shape[2] * w.shape[3]))
    return convolution(x, grouped, strides, padding, data_format, dilations)


def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` by an input of the shape `input_sizes`, for a cotangent `out_backprop`.

    `filter`, `strides`, `padding`, `data_format` and `dilations` are those of `tf.nn.depthwise_conv2d`.

    >>> import pullback.tf as tf
    >>> y, w = tf.ones([1, 2, 2, 2]), tf.ones([2, 2, 2, 1])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 2], w, y, [1] * 4, "VALID").shape
    (1, 3, 3, 2)
    """
    w, y = operands(filter, out_backprop)
    x = Tensor(np.zeros(extents(input_sizes), y.dtype))
    return _cotangents(x, w, y, strides, padding, data_format, dilations)[0]


def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.depthwise_conv2d` by a filter of the shape `filter_sizes`, for a cotangent `out_backprop`.

    `input`, `strides`, `padding`, `data_format` and `dilations` are those of `tf.nn.depthwise_conv2d`.

    >>> import pullback.tf as tf
    >>> x, y = tf.ones([1, 3, 3, 2]), tf.ones([1, 2, 2, 2])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 2, 1], y, [1] * 4, "VALID").shape
    (2, 2, 2, 1)
    """
    x, y = operands(input, out_backprop)
    w = Tensor(np.zeros(extents(filter_sizes), y.dtype))
    return _cotangents(x, w, y, strides, padding, data_format, dilations)[1]


def _cotangents(x: Any, w: Any, y_bar: Any, *settings: Any) -> Any:
    """The cotangents of the input and the filter of a depthwise convolution."""
    with GradientTape() as tape:
        tape.watch([x, w])
        y = depthwise_conv2d(x, w, *settings)
    return tape.gradient(y, [x, w], y_bar)


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.depthwise_conv2d` of `input` by `depthwise_filter`, then a convolution by `pointwise_filter` of size one.

    pointwise_filter: (1, 1, channels × multiplier, outputs). `strides`, `padding`, `data_format` and `dilations` are
    those of `tf.nn.convolution`.

    >>> import pullback.tf as tf
    >>> x, depth, point = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 4])
    >>> tf.nn.separable_conv2d(x, depth, point, [1, 1, 1, 1], "VALID").shape
    (1, 2, 2, 4)
    """
    channels = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return convolution(channels, pointwise_filter, 1, "VALID", data_format)


def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """`tf.nn.conv2d` of `value` by `filters` whose elements are at the distance `rate`. padding: 'VALID' or 'SAME'.

    >>> import pullback.tf as tf
    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([2, 2, 1, 1]), 3, "VALID").shape
    (1, 2, 2, 1)
    """
    return convolution(value, filters, 1, padding, "NHWC", rate)


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The gradient of `tf.nn.atrous_conv2d` by its input: see `tf.nn.conv2d_transpose`.

    `value`, `filters`, `output_shape` and `padding` are those that it has; rate: the distance of elements of filters.

    >>> import pullback.tf as tf
    >>> tf.nn.atrous_conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 5, 5, 1], 3, "VALID").shape
    (1, 5, 5, 1)
    """
    return conv_transpose(value, filters, output_shape, 1, padding, "NHWC", rate)
