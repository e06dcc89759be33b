"""Metrics that are means of what losses and accuracies say of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.keras import losses
from pullback.tf.keras.metrics import functions
from pullback.tf.keras.metrics.base import Mean, MeanMetricWrapper

# The function, its settings with their defaults, and an example of labels and predictions.
_TABLE: dict[str, tuple[Any, dict[str, Any], str]] = {
    "Accuracy": (functions.accuracy, {}, "[1, 2], [1, 3]"),
    "BinaryAccuracy": (functions.binary_accuracy, {"threshold": 0.5}, "[[1], [0]], [[0.7], [0.9]]"),
    "BinaryCrossentropy": (
        losses.binary_crossentropy,
        {"from_logits": False, "label_smoothing": 0.0},
        "[[1.0]], [[0.5]]",
    ),
    "CategoricalAccuracy": (functions.categorical_accuracy, {}, "[[0, 1]], [[0.2, 0.8]]"),
    "CategoricalCrossentropy": (
        losses.categorical_crossentropy,
        {"from_logits": False, "label_smoothing": 0.0, "axis": -1},
        "[[0.0, 1.0]], [[0.5, 0.5]]",
    ),
    "CategoricalHinge": (losses.categorical_hinge, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "CosineSimilarity": (functions.cosine_similarity, {"axis": -1}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "Hinge": (losses.hinge, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "KLDivergence": (losses.kl_divergence, {}, "[[0.5, 0.5]], [[0.5, 0.5]]"),
    "LogCoshError": (losses.log_cosh, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "MeanAbsoluteError": (losses.mean_absolute_error, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "MeanAbsolutePercentageError": (losses.mean_absolute_percentage_error, {}, "[[1.0]], [[0.5]]"),
    "MeanSquaredError": (losses.mean_squared_error, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "MeanSquaredLogarithmicError": (losses.mean_squared_logarithmic_error, {}, "[[1.0]], [[0.5]]"),
    "Poisson": (losses.poisson, {}, "[[0.0]], [[2.0]]"),
    "SparseCategoricalAccuracy": (functions.sparse_categorical_accuracy, {}, "[1], [[0.2, 0.8]]"),
    "SparseCategoricalCrossentropy": (
        losses.sparse_categorical_crossentropy,
        {"from_logits": False, "ignore_class": None, "axis": -1},
        "[1], [[0.2, 0.8]]",
    ),
    "SparseTopKCategoricalAccuracy": (functions.sparse_top_k_categorical_accuracy, {"k": 5}, "[1], [[0.2, 0.8]]"),
    "SquaredHinge": (losses.squared_hinge, {}, "[[0.0, 1.0]], [[0.5, 0.5]]"),
    "TopKCategoricalAccuracy": (functions.top_k_categorical_accuracy, {"k": 5}, "[[0, 1]], [[0.2, 0.8]]"),
}


def _class(class_name: str, function: Any, defaults: dict[str, Any], example: str) -> Any:
    def __init__(self: Any, *settings: Any, name: str | None = None, dtype: Any = None, **keywords: Any) -> None:
        if defaults and next(iter(defaults)) in ("k", "threshold"):
            first, given = next(iter(defaults)), settings
            chosen = {first: given[0]} if given and not isinstance(given[0], str) else {}
            texts = given[1:] if chosen else given
        else:
            chosen, texts = {}, settings
        own = defaults | chosen | {key: keywords.pop(key) for key in [*keywords] if key in defaults}
        if keywords or len(texts) > 1:
            raise TypeError(f"{class_name} has no parameters {', '.join(map(str, [*keywords, *texts[1:]]))}")
        MeanMetricWrapper.__init__(self, function, (texts[0] if texts else name) or function.__name__, dtype, **own)

    own = "".join(f", {key}={value!r}" for key, value in defaults.items())
    module = function.__module__.split(".")[3]
    doc = f"""The mean of `tf.keras.{module}.{function.__name__}`.

    settings, keywords: of that function{own and ", " + own[2:]}. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.{class_name}()({example}).shape
    ()
    """
    return type(class_name, (MeanMetricWrapper,), {"__init__": __init__, "__doc__": doc, "__module__": __name__})


CLASSES = {name: _class(name, *row) for name, row in _TABLE.items()}


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.RootMeanSquaredError()([0.0, 0.0], [3.0, 3.0])
    <Tensor 3.0, float32>
    """

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add the squared differences of labels and predictions."""
        wanted, said = functions._matching(y_true, y_pred)
        super().update_state((said.astype(float) - wanted) ** 2, sample_weight)

    def result(self) -> Tensor:
        """The root of the mean."""
        return Tensor(np.sqrt(super().result()._value))
