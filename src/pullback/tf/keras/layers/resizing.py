"""Layers that make sequences longer or shorter."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf.keras.layers.base import Layer


def _pair(margins: Any) -> tuple[int, int]:
    before, after = (margins, margins) if isinstance(margins, int) else margins
    return int(before), int(after)


class ZeroPadding1D(Layer):
    """Zeros before and behind sequences. padding: how many, a number or a pair. keywords: those of `Layer`.

    data_format: 'channels_last' or 'channels_first'.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.ZeroPadding1D(2)(tf.ones([1, 3, 4])).shape
    (1, 7, 4)
    """

    def __init__(self, padding: Any = 1, data_format: str | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.margins, self.last = _pair(padding), data_format != "channels_first"

    def call(self, inputs: Any) -> Any:
        """The longer sequences."""
        return np.pad(inputs, [(0, 0), self.margins, (0, 0)] if self.last else [(0, 0), (0, 0), self.margins])


class Cropping1D(Layer):
    """Sequences without their ends. cropping: how much is cut off, a number or a pair. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Cropping1D(1)(tf.ones([1, 5, 4])).shape
    (1, 3, 4)
    """

    def __init__(self, cropping: Any = (1, 1), **keywords: Any) -> None:
        super().__init__(**keywords)
        self.margins = _pair(cropping)

    def call(self, inputs: Any) -> Any:
        """The shorter sequences."""
        before, after = self.margins
        return inputs[:, before : inputs.shape[1] - after]


class UpSampling1D(Layer):
    """Each time of a sequence `size` times over. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.UpSampling1D(3)(tf.ones([1, 2, 4])).shape
    (1, 6, 4)
    """

    def __init__(self, size: int = 2, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.size = int(size)

    def call(self, inputs: Any) -> Any:
        """The longer sequences."""
        return np.repeat(inputs, self.size, axis=1)


class Rescaling(Layer):
    """The inputs times `scale` plus `offset`. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Rescaling(0.5, offset=1.0)([2.0, 4.0])
    <Tensor [2. 3.], float32>
    """

    keeps_mask = True

    def __init__(self, scale: Any, offset: Any = 0.0, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.scale, self.offset = scale, offset

    def call(self, inputs: Any) -> Any:
        """The moved and scaled inputs."""
        scale, offset = (np.asarray(one, self.dtype) for one in (self.scale, self.offset))
        return inputs.astype(self.dtype) * scale + offset


class Normalization(Layer):
    """(x - mean) / √variance for each place along an `axis`, or several, None for numbers; `adapt` finds both.

    mean, variance: or these are given. invert: x √variance + mean. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.Normalization()
    >>> layer.adapt([[1.0], [3.0]])
    >>> layer([[1.0], [3.0]])[:, 0]
    <View [-1.  1.], float32>
    """

    keeps_mask = True

    def __init__(
        self, axis: Any = -1, mean: Any = None, variance: Any = None, invert: bool = False, **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        if (mean is None) != (variance is None):
            raise ValueError("mean and variance are given both or not at all")
        self.axes = () if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
        self.mean, self.variance, self.invert = mean, variance, invert

    def adapt(self, data: Any) -> None:
        """Take mean and variance of data: of an array, or of all batches of a dataset."""
        batches = [data] if hasattr(data, "shape") or isinstance(data, list) else list(data)
        x = np.concatenate([np.asarray(one, self.dtype) for one in batches])
        kept = {k % x.ndim for k in self.axes}
        over = tuple(k for k in range(x.ndim) if k not in kept)
        self.mean, self.variance = x.mean(axis=over, keepdims=True), x.var(axis=over, keepdims=True)

    def call(self, inputs: Any) -> Any:
        """The normalised inputs."""
        if self.mean is None:
            raise ValueError("the mean is not known: call `adapt` first")
        kept = {k % inputs.ndim for k in self.axes}
        shape = [n if k in kept else 1 for k, n in enumerate(inputs.shape)]
        found = (np.asarray(one, self.dtype) for one in (self.mean, self.variance))
        mean, variance = (np.broadcast_to(one.ravel() if one.size == 1 else one.reshape(shape), shape) for one in found)
        if self.invert:
            return inputs * np.maximum(np.sqrt(variance), self.dtype.type(1e-7)) + mean
        return (inputs - mean) / np.maximum(np.sqrt(variance), self.dtype.type(1e-7))
