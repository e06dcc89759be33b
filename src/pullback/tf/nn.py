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
    """max(x, 0) of `features`, elementwise; the derivative at 0 is 0.

    >>> import pullback.tf as tf
    >>> tf.nn.relu([-1.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    x = convert_to_tensor(features)
    return np.where(x > 0, x, 0)


@operation("Relu6")
def relu6(features: Any, name: str | None = None) -> Tensor:
    """The elements of `features` between 0 and 6, else the nearer bound; the derivative is 0 at both.

    >>> import pullback.tf as tf
    >>> tf.nn.relu6([-1.0, 2.0, 8.0])
    <Tensor [0. 2. 6.], float32>
    """
    x = convert_to_tensor(features)
    return np.where(x > 0, np.where(x < 6, x, 6), 0)


@operation("LeakyRelu")
def leaky_relu(features: Any, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where the element x of `features` is positive, else alpha x, with `alpha` as a float32 has it.

    >>> import pullback.tf as tf
    >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5)
    <Tensor [-0.5  2. ], float32>
    """
    x = convert_to_tensor(features)
    return np.where(x > 0, x, float(np.float32(alpha)) * x)


@operation("Elu")
def elu(features: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1 where the element x of `features` is negative, else x. Clevert et al. (2016).

    >>> import pullback.tf as tf
    >>> tf.nn.elu([0.0, 2.0])
    <Tensor [0. 2.], float32>
    """
    x = convert_to_tensor(features)
    return np.where(x < 0, np.expm1(np.where(x < 0, x, 0)), x)


@operation("Selu")
def selu(features: Any, name: str | None = None) -> Tensor:
    """λ x for positive elements x of `features`, else λ α (exp(x) - 1). Klambauer et al. (2017).

    λ and α are such that layers keep mean 0 and variance 1.

    >>> import pullback.tf as tf
    >>> tf.nn.selu([0.0, 2.0])
    <Tensor [0.       2.101402], float32>
    """
    return 1.0507009873554805 * np.where(
        convert_to_tensor(features) < 0, 1.6732632423543772 * elu(features), convert_to_tensor(features)
    )


@operation("Softplus")
def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(1 + exp(x)) of `features`, elementwise, without overflow.

    >>> import pullback.tf as tf
    >>> tf.nn.softplus([0.0, 1000.0])
    <Tensor [6.931472e-01 1.000000e+03], float32>
    """
    return np.logaddexp(convert_to_tensor(features), 0)


@operation("Softsign")
def softsign(features: Any, name: str | None = None) -> Tensor:
    """x / (1 + |x|) of `features`, elementwise.

    >>> import pullback.tf as tf
    >>> tf.nn.softsign([-1.0, 3.0])
    <Tensor [-0.5   0.75], float32>
    """
    x = convert_to_tensor(features)
    return x / (1 + np.abs(x))


def silu(features: Any, beta: float = 1.0) -> Tensor:
    """x sigmoid(beta x) of `features`, elementwise, for a number `beta`.

    >>> import pullback.tf as tf
    >>> tf.nn.silu([0.0, 1.0])
    <Tensor [0.        0.7310586], float32>
    """
    x = convert_to_tensor(features)
    return x * special.expit(beta * x)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), elementwise, also where that sigmoid is 0.

    >>> import pullback.tf as tf
    >>> tf.math.log_sigmoid([0.0, -1000.0])
    <Tensor [-6.931472e-01 -1.000000e+03], float32>
    """
    return -softplus(-convert_to_tensor(x))


@operation("LogSoftmax")
def log_softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The logarithm of the softmax of `logits` along an `axis`, also where that is 0.

    >>> import pullback.tf as tf
    >>> tf.nn.log_softmax([0.0, 1000.0])
    <Tensor [-1000.     0.], float32>
    """
    x = convert_to_tensor(logits)
    shifted = x - np.max(x._value, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@operation("Softmax")
def softmax(logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """exp(logits) over its sum along an `axis`; large elements do not overflow.

    >>> import pullback.tf as tf
    >>> tf.nn.softmax([0.0, 0.0])
    <Tensor [0.5 0.5], float32>
    """
    x = convert_to_tensor(logits)
    weights = np.exp(x - np.max(x._value, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels log softmax(logits) along an `axis`, one number for each row.

    labels: probabilities, in the shape of `logits`.

    >>> import pullback.tf as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    labels, logits = operands(labels, logits)
    return -np.sum(labels * log_softmax(logits, axis), axis=axis)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log softmax(logits)[label], one number for each row.

    labels: (…) integers. logits: (…, classes).

    >>> import pullback.tf as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    numbers = np.asarray(convert_to_tensor(labels)._value)
    logarithms = log_softmax(logits)
    places = np.indices(numbers.shape)
    return -logarithms[(*places, numbers)]


def sigmoid_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log of the probability that sigmoid(logits) gives to `labels` between 0 and 1, elementwise.

    >>> import pullback.tf as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0], [0.0])
    <Tensor [0.6931472], float32>
    """
    labels, logits = operands(labels, logits)
    return softplus(logits) - labels * logits


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half of the sum of the squares of the elements of `t`.

    >>> import pullback.tf as tf
    >>> tf.nn.l2_loss([3.0, 4.0])
    <Tensor 12.5, float32>
    """
    return np.sum(convert_to_tensor(t) ** 2) / 2
