"""`tf.keras.constraints`: what weights are made after each step of an optimizer."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.clipping import clip_by_value
from pullback.tf.keras.backend import epsilon, words_of
from pullback.tf.values import axes, convert_to_tensor


class Constraint:
    """What constraints have in common: a subclass says what `__call__(w)` returns.

    >>> import pullback.tf as tf
    >>> isinstance(tf.keras.constraints.NonNeg(), tf.keras.constraints.Constraint)
    True
    """

    def __call__(self, w: Any) -> Any:
        """The weights that take the place of w."""
        raise NotImplementedError


def _norms(w: Tensor, axis: Any) -> Any:
    return np.sqrt(np.sum(w * w, axis=axes(axis), keepdims=True))


class MaxNorm(Constraint):
    """Weights whose norm along an `axis`, or several, exceeds `max_value` are scaled down to it.

    >>> import pullback.tf as tf
    >>> tf.round(tf.keras.constraints.MaxNorm(1.0)([[3.0], [4.0]]) * 100.0)
    <Tensor [[60.]
     [80.]], float32>
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Tensor:
        given = convert_to_tensor(w)
        norms = _norms(given, self.axis)
        return given * (clip_by_value(norms, 0.0, float(self.max_value)) / (epsilon() + norms))


class NonNeg(Constraint):
    """0 in place of negative weights.

    >>> import pullback.tf as tf
    >>> tf.keras.constraints.NonNeg()([1.0, -2.0])
    <Tensor [ 1. -0.], float32>
    """

    def __call__(self, w: Any) -> Tensor:
        given = convert_to_tensor(w)
        return given * (given._value >= 0).astype(given.dtype)


class UnitNorm(Constraint):
    """Weights over their norm along an `axis`, or several.

    >>> import pullback.tf as tf
    >>> tf.round(tf.keras.constraints.UnitNorm()([[3.0], [4.0]]) * 100.0)
    <Tensor [[60.]
     [80.]], float32>
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Tensor:
        given = convert_to_tensor(w)
        return given / (epsilon() + _norms(given, self.axis))


class MinMaxNorm(Constraint):
    """Norms along an `axis`, or several, move by the share `rate` to what lies from `min_value` to `max_value`.

    >>> import pullback.tf as tf
    >>> tf.round(tf.keras.constraints.MinMaxNorm(0.0, 1.0, rate=0.5)([[3.0], [4.0]]) * 100.0)
    <Tensor [[180.]
     [240.]], float32>
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Tensor:
        given = convert_to_tensor(w)
        norms = _norms(given, self.axis)
        bounded = clip_by_value(norms, float(self.min_value), float(self.max_value))
        return given * ((self.rate * bounded + (1 - self.rate) * norms) / (norms + epsilon()))


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm


def get(identifier: Any) -> Any:
    """The constraint of this name, or `identifier` itself if it can be called; None for None.

    >>> import pullback.tf as tf
    >>> type(tf.keras.constraints.get("max_norm")).__name__
    'MaxNorm'
    """
    if isinstance(identifier, str):
        names = {words_of(one.__name__): one for one in (MaxNorm, NonNeg, UnitNorm, MinMaxNorm)}
        names |= {key.replace("_", ""): one for key, one in names.items()}
        names |= {one.__name__: one for one in names.values()}
        if identifier not in names:
            raise ValueError(f"there is no constraint {identifier!r}: there are {', '.join(sorted(names))}")
        return names[identifier]()
    if isinstance(identifier, type):
        return identifier()
    if identifier is not None and not callable(identifier):
        raise ValueError(f"a {type(identifier).__name__} is no constraint")
    return identifier


__all__ = [
    "Constraint",
    "MaxNorm",
    "MinMaxNorm",
    "NonNeg",
    "UnitNorm",
    "get",
    "max_norm",
    "min_max_norm",
    "non_neg",
    "unit_norm",
]
