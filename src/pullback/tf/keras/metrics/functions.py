"""Metrics as functions of labels and predictions: a number for each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.keras import losses
from pullback.tf.keras.losses.functions import of_one_rank
from pullback.tf.values import bare


def _matching(y_true: Any, y_pred: Any) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays, of as many axes."""
    return of_one_rank(bare(y_true), bare(y_pred))


def accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 where `y_pred` equals `y_true`, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.accuracy([1, 2], [1, 3])
    <Tensor [1. 0.], float32>
    """
    wanted, said = _matching(y_true, y_pred)
    return Tensor(np.asarray(wanted == said).astype(np.float32)[()])


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """1 where `y_pred` lies on the side of `threshold` that `y_true` says, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.binary_accuracy([[1, 0]], [[0.7, 0.9]])
    <Tensor [[1. 0.]], float32>
    """
    wanted, said = _matching(y_true, y_pred)
    return Tensor(np.asarray(wanted == (said > threshold)).astype(np.float32)[()])


def categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 for rows of which `y_true` and `y_pred` are largest at the same place, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.categorical_accuracy([[0, 1]], [[0.2, 0.8]])
    <Tensor [1.], float32>
    """
    return Tensor((np.argmax(bare(y_true), -1) == np.argmax(bare(y_pred), -1)).astype(np.float32))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Tensor:
    """1 for rows of `y_pred` that are largest at the place `y_true`, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.sparse_categorical_accuracy([1], [[0.2, 0.8]])
    <Tensor [1.], float32>
    """
    wanted, said = bare(y_true), bare(y_pred)
    wanted = wanted[..., 0] if wanted.ndim == said.ndim and wanted.shape[-1] == 1 else wanted
    return Tensor((wanted.astype(int) == np.argmax(said, -1)).astype(np.float32))


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """1 for rows where the place at which `y_true` is largest is among the `k` at which `y_pred` is, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.top_k_categorical_accuracy([[0, 1, 0]], [[0.5, 0.3, 0.2]], k=2)
    <Tensor [1.], float32>
    """
    return sparse_top_k_categorical_accuracy(np.argmax(bare(y_true), -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Tensor:
    """1 for rows where the place `y_true` is among the `k` at which `y_pred` is largest, else 0.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.sparse_top_k_categorical_accuracy([2], [[0.5, 0.3, 0.2]], k=2)
    <Tensor [0.], float32>
    """
    wanted, said = bare(y_true), bare(y_pred)
    wanted = wanted[..., 0] if wanted.ndim == said.ndim and wanted.shape[-1] == 1 else wanted
    chosen = np.take_along_axis(said, wanted.astype(int)[..., None], -1)
    return Tensor(((said > chosen).sum(-1) < k).astype(np.float32))


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Tensor:
    """The cosine of the angle between `y_true` and `y_pred` along an `axis`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.CosineSimilarity()([[0.0, 2.0]], [[0.0, 1.0]])
    <Tensor 1.0, float32>
    """
    return -losses.cosine_similarity(y_true, y_pred, axis)
