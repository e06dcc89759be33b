"""Scores of classes and of regressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.keras.backend import epsilon
from pullback.tf.keras.losses.functions import of_one_rank
from pullback.tf.keras.metrics.base import Metric
from pullback.tf.values import bare


class FBetaScore(Metric):
    """(1 + beta²) p r / (beta² p + r), of the precision p and the recall r of each class, given as columns.

    average: None for a score for each class, 'micro' for that of all counts, 'macro' for the mean, 'weighted' for the
    mean weighted by labels. beta: how much the recall counts. threshold: predictions above it are positive, by default
    the largest of a row. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.round(100.0 * tf.keras.metrics.FBetaScore(average="micro", threshold=0.5)([[1.0, 1.0]], [[0.9, 0.2]]))
    <Tensor 67.0, float32>
    """

    def __init__(
        self,
        average: str | None = None,
        beta: float = 1.0,
        threshold: float | None = None,
        name: str | None = "fbeta_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(f"there is no average {average!r}")
        self.average, self.beta, self.threshold = average, beta, threshold
        self.counts: Any = None

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch, in which each row counts as often as its weight says."""
        wanted, said = bare(y_true).astype(float), bare(y_pred)
        if self.counts is None:
            self.counts = self.add_weight((4, wanted.shape[-1]), name="counts", dtype=np.float64)
        if self.threshold is None:
            positive = (said >= said.max(axis=-1, keepdims=True)) & (np.abs(said) > 1e-9)
        else:
            positive = said > self.threshold
        weights = 1.0 if sample_weight is None else bare(sample_weight).astype(float)[..., None]
        hits = (wanted * positive, (1 - wanted) * positive, wanted * (1 - positive), wanted)
        self.counts.assign_add(np.stack([(one * weights).sum(axis=0) for one in hits]))

    def result(self) -> Tensor:
        """The score, or those of classes."""
        if self.counts is None:
            return Tensor(np.zeros((), self.dtype)[()])
        counts = self.counts._value
        right, false, missed, labels = counts.sum(axis=1) if self.average == "micro" else counts
        precision, recall = right / (right + false + epsilon()), right / (right + missed + epsilon())
        square = self.beta**2
        score = precision * recall / (square * precision + recall + epsilon()) * (1 + square)
        if self.average == "weighted":
            score = np.sum(score * labels / (labels.sum() + epsilon()))
        return Tensor(np.asarray(score.mean() if self.average == "macro" else score).astype(self.dtype)[()])


class F1Score(FBetaScore):
    """`FBetaScore` in which precision and recall count alike, with its `average` and `threshold`.

    name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.round(100.0 * tf.keras.metrics.F1Score(average="micro", threshold=0.5)([[1.0, 1.0]], [[0.9, 0.2]]))
    <Tensor 67.0, float32>
    """

    def __init__(
        self,
        average: str | None = None,
        threshold: float | None = None,
        name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(average, 1.0, threshold, name, dtype)


class R2Score(Metric):
    """1 - Σ (y_true - y_pred)² / Σ (y_true - mean)², of columns.

    class_aggregation: 'uniform_average', 'variance_weighted_average', or None for a score for each column.
    num_regressors: how many regressors an adjusted score is for. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.R2Score()([[1.0], [3.0]], [[1.0], [2.0]])
    <Tensor 0.5, float32>
    """

    def __init__(
        self,
        class_aggregation: str | None = "uniform_average",
        num_regressors: int = 0,
        name: str | None = "r2_score",
        dtype: Any = None,
    ) -> None:
        super().__init__(dtype, name)
        if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
            raise ValueError(f"there is no aggregation {class_aggregation!r}")
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.sums: Any = None
        self.samples = self.add_weight(name="num_samples", dtype=np.float64)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a batch, in which each row counts as often as its weight says."""
        wanted, said = of_one_rank(bare(y_true).astype(float), bare(y_pred).astype(float))
        if self.sums is None:
            self.sums = self.add_weight((4, *wanted.shape[1:]), name="sums", dtype=np.float64)
        weights = np.ones(()) if sample_weight is None else bare(sample_weight).astype(float)
        weights = np.broadcast_to(weights[:, None] if weights.ndim == 1 else weights, wanted.shape)
        rows = (weights, wanted * weights, wanted**2 * weights, (wanted - said) ** 2 * weights)
        self.sums.assign_add(np.stack([one.sum(axis=0) for one in rows]))
        self.samples.assign_add(float(wanted.size))

    def result(self) -> Tensor:
        """The score, or those of columns."""
        if self.sums is None:
            return Tensor(np.zeros((), self.dtype)[()])
        with np.errstate(divide="ignore", invalid="ignore"):
            count, total, squares, errors = self.sums._value
            spread = squares - total * total / count
            scores = 1 - errors / spread
            scores = np.where(np.isinf(scores), 0, scores)
            if self.class_aggregation == "uniform_average":
                scores = scores.mean()
            elif self.class_aggregation is not None:
                scores = np.sum(spread * scores) / np.sum(spread)
        n, p = float(self.samples._value), self.num_regressors
        if p and p < n - 1:
            scores = 1 - (1 - scores) * (n - 1) / (n - p - 1)
        return Tensor(np.asarray(scores).astype(self.dtype)[()])
