"""Activations that are layers of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf import nn
from pullback.tf.keras import activations
from pullback.tf.keras.layers.base import Layer
from pullback.tf.values import bare


class ReLU(Layer):
    """`tf.keras.activations.relu`, with its `max_value`, `negative_slope` and `threshold`. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.ReLU(max_value=1.0)([-1.0, 2.0])
    <Tensor [0. 1.], float32>
    """

    keeps_mask = True

    def __init__(
        self, max_value: float | None = None, negative_slope: float = 0.0, threshold: float = 0.0, **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self.settings = negative_slope, max_value, threshold

    def call(self, inputs: Any) -> Any:
        """The activation of the inputs."""
        return activations.relu(inputs, *self.settings)


class LeakyReLU(Layer):
    """The inputs, negative ones times `negative_slope`. keywords: those of `Layer`, and `alpha` for the slope.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.LeakyReLU(0.5)([-1.0, 2.0])
    <Tensor [-0.5  2. ], float32>
    """

    keeps_mask = True

    def __init__(self, negative_slope: float = 0.3, **keywords: Any) -> None:
        self.negative_slope = keywords.pop("alpha", negative_slope)
        super().__init__(**keywords)

    def call(self, inputs: Any) -> Any:
        """The activation of the inputs."""
        return nn.leaky_relu(inputs, self.negative_slope)


class ELU(Layer):
    """The inputs, negative ones as `alpha` (exp(x) - 1). keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.ELU()([0.0, 2.0])
    <Tensor [0. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, alpha: float = 1.0, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        """The activation of the inputs."""
        return activations.elu(inputs, self.alpha)


class PReLU(Layer):
    """The inputs, negative ones times weights that are learnt.

    alpha_initializer, alpha_regularizer, alpha_constraint: see `add_weight`. shared_axes: axes along which the weights
    are the same. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.PReLU()([[-1.0, 2.0]])
    <Tensor [[-0.  2.]], float32>
    """

    keeps_mask = True

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.settings = alpha_initializer, alpha_regularizer, alpha_constraint
        self.shared_axes = [shared_axes] if isinstance(shared_axes, int) else list(shared_axes or ())

    def build(self, input_shape: Any) -> None:
        """Make the weights, of the shape of a row."""
        start, regularizer, constraint = self.settings
        shape = [1 if k in self.shared_axes else n for k, n in enumerate(input_shape)][1:]
        self.alpha = self.add_weight(shape, start, regularizer=regularizer, constraint=constraint, name="alpha")

    def call(self, inputs: Any) -> Any:
        """The activation of the inputs."""
        return np.where(inputs > 0, inputs, self.alpha * inputs)


class Softmax(Layer):
    """The softmax along an `axis`, with 0 where a `mask` of the call is not. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Softmax()([0.0, 0.0])
    <Tensor [0.5 0.5], float32>
    """

    keeps_mask = True

    def __init__(self, axis: int = -1, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.axis = axis

    def call(self, inputs: Any, mask: Any = None) -> Any:
        """The activation of the inputs."""
        if mask is None:
            return activations.softmax(inputs, self.axis)
        shown = bare(mask) > 0.5 if bare(mask).dtype != bool else bare(mask)
        low = inputs.dtype.type(np.finfo(inputs.dtype).min / 2)
        return np.where(shown, nn.softmax(np.where(shown, inputs, low), self.axis), inputs.dtype.type(0))
