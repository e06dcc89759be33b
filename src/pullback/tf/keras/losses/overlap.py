"""Losses of how far labels and predictions overlap, and the crossentropy in which what is right counts less."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf import nn
from pullback.tf.clipping import clip_by_value
from pullback.tf.keras.backend import epsilon
from pullback.tf.keras.losses.reduction import FunctionLoss
from pullback.tf.values import axes, convert_to_tensor


def _pair(y_true: Any, y_pred: Any) -> tuple[Tensor, Tensor]:
    said = convert_to_tensor(y_pred)
    return convert_to_tensor(y_true).astype(said.dtype), said


def dice(y_true: Any, y_pred: Any, axis: Any = None) -> Tensor:
    """1 - 2 Σ y_true y_pred / (Σ y_true + Σ y_pred), with sums along an `axis`, several, or all.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.dice([1.0, 0.0], [0.0, 1.0])
    <Tensor 1.0, float32>
    """
    wanted, said = _pair(y_true, y_pred)
    over = axes(axis)
    both = 2 * np.sum(wanted * said, axis=over)
    return 1 - both / (np.sum(wanted, axis=over) + np.sum(said, axis=over) + said.dtype.type(epsilon()))


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: Any = None) -> Tensor:
    """1 - s / (s + alpha a + beta b), with the sums s of y_true y_pred, a of what of `y_true` is not in `y_pred`.

    b: what of `y_pred` is not in `y_true`. axis: of the sums, several, or all. After Salehi et al. (2017).

    >>> import pullback.tf as tf
    >>> tf.keras.losses.tversky([1.0, 0.0], [0.0, 1.0])
    <Tensor 1.0, float32>
    """
    wanted, said = _pair(y_true, y_pred)
    over = axes(axis)
    both = np.sum(wanted * said, axis=over)
    missed, false = np.sum((1 - said) * wanted, axis=over), np.sum(said * (1 - wanted), axis=over)
    return 1 - both / (both + missed * alpha + false * beta + said.dtype.type(epsilon()))


def categorical_focal_crossentropy(
    y_true: Any,
    y_pred: Any,
    alpha: Any = 0.25,
    gamma: float = 2.0,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Tensor:
    """-Σ alpha (1 - y_pred)^gamma y_true log(y_pred) along an `axis`, of probabilities of classes. Lin et al. (2018).

    alpha: a number, or one for each class. from_logits: `y_pred` is what the softmax makes probabilities of.
    label_smoothing: `y_true` is moved so far towards equal ones.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.categorical_focal_crossentropy([[1.0, 0.0]], [[0.5, 0.5]], alpha=1.0, gamma=0.0)
    <Tensor [0.6931472], float32>
    """
    wanted, said = _pair(y_true, y_pred)
    if label_smoothing:
        wanted = wanted * (1 - label_smoothing) + label_smoothing / wanted.shape[-1]
    said = nn.softmax(said, axis) if from_logits else said
    share = clip_by_value(said / np.sum(said, axis=axis, keepdims=True), epsilon(), 1 - epsilon())
    shares = np.asarray(alpha, said.dtype)
    return np.sum((1 - share) ** gamma * shares * (-wanted * np.log(share)), axis=axis)


class Dice(FunctionLoss):
    """`tf.keras.losses.dice` along an `axis`, as an object; `reduction`, `dtype`: those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.Dice()([1.0, 0.0], [0.0, 1.0])
    <Tensor 1.0, float32>
    """

    function = staticmethod(dice)

    def __init__(
        self,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "dice",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__({"axis": axis}, reduction, name, dtype)


class Tversky(FunctionLoss):
    """`tf.keras.losses.tversky`, as an object with its `alpha`, `beta` and `axis`.

    `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.Tversky()([1.0, 0.0], [0.0, 1.0])
    <Tensor 1.0, float32>
    """

    function = staticmethod(tversky)

    def __init__(
        self,
        alpha: float = 0.5,
        beta: float = 0.5,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "tversky",
        axis: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__({"alpha": alpha, "beta": beta, "axis": axis}, reduction, name, dtype)


class CategoricalFocalCrossentropy(FunctionLoss):
    """`tf.keras.losses.categorical_focal_crossentropy`, as an object.

    `alpha`, `gamma`, `from_logits`, `label_smoothing` and `axis` are its own; `reduction` and `dtype` are those of
    `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.CategoricalFocalCrossentropy(alpha=1.0, gamma=0.0)([[1.0, 0.0]], [[0.5, 0.5]])
    <Tensor 0.6931472, float32>
    """

    function = staticmethod(categorical_focal_crossentropy)

    def __init__(
        self,
        alpha: Any = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"alpha": alpha, "gamma": gamma, "from_logits": from_logits, "axis": axis}
        super().__init__(settings | {"label_smoothing": label_smoothing}, reduction, name, dtype)
