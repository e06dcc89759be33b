"""`tf.keras.activations`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.keras import shrinking
from pullback.tf.keras.masks import Noted
from pullback.tf.nn import gelu, log_softmax, relu6, selu, silu, softplus, softsign
from pullback.tf.values import convert_to_tensor

exponential, tanh = ELEMENTWISE["exp"], ELEMENTWISE["tanh"]
swish = silu


def linear(x: Any) -> Tensor:
    """`x` itself.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.linear([2.0])
    <Tensor [2.], float32>
    """
    return convert_to_tensor(x)


def sigmoid(x: Any) -> Tensor:
    """1 / (1 + exp(-x)) of the elements of `x`, which losses take as logits of the result.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.sigmoid([0.0])
    <Tensor [0.5], float32>
    """
    given = convert_to_tensor(x)
    return Noted(ELEMENTWISE["sigmoid"](given), logits=given)


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) over its sum along an `axis`, of the elements of `x`, which losses take as logits of the result.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.softmax([0.0, 0.0])
    <Tensor [0.5 0.5], float32>
    """
    given = convert_to_tensor(x)
    return Noted(nn.softmax(given, axis), logits=given)


def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Tensor:
    """The elements of `x` above `threshold`, up to `max_value`; of others their distance to it times `negative_slope`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.relu([-1.0, 2.0, 9.0], negative_slope=0.5, max_value=6.0)
    <Tensor [-0.5  2.   6. ], float32>
    """
    given = convert_to_tensor(x)
    bounded = given if max_value is None else np.where(given < max_value, given, given.dtype.type(max_value))
    low = negative_slope * (given - threshold) if negative_slope else given.dtype.type(0)
    above = given >= threshold if threshold else given > 0
    return np.where(above, bounded, low)


def leaky_relu(x: Any, negative_slope: float = 0.2) -> Tensor:
    """The elements of `x`, negative ones times `negative_slope`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.leaky_relu([-1.0, 2.0])
    <Tensor [-0.2  2. ], float32>
    """
    return relu(x, negative_slope)


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """The elements of `x`, negative ones as `alpha` (exp(x) - 1).

    >>> import pullback.tf as tf
    >>> tf.keras.activations.elu([0.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    given = convert_to_tensor(x)
    return np.where(given < 0, alpha * np.expm1(np.where(given < 0, given, 0)), given)


def hard_sigmoid(x: Any) -> Tensor:
    """x / 6 + 1/2 between 0 and 1, of the elements of `x`.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.hard_sigmoid([-9.0, 0.0, 9.0])
    <Tensor [0.  0.5 1. ], float32>
    """
    return relu6(convert_to_tensor(x) + 3) / 6


def mish(x: Any) -> Tensor:
    """x tanh(softplus(x)) of the elements of `x`. Misra (2019).

    >>> import pullback.tf as tf
    >>> tf.keras.activations.mish([0.0])
    <Tensor [0.], float32>
    """
    given = convert_to_tensor(x)
    return given * np.tanh(softplus(given))


_MORE: dict[str, Callable[..., Any]] = {name: getattr(shrinking, name) for name in shrinking.__all__}
globals().update(_MORE)

NAMES: dict[str, Callable[..., Any]] = {
    "elu": elu,
    "exponential": exponential,
    "gelu": gelu,
    "hard_sigmoid": hard_sigmoid,
    "leaky_relu": leaky_relu,
    "linear": linear,
    "log_softmax": log_softmax,
    "mish": mish,
    "relu": relu,
    "relu6": relu6,
    "selu": selu,
    "sigmoid": sigmoid,
    "silu": silu,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "swish": swish,
    "tanh": tanh,
} | _MORE


def get(identifier: Any) -> Callable[..., Any]:
    """The activation of this name, `linear` for None, or `identifier` itself if it can be called. ValueError otherwise.

    >>> import pullback.tf as tf
    >>> tf.keras.activations.get("relu") is tf.keras.activations.relu
    True
    """
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if identifier not in NAMES:
        raise ValueError(f"there is no activation {identifier!r}: there are {', '.join(sorted(NAMES))}")
    return NAMES[identifier]


__all__ = [*NAMES, "get"]
