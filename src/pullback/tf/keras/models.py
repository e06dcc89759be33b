"""`Model` and `Sequential`: layers that consist of layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tape.recorders import only
from pullback.tf.keras.layers.base import Layer
from pullback.tf.keras.layers.inputs import Symbol


class Model(Layer):
    """A layer that consists of layers: a subclass has them as attributes, and uses them in `call`.

    inputs, outputs: or symbols of `tf.keras.Input`, and what layers made of them. keywords: those of
    `tf.keras.layers.Layer`. There is no `fit`: a loop with a tape trains a model.

    >>> import pullback.tf as tf
    >>> class Net(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.hidden = tf.keras.layers.Dense(4, activation="relu")
    ...         self.out = tf.keras.layers.Dense(1)
    ...     def call(self, x):
    ...         return self.out(self.hidden(x))
    >>> model = Net()
    >>> model(tf.ones([5, 2])).shape, len(model.trainable_variables)
    ((5, 1), 4)
    """

    def __init__(self, inputs: Any = None, outputs: Any = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.inputs, self.outputs = inputs, outputs
        if outputs is not None:
            self.graph_layers = _layers_of(outputs)
            self.built = True

    @property
    def layers(self) -> list[Layer]:
        """The layers in it."""
        return [part for part in self._parts() if isinstance(part, Layer)]

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """The layer of a name, or at a place. ValueError where there is none."""
        if index is not None:
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(f"there is no layer {name!r}: there are {[layer.name for layer in self.layers]}")

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """The outputs for inputs in the structure of the symbols."""
        if self.outputs is None:
            return super().call(inputs)
        symbols = flatten(self.inputs)
        given = [inputs] if len(symbols) == 1 and not isinstance(inputs, list | tuple | dict) else flatten(inputs)
        known = {id(symbol): x for symbol, x in zip(symbols, given, strict=True)}
        return rebuilt(self.outputs, [_value_of(one, known, {}) for one in flatten(self.outputs)])

    def summary(self, *_: Any, **__: Any) -> None:
        """Print the layers, the shapes of their variables and how many elements these have."""
        for layer in self.layers:
            print(f"{layer.name}: {[tuple(v.shape) for v in layer.variables]}, {layer.count_params()}")
        print(f"elements of all variables: {self.count_params()}")

    def predict(self, x: Any, *_: Any, **__: Any) -> np.ndarray:
        """The outputs for inputs x, as an array."""
        found: np.ndarray = self(x, training=False).numpy()
        return found


def _layers_of(outputs: Any) -> list[Layer]:
    """The layers that symbols come from, each once, those that are called first in front."""
    found: dict[int, Layer] = {}
    seen: set[int] = set()

    def visit(symbol: Any) -> None:
        if isinstance(symbol, Symbol) and symbol.layer is not None and id(symbol) not in seen:
            seen.add(id(symbol))
            for one in flatten(symbol.given[0]):
                visit(one)
            found.setdefault(id(symbol.layer), symbol.layer)

    for one in flatten(outputs):
        visit(one)
    return list(found.values())


def _value_of(symbol: Any, known: dict[int, Any], called: dict[int, Any]) -> Any:
    """The tensor for a symbol; each call of a layer is made once."""
    if not isinstance(symbol, Symbol):
        return symbol
    if id(symbol) in known:
        return known[id(symbol)]
    if symbol.layer is None:
        raise ValueError("an output depends on an input that is not among those of the model")
    inputs, keywords = symbol.given
    if id(symbol.given) not in called:
        values = [_value_of(one, known, called) for one in flatten(inputs)]
        called[id(symbol.given)] = flatten(symbol.layer(*rebuilt(inputs, values), **keywords))
    found = called[id(symbol.given)][symbol.place]
    known[id(symbol)] = found
    return found


class Sequential(Model):
    """Layers, each of which takes what the one before it gives.

    layers: a list, also of `tf.keras.Input` first, which says the shape of the inputs. name: any text. keywords: those
    of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu"), tf.keras.layers.Dense(1)])
    >>> model(tf.ones([5, 2])).shape
    (5, 1)
    """

    def __init__(self, layers: Any = None, name: str | None = None, **keywords: Any) -> None:
        super().__init__(name=name, **keywords)
        self.sequence: list[Any] = []
        self.row: Any = None
        for layer in layers or ():
            self.add(layer, build=False)
        self._build_if_known()

    @property
    def layers(self) -> list[Layer]:
        """The layers, without those for inputs."""
        return list(self.sequence)

    def add(self, layer: Any, build: bool = True) -> None:
        """One more layer behind the others."""
        if isinstance(layer, Symbol):
            self.row = layer.example
            return
        shape = getattr(layer, "given_shape", None)
        if shape is not None and not self.sequence:
            self.row = np.ones((1, *(1 if n is None else n for n in shape)), np.float32)
        if type(layer).__name__ != "InputLayer":
            self.sequence.append(layer)
        if build:
            self._build_if_known()

    def pop(self) -> Any:
        """The last layer, which it has no more."""
        return self.sequence.pop()

    def _build_if_known(self) -> None:
        if self.row is not None and self.sequence:
            with only(()):
                self(self.row)

    def build(self, input_shape: Any) -> None:
        """Build the layers for inputs of this shape."""
        if any(not getattr(layer, "built", True) for layer in self.sequence) and not self.built:
            self.built = True
            with only(()):
                self(np.ones(tuple(1 if n is None else n for n in input_shape), np.float32))

    def build_for(self, *inputs: Any) -> None:
        """The layers are built when they are called."""
        self.built = True

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        """What the last layer gives."""
        for layer in self.sequence:
            inputs = layer(inputs, training=training) if isinstance(layer, Layer) else layer(inputs)
        return inputs


__all__ = ["Model", "Sequential"]
