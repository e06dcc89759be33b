"""`tf.keras.layers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import nn
from pullback.tf.values import Variable, convert_to_tensor


class Dense(nn.Dense):
    """`pullback.nn.Dense` for tensors of float32, or of the dtype it is given.

    Its parameters `units`, `activation`, `use_bias`, `trainable`, `name`, `dtype` and `seed` are those of
    `pb.nn.Dense`.

    >>> import pullback.tf as tf
    >>> layer = tf.keras.layers.Dense(3, activation="relu")
    >>> layer([[1.0, 2.0]]).shape, layer.kernel.dtype
    ((1, 3), dtype('float32'))
    """

    default_dtype = np.float32

    @property
    def trainable_variables(self) -> list[Any]:
        """Kernel and bias in a list; none if the layer is frozen."""
        return list(super().trainable_variables)

    def new_variable(self, value: Any, name: str, dtype: Any) -> Variable:
        """A variable of TensorFlow's names."""
        return Variable(value, self.trainable, name, dtype)

    def __call__(self, x: Any) -> Any:
        """The outputs for a tensor of shape (…, inputs)."""
        return super().__call__(convert_to_tensor(x))
