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

    def __init__(self, thresholds: Any, name: str | None, dtype: Any) -> None:
        super().__init__(dtype, name)
        self.thresholds = np.atleast_1d(np.asarray(0.5 if thresholds is None else thresholds, float))
        self.alone = np.ndim(0.5 if thresholds is None else thresholds) == 0
        shape = self.thresholds.shape
        self.counts = {key: self.add_weight(shape, name=key, dtype=np.float64) for key in ("tp", "fp", "tn", "fn")}

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch, in which each element counts as often as its weight says."""
        wanted, said = bare(y_true).ravel().astype(bool), bare(y_pred).ravel()
        weights = np.ones(said.shape)
        if sample_weight is not None:
            given = bare(sample_weight).astype(float)
            shape = bare(y_pred).shape
            weights = np.broadcast_to(given.reshape(given.shape + (1,) * (len(shape) - given.ndim)), shape).ravel()
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

    def found(self: Any) -> Tensor:
        return self._given(np.asarray(result({key: v._value for key, v in self.counts.items()})))

    doc = f"""{what}, by predictions above one or several `thresholds`, 0.5 by default.

    name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.{class_name}()([1, 1, 0], [0.9, 0.2, 0.1])
    <Tensor {example}, float32>
    """
    return type(class_name, (_Counts,), {"__init__": __init__, "result": found, "__doc__": doc, "__module__": __name__})


CLASSES = {name: _class(name, *row) for name, row in _TABLE.items()}


class AUC(_Counts):
    """The area under a curve, by the trapezoidal rule on `num_thresholds` evenly spaced thresholds.

    curve: 'ROC', of the shares of positive and of negative labels that are predicted positive. name, dtype: those of
    `tf.keras.metrics.Metric`. from_logits: predictions are logits.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.AUC()([0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9])
    <Tensor 0.75, float32>
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str = "ROC",
        name: str | None = None,
        dtype: Any = None,
        from_logits: bool = False,
    ) -> None:
        if curve.upper() != "ROC":
            raise NotImplementedError(f"the area under the curve {curve!r} is not known")
        inner = np.arange(1, num_thresholds - 1) / (num_thresholds - 1)
        super().__init__(np.concatenate([[-1e-7], inner, [1 + 1e-7]]), name, dtype)
        self.from_logits = from_logits

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch."""
        said = bare(y_pred)
        super().update_state(y_true, 1 / (1 + np.exp(-said)) if self.from_logits else said, sample_weight)

    def result(self) -> Tensor:
        """The area."""
        c = {key: v._value for key, v in self.counts.items()}
        right, wrong = _share(c["tp"], c["fn"]), _share(c["fp"], c["tn"])
        area = np.sum((wrong[:-1] - wrong[1:]) * (right[:-1] + right[1:]) / 2)
        return Tensor(self.dtype.type(area))


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
