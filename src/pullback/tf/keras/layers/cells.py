"""The steps of recurrent layers: from the inputs at one time and the states before it to the states after it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tf import nn
from pullback.tf.keras import activations
from pullback.tf.keras.layers.base import Layer


class _Cell(Layer):
    gates: int
    kernel: Any
    recurrent_kernel: Any
    states = 1
    sigma = "tanh"

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        recurrent_initializer: Any = "orthogonal",
        bias_initializer: Any = "zeros",
        unit_forget_bias: bool = True,
        reset_after: bool = True,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        kernel_regularizer: Any = None,
        recurrent_regularizer: Any = None,
        bias_regularizer: Any = None,
        kernel_constraint: Any = None,
        recurrent_constraint: Any = None,
        bias_constraint: Any = None,
        seed: int | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.units, self.use_bias = units, use_bias
        self.activation, self.recurrent_activation = map(activations.get, (activation, recurrent_activation))
        self.starts = kernel_initializer, recurrent_initializer, bias_initializer
        self.regularizers = kernel_regularizer, recurrent_regularizer, bias_regularizer
        self.constraints = kernel_constraint, recurrent_constraint, bias_constraint
        self.unit_forget_bias, self.reset_after = unit_forget_bias, reset_after
        self.dropout, self.recurrent_dropout, self.seed = dropout, recurrent_dropout, seed
        self.bias: Any = None

    @property
    def state_size(self) -> Any:
        """The length of its state, or of each in a list."""
        return self.units if self.states == 1 else [self.units] * self.states

    @property
    def output_size(self) -> int:
        """The length of its output."""
        return self.units

    def bias_shape(self) -> tuple[int, ...]:
        """The shape of the bias."""
        return (self.gates * self.units,)

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs as long as the last extent of the shape."""
        length, width = int(input_shape[-1]), self.gates * self.units
        shapes = {"kernel": (length, width), "recurrent_kernel": (self.units, width), "bias": self.bias_shape()}
        settings = zip(shapes.items(), self.starts, self.regularizers, self.constraints, strict=True)
        for (name, shape), start, regularizer, constraint in settings:
            if name != "bias" or self.use_bias:
                made = self.add_weight(shape, start, name=name, regularizer=regularizer, constraint=constraint)
                setattr(self, name, made)
        self.built = True

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """States of zeros for so many rows."""
        return [np.zeros((batch_size, self.units), self.dtype) for _ in range(self.states)]

    def masks(self, rows: int, inputs: int, training: Any) -> tuple[Any, Any]:
        """What inputs and states are multiplied by at each time: ones, or what dropout makes of them."""
        if not training:
            return 1, 1
        shapes = ((rows, inputs), self.dropout), ((rows, self.units), self.recurrent_dropout)
        return tuple(
            nn.dropout(np.ones(shape, self.dtype), rate, seed=self.seed) if rate else 1 for shape, rate in shapes
        )

    def call(self, inputs: Any, states: Any, training: bool | None = False) -> Any:
        """(output, states) after a step."""
        given = list(states) if isinstance(states, list | tuple) else [states]
        of_inputs, of_states = self.masks(inputs.shape[0], inputs.shape[-1], training)
        return self.step(inputs * of_inputs, [given[0] * of_states, *given[1:]], given[0])

    def step(self, x: Any, states: list[Any], before: Any) -> Any:
        """(output, states) for inputs and states to which masks have been applied; `before` is the state without."""
        raise NotImplementedError


class SimpleRNNCell(_Cell):
    """h ← activation(x kernel + bias + h recurrent_kernel). units: the length of h. keywords: those of `SimpleRNN`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.SimpleRNNCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4])])[0].shape
    (2, 4)
    """

    gates = 1

    def __init__(self, units: int, **keywords: Any) -> None:
        super().__init__(units, **keywords)

    def step(self, x: Any, states: list[Any], before: Any) -> Any:
        y = x @ self.kernel
        y = y if self.bias is None else y + self.bias
        h = self.activation(y + states[0] @ self.recurrent_kernel)
        return h, [h]


class LSTMCell(_Cell):
    """A step of an LSTM, with the gates i, f, c, o in this order. Hochreiter and Schmidhuber (1997).

    units: the length of its states, h and c. keywords: those of `LSTM`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.LSTMCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4]), tf.zeros([2, 4])])[0].shape
    (2, 4)
    """

    gates, states = 4, 2

    def __init__(self, units: int, **keywords: Any) -> None:
        super().__init__(units, **keywords)

    def build(self, input_shape: Any) -> None:
        """Make the variables; the bias of the forget gate is one where `unit_forget_bias` is."""
        super().build(input_shape)
        if self.use_bias and self.unit_forget_bias:
            start = self.bias.numpy()
            start[self.units : 2 * self.units] = 1
            self.bias.assign(start)

    def step(self, x: Any, states: list[Any], before: Any) -> Any:
        n = self.units
        z = x @ self.kernel + states[0] @ self.recurrent_kernel
        z = z if self.bias is None else z + self.bias
        i, f = (self.recurrent_activation(z[:, k * n : (k + 1) * n]) for k in (0, 1))
        c = f * states[1] + i * self.activation(z[:, 2 * n : 3 * n])
        h = self.recurrent_activation(z[:, 3 * n :]) * self.activation(c)
        return h, [h, c]


class GRUCell(_Cell):
    """A step of a GRU, with the gates z, r, h in this order. Cho et al. (2014).

    units: the length of its state. keywords: those of `GRU`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.GRUCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4])])[0].shape
    (2, 4)
    """

    gates = 3

    def __init__(self, units: int, **keywords: Any) -> None:
        super().__init__(units, **keywords)

    def bias_shape(self) -> tuple[int, ...]:
        """Two rows where the reset gate acts after the product: for inputs and for states."""
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def step(self, x: Any, states: list[Any], before: Any) -> Any:
        n, h = self.units, states[0]
        of_x = x @ self.kernel
        if self.bias is not None:
            of_x = of_x + (self.bias[0] if self.reset_after else self.bias)
        columns = self.recurrent_kernel if self.reset_after else self.recurrent_kernel[:, : 2 * n]
        of_h = h @ columns
        if self.bias is not None and self.reset_after:
            of_h = of_h + self.bias[1]
        z = self.recurrent_activation(of_x[:, :n] + of_h[:, :n])
        r = self.recurrent_activation(of_x[:, n : 2 * n] + of_h[:, n : 2 * n])
        last = r * of_h[:, 2 * n :] if self.reset_after else (r * h) @ self.recurrent_kernel[:, 2 * n :]
        candidate = self.activation(of_x[:, 2 * n :] + last)
        after = z * before + (1 - z) * candidate
        return after, [after]
