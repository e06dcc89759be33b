"""`tf.keras.layers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import nn
from pullback.tf.values import Variable, convert_to_tensor


class Dense(nn.Dense):
    """`pullback.nn.Dense` for tensors of float32, or of the dtype it is given."""

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
