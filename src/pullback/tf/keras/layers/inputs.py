"""Symbols for tensors that are not there: layers that are called with them make up a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tape.recorders import only
from pullback.tf.keras.layers.base import Layer
from pullback.tf.types import TensorShape


class Symbol:
    """A tensor of a model before the model is called: which `layer` made it, of what, and which of its outputs it is.

    `example` is a tensor of its shape, with a single row, and with 1 for other extents that are not known.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Dense(3)(tf.keras.Input([2])).shape
    (None, 3)
    """

    def __init__(
        self, example: Any, known: tuple[Any, ...], layer: Layer | None = None, given: Any = None, place: int = 0
    ) -> None:
        self.example, self.layer, self.given, self.place = example, layer, given, place
        self.shape, self.dtype = TensorShape(known), example.dtype

    def __pullback_symbol__(self, layer: Layer, inputs: Any, keywords: dict[str, Any]) -> Any:
        """What a layer makes of symbols: symbols for its outputs."""
        examples = rebuilt(inputs, [one.example if isinstance(one, Symbol) else one for one in flatten(inputs)])
        with only(()):
            outputs = layer(*examples, **keywords)
        call = (inputs, keywords)
        made = [Symbol(one, (None, *one.shape[1:]), layer, call, place) for place, one in enumerate(flatten(outputs))]
        return rebuilt(outputs, made)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"a symbol of a model has no {name!r}: operations on it are layers, such as tf.keras.layers.Lambda"
        )


def _lifted(name: str) -> Any:
    def operate(self: Symbol, other: Any) -> Any:
        if isinstance(other, Symbol):
            return self.__pullback_symbol__(_Operation(name), ([self, other],), {})
        return self.__pullback_symbol__(_Operation(name, other), (self,), {})

    return operate


class _Operation(Layer):
    """An operator as a layer."""

    def __init__(self, operator: str, beside: Any = None) -> None:
        super().__init__()
        self.operator, self.beside = operator, beside

    def call(self, inputs: Any) -> Any:
        x, y = inputs if isinstance(inputs, list) else (inputs, self.beside)
        return getattr(x, self.operator)(y)


for _name in ("add", "sub", "mul", "truediv", "matmul", "pow", "radd", "rsub", "rmul", "rtruediv"):
    setattr(Symbol, f"__{_name}__", _lifted(f"__{_name}__"))


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    dtype: Any = None,
    name: str | None = None,
    batch_shape: Any = None,
    **keywords: Any,
) -> Symbol:
    """A symbol for the inputs of a model, of the `shape` of a row.

    batch_size: the number of rows, or `batch_shape` for both. dtype: float32 by default. keywords: `sparse`, `ragged`
    and `tensor`, which have no effect.

    >>> import pullback.tf as tf
    >>> x = tf.keras.Input([2])
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(3)(x))
    >>> model(tf.ones([5, 2])).shape, len(model.trainable_variables)
    ((5, 3), 2)
    """
    row = (shape,) if isinstance(shape, int) else tuple(shape) if shape is not None else tuple(batch_shape)[1:]
    example = np.ones((batch_size or 1, *(1 if n is None else n for n in row)), np.dtype(dtype or np.float32))
    return Symbol(example, (batch_size, *row))


class InputLayer(Layer):
    """The shape of a row of inputs, as the first layer of a `Sequential`. shape: that. keywords: those of `Input`.

    >>> import pullback.tf as tf
    >>> tf.keras.Sequential([tf.keras.layers.InputLayer([2]), tf.keras.layers.Dense(3)]).trainable_variables[0].shape
    (2, 3)
    """

    def __init__(self, shape: Any = None, **keywords: Any) -> None:
        given = keywords.pop("input_shape", shape)
        whole = keywords.pop("batch_shape", None)
        super().__init__(dtype=keywords.pop("dtype", None), name=keywords.pop("name", None))
        self.given_shape = tuple(given) if given is not None else None if whole is None else tuple(whole)[1:]

    def call(self, inputs: Any) -> Any:
        """The inputs."""
        return inputs
