"""Metrics that count right and wrong predictions on both sides of thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.keras.metrics.base import Metric
from pullback.tf.values import bare


class _Counts(Metric):
    """How often labels and predictions are right and wrong, for each of several thresholds."""

    def __init__(
        self,
        thresholds: Any,
        name: str | None,
        dtype: Any,
        top_k: int | None = None,
        class_id: int | None = None,
    ) -> None:
        super().__init__(dtype, name)
        if thresholds is None and top_k is not None:
            thresholds = -np.inf  # the k largest of a row are positive
        self.thresholds = np.atleast_1d(np.asarray(0.5 if thresholds is None else thresholds, float))
        self.alone = np.ndim(0.5 if thresholds is None else thresholds) == 0
        shape = self.thresholds.shape
        self.top_k, self.class_id = top_k, class_id
        self.counts = {key: self.add_weight(shape, name=key, dtype=np.float64) for key in ("tp", "fp", "tn", "fn")}

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch, in which each element counts as often as its weight says."""
        labels, said = bare(y_true).astype(bool), bare(y_pred)
        weights = np.ones(said.shape)
        if sample_weight is not None:
            given = bare(sample_weight).astype(float)
            weights = np.broadcast_to(given.reshape(given.shape + (1,) * (said.ndim - given.ndim)), said.shape)
        if self.top_k is not None:
            places = np.argsort(np.argsort(-said, axis=-1, kind="stable"), axis=-1, kind="stable")
            said = np.where(places < self.top_k, said, -np.inf)
        if self.class_id is not None:
            labels, said, weights = (one[..., self.class_id] for one in (labels, said, weights))
        wanted, said, weights = labels.ravel(), said.ravel(), weights.ravel()
        above = said > self.thresholds[:, None]
        for key, hits in (
            ("tp", above & wanted),
            ("fp", above & ~wanted),
            ("tn", ~above & ~wanted),
            ("fn", ~above & wanted),
        ):
            self.counts[key].assign_add((hits * weights).sum(axis=1))

    def _given(self, found: np.ndarray) -> Tensor:
        return Tensor((found[0] if self.alone else found).astype(self.dtype))


def _share(part: np.ndarray, rest: np.ndarray) -> np.ndarray:
    whole = part + rest
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), 0)


# What it counts, the result for the counts, and an example's.
_TABLE: dict[str, tuple[str, Callable[[dict[str, Any]], Any], str]] = {
    "FalseNegatives": ("How many positive labels are predicted negative", lambda c: c["fn"], "1.0"),
    "FalsePositives": ("How many negative labels are predicted positive", lambda c: c["fp"], "0.0"),
    "Precision": ("The share of positive predictions that are right", lambda c: _share(c["tp"], c["fp"]), "1.0"),
    "Recall": ("The share of positive labels that are predicted", lambda c: _share(c["tp"], c["fn"]), "0.5"),
    "TrueNegatives": ("How many negative labels are predicted", lambda c: c["tn"], "1.0"),
    "TruePositives": ("How many positive labels are predicted", lambda c: c["tp"], "1.0"),
}


