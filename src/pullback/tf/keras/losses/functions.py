"""Losses as functions of what is wanted and what a model says, a number for each row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.clipping import clip_by_value
from pullback.tf.elementwise import maximum
from pullback.tf.keras.backend import epsilon
from pullback.tf.keras.masks import Noted, logits_of
from pullback.tf.linalg import l2_normalize
from pullback.tf.values import bare, convert_to_tensor


def as_pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    """Both as tensors of as many axes, in the dtype of what the model says."""
    said = convert_to_tensor(y_pred)
    said = said if said.dtype.kind == "f" else said.astype(np.float32)
    return of_one_rank(convert_to_tensor(y_true).astype(said.dtype), said)


def of_one_rank(x: Any, y: Any) -> tuple[Any, Any]:
    """Both without a last axis of one that only one of them has; a vector gets it, where the other one has it."""
    if x.ndim == y.ndim + 1 and x.shape[-1] == 1:
        return (x, y[..., None]) if y.ndim == 1 else (np.squeeze(x, -1), y)
    if y.ndim == x.ndim + 1 and y.shape[-1] == 1:
        return (x[..., None], y) if x.ndim == 1 else (x, np.squeeze(y, -1))
    return x, y


def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the squared differences of `y_true` and `y_pred` along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.mean_squared_error([[1.0, 2.0]], [[1.0, 4.0]])
    <Tensor [2.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return np.mean((said - wanted) ** 2, axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the absolute differences of `y_true` and `y_pred` along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.mean_absolute_error([[1.0, 2.0]], [[1.0, 4.0]])
    <Tensor [1.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return np.mean(np.abs(wanted - said), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Tensor:
    """100 times the mean of |y_true - y_pred| / |y_true| along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.mean_absolute_percentage_error([[1.0, 2.0]], [[1.0, 3.0]])
    <Tensor [25.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return 100 * np.mean(np.abs((wanted - said) / np.maximum(np.abs(wanted), wanted.dtype.type(epsilon()))), axis=-1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the squared differences of log(1 + y) of `y_true` and `y_pred` along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.mean_squared_logarithmic_error([[1.0]], [[1.0]])
    <Tensor [0.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    least = said.dtype.type(epsilon())
    said, wanted = (np.where(one > least, one, least) for one in (said, wanted))
    return np.mean((np.log(wanted + 1) - np.log(said + 1)) ** 2, axis=-1)


def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Tensor:
    """The mean along the last axis of e² / 2 for differences e up to `delta`, and of delta |e| - delta² / 2 beyond.

    e is the difference of `y_true` and `y_pred`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.huber([[0.0, 0.0]], [[1.0, 3.0]])
    <Tensor [1.5], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    error = np.abs(said - wanted)
    return np.mean(np.where(error <= delta, 0.5 * error**2, delta * error - 0.5 * delta**2), axis=-1)


def log_cosh(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of log(cosh(e)) along the last axis, for the difference e of `y_true` and `y_pred`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.log_cosh([[0.0]], [[0.0]])
    <Tensor [0.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    error = said - wanted
    return np.mean(error + nn.softplus(-2 * error) - said.dtype.type(math.log(2)), axis=-1)


def hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of max(1 - y_true y_pred, 0) along the last axis; labels `y_true` of 0 and 1 count as -1 and 1.

    `y_pred` is what a model says.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.hinge([[1.0, 0.0]], [[0.5, 0.5]])
    <Tensor [1.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return np.mean(maximum(1 - _signed(wanted) * said, 0.0), axis=-1)


def squared_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the squares of the terms of `hinge` of `y_true` and `y_pred` along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.squared_hinge([[1.0, 0.0]], [[0.5, 0.5]])
    <Tensor [1.25], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return np.mean(maximum(1 - _signed(wanted) * said, 0.0) ** 2, axis=-1)


def _signed(labels: Tensor) -> Tensor:
    binary = np.isin(labels._value, (0, 1)).all()
    return 2 * labels - 1 if binary else labels


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """max(1 + the largest of (1 - y_true) y_pred - Σ y_true y_pred, 0) along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.categorical_hinge([[1.0, 0.0]], [[0.5, 0.25]])
    <Tensor [0.75], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    right, wrong = np.sum(wanted * said, axis=-1), np.max((1 - wanted) * said, axis=-1)
    return maximum(wrong - right + 1, 0.0)


def poisson(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of y_pred - y_true log(y_pred) along the last axis.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.poisson([[0.0]], [[2.0]])
    <Tensor [2.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return np.mean(said - wanted * np.log(said + said.dtype.type(epsilon())), axis=-1)


def kl_divergence(y_true: Any, y_pred: Any) -> Tensor:
    """Σ y_true log(y_true / y_pred) along the last axis, of probabilities.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.kl_divergence([[0.5, 0.5]], [[0.5, 0.5]])
    <Tensor [0.], float32>
    """
    wanted, said = (clip_by_value(one, epsilon(), 1.0) for one in as_pair(y_true, y_pred))
    return np.sum(wanted * np.log(wanted / said), axis=-1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """The negative of the cosine of the angle between `y_true` and `y_pred` along an `axis`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.cosine_similarity([[0.0, 2.0]], [[0.0, 1.0]])
    <Tensor [-1.], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    return -np.sum(l2_normalize(wanted, axis) * l2_normalize(said, axis), axis=axis)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """The mean along an `axis` of -log of the probability that `y_pred` gives to labels `y_true` between 0 and 1.

    from_logits: `y_pred` is the logit of a probability. label_smoothing: labels are moved so far towards one half.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.binary_crossentropy([[1.0]], [[0.0]], from_logits=True)
    <Tensor [0.6931472], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing if label_smoothing else wanted
    return np.mean(_binary_terms(wanted, said, from_logits), axis=axis)


def _binary_terms(wanted: Tensor, said: Tensor, from_logits: bool) -> Any:
    """-log of the probability of each label."""
    logits = said if from_logits else logits_of(said)
    if logits is not None:
        return nn.sigmoid_cross_entropy_with_logits(wanted, logits)
    said = clip_by_value(said, epsilon(), 1 - epsilon())
    return -(wanted * np.log(said) + (1 - wanted) * np.log(1 - said))


def binary_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    apply_class_balancing: bool = False,
    alpha: float = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """`binary_crossentropy` of `y_true` and `y_pred`, in which what is right counts less. Lin et al. (2018).

    gamma: the power of the probability of being wrong that each term is multiplied by. apply_class_balancing: by
    `alpha` for positive labels too, and by 1 - alpha for others. `from_logits`, `label_smoothing`, `axis`: as there.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.binary_focal_crossentropy([[1.0]], [[0.5]], gamma=0.0)
    <Tensor [0.6931472], float32>
    """
    wanted, said = as_pair(y_true, y_pred)
    wanted = wanted * (1 - label_smoothing) + 0.5 * label_smoothing if label_smoothing else wanted
    terms = _binary_terms(wanted, said, from_logits)
    said = nn.sigmoid(said) if from_logits else said
    right = wanted * said + (1 - wanted) * (1 - said)
    terms = (1 - right) ** gamma * terms
    if apply_class_balancing:
        terms = (wanted * alpha + (1 - wanted) * (1 - alpha)) * terms
    return np.mean(terms, axis=axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Tensor:
    """-Σ y_true log(y_pred) along an `axis`, of probabilities of classes.

    from_logits: `y_pred` is what the softmax makes probabilities of. label_smoothing: `y_true` is moved so far towards
    equal ones. ValueError where the shapes differ.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.categorical_crossentropy([[1.0, 0.0]], [[0.0, 0.0]], from_logits=True)
    <Tensor [0.6931472], float32>
    """
    said = convert_to_tensor(y_pred)
    wanted = convert_to_tensor(y_true).astype(said.dtype)
    if wanted.shape != said.shape:
        raise ValueError(f"y_true of shape {wanted.shape} for y_pred of shape {said.shape}")
    if label_smoothing:
        wanted = wanted * (1 - label_smoothing) + label_smoothing / wanted.shape[-1]
    logits = said if from_logits else logits_of(said)
    if logits is not None:
        return nn.softmax_cross_entropy_with_logits(wanted, logits, axis)
    said = clip_by_value(said / np.sum(said, axis=axis, keepdims=True), epsilon(), 1 - epsilon())
    return -np.sum(wanted * np.log(said), axis=axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Tensor:
    """-log of the probability that `y_pred` gives along an `axis` to the classes `y_true`, which are integers.

    from_logits: `y_pred` is what the softmax makes probabilities of. ignore_class: a class for which it is 0, and
    which the mask of the result leaves out: means of it are over the others.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.sparse_categorical_crossentropy([1], [[0.0, 0.0]], from_logits=True)
    <Tensor [0.6931472], float32>
    """
    said, classes = convert_to_tensor(y_pred), bare(y_true).astype(np.int64)
    logits = said if from_logits else logits_of(said)
    said = np.moveaxis(said if logits is None else logits, axis, -1)
    if classes.ndim == said.ndim and classes.shape[-1] == 1:
        classes = classes[..., 0]
    if logits is None:
        said = np.log(clip_by_value(said, epsilon(), 1 - epsilon()))
    if ignore_class is None:
        return nn.sparse_softmax_cross_entropy_with_logits(classes, said)
    kept = classes != ignore_class
    found = nn.sparse_softmax_cross_entropy_with_logits(np.where(kept, classes, 0), said)
    return Noted(np.where(kept, found, said.dtype.type(0)), kept)
