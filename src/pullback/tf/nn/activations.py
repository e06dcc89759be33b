"""Activations. At a kink they have the derivatives that TensorFlow gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback import runtime
from pullback.tape import Tensor, custom_gradient
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.kinks import piecewise
from pullback.tf.operation import operation
from pullback.tf.seeds import generator
from pullback.tf.special import SPECIAL
from pullback.tf.values import convert_to_tensor, floats, number

_sigmoid, _erfc = ELEMENTWISE["sigmoid"], SPECIAL["erfc"]


@operation("Relu")
def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0) of `features`, elementwise; the derivative at 0 is 0.

    >>> import pullback.tf as tf
    >>> tf.nn.relu([-1.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    x = convert_to_tensor(features)
    return piecewise(x, np.maximum(x._value, 0), x._value > 0)


@operation("Relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """The elements of `features` between 0 and 6, else the nearer bound; the derivative is 0 at both.

    >>> import pullback.tf as tf
    >>> tf.nn.relu6([-1.0, 2.0, 8.0])
    <Tensor [0. 2. 6.], float32>
    """
    x = convert_to_tensor(features)
    return piecewise(x, np.clip(x._value, 0, 6), (x._value > 0) & (x._value < 6))


@operation("LeakyRelu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where the element x of `features` is positive, else alpha x, with `alpha` as a float32 has it.

    >>> import pullback.tf as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5)
    <Tensor [-0.5  2. ], float32>
    """
    x = convert_to_tensor(features)
    x = x.astype(np.float32) if x.dtype.kind in "iu" else x
    slope = np.where(x._value > 0, x.dtype.type(1), x.dtype.type(np.float32(number(alpha))))
    return piecewise(x, x._value * slope, slope)


@operation("Elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1 where the element x of `features` is negative, else x. Clevert et al. (2016).

    >>> import pullback.tf as tf
    >>> tf.nn.elu([0.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    (x,) = floats(features)
    return np.where(x < 0, np.expm1(np.where(x < 0, x, 0)), x)


@operation("Selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """λ x for positive elements x of `features`, else λ α (exp(x) - 1). Klambauer et al. (2017).

    λ and α are such that layers keep mean 0 and variance 1.

    >>> import pullback.tf as tf
    >>> tf.nn.selu([0.0, 2.0])
    <Tensor [0.       2.101402], float32>
    """
    (x,) = floats(features)
    return 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * elu(x), x)


@operation("Softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x)) of `features`, elementwise, without overflow.

    >>> import pullback.tf as tf
    >>> tf.nn.softplus([0.0, 1000.0])
    <Tensor [6.931472e-01 1.000000e+03], float32>
    """
    return np.logaddexp(*floats(features), 0)


@operation("Softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (1 + |x|) of `features`, elementwise.

    >>> import pullback.tf as tf
    >>> tf.nn.softsign([-1.0, 3.0])
    <Tensor [-0.5   0.75], float32>
    """
    return _softsign(*floats(features))


@custom_gradient
def _softsign(x: Tensor) -> Any:
    return x / (1 + np.abs(x)), lambda y_bar: y_bar / (1 + np.abs(x)) ** 2


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """x sigmoid(beta x) of `features`, elementwise, for a number `beta`.

    >>> import pullback.tf as tf
    >>> tf.nn.silu([0.0, 1.0])
    <Tensor [0.        0.7310586], float32>
    """
    (x,) = floats(features)
    return x * _sigmoid(beta * x)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), elementwise, also where that sigmoid is 0.

    >>> import pullback.tf as tf
    >>> tf.math.log_sigmoid([0.0, -1000.0])
    <Tensor [-6.931472e-01 -1.000000e+03], float32>
    """
    return -softplus(-convert_to_tensor(x))


@operation("LogSoftmax")
def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """The logarithm of the softmax of `logits` along an `axis`, the last by default, also where that is 0.

    >>> import pullback.tf as tf
    >>> tf.nn.log_softmax([0.0, 1000.0])
    <Tensor [-1000.     0.], float32>
    """
    x, axis = _rows(logits), -1 if axis is None else axis
    return runtime.log_softmax(x, axis)


@operation("Softmax")
def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(logits) over its sum along an `axis`, the last by default; large elements do not overflow.

    >>> import pullback.tf as tf
    >>> tf.nn.softmax([0.0, 0.0])
    <Tensor [0.5 0.5], float32>
    """
    x, axis = _rows(logits), -1 if axis is None else axis
    return runtime.softmax(x, axis)


def _rows(logits: Any) -> Tensor:
    (x,) = floats(logits)
    if not x.ndim:
        raise ValueError("logits have at least one axis")
    return x


_COEFFICIENT, _ROOT_OF_HALF = float(np.float32(0.044715)), float(np.float32(0.7071067811865476))


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x Φ(x) for the elements x of `features`, with the normal distribution's Φ. Hendrycks and Gimpel (2016).

    approximate: x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 in its place. √½, in Φ, and 0.044715 are those of float32.

    >>> import pullback.tf as tf
    >>> tf.nn.gelu([0.0, 1.0])
    <Tensor [0.        0.8413447], float32>
    """
    (x,) = floats(features)
    if approximate:
        return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + _COEFFICIENT * x**3)))
    return 0.5 * x * _erfc(-x * _ROOT_OF_HALF)


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu of `features` and of their negatives, joined along an `axis`.

    >>> import pullback.tf as tf
    >>> tf.nn.crelu([1.0, -2.0])
    <Tensor [1. 0. 0. 2.], float32>
    """
    x = convert_to_tensor(features)
    return relu(np.concatenate([x, -x], axis))


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: int | None = None, name: str | None = None) -> Tensor:
    """`x` with a share `rate` of its elements set to 0, drawn at random, and the others divided by 1 - rate.

    noise_shape: the shape that is drawn, and spread over `x`. seed: see `tf.random.set_seed`.

    >>> import pullback.tf as tf
    >>> tf.nn.dropout([1.0, 2.0], rate=0.0)
    <Tensor [1. 2.], float32>
    """
    (given,), share = floats(x), number(rate)
    if not 0 <= share < 1:
        raise ValueError(f"a rate lies between 0 and 1, and below 1, not at {share}")
    if share == 0:
        return given
    shape = (
        given.shape
        if noise_shape is None
        else tuple(a if a is not None else b for a, b in zip(noise_shape, given.shape, strict=True))
    )
    kept = generator(seed).random(shape) >= share
    left = 1 - rate.astype(given.dtype) if isinstance(rate, Tensor) else given.dtype.type(1 - share)
    return np.where(kept, given / left, given.dtype.type(0))
