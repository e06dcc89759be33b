"""Layers that are others while a model is trained, and one that only adds to its losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.keras.layers.base import Layer
from pullback.tf.keras.layers.core import Dropout
from pullback.tf.keras.regularizers import L1L2
from pullback.tf.random import normal, uniform


class _SpatialDropout(Dropout):
    rank: int

    def __init__(self, rate: float, data_format: str | None = None, seed: int | None = None, **keywords: Any) -> None:
        super().__init__(rate, seed=seed, **keywords)
        self.last = data_format != "channels_first"

    def call(self, inputs: Tensor, training: bool | None = False) -> Any:
        """The inputs, or without some channels where a model is trained."""
        if not training or self.rate == 0:
            return inputs
        ones = [1] * self.rank
        shape = [inputs.shape[0], *ones, inputs.shape[-1]] if self.last else [*inputs.shape[:2], *ones]
        return inputs * 0 if self.rate == 1 else nn.dropout(inputs, self.rate, shape, self.seed)


def _class(rank: int) -> Any:
    doc = f"""A share `rate` of the channels is set to 0 while a model is trained, others are divided by 1 - rate.

    data_format: 'channels_last' or 'channels_first'. seed: see `tf.random.set_seed`. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.SpatialDropout{rank}D(0.5)(tf.ones({[1, *[2] * rank, 3]})).shape
    {(1, *[2] * rank, 3)}
    """
    return type(f"SpatialDropout{rank}D", (_SpatialDropout,), {"rank": rank, "__doc__": doc, "__module__": __name__})


SpatialDropout1D, SpatialDropout2D, SpatialDropout3D = (_class(rank) for rank in (1, 2, 3))


class GaussianDropout(Layer):
    """Times numbers of mean 1 and variance rate / (1 - rate) while a model is trained. Srivastava et al. (2014).

    rate: that of a `Dropout` of this variance. seed: see `tf.random.set_seed`. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.GaussianDropout(0.5)([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, rate: float, seed: int | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        if not 0 <= rate < 1:
            raise ValueError(f"a rate lies from 0 to below 1, not at {rate}")
        self.rate, self.seed = rate, seed

    def call(self, inputs: Tensor, training: bool | None = False) -> Any:
        """The inputs, or times random numbers where a model is trained."""
        if not training or self.rate == 0:
            return inputs
        return inputs * normal(inputs.shape, 1.0, (self.rate / (1 - self.rate)) ** 0.5, inputs.dtype, self.seed)


class AlphaDropout(Layer):
    """A share `rate` of the elements is set to what SELU is far below 0, and mean and variance are kept.

    Klambauer et al. (2017). noise_shape: the shape that is drawn, and spread over the inputs. seed: see
    `tf.random.set_seed`. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.AlphaDropout(0.5)([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate lies between 0 and 1, not at {rate}")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Tensor, training: bool | None = False) -> Any:
        """The inputs, or with others among them where a model is trained."""
        if not training or self.rate == 0:
            return inputs
        kind = inputs.dtype.type
        least = -1.6732632423543772 * 1.0507009873554805
        shape = inputs.shape if self.noise_shape is None else self.noise_shape
        kept = uniform(shape, dtype=inputs.dtype, seed=self.seed)._value >= self.rate
        scale = ((1 - self.rate) * (1 + self.rate * least**2)) ** -0.5
        return np.where(kept, inputs, kind(least)) * kind(scale) - kind(scale * least * self.rate)


class ActivityRegularization(Layer):
    """The inputs, of which `l1` Σ |x| + `l2` Σ x² over the number of rows is added to the losses.

    keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.ActivityRegularization(l2=0.5)
    >>> _ = layer([[1.0, 2.0]])
    >>> layer.losses
    [<Tensor 2.5, float32>]
    """

    keeps_mask = True

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **keywords: Any) -> None:
        super().__init__(activity_regularizer=L1L2(l1, l2), **keywords)

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs
