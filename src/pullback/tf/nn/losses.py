"""Losses of logits and labels, a number for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tf.nn.activations import log_softmax, relu, softmax, softplus
from pullback.tf.values import bare, convert_to_tensor, floats, number, operands


def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """-Σ labels log softmax(logits) along an `axis`, one number for each row.

    labels: probabilities, in the shape of `logits`. The gradient by these is softmax(logits) - labels, also where the
    labels of a row do not add up to 1.

    >>> import pullback.tf as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([[1.0, 0.0]], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    (x,) = floats(logits)
    wanted = convert_to_tensor(labels).astype(x.dtype)
    if np.broadcast_shapes(wanted.shape, x.shape) != x.shape:
        raise ValueError(f"labels of shape {wanted.shape} for logits of shape {x.shape}")
    return _cross_entropy(np.broadcast_to(wanted, x.shape), x, axis)


def _cross_entropy(labels: Tensor, logits: Tensor, axis: int) -> Any:
    @custom_gradient
    def loss(labels: Tensor, logits: Tensor) -> Any:
        def gradient(y_bar: Tensor) -> Any:
            along = np.expand_dims(y_bar, axis)
            return -along * log_softmax(logits, axis), along * _distance(labels, logits, axis)

        return -np.sum(labels * log_softmax(logits, axis), axis=axis), gradient

    return loss(labels, logits)


def _distance(labels: Tensor, logits: Tensor, axis: int) -> Any:
    """softmax(logits) - labels, for TensorFlow a function of the logits alone."""

    @custom_gradient
    def distance(labels: Tensor, logits: Tensor) -> Any:
        def gradient(y_bar: Tensor) -> Any:
            weights = softmax(logits, axis)
            return np.zeros_like(labels), (y_bar - np.sum(y_bar * weights, axis=axis, keepdims=True)) * weights

        return softmax(logits, axis) - labels, gradient

    return distance(labels, logits)


def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """-log softmax(logits)[label], one number for each row.

    labels: (…) integers. logits: (…, classes). ValueError for floats, for shapes that do not fit, and for a label that
    is no class.

    >>> import pullback.tf as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]])
    <Tensor [0.6931472], float32>
    """
    numbers, logarithms = bare(labels), log_softmax(logits)
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"labels are integers, not {numbers.dtype}")
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
    labels, logits = _alike(labels, logits)
    return softplus(logits) - labels * logits


def _alike(labels: Any, logits: Any) -> tuple[Tensor, ...]:
    """Labels and logits of one shape. ValueError for others."""
    found = floats(labels, logits)
    if found[0].shape != found[1].shape:
        raise ValueError(f"labels of shape {found[0].shape} for logits of shape {found[1].shape}")
    return found


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half of the sum of the squares of the elements of `t`.

    >>> import pullback.tf as tf
    >>> tf.nn.l2_loss([3.0, 4.0])
    <Tensor 12.5, float32>
    """
    return np.sum(floats(t)[0] ** 2) / 2


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` of `labels` and `logits` in which positive labels count `pos_weight` times.

    >>> import pullback.tf as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], 2.0)
    <Tensor [1.3862944 0.6931472], float32>
    """
    labels, logits = _alike(labels, logits)
    _, weight = operands(logits, pos_weight)
    weights = 1 + (weight - 1) * labels
    return (1 - labels) * logits + weights * (np.log1p(np.exp(-np.abs(logits))) + relu(-logits))


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """exp(log_input) - log_input targets, elementwise.

    compute_full_loss: with Stirling's formula for log(targets!), where these exceed 1: NaN for negative ones.

    >>> import pullback.tf as tf
    >>> tf.nn.log_poisson_loss([1.0], [0.0])
    <Tensor [1.], float32>
    """
    wanted, logarithm = _alike(targets, log_input)
    found = np.exp(logarithm) - logarithm * wanted
    if not compute_full_loss:
        return found
    small = (wanted >= 0) & (wanted <= 1)
    large = np.where(small, 2, wanted)
    stirling = large * np.log(large) - large + 0.5 * np.log(2 * np.pi * large)
    return found + np.where(small, 0, stirling).astype(found.dtype)


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of `per_example_loss` times `sample_weight` over `global_batch_size`: the number of rows by default.

    >>> import pullback.tf as tf
    >>> tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=4)
    <Tensor 1.5, float32>
    """
    loss = convert_to_tensor(per_example_loss)
    count = (loss.shape[0] if loss.ndim else 1) if global_batch_size is None else number(global_batch_size)
    if sample_weight is not None:
        loss = loss * convert_to_tensor(sample_weight).astype(loss.dtype)
    return np.sum(loss) / count


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of `regularization_loss` over the number of replicas, which is 1.

    >>> import pullback.tf as tf
    >>> tf.nn.scale_regularization_loss([1.0, 2.0])
    <Tensor 3.0, float32>
    """
    return np.sum(floats(regularization_loss)[0])
