"""`tf.keras.metrics`."""

from typing import Any

from pullback.tf.keras import losses
from pullback.tf.keras.backend import words_of
from pullback.tf.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    mean_absolute_error,
    mean_squared_error,
    sparse_categorical_crossentropy,
)
from pullback.tf.keras.metrics.base import Mean, MeanMetricWrapper, Metric, Sum
from pullback.tf.keras.metrics.counts import AUC, MeanIoU
from pullback.tf.keras.metrics.counts import CLASSES as _COUNTS
from pullback.tf.keras.metrics.functions import (
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from pullback.tf.keras.metrics.means import CLASSES as _MEANS
from pullback.tf.keras.metrics.means import RootMeanSquaredError
from pullback.tf.keras.metrics.scores import F1Score, FBetaScore, R2Score

_ALIASES = "mse MSE mae MAE mape MAPE msle MSLE kld KLD logcosh log_cosh hinge squared_hinge categorical_hinge poisson"
_ALIASES += " binary_focal_crossentropy mean_absolute_percentage_error mean_squared_logarithmic_error"
_OBJECTS = {"mse": "MeanSquaredError", "mae": "MeanAbsoluteError"}
_OBJECTS |= {"mape": "MeanAbsolutePercentageError", "msle": "MeanSquaredLogarithmicError"}
_LOSSES: dict[str, Any] = {name: getattr(losses, name) for name in _ALIASES.split()}
globals().update(_COUNTS | _MEANS | _LOSSES)


def get(identifier: Any) -> Any:
    """The metric of this name, a function or, for a class, an object; `identifier` itself if it can be called.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.get("mse")([1.0], [3.0])
    <Tensor 4.0, float32>
    """
    if not isinstance(identifier, str):
        return identifier
    if identifier not in __all__ or identifier in ("get", "Metric"):
        raise ValueError(f"there is no metric {identifier!r}")
    classes = {words_of(name): name for name in __all__ if isinstance(globals()[name], type)} | _OBJECTS
    found = globals()[classes.get(identifier.lower(), identifier)]
    return found() if isinstance(found, type) else found


__all__ = [
    *_COUNTS,
    *_LOSSES,
    *_MEANS,
    "AUC",
    "F1Score",
    "FBetaScore",
    "Mean",
    "MeanIoU",
    "MeanMetricWrapper",
    "Metric",
    "R2Score",
    "RootMeanSquaredError",
    "Sum",
    "accuracy",
    "binary_accuracy",
    "binary_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "get",
    "mean_absolute_error",
    "mean_squared_error",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "top_k_categorical_accuracy",
]
