"""`Dense`: a layer of a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.errors import ShapeError
from pullback.nn.functions import activation_of
from pullback.nn.module import Module
from pullback.tape import Variable


class Dense(Module):
    """activation(x @ kernel + bias) for rows x.

    units: the number of outputs. activation: 'relu', 'sigmoid', 'softmax', 'softplus', 'tanh', None or a function.
    use_bias: False for a layer without. trainable: False freezes the variables. name: any text, by default 'Dense'.

    The variables are made by the first call, or by `build`, in `dtype` (by default that of the input): `kernel`
    (inputs, units), drawn evenly between ±√(6 / (inputs + units)) (Glorot and Bengio, 2010) by a generator with this
    `seed`, and `bias` (units,), zeros. `outputs` is what the last call returned. A row of another length than the first
    ones' raises ShapeError (a ValueError).

    >>> import numpy as np, pullback as pb
    >>> layer = pb.nn.Dense(3, activation="tanh")
    >>> layer(np.ones((5, 2))).shape, [v.shape for v in layer.trainable_variables]
    ((5, 3), [(2, 3), (3,)])
    """

    default_dtype: Any = None
    """That of the variables where none is given; None for that of the input."""

    def __init__(
        self,
        units: int,
        activation: str | Callable[[Any], Any] | None = None,
        use_bias: bool = True,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(name)
        self.units, self.use_bias, self.trainable = int(units), use_bias, trainable
        self.dtype = self.default_dtype if dtype is None else dtype
        self.activation = activation_of(activation)
        self.seed = seed
        self.kernel: Variable | None = None
        self.bias: Variable | None = None
        self.outputs: Any = None

    def _attributes(self) -> list[str]:
        """The kernel stands before the bias."""
        return ["kernel", "bias"]

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Kernel and bias; none if the layer is frozen."""
        return super().trainable_variables if self.trainable else ()

    def build(self, inputs: int | tuple[int, ...], dtype: Any = np.float64) -> None:
        """Make the variables for rows of this length; of a shape, the last extent counts."""
        length = inputs if isinstance(inputs, int) else int(inputs[-1])
        dtype = np.dtype(dtype if self.dtype is None else self.dtype)
        bound = np.sqrt(6 / (length + self.units))
        kernel = np.random.default_rng(self.seed).uniform(-bound, bound, (length, self.units))
        self.kernel = self.new_variable(kernel, "kernel", dtype)
        self.bias = self.new_variable(np.zeros(self.units), "bias", dtype) if self.use_bias else None

    def new_variable(self, value: Any, name: str, dtype: Any) -> Variable:
        """A variable of the layer."""
        return Variable(value, trainable=self.trainable, name=name, dtype=dtype)

    def __call__(self, x: Any) -> Any:
        """The outputs for an array or tensor of shape (…, inputs)."""
        if self.kernel is None:
            x_dtype = getattr(x, "dtype", np.dtype(float))
            self.build(np.shape(x)[-1], x_dtype if x_dtype.kind == "f" else np.float64)
        assert self.kernel is not None, "the layer has been built"
        if np.shape(x)[-1] != self.kernel.shape[0]:
            raise ShapeError(f"the layer takes rows of {self.kernel.shape[0]} numbers, not of shape {np.shape(x)}")
        self.outputs = self.forward(x)
        return self.outputs

    __pullback_call__ = "forward"

    def forward(self, x: Any) -> Any:
        """The outputs of a layer that has been built, not kept: what a call is in differentiated functions."""
        y = x @ self.kernel
        return self.activation(y if self.bias is None else y + self.bias)
