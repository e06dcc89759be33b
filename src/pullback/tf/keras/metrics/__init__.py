"""`tf.keras.metrics`."""

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

globals().update(_COUNTS | _MEANS)

__all__ = [
    *_COUNTS,
    *_MEANS,
    "AUC",
    "Mean",
    "MeanIoU",
    "MeanMetricWrapper",
    "Metric",
    "RootMeanSquaredError",
    "Sum",
    "accuracy",
    "binary_accuracy",
    "binary_crossentropy",
    "categorical_accuracy",
    "categorical_crossentropy",
    "mean_absolute_error",
    "mean_squared_error",
    "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy",
    "sparse_top_k_categorical_accuracy",
    "top_k_categorical_accuracy",
]
