"""TensorFlow's functions for neural networks. At a kink they have the derivatives that TensorFlow gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from pullback.tape import Tensor
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.operation import operation
from pullback.tf.values import convert_to_tensor, operands

sigmoid, tanh = ELEMENTWISE["sigmoid"], ELEMENTWISE["tanh"]


@operation("Relu")
def relu(features: Any, name: str | None = None) -> Tensor:
    """max(x, 0); the derivative at 0 is 0."""
    x = convert_to_tensor(features)
    return np.where(x > 0, x, 0)


@operation("Relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """Between 0 and 6; the derivative is 0 at both."""
    x = convert_to_tensor(features)
    return np.where(x > 0, np.where(x < 6, x, 6), 0)


@operation("LeakyRelu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, else alpha x, with alpha as a float32 has it."""
    x = convert_to_tensor(features)
    return np.where(x > 0, x, float(np.float32(alpha)) * x)


@operation("Elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1 where x is negative, else x."""
    x = convert_to_tensor(features)
    return np.where(x < 0, np.expm1(np.where(x < 0, x, 0)), x)


@operation("Selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """Klambauer et al. (2017): scaled so that layers keep mean 0 and variance 1."""
    return 1.0507009873554805 * np.where(
        convert_to_tensor(features) < 0, 1.6732632423543772 * elu(features), convert_to_tensor(features)
    )


@operation("Softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x))."""
    return np.logaddexp(convert_to_tensor(features), 0)


@operation("Softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (1 + |x|)."""
    x = convert_to_tensor(features)
    return x / (1 + np.abs(x))


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """x sigmoid(beta x)."""
    x = convert_to_tensor(features)
    return x * special.expit(beta * x)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), also where that is 0."""
    return -softplus(-convert_to_tensor(x))


@operation("LogSoftmax")
def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The logarithm of softmax, also where that is 0."""
    x = convert_to_tensor(logits)
    shifted = x - np.max(x._value, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@operation("Softmax")
def softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """exp(x) over its sum along an axis."""
    x = convert_to_tensor(logits)
    weights = np.exp(x - np.max(x._value, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels log softmax(logits), along an axis."""
    labels, logits = operands(labels, logits)
    return -np.sum(labels * log_softmax(logits, axis), axis=axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log softmax(logits)[label] for each row; labels are integers."""
    numbers = np.asarray(convert_to_tensor(labels)._value)
    logarithms = log_softmax(logits)
    places = np.indices(numbers.shape)
    return -logarithms[(*places, numbers)]


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log of the probability that sigmoid(logits) gives to the labels, elementwise."""
    labels, logits = operands(labels, logits)
    return softplus(logits) - labels * logits


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half of the sum of squares."""
    return np.sum(convert_to_tensor(t) ** 2) / 2
