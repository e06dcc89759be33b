"""Recurrent layers: a cell goes over the times of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape.nest import flatten
from pullback.tf.keras.layers.base import Layer
from pullback.tf.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell
from pullback.tf.values import bare

_SETTINGS = """return_sequences: the outputs at all times, not the last. return_state: with the states in a list behind.
    go_backwards: from the last time to the first. stateful: each call starts with the last states. keywords: those of
    `tf.keras.layers.Layer`; `unroll` and `implementation`, which have no effect."""


class RNN(Layer):
    """A layer that calls a `cell` at each time: (batch, times, inputs) becomes (batch, outputs).

    cell: one, or a list of several on top of each other. return_sequences: the outputs at all times, not the last.
    return_state: with the states in a list behind. go_backwards: from the last time to the first. stateful: each call
    starts with the last states. keywords: those of `tf.keras.layers.Layer`; `unroll` and `implementation` have no
    effect.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.RNN(tf.keras.layers.GRUCell(4), return_sequences=True)(tf.ones([2, 5, 3])).shape
    (2, 5, 4)
    """

    def __init__(
        self,
        cell: Any,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **keywords: Any,
    ) -> None:
        keywords.pop("unroll", None), keywords.pop("implementation", None)
        super().__init__(**keywords)
        self.cell = StackedRNNCells(cell) if isinstance(cell, list | tuple) else cell
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful
        self.last: Any = None

    def build(self, input_shape: Any) -> None:
        """Build the cell for inputs at one time."""
        if isinstance(self.cell, Layer) and not self.cell.built:
            self.cell.build((input_shape[0], *input_shape[2:]))
            self.cell.built = True

    def reset_states(self) -> None:
        """Let the next call start with zeros."""
        self.last = None

    reset_state = reset_states

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs for outputs at all times, None for others and for states."""
        return [mask if self.return_sequences else None]

    def start(self, rows: int, initial_state: Any) -> list[Any]:
        """The states before the first time."""
        if initial_state is not None:
            return list(initial_state) if isinstance(initial_state, list | tuple) else [initial_state]
        if self.stateful and self.last is not None:
            return list(self.last)
        if hasattr(self.cell, "get_initial_state"):
            found = self.cell.get_initial_state(batch_size=rows)
            return list(found) if isinstance(found, list | tuple) else [found]
        sizes = self.cell.state_size
        return [np.zeros((rows, n), self.dtype) for n in (sizes if isinstance(sizes, list | tuple) else [sizes])]

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool | None = False) -> Any:
        """The output of the cell at the last time, or at all, and its states."""
        seen = None if mask is None else bare(mask).astype(bool)
        states = self.start(sequences.shape[0], initial_state)
        times = np.arange(sequences.shape[1]).tolist()
        outputs: list[Any] = []
        masks = None
        if hasattr(self.cell, "masks"):
            masks = self.cell.masks(sequences.shape[0], sequences.shape[-1], training)
        for t in times[::-1] if self.go_backwards else times:
            y, after = self._step(sequences[:, t], states, masks, training)
            if seen is not None:  # a time that is masked changes nothing
                here = seen[:, t, None]
                y = np.where(here, y, outputs[-1] if outputs else 0 * y)
                after = [np.where(here, new, old) for new, old in zip(after, states, strict=True)]
            states = after
            outputs.append(y)
        if self.stateful:
            self.last = [np.array(one._value if hasattr(one, "_value") else one) for one in flatten(states)]
        found = np.stack(outputs, axis=1) if self.return_sequences else outputs[-1]
        return (found, *flatten(states)) if self.return_state else found

    def _step(self, x: Any, states: list[Any], masks: Any, training: Any) -> Any:
        """A step of the cell. The masks of dropout are the same at all times."""
        if masks is None:
            y, states = self.cell(x, states if len(states) > 1 else states[0:1])
            return y, list(states) if isinstance(states, list | tuple) else [states]
        return self.cell.step(x * masks[0], [states[0] * masks[1], *states[1:]], states[0])


