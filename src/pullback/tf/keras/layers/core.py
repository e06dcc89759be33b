"""Layers of products and look-ups, and those that only change the form of their inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.errors import ShapeError
from pullback.nn.functions import ACTIVATIONS
from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.initializers import GlorotUniform
from pullback.tf.keras import activations
from pullback.tf.keras.layers.base import Layer
from pullback.tf.keras.masks import Noted, with_masks
from pullback.tf.random import normal
from pullback.tf.selection import gather


class Dense(Layer):
    """activation(x @ kernel + bias) for rows x.

    units: the number of outputs. activation: a name of `tf.keras.activations`, or a function. use_bias: False for a
    layer without. kernel_initializer, bias_initializer: names of `tf.keras.initializers`, or such. kernel_regularizer,
    bias_regularizer, kernel_constraint, bias_constraint: see `add_weight`. seed: that of the kernel's initialiser where
    it is given. keywords: those of `tf.keras.layers.Layer`.

    The variables are made by the first call, or by `build`: `kernel`, (inputs, units), and `bias`, (units,). A row of
    another length than the first ones' raises ShapeError (a ValueError).

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.Dense(3, activation="relu")
    >>> layer([[1.0, 2.0]]).shape, layer.kernel.dtype
    ((1, 3), dtype('float32'))
    """

    keeps_mask = True

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        seed: int | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.units, self.use_bias, self.seed = int(units), use_bias, seed
        # Those of `pullback.nn` serve differentiated functions too.
        known = activation in ACTIVATIONS if activation is None or isinstance(activation, str) else False
        self.activation = ACTIVATIONS[activation] if known else activations.get(activation)
        self.keeps_logits = activation in ("sigmoid", "softmax")
        self.settings = {
            "kernel": (kernel_initializer, kernel_regularizer, kernel_constraint),
            "bias": (bias_initializer, bias_regularizer, bias_constraint),
        }
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any, dtype: Any = None) -> None:
        """Make the variables for rows as long as the last extent of the shape."""
        length = input_shape if isinstance(input_shape, int) else int(input_shape[-1])
        start, regularizer, constraint = self.settings["kernel"]
        if self.seed is not None and start == "glorot_uniform":
            start = GlorotUniform(self.seed)
        self.kernel = self.add_weight(
            (length, self.units), start, name="kernel", regularizer=regularizer, constraint=constraint
        )
        if self.use_bias:
            start, regularizer, constraint = self.settings["bias"]
            self.bias = self.add_weight(
                (self.units,), start, name="bias", regularizer=regularizer, constraint=constraint
            )
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The outputs for a tensor of shape (…, inputs)."""
        if inputs.ndim == 0 or inputs.shape[-1] != self.kernel.shape[0]:
            raise ShapeError(f"the layer takes rows of {self.kernel.shape[0]} numbers, not of shape {inputs.shape}")
        if not self.keeps_logits:
            return self.forward(inputs)
        logits = inputs @ self.kernel if self.bias is None else inputs @ self.kernel + self.bias
        return Noted(self.activation(logits), logits=logits)

    __pullback_call__ = "forward"

    def forward(self, x: Any) -> Any:
        """The outputs of a layer that has been built: what a call is in differentiated functions."""
        y = x @ self.kernel
        return self.activation(y if self.bias is None else y + self.bias)


class Embedding(Layer):
    """Rows of a table for integers: (…) becomes (…, output_dim).

    input_dim: the number of rows. output_dim: their length. embeddings_initializer, embeddings_regularizer,
    embeddings_constraint: see `add_weight`. mask_zero: the integer 0 stands for a time that does not count, and a mask
    goes with the outputs. input_length has no effect. weights: a list with the table. keywords: those of
    `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Embedding(10, 4)([[1, 2, 3]]).shape
    (1, 3, 4)
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: Any = None,
        weights: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.mask_zero = mask_zero
        self.input_dim, self.output_dim = int(input_dim), int(output_dim)
        self.start = "random_uniform" if embeddings_initializer == "uniform" else embeddings_initializer
        self.settings = embeddings_regularizer, embeddings_constraint
        self.embeddings: Any = None
        if weights is not None:
            self.build(None)
            self.set_weights(weights)
            self.built = True

    def build(self, input_shape: Any) -> None:
        """Make the table."""
        if self.embeddings is None:
            regularizer, constraint = self.settings
            self.embeddings = self.add_weight(
                (self.input_dim, self.output_dim),
                self.start,
                name="embeddings",
                regularizer=regularizer,
                constraint=constraint,
            )

    def call(self, inputs: Any) -> Any:
        """The rows for a tensor of integers."""
        found = gather(self.embeddings, inputs.astype(np.int64))
        return with_masks(found, inputs._value != 0) if self.mask_zero else found


class Activation(Layer):
    """An activation as a layer. activation: a name or a function. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Activation("relu")([-1.0, 2.0])
    <Tensor [0. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, activation: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        """The activation of the inputs."""
        return self.activation(inputs)


class Lambda(Layer):
    """A function as a layer. function: of the inputs. output_shape, mask: no effect. arguments: more of the function's.

    keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Lambda(lambda x: 2.0 * x)([1.0])
    <Tensor [2.], float32>
    """

    keeps_mask = True

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs: Any) -> Any:
        """The function of the inputs."""
        return self.function(inputs, **self.arguments)


