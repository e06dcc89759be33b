"""Layers of convolutions, and those that make images larger or smaller."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras import activations
from pullback.tf.keras.layers.base import Layer
from pullback.tf.nn.convolution import convolution
from pullback.tf.nn.convolutions import conv_transpose
from pullback.tf.nn.windows import for_each_axis

_SETTINGS = """filters: the number of outputs. kernel_size, strides, dilation_rate: a number, or one for each axis.
    padding: 'valid' or 'same'{causal}. data_format: 'channels_last' or 'channels_first'. {more}
    activation: a name or a function. use_bias: False for a layer without. kernel_initializer, bias_initializer,
    kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint: see `add_weight`. keywords: those of
    `tf.keras.layers.Layer`."""
_GROUPS = "groups: how many parts of the channels have filters of their own."
_PADDING = "output_padding: how many places more than the least there are."


class _Convolution(Layer):
    rank: int
    transposed = False

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str | None = None,
        dilation_rate: Any = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.filters, self.groups, self.use_bias = filters, groups, use_bias
        sizes = (for_each_axis(one, self.rank) for one in (kernel_size, strides, dilation_rate))
        self.kernel_size, self.strides, self.dilation_rate = sizes
        self.padding, self.last = padding.lower(), data_format != "channels_first"
        self.activation = activations.get(activation)
        self.of_kernel = kernel_initializer, kernel_regularizer, kernel_constraint
        self.of_bias = bias_initializer, bias_regularizer, bias_constraint

    @property
    def format(self) -> str:
        """The format as `tf.nn` has it."""
        return "NCW" if not self.last else "NWC"

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        """The shape of the filters."""
        return (*self.kernel_size, channels // self.groups, self.filters)

    def outputs(self) -> int:
        """The number of channels of the outputs."""
        return self.filters

    def build(self, input_shape: Any) -> None:
        """Make the variables for this many channels."""
        start, regularizer, constraint = self.of_kernel
        shape = self.kernel_shape(int(input_shape[-1 if self.last else 1]))
        self.kernel = self.add_weight(shape, start, name="kernel", regularizer=regularizer, constraint=constraint)
        start, regularizer, constraint = self.of_bias
        self.bias: Any = None
        if self.use_bias:
            self.bias = self.add_weight(
                (self.outputs(),), start, name="bias", regularizer=regularizer, constraint=constraint
            )

    def call(self, inputs: Any) -> Any:
        """The outputs for a tensor of rows, axes and channels."""
        return self.finished(self.convolved(inputs))

    def convolved(self, inputs: Any) -> Any:
        """The convolution alone."""
        padding: Any = self.padding
        if padding == "causal":
            reach = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            margins = [(0, 0), (reach, 0), (0, 0)] if self.last else [(0, 0), (0, 0), (reach, 0)]
            inputs, padding = np.pad(inputs, margins), "valid"
        return convolution(inputs, self.kernel, self.strides, padding, self.format, self.dilation_rate)

    def finished(self, y: Any) -> Any:
        """With bias and activation."""
        if self.bias is not None:
            y = y + (self.bias if self.last else np.reshape(self.bias, (-1, *[1] * self.rank)))
        return self.activation(y)


class _Transposed(_Convolution):
    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias,
            kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint,
            bias_constraint, **keywords,
        )  # fmt: skip
        self.output_padding = None if output_padding is None else for_each_axis(output_padding, self.rank)

    def kernel_shape(self, channels: int) -> tuple[int, ...]:
        """The shape of the filters: outputs stand before inputs."""
        return (*self.kernel_size, self.filters, channels)

    def convolved(self, inputs: Any) -> Any:
        """The transposed convolution alone. The outputs are as large as strides times inputs, and what lies over."""
        space = inputs.shape[1:-1] if self.last else inputs.shape[2:]
        extra = self.output_padding or (None,) * self.rank
        settings = zip(space, self.strides, self.kernel_size, self.dilation_rate, extra, strict=True)
        sizes = [self._extent(*one) for one in settings]
        shape = (inputs.shape[0], *sizes, self.filters) if self.last else (inputs.shape[0], self.filters, *sizes)
        padding: Any = self.padding
        if self.output_padding is not None and padding == "same":
            before = [(d * (k - 1)) // 2 for k, d in zip(self.kernel_size, self.dilation_rate, strict=True)]
            margins = [
                (b, d * (k - 1) - b) for b, k, d in zip(before, self.kernel_size, self.dilation_rate, strict=True)
            ]
            padding = [(0, 0), *margins, (0, 0)] if self.last else [(0, 0), (0, 0), *margins]
        return conv_transpose(inputs, self.kernel, shape, self.strides, padding, self.format, self.dilation_rate)

    def _extent(self, n: int, stride: int, size: int, dilation: int, extra: int | None) -> int:
        reach = dilation * (size - 1) + 1
        if extra is None:
            return n * stride if self.padding == "same" else n * stride + max(reach - stride, 0)
        return (n - 1) * stride + (1 if self.padding == "same" else reach) + extra


def _class(rank: int, transposed: bool) -> Any:
    name = f"Conv{rank}D{'Transpose' if transposed else ''}"
    causal = ", or 'causal' for no look ahead" if rank == 1 and not transposed else ""
    settings = _SETTINGS.format(causal=causal, more=_PADDING if transposed else _GROUPS)
    kind, axes = "transposed convolution" if transposed else "convolution", ("one axis", "two axes", "three axes")
    shape = (1, *[10] * rank, 3)
    doc = f"""A {kind} along {axes[rank - 1]}.

    {settings}

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name}(4, 3)(tf.ones({list(shape)})).shape
    {(1, *[12 if transposed else 8] * rank, 4)}
    """
    base = _Transposed if transposed else _Convolution
    return type(name, (base,), {"rank": rank, "__doc__": doc, "__module__": __name__})


Conv1D, Conv2D, Conv3D = (_class(rank, False) for rank in (1, 2, 3))
Conv1DTranspose, Conv2DTranspose, Conv3DTranspose = (_class(rank, True) for rank in (1, 2, 3))
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose = Conv1DTranspose, Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose


class ZeroPadding2D(Layer):
    """Zeros around images. padding: a number, one for rows and columns, or pairs. data_format: as of `Conv2D`.

    keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.ZeroPadding2D(2)(tf.ones([1, 3, 3, 1])).shape
    (1, 7, 7, 1)
    """

    def __init__(self, padding: Any = (1, 1), data_format: str | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.margins, self.last = _pairs(padding), data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The larger images."""
        own = [*self.margins, (0, 0)] if self.last else [(0, 0), *self.margins]
        return np.pad(inputs, [(0, 0), *own])


