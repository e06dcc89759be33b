"""Losses as objects."""

from __future__ import annotations

from typing import Any

from pullback.tf.keras.losses import functions
from pullback.tf.keras.losses.reduction import FunctionLoss

_SIMPLE = {
    "CategoricalHinge": "categorical_hinge",
    "Hinge": "hinge",
    "KLDivergence": "kl_divergence",
    "LogCosh": "log_cosh",
    "MeanAbsoluteError": "mean_absolute_error",
    "MeanAbsolutePercentageError": "mean_absolute_percentage_error",
    "MeanSquaredError": "mean_squared_error",
    "MeanSquaredLogarithmicError": "mean_squared_logarithmic_error",
    "Poisson": "poisson",
    "SquaredHinge": "squared_hinge",
}


def _class(name: str, function: str) -> Any:
    def __init__(
        self: Any, reduction: str | None = "sum_over_batch_size", name: str | None = None, dtype: Any = None
    ) -> None:
        FunctionLoss.__init__(self, {}, reduction, name or function, dtype)

    doc = f"""`tf.keras.losses.{function}`, as an object: `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.{name}()([[1.0, 0.5]], [[0.5, 0.5]]).shape
    ()
    """
    members = {"__init__": __init__, "__doc__": doc, "__module__": __name__}
    return type(name, (FunctionLoss,), members | {"function": staticmethod(getattr(functions, function))})


_CLASSES = {name: _class(name, function) for name, function in _SIMPLE.items()}
CategoricalHinge, Hinge, KLDivergence = (_CLASSES[name] for name in ("CategoricalHinge", "Hinge", "KLDivergence"))
LogCosh, MeanAbsoluteError, MeanSquaredError = (
    _CLASSES[name] for name in ("LogCosh", "MeanAbsoluteError", "MeanSquaredError")
)
MeanAbsolutePercentageError = _CLASSES["MeanAbsolutePercentageError"]
MeanSquaredLogarithmicError = _CLASSES["MeanSquaredLogarithmicError"]
Poisson, SquaredHinge = _CLASSES["Poisson"], _CLASSES["SquaredHinge"]


class BinaryCrossentropy(FunctionLoss):
    """`tf.keras.losses.binary_crossentropy`, as an object, with its `from_logits`, `label_smoothing` and `axis`.

    `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.BinaryCrossentropy(from_logits=True)([1.0, 0.0], [0.0, 0.0])
    <Tensor 0.6931472, float32>
    """

    function = staticmethod(functions.binary_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(settings, reduction, name, dtype)


class BinaryFocalCrossentropy(FunctionLoss):
    """`tf.keras.losses.binary_focal_crossentropy`, as an object.

    `apply_class_balancing`, `alpha`, `gamma`, `from_logits`, `label_smoothing` and `axis` are its own; `reduction` and
    `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.BinaryFocalCrossentropy(gamma=0.0)([[1.0]], [[0.5]])
    <Tensor 0.6931472, float32>
    """

    function = staticmethod(functions.binary_focal_crossentropy)

    def __init__(
        self,
        apply_class_balancing: bool = False,
        alpha: float = 0.25,
        gamma: float = 2.0,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_focal_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"apply_class_balancing": apply_class_balancing, "alpha": alpha, "gamma": gamma, "axis": axis}
        settings |= {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(settings, reduction, name, dtype)


class CategoricalCrossentropy(FunctionLoss):
    """`tf.keras.losses.categorical_crossentropy`, as an object, with its `from_logits`, `label_smoothing` and `axis`.

    `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.CategoricalCrossentropy(from_logits=True)([[1.0, 0.0]], [[0.0, 0.0]])
    <Tensor 0.6931472, float32>
    """

    function = staticmethod(functions.categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(settings, reduction, name, dtype)


class SparseCategoricalCrossentropy(FunctionLoss):
    """`tf.keras.losses.sparse_categorical_crossentropy`, as an object.

    `from_logits`, `ignore_class` and `axis` are its own; `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)([1], [[0.0, 0.0]])
    <Tensor 0.6931472, float32>
    """

    function = staticmethod(functions.sparse_categorical_crossentropy)

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: str | None = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        super().__init__(
            {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}, reduction, name, dtype
        )


class Huber(FunctionLoss):
    """`tf.keras.losses.huber`, as an object with its `delta`; `reduction`, `dtype`: those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.Huber()([[0.0, 0.0]], [[1.0, 3.0]])
    <Tensor 1.5, float32>
    """

    function = staticmethod(functions.huber)

    def __init__(
        self,
        delta: float = 1.0,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__({"delta": delta}, reduction, name, dtype)


class CosineSimilarity(FunctionLoss):
    """`tf.keras.losses.cosine_similarity` along an `axis`, as an object.

    `reduction` and `dtype` are those of `tf.keras.losses.Loss`.

    >>> import pullback.tf as tf
    >>> tf.keras.losses.CosineSimilarity()([[0.0, 2.0]], [[0.0, 1.0]])
    <Tensor -1.0, float32>
    """

    function = staticmethod(functions.cosine_similarity)

    def __init__(
        self,
        axis: int = -1,
        reduction: str | None = "sum_over_batch_size",
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__({"axis": axis}, reduction, name, dtype)