class Identity(Layer):
    """The inputs. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Identity()([1.0])
    <Tensor [1.], float32>
    """

    keeps_mask = True

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs


class Flatten(Layer):
    """Each row as a vector. data_format: 'channels_first' moves the channels behind first. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    (2, 12)
    """

    def __init__(self, data_format: str | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.data_format = data_format

    def call(self, inputs: Any) -> Any:
        """A tensor of shape (n, elements of a row)."""
        if self.data_format == "channels_first" and inputs.ndim > 2:
            inputs = np.moveaxis(inputs, 1, -1)
        return np.reshape(inputs, (inputs.shape[0], int(np.prod(inputs.shape[1:]))))


class Reshape(Layer):
    """Each row in another shape. target_shape: that of a row, with one -1 at most. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Reshape([2, -1])(tf.ones([5, 6])).shape
    (5, 2, 3)
    """

    def __init__(self, target_shape: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Any:
        """A tensor of shape (n, *target_shape)."""
        return np.reshape(inputs, (inputs.shape[0], *self.target_shape))


class Permute(Layer):
    """The axes of rows in another order. dims: for each which it was, from 1 on. keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Permute([2, 1])(tf.ones([5, 6, 7])).shape
    (5, 7, 6)
    """

    def __init__(self, dims: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.dims = tuple(dims)

    def call(self, inputs: Any) -> Any:
        """The transposed tensor."""
        return np.transpose(inputs, (0, *self.dims))


class RepeatVector(Layer):
    """Each row `n` times over: (batch, size) becomes (batch, n, size). keywords: those of `Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.RepeatVector(3)(tf.ones([2, 4])).shape
    (2, 3, 4)
    """

    def __init__(self, n: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.n = n

    def call(self, inputs: Any) -> Any:
        """The repeated rows."""
        return np.broadcast_to(inputs[:, None, :], (inputs.shape[0], self.n, inputs.shape[1]))


class Dropout(Layer):
    """A share `rate` of the elements is set to 0 while a model is trained, and the others are divided by 1 - rate.

    noise_shape: the shape that is drawn, and spread over the inputs. seed: see `tf.random.set_seed`. keywords: those of
    `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Dropout(0.5)([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate lies between 0 and 1, not at {rate}")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Tensor, training: bool | None = False) -> Any:
        """The inputs, or with zeros among them where a model is trained."""
        if not training or self.rate == 0:
            return inputs
        return inputs * 0 if self.rate == 1 else nn.dropout(inputs, self.rate, self.noise_shape, self.seed)


class GaussianNoise(Layer):
    """Normally distributed numbers are added while a model is trained. stddev: their standard deviation.

    seed: see `tf.random.set_seed`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.GaussianNoise(0.5)([1.0, 2.0])
    <Tensor [1. 2.], float32>
    """

    keeps_mask = True

    def __init__(self, stddev: float, seed: int | None = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.stddev, self.seed = stddev, seed

    def call(self, inputs: Tensor, training: bool | None = False) -> Any:
        """The inputs, with noise where a model is trained."""
        if not training:
            return inputs
        return inputs + normal(inputs.shape, 0.0, self.stddev, inputs.dtype, self.seed)


class Masking(Layer):
    """Times at which all numbers are `mask_value` do not count: they become 0, and a mask goes with the outputs.

    keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> x = tf.constant([[[1.0, 2.0], [9.0, 9.0]]])
    >>> tf.keras.layers.Masking(9.0)(x)[0]
    <View [[1. 2.]
     [0. 0.]], float32>
    """

    def __init__(self, mask_value: float = 0.0, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.mask_value = mask_value

    def call(self, inputs: Any) -> Any:
        """The inputs, with 0 where they do not count."""
        shown = np.any(inputs._value != self.mask_value, axis=-1)
        return with_masks(np.where(shown[..., None], inputs, inputs.dtype.type(0)), shown)
