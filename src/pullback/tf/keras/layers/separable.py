"""Convolutions of each channel by filters of its own, and of these with each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.layers.convolutional import _Convolution
from pullback.tf.nn.convolution import convolution

_SETTINGS = """kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias, and those of the bias:
    as of `Conv{rank}D`. depth_multiplier: how many filters a channel has. depthwise_initializer, depthwise_regularizer,
    depthwise_constraint{more}: see `add_weight`. keywords: those of `tf.keras.layers.Layer`."""


class _Depthwise(_Convolution):
    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(
            0, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer, depthwise_constraint,
            bias_constraint, **keywords,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier

    def build(self, input_shape: Any) -> None:
        """Make the variables for this many channels."""
        self.channels = int(input_shape[-1 if self.last else 1])
        super().build(input_shape)

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        """The shape of the filters."""
        return (*self.kernel_size, channels, self.depth_multiplier)

    def outputs(self) -> int:
        """The number of channels of the outputs."""
        return self.channels * self.depth_multiplier

    def convolved(self, inputs: Any) -> Any:
        """The convolution alone."""
        grouped = np.reshape(self.kernel, (*self.kernel_size, 1, self.channels * self.depth_multiplier))
        return convolution(inputs, grouped, self.strides, self.padding, self.format, self.dilation_rate)


class _Separable(_Depthwise):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(
            kernel_size, strides, padding, depth_multiplier, data_format, dilation_rate, activation, use_bias,
            depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer, depthwise_constraint,
            bias_constraint, **keywords,
        )  # fmt: skip
        self.filters = filters
        self.of_points = pointwise_initializer, pointwise_regularizer, pointwise_constraint

    def build(self, input_shape: Any) -> None:
        """Make the variables: the filters of channels, those of points, and the bias."""
        super().build(input_shape)
        start, regularizer, constraint = self.of_points
        shape = (*[1] * self.rank, self.channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = self.add_weight(
            shape, start, name="pointwise_kernel", regularizer=regularizer, constraint=constraint
        )
        if self.use_bias:  # the bias is the last of the weights
            self._weights = [*(one for one in self._weights if one is not self.bias), self.bias]

    def outputs(self) -> int:
        """The number of channels of the outputs."""
        return self.filters

    def convolved(self, inputs: Any) -> Any:
        """Both convolutions."""
        return convolution(super().convolved(inputs), self.pointwise_kernel, 1, "valid", self.format)


def _class(rank: int, separable: bool) -> Any:
    name = f"{'Separable' if separable else 'Depthwise'}Conv{rank}D"
    axes = "one axis" if rank == 1 else "two axes"
    what = "each channel by filters of its own"
    points = ", pointwise_initializer, pointwise_regularizer, pointwise_constraint" if separable else ""
    more = f"{points}, bias_initializer, bias_regularizer, bias_constraint"
    settings = _SETTINGS.format(rank=rank, more=more)
    arguments = "4, 3" if separable else "3, depth_multiplier=2"
    doc = f"""A convolution along {axes} of {what}{", then of all of these at each point" if separable else ""}.

    {"filters: the number of outputs. " if separable else ""}{settings}

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name}({arguments})(tf.ones({[1, *[5] * rank, 3]})).shape
    {(1, *[3] * rank, 4 if separable else 6)}
    """
    base = _Separable if separable else _Depthwise
    return type(name, (base,), {"rank": rank, "__doc__": doc, "__module__": __name__})


DepthwiseConv1D, DepthwiseConv2D = (_class(rank, False) for rank in (1, 2))
SeparableConv1D, SeparableConv2D = (_class(rank, True) for rank in (1, 2))