class Cropping2D(Layer):
    """Images without their margins. cropping: a number, one for rows and columns, or pairs.

    data_format: as of `Conv2D`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Cropping2D(1)(tf.ones([1, 5, 5, 1])).shape
    (1, 3, 3, 1)
    """

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: str | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.margins, self.last = _pairs(cropping), data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The smaller images."""
        space = inputs.shape[1:3] if self.last else inputs.shape[2:]
        kept = [slice(a, n - b) for (a, b), n in zip(self.margins, space, strict=True)]
        return inputs[(slice(None), *kept)] if self.last else inputs[(slice(None), slice(None), *kept)]


def _pairs(margins: Any) -> list[tuple[int, int]]:
    sides = (margins, margins) if isinstance(margins, int) else margins
    return [(one, one) if isinstance(one, int) else tuple(one) for one in sides]


class UpSampling2D(Layer):
    """Each place of an image several times. size: how often, along rows and columns. data_format: as of `Conv2D`.

    interpolation: 'nearest'. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.UpSampling2D(2)(tf.ones([1, 3, 3, 1])).shape
    (1, 6, 6, 1)
    """

    def __init__(
        self, size: Any = (2, 2), data_format: str | None = None, interpolation: str = "nearest", **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        if interpolation != "nearest":
            raise NotImplementedError(f"the interpolation {interpolation!r} is not known")
        self.size, self.last = for_each_axis(size, 2), data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The larger images."""
        first = 1 if self.last else 2
        return np.repeat(np.repeat(inputs, self.size[0], axis=first), self.size[1], axis=first + 1)
