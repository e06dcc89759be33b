"""`Loss`: an object that makes one number of the losses of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.keras.losses.functions import as_pair
from pullback.tf.values import convert_to_tensor

_REDUCTIONS = ("sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None, "auto")


class Loss:
    """What losses have in common: a subclass says in `call(y_true, y_pred)` what the loss of each row is.

    name: any text. reduction: 'sum_over_batch_size' for the mean over all rows, 'sum', 'mean_with_sample_weight' for a
    weighted mean, or None for the losses of rows. dtype has no effect.

    >>> import pullback.tf as tf
    >>> class Distance(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.abs(y_true - y_pred)
    >>> Distance()([1.0, 2.0], [2.0, 5.0])
    <Tensor 2.0, float32>
    """

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size", dtype: Any = None
    ) -> None:
        if reduction not in _REDUCTIONS:
            raise ValueError(f"there is no reduction {reduction!r}")
        self.name = name or type(self).__name__
        self.reduction = reduction

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each row."""
        raise NotImplementedError

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The reduced loss; each row counts as often as its weight says."""
        found = self.call(convert_to_tensor(y_true), convert_to_tensor(y_pred))
        return reduced(convert_to_tensor(found), sample_weight, self.reduction)


def reduced(losses: Tensor, weights: Any, reduction: str | None) -> Tensor:
    """One number of the losses of rows."""
    given = None
    if weights is not None:
        given, losses = as_pair(weights, losses)
        if losses.ndim > given.ndim:
            given = np.reshape(given, given.shape + (1,) * (losses.ndim - given.ndim))
        losses = losses * given
    if reduction in (None, "none"):
        return losses
    total = np.sum(losses)
    if reduction == "sum":
        return total
    if reduction == "mean_with_sample_weight" and given is not None:
        return total / np.sum(np.broadcast_to(given, losses.shape))
    return total / max(losses.size, 1)


class FunctionLoss(Loss):
    """A loss that is a function of `y_true` and `y_pred`, with settings."""

    function: Callable[..., Any]

    def __init__(self, settings: dict[str, Any], reduction: str | None, name: str | None, dtype: Any) -> None:
        super().__init__(name, reduction, dtype)
        self.settings = settings

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return type(self).function(y_true, y_pred, **self.settings)
