"""`Loss`: an object that makes one number of the losses of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tape.nest import flatten, rebuilt
from pullback.tf.elementwise import divide_no_nan
from pullback.tf.keras.backend import floatx
from pullback.tf.keras.losses.functions import of_one_rank
from pullback.tf.keras.masks import mask_of
from pullback.tf.values import convert_to_tensor

_REDUCTIONS = ("sum_over_batch_size", "mean", "sum", "mean_with_sample_weight", "none", None, "auto")


class Loss:
    """What losses have in common: a subclass says in `call(y_true, y_pred)` what the loss of each row is.

    name: any text. reduction: 'sum_over_batch_size' for the mean over all rows, 'sum', 'mean_with_sample_weight' for a
    weighted mean, or None for the losses of rows. dtype: that of the computation, float32 by default.

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
        self.dtype = np.dtype(floatx() if dtype is None else dtype)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each row."""
        raise NotImplementedError

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The reduced loss; each row counts as often as its weight says."""
        wanted, said = (self._prepared(one) for one in (y_true, y_pred))
        found = convert_to_tensor(self.call(wanted, said))
        masks = [mask for mask in (mask_of(y_pred), mask_of(found)) if mask is not None]
        shown = np.logical_and.reduce(masks) if masks else None
        return reduced(found.astype(self.dtype), self._weights(sample_weight, shown), self.reduction)

    def _prepared(self, given: Any) -> Any:
        """A tensor in the dtype of the computation, or a structure of such."""
        if isinstance(given, dict | tuple):
            return rebuilt(given, [self._prepared(one) for one in flatten(given)])
        x = convert_to_tensor(given)
        return x if x.dtype == self.dtype else x.astype(self.dtype)

    def _weights(self, given: Any, mask: Any) -> Any:
        """The weights of rows, 0 where the mask is False."""
        weights = None if given is None else convert_to_tensor(given).astype(self.dtype)
        if mask is None:
            return weights
        shown = mask.astype(self.dtype)
        if self.reduction in ("sum_over_batch_size", "mean", "auto"):
            shown = shown * self.dtype.type(mask.size / max(mask.sum(), 1))  # the mean is over what is not masked
        if weights is None:
            return Tensor(shown)
        shown, weights = of_one_rank(Tensor(shown), weights)
        return weights * shown


def reduced(losses: Tensor, weights: Any, reduction: str | None) -> Tensor:
    """One number of the losses of rows. Weights of fewer axes belong to the last ones, as broadcasting has it."""
    if weights is not None:
        losses, weights = of_one_rank(losses, weights)
        losses = losses * weights
    if reduction in (None, "none") or losses.shape in ((), (0,)):
        return losses
    total = np.sum(losses)
    if reduction == "sum":
        return total
    count = losses.size
    if reduction == "mean_with_sample_weight" and weights is not None:
        count = np.sum(weights)
    return divide_no_nan(total, convert_to_tensor(count).astype(total.dtype))


class FunctionLoss(Loss):
    """A loss that is a function of `y_true` and `y_pred`, with settings."""

    function: Callable[..., Any]

    def __init__(self, settings: dict[str, Any], reduction: str | None, name: str | None, dtype: Any) -> None:
        super().__init__(name, reduction, dtype)
        self.settings = settings

    def call(self, y_true: Any, y_pred: Any) -> Any:
        return type(self).function(y_true, y_pred, **self.settings)
