"""Activations that are less often used."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.clipping import clip_by_value
from pullback.tf.elementwise import ELEMENTWISE, maximum, minimum
from pullback.tf.reductions import cumsum
from pullback.tf.sorting import sort
from pullback.tf.values import convert_to_tensor


def _where(condition: Any, x: Any, y: Any) -> Any:
    """x or y, where the numbers among them have the dtype of the tensors."""
    kind = next(one.dtype.type for one in (x, y) if isinstance(one, Tensor))
    return np.where(condition, *(one if isinstance(one, Tensor) else kind(one) for one in (x, y)))


def celu(x: Any, alpha: float = 1.0) -> Tensor:
    """The elements of `x`, negative ones as `alpha` (exp(x / alpha) - 1).

    >>> import pullback.tf as tf
    >>> tf.keras.activations.celu([0.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    given = convert_to_tensor(x)
    return maximum(given, 0.0) + alpha * np.expm1(minimum(given, 0.0) / alpha)


def glu(x: Any, axis: int = -1) -> Tensor:
    """The first half of `x` along an `axis` times the sigmoid of the second.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.glu([2.0, 0.0])
    <Tensor [1.], float32>
    """
    given = convert_to_tensor(x)
    if given.shape[axis] % 2:
        raise ValueError(f"an axis of {given.shape[axis]} places has no halves")
    first, second = np.split(given, 2, axis=axis)
    return first * ELEMENTWISE["sigmoid"](second)


def hard_tanh(x: Any) -> Tensor:
    """The elements of `x` between -1 and 1.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.hard_tanh([-2.0, 0.5])
    <Tensor [-1.   0.5], float32>
    """
    return clip_by_value(convert_to_tensor(x), -1.0, 1.0)


def hard_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """The elements of `x` that are larger in size than `threshold`, and 0 for others.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.hard_shrink([-2.0, 0.5])
    <Tensor [-2.  0.], float32>
    """
    given = convert_to_tensor(x)
    return _where(np.abs(given._value) > threshold, given, 0)


def soft_shrink(x: Any, threshold: float = 0.5) -> Tensor:
    """The elements of `x` moved by `threshold` towards 0, but not beyond.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.soft_shrink([-2.0, 0.5])
    <Tensor [-1.5  0. ], float32>
    """
    given = convert_to_tensor(x)
    return _where(given > threshold, given - threshold, _where(given < -threshold, given + threshold, 0))


def tanh_shrink(x: Any) -> Tensor:
    """x - tanh(x) of the elements of `x`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.tanh_shrink([0.0])
    <Tensor [0.], float32>
    """
    given = convert_to_tensor(x)
    return given - np.tanh(given)


def threshold(x: Any, threshold: float, default_value: float) -> Tensor:
    """The elements of `x` above `threshold`, and `default_value` for others.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.threshold([1.0, 3.0], 2.0, 0.0)
    <Tensor [0. 3.], float32>
    """
    given = convert_to_tensor(x)
    return _where(given > threshold, given, default_value)


def squareplus(x: Any, b: float = 4) -> Tensor:
    """(x + √(x² + b)) / 2 of the elements of `x`. Barron (2021).

    >>> import pullback.tf as tf
    >>> tf.keras.activations.squareplus([0.0])
    <Tensor [1.], float32>
    """
    given = convert_to_tensor(x)
    return (given + np.sqrt(given**2 + b)) / 2


def sparse_plus(x: Any) -> Tensor:
    """0 for elements of `x` up to -1, (x + 1)² / 4 up to 1, and x beyond.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.sparse_plus([-2.0, 0.0, 2.0])
    <Tensor [0.   0.25 2.  ], float32>
    """
    given = convert_to_tensor(x)
    return _where(given <= -1, 0, _where(given < 1, (given + 1) ** 2 / 4, given))


def sparse_sigmoid(x: Any) -> Tensor:
    """(x + 1) / 2 of the elements of `x` between -1 and 1, 0 below and 1 above.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.sparse_sigmoid([-2.0, 0.0, 2.0])
    <Tensor [0.  0.5 1. ], float32>
    """
    given = convert_to_tensor(x)
    return _where(given <= -1, 0, _where(given >= 1, 1, (given + 1) / 2))


def hard_silu(x: Any) -> Tensor:
    """x times its `hard_sigmoid`, of the elements of `x`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.hard_silu([-3.0, 3.0])
    <Tensor [-0.  3.], float32>
    """
    given = convert_to_tensor(x)
    return given * (nn.relu6(given + 3) / 6)


def log_sigmoid(x: Any) -> Tensor:
    """log(sigmoid(x)) of the elements of `x`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.log_sigmoid([0.0])
    <Tensor [-0.6931472], float32>
    """
    return nn.activations.log_sigmoid(convert_to_tensor(x))


def sparsemax(x: Any, axis: int = -1) -> Tensor:
    """max(x - t, 0) of `x` along an `axis`, after Martins and Astudillo (2016).

    The level t is Keras's: (the sum of the k largest partial sums of what is positive, less 1) / k, which is theirs
    where one element is positive.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.sparsemax([2.0, 0.0])
    <Tensor [1. 0.], float32>
    """
    given = convert_to_tensor(x)
    ordered = sort(given, axis=axis, direction="DESCENDING")
    sums, shape = cumsum(ordered, axis=axis), [1] * given.ndim
    shape[axis] = -1
    places = np.arange(1, given.shape[axis] + 1).astype(given.dtype).reshape(shape)
    among = (ordered - (sums - 1) / places)._value > 0
    count = among.sum(axis=axis, keepdims=True).astype(given.dtype)
    level = (np.sum(_where(among, sums, 0), axis=axis, keepdims=True) - 1) / count
    return maximum(given - level, 0.0)


hard_swish = hard_silu

__all__ = [
    "celu",
    "glu",
    "hard_shrink",
    "hard_silu",
    "hard_swish",
    "hard_tanh",
    "log_sigmoid",
    "soft_shrink",
    "sparse_plus",
    "sparse_sigmoid",
    "sparsemax",
    "squareplus",
    "tanh_shrink",
    "threshold",
]