def _class(class_name: str, what: str, result: Callable[[dict[str, Any]], Any], example: str) -> Any:
    def __init__(self: Any, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        _Counts.__init__(self, thresholds, name, dtype)

    def of_best(
        self: Any,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        _Counts.__init__(self, thresholds, name, dtype, top_k, class_id)

    def found(self: Any) -> Tensor:
        return self._given(np.asarray(result({key: v._value for key, v in self.counts.items()})))

    is_share = class_name in ("Precision", "Recall")
    more = "top_k: only so many of the largest in a row are. class_id: the column that counts. " if is_share else ""
    doc = f"""{what}, by predictions above one or several `thresholds`, 0.5 by default.

    {more}name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.{class_name}()([1, 1, 0], [0.9, 0.2, 0.1])
    <Tensor {example}, float32>
    """
    made = {"__init__": of_best if is_share else __init__, "result": found, "__doc__": doc, "__module__": __name__}
    return type(class_name, (_Counts,), made)


CLASSES = {name: _class(name, *row) for name, row in _TABLE.items()}


class AUC(_Counts):
    """The area under a curve on `num_thresholds` evenly spaced thresholds, or on these `thresholds`.

    curve: 'ROC', of the shares of positive and of negative labels that are predicted positive, or 'PR', of precision
    and recall. summation_method: 'interpolation', by trapezoids or, for 'PR', after Davis and Goadrich (2006),
    'minoring' or 'majoring'. name, dtype: those of `tf.keras.metrics.Metric`. from_logits: predictions are logits.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.AUC()([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])
    <Tensor 0.75, float32>
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        summation_method: str = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
        from_logits: bool = False,
    ) -> None:
        if curve.upper() not in ("ROC", "PR") or summation_method not in ("interpolation", "minoring", "majoring"):
            raise ValueError(f"there is no curve {curve!r} or no summation {summation_method!r}")
        inner = np.arange(1, num_thresholds - 1) / (num_thresholds - 1) if thresholds is None else np.sort(thresholds)
        super().__init__(np.concatenate([[-1e-7], inner, [1 + 1e-7]]), name, dtype)
        self.curve, self.summation_method, self.from_logits = curve.upper(), summation_method, from_logits

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch."""
        said = bare(y_pred)
        super().update_state(y_true, 1 / (1 + np.exp(-said)) if self.from_logits else said, sample_weight)

    def result(self) -> Tensor:
        """The area."""
        c = {key: v._value for key, v in self.counts.items()}
        if self.curve == "PR" and self.summation_method == "interpolation":
            return Tensor(self.dtype.type(_area_of_precision(c["tp"], c["tp"] + c["fp"], c["tp"] + c["fn"])))
        right = _share(c["tp"], c["fn"])
        x, y = (_share(c["fp"], c["tn"]), right) if self.curve == "ROC" else (right, _share(c["tp"], c["fp"]))
        pairs = y[:-1], y[1:]
        least, most = np.minimum(*pairs), np.maximum(*pairs)
        heights = {"interpolation": (least + most) / 2, "minoring": least, "majoring": most}[self.summation_method]
        return Tensor(self.dtype.type(np.sum((x[:-1] - x[1:]) * heights)))


def _area_of_precision(right: np.ndarray, positive: np.ndarray, labels: np.ndarray) -> Any:
    """The area under the curve of precision and recall, between whose points counts are linear."""
    rise, run = right[:-1] - right[1:], positive[:-1] - positive[1:]
    slope = np.where(run > 0, rise / np.where(run > 0, run, 1), 0)
    start = right[1:] - slope * positive[1:]
    some = (positive[:-1] > 0) & (positive[1:] > 0)
    ratio = np.where(some, positive[:-1] / np.where(some, positive[1:], 1), 1)
    whole = labels[1:]
    return np.sum(np.where(whole > 0, slope * (rise + start * np.log(ratio)) / np.where(whole > 0, whole, 1), 0))


class MeanIoU(Metric):
    """The mean over classes of the overlap of labels and predictions over their union.

    num_classes: how many classes there are. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.MeanIoU(2)([0, 1], [0, 0])
    <Tensor 0.25, float32>
    """

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.num_classes = num_classes
        self.matrix = self.add_weight((num_classes, num_classes), name="matrix", dtype=np.float64)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch of classes."""
        found = np.zeros((self.num_classes, self.num_classes))
        weights = 1.0 if sample_weight is None else bare(sample_weight).ravel()
        np.add.at(found, (bare(y_true).ravel().astype(int), bare(y_pred).ravel().astype(int)), weights)
        self.matrix.assign_add(found)

    def result(self) -> Tensor:
        """The mean."""
        m = self.matrix._value
        union = m.sum(0) + m.sum(1) - np.diagonal(m)
        some = union > 0
        return Tensor(self.dtype.type(np.mean(np.diagonal(m)[some] / union[some]) if some.any() else 0))
