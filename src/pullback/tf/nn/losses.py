"""Losses of logits and labels, a number for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.nn.activations import log_sigmoid, log_softmax, softplus
from pullback.tf.values import bare, convert_to_tensor, operands


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels log softmax(logits) along an `axis`, one number for each row.

    labels: probabilities, in the shape of `logits`, whose gradient is softmax(logits) - labels even where these do not
    sum to one.

    >>> import pullback.tf as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    labels, logits = operands(labels, logits)
    found = -np.sum(labels * log_softmax(logits, axis), axis=axis)
    surplus = np.sum(labels._value, axis=axis) - 1
    if np.abs(surplus).max(initial=0) <= 1e-6:
        return found
    total = np.log(np.sum(np.exp(logits - np.max(logits._value, axis=axis, keepdims=True)), axis=axis))
    return found - surplus.astype(found.dtype) * (total - total._value)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log softmax(logits)[label], one number for each row.

    labels: (…) integers. logits: (…, classes). ValueError where the shapes do not fit, or a label is no class.

    >>> import pullback.tf as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    numbers, logarithms = bare(labels), log_softmax(logits)
    if logarithms.shape[:-1] != numbers.shape:
        raise ValueError(f"labels of shape {numbers.shape} for logits of shape {logarithms.shape}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < logarithms.shape[-1]:
        raise ValueError(f"labels from {numbers.min()} to {numbers.max()} for {logarithms.shape[-1]} classes")
    return -logarithms[(*np.indices(numbers.shape), numbers.astype(int))]


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


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` of `labels` and `logits` in which positive labels count `pos_weight` times.

    >>> import pullback.tf as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0)
    <Tensor [1.3862944 0.6931472], float32>
    """
    labels, logits, weight = operands(labels, logits, pos_weight)
    return -(labels * weight * log_sigmoid(logits) + (1 - labels) * log_sigmoid(-logits))


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """exp(log_input) - log_input targets, elementwise.

    compute_full_loss: with Stirling's formula for log(targets!), where these exceed 1.

    >>> import pullback.tf as tf
    >>> tf.nn.log_poisson_loss([1.0], [0.0])
    <Tensor [1.], float32>
    """
    wanted, logarithm = operands(targets, log_input)
    found = np.exp(logarithm) - logarithm * wanted
    if not compute_full_loss:
        return found
    large = np.where(wanted > 1, wanted, 2)
    stirling = large * np.log(large) - large + 0.5 * np.log(2 * np.pi * large)
    return found + np.where((wanted >= 0) & (wanted <= 1), 0, stirling).astype(found.dtype)