class StackedRNNCells(Layer):
    """Cells on top of each other as one. cells: a list. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> cells = tf.keras.layers.StackedRNNCells([tf.keras.layers.GRUCell(4), tf.keras.layers.GRUCell(2)])
    >>> tf.keras.layers.RNN(cells)(tf.ones([2, 5, 3])).shape
    (2, 2)
    """

    def __init__(self, cells: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.cells = list(cells)

    def build(self, input_shape: Any) -> None:
        """Build each cell for what the one below it gives."""
        for cell in self.cells:
            if not cell.built:
                cell.build(input_shape)
                cell.built = True
            input_shape = (input_shape[0], cell.output_size)

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """States of zeros for all cells, in a row."""
        return [state for cell in self.cells for state in cell.get_initial_state(batch_size=batch_size)]

    def call(self, inputs: Any, states: Any, training: bool | None = False) -> Any:
        """(output of the last cell, states of all)."""
        given: list[Any] = list(states)
        after: list[Any] = []
        for cell in self.cells:
            count = cell.states
            inputs, found = cell(inputs, given[:count], training=training)
            given, after = given[count:], [*after, *found]
        return inputs, after


class _Recurrent(RNN):
    cell_class: Any

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **keywords: Any,
    ) -> None:
        own = {name: keywords.pop(name) for name in _OF_CELL if name in keywords}
        shared = {name: keywords[name] for name in ("dtype", "trainable") if name in keywords}
        cell = type(self).cell_class(units, activation=activation, **own, **shared)
        super().__init__(cell, return_sequences, return_state, go_backwards, stateful, **keywords)
        self.units = units
        self.own: dict[str, Any] = {"activation": activation} | own | shared

    def reversed(self) -> RNN:
        """A new layer of the same settings that goes the other way."""
        turned = not self.go_backwards
        return type(self)(
            self.units,
            **self.own,
            return_sequences=self.return_sequences,
            return_state=self.return_state,
            go_backwards=turned,
        )


_OF_CELL = ("recurrent_activation", "use_bias", "kernel_initializer", "recurrent_initializer", "bias_initializer")
_OF_CELL += ("unit_forget_bias", "reset_after", "dropout", "recurrent_dropout", "kernel_regularizer")
_OF_CELL += ("recurrent_regularizer", "bias_regularizer", "seed")
_OF_CELL += ("kernel_constraint", "recurrent_constraint", "bias_constraint")


def _class(name: str, cell: Any, what: str, more: str) -> Any:
    doc = f"""{what}: (batch, times, inputs) becomes (batch, units).

    units: the length of its state. activation: a name or a function. {_SETTINGS}
    They also take `use_bias`, `kernel_initializer`, `recurrent_initializer`, `bias_initializer`, the regularizers and
    constraints of these, `dropout` and `recurrent_dropout` (the shares of inputs and of states that are 0 while a model
    is trained), `seed`{more}.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name}(4)(tf.ones([2, 5, 3])).shape
    (2, 4)
    """
    return type(name, (_Recurrent,), {"cell_class": cell, "__doc__": doc, "__module__": __name__})


SimpleRNN = _class("SimpleRNN", SimpleRNNCell, "A recurrent layer", "")
LSTM = _class("LSTM", LSTMCell, "Long short-term memory", ", `recurrent_activation` and `unit_forget_bias`")
GRU = _class("GRU", GRUCell, "Gated recurrent units", ", `recurrent_activation` and `reset_after`")


_MERGED: dict[str, Callable[[Any, Any], Any]] = {
    "concat": lambda a, b: np.concatenate([a, b], axis=-1),
    "sum": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "ave": lambda a, b: (a + b) / 2,
}


class Bidirectional(Layer):
    """A recurrent `layer` in both directions of time. merge_mode: 'concat', 'sum', 'mul', 'ave' or None for both.

    backward_layer: the one that goes backwards, by default one like `layer`. keywords: those of
    `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4))(tf.ones([2, 5, 3])).shape
    (2, 8)
    """

    def __init__(
        self, layer: Any, merge_mode: str | None = "concat", backward_layer: Any = None, **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        if backward_layer is None:
            backward_layer = layer.reversed()
        self.forward_layer, self.backward_layer, self.merge_mode = layer, backward_layer, merge_mode

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """That of the inputs for outputs at all times, None for others and for states."""
        shown = mask if self.forward_layer.return_sequences else None
        return [shown, shown] if self.merge_mode is None else [shown]

    def call(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: bool | None = False) -> Any:
        """The outputs of both directions as one."""
        both, states = (self.forward_layer, self.backward_layer), (None, None)
        if initial_state is not None:
            half = len(initial_state) // 2
            states = initial_state[:half], initial_state[half:]
        a, b = (
            one(sequences, initial_state=start, mask=mask, training=training)
            for one, start in zip(both, states, strict=True)
        )
        states = []
        if self.forward_layer.return_state:
            (a, *before), (b, *behind) = a, b
            states = [*before, *behind]
        if self.forward_layer.return_sequences:
            b = b[:, ::-1]
        merged = [a, b] if self.merge_mode is None else _MERGED[self.merge_mode](a, b)
        return (merged, *states) if states else merged


class TimeDistributed(Layer):
    """A `layer` at each time: (batch, times, …). keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(4))(tf.ones([2, 5, 3])).shape
    (2, 5, 4)
    """

    def __init__(self, layer: Any, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.layer = layer

    keeps_mask = True

    def call(self, inputs: Any) -> Any:
        """The outputs at all times."""
        rows = np.reshape(inputs, (-1, *inputs.shape[2:]))
        found = self.layer(rows)
        return np.reshape(found, (*inputs.shape[:2], *found.shape[1:]))
