"""Layers of several inputs, given in a list."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from pullback.tf.elementwise import maximum, minimum
from pullback.tf.keras.layers.base import Layer
from pullback.tf.linalg import l2_normalize


class _Merged(Layer):
    function: Callable[[list[Any]], Any]

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)

    def call(self, inputs: Any) -> Any:
        """One tensor of several."""
        return type(self).function(list(inputs))

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What one of the masks shows; None where an input has none."""
        return None if mask is None or any(one is None for one in mask) else reduce(np.logical_or, mask)


# What is made of the inputs, the function, and an example.
_TABLE: dict[str, tuple[str, Callable[[list[Any]], Any], str]] = {
    "Add": ("The sum", lambda xs: reduce(lambda a, b: a + b, xs), "[5. 7.]"),
    "Average": ("The mean", lambda xs: reduce(lambda a, b: a + b, xs) / len(xs), "[2.5 3.5]"),
    "Maximum": ("The maximum", lambda xs: reduce(maximum, xs), "[4. 5.]"),
    "Minimum": ("The minimum", lambda xs: reduce(minimum, xs), "[1. 2.]"),
    "Multiply": ("The product", lambda xs: reduce(lambda a, b: a * b, xs), "[ 4. 10.]"),
    "Subtract": ("The difference of two", lambda xs: xs[0] - xs[1], "[-3. -3.]"),
}


def _class(name: str, what: str, function: Any, example: str) -> Any:
    doc = f"""{what}, elementwise, of the inputs. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name}()([tf.constant([1.0, 2.0]), tf.constant([4.0, 5.0])])
    <Tensor {example}, float32>
    """
    return type(name, (_Merged,), {"__doc__": doc, "__module__": __name__, "function": staticmethod(function)})


_CLASSES = {name: _class(name, *row) for name, row in _TABLE.items()}
Add, Average, Maximum = (_CLASSES[name] for name in ("Add", "Average", "Maximum"))
Minimum, Multiply, Subtract = (_CLASSES[name] for name in ("Minimum", "Multiply", "Subtract"))


class Concatenate(Layer):
    """The inputs joined along an `axis`. keywords: those of `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Concatenate()([tf.constant([1.0]), tf.constant([4.0, 5.0])])
    <Tensor [1. 4. 5.], float32>
    """

    def __init__(self, axis: int = -1, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        """One tensor of several."""
        return np.concatenate(list(inputs), self.axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """What all of the masks show; an input without one is shown."""
        if mask is None:
            return None
        shown = [
            np.ones(x.shape, bool)
            if one is None
            else np.broadcast_to(one[..., None] if one.ndim < x.ndim else one, x.shape)
            for x, one in zip(inputs, mask, strict=True)
        ]
        return np.all(np.concatenate(shown, self.axis), axis=-1)


class Dot(Layer):
    """Products of two inputs, row by row, summed over an axis of each.

    axes: the axis of both, or a pair. normalize: the inputs have length one along it before. keywords: those of
    `tf.keras.layers.Layer`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Dot(axes=1)([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])])
    <View [[11.]], float32>
    """

    def __init__(self, axes: Any, normalize: bool = False, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.axes, self.normalize = axes, normalize

    def call(self, inputs: Any) -> Any:
        """One tensor of two."""
        x, y = inputs
        a, b = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        if self.normalize:
            x, y = l2_normalize(x, a), l2_normalize(y, b)
        x, y = np.moveaxis(x, a, -1), np.moveaxis(y, b, 1)
        rows = np.reshape(x, (x.shape[0], -1, x.shape[-1])) @ np.reshape(y, (*y.shape[:2], -1))
        found = np.reshape(rows, (*x.shape[:-1], *y.shape[2:]))
        return found[:, None] if found.ndim == 1 else found


def _function(name: str) -> Any:
    def merged(inputs: Any) -> Any:
        return _CLASSES[name]()(inputs)

    what, _, example = _TABLE[name]
    merged.__name__ = merged.__qualname__ = name.lower()
    merged.__doc__ = f"""{what}, elementwise, of the `inputs`, a list of tensors.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.{name.lower()}([tf.constant([1.0, 2.0]), tf.constant([4.0, 5.0])])
    <Tensor {example}, float32>
    """
    return merged


FUNCTIONS = {name.lower(): _function(name) for name in _TABLE}


def dot(inputs: Any, axes: Any, normalize: bool = False) -> Any:
    """`tf.keras.layers.Dot` of two `inputs`, with its `axes` and `normalize`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.dot([tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]])], axes=1)
    <View [[11.]], float32>
    """
    return Dot(axes, normalize)(inputs)


def concatenate(inputs: Any, axis: int = -1) -> Any:
    """The `inputs`, a list of tensors, joined along an `axis`.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.concatenate([tf.constant([1.0]), tf.constant([4.0])])
    <Tensor [1. 4.], float32>
    """
    return Concatenate(axis)(inputs)
