"""`Metric`: what is counted over several batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tape.recorders import only
from pullback.tf import initializers
from pullback.tf.keras.backend import next_name, words_of
from pullback.tf.keras.losses.functions import of_one_rank
from pullback.tf.keras.masks import mask_of
from pullback.tf.values import bare
from pullback.tf.variables import Variable


class Metric:
    """What metrics have in common: a subclass says what `update_state` adds, and what `result` is.

    name: any text. dtype: that of the results, float32 by default.

    >>> import pullback.tf as tf
    >>> class Largest(tf.keras.metrics.Metric):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.most = self.add_weight(name="most", initializer="zeros")
    ...     def update_state(self, values):
    ...         self.most.assign(tf.maximum(self.most, tf.reduce_max(values)))
    ...     def result(self):
    ...         return self.most.value()
    >>> metric = Largest()
    >>> metric.update_state([1.0, 3.0])
    >>> metric.result()
    <Tensor 3.0, float32>
    """

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        self.dtype = np.dtype(np.float32 if dtype is None else dtype)
        self.name = name or next_name(words_of(type(self).__name__))
        self._kept: list[tuple[Variable, np.ndarray]] = []

    def add_weight(
        self, shape: Any = (), initializer: Any = "zeros", dtype: Any = None, name: str | None = None, **_: Any
    ) -> Variable:
        """A variable that `reset_state` sets back, for the class to count in; a text as `shape` is the name."""
        if isinstance(shape, str):
            name, shape = shape, ()
        start = initializers.get(initializer)(tuple(shape), dtype=self.dtype if dtype is None else dtype)
        made = Variable(start, trainable=False, name=name or "variable")
        self._kept.append((made, made.numpy()))
        return made

    add_variable = add_weight

    def update_state(self, *arguments: Any, **keywords: Any) -> Any:
        """Add what a batch says."""
        raise NotImplementedError

    def result(self) -> Any:
        """What was counted since the start."""
        raise NotImplementedError

    def reset_state(self) -> None:
        """Start anew."""
        for variable, start in self._kept:
            variable.assign(start)

    def reset_states(self) -> None:
        """`reset_state` by its older name."""
        self.reset_state()

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """`update_state`, then `result`."""
        self.update_state(*arguments, **keywords)
        return self.result()

    @property
    def variables(self) -> list[Variable]:
        """What it counts in."""
        return [variable for variable, _ in self._kept]


class Sum(Metric):
    """The sum of all values. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.Sum()([1.0, 2.0])
    <Tensor 3.0, float32>
    """

    def __init__(self, name: str = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_weight(name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, each as often as its weight says."""
        self.total.assign_add(_weighted(values, sample_weight, np.sum)[0].sum().astype(self.dtype))

    def result(self) -> Tensor:
        """The sum."""
        return Tensor(self.total._value)


class Mean(Metric):
    """The mean of all values. name, dtype: those of `tf.keras.metrics.Metric`.

    >>> import pullback.tf as tf
    >>> metric = tf.keras.metrics.Mean()
    >>> metric.update_state([1.0, 2.0])
    >>> metric.update_state(6.0)
    >>> metric.result()
    <Tensor 3.0, float32>
    """

    def __init__(self, name: str = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total, self.count = self.add_weight(name="total"), self.add_weight(name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Add values, each as often as its weight says."""
        weighted, weights = _weighted(values, sample_weight, np.mean)
        self.total.assign_add(weighted.sum().astype(self.dtype))
        self.count.assign_add(weights.sum().astype(self.dtype))

    def result(self) -> Tensor:
        """The mean; 0 where there are no values."""
        count = self.count._value
        return Tensor(self.total._value / count if count else self.dtype.type(0))


def _weighted(values: Any, weights: Any, reduce: Any) -> tuple[np.ndarray, np.ndarray]:
    """What each row says, times its weight, and the weights of rows: the elements of a row are reduced to one."""
    given, mask = bare(values).astype(float), mask_of(values)
    if weights is None:
        rows = reduce(given, axis=tuple(range(1, given.ndim)))
        return rows, np.ones(np.shape(rows))
    shares = bare(weights).astype(float)
    if mask is not None:
        shares, shown = of_one_rank(shares, mask.astype(float))
        shares = shares * shown
    given, shares = of_one_rank(given, shares)
    given = reduce(given, axis=tuple(range(shares.ndim, given.ndim))) * shares
    rest = tuple(range(1, shares.ndim))
    return reduce(given, axis=tuple(range(1, given.ndim))), reduce(shares, axis=rest)


class MeanMetricWrapper(Mean):
    """The mean of a function of labels and predictions. fn: the function. name, dtype: those of `Metric`.

    keywords: more of the function's.

    >>> import pullback.tf as tf
    >>> tf.keras.metrics.MeanMetricWrapper(tf.keras.losses.mean_squared_error)([1.0], [3.0])
    <Tensor 4.0, float32>
    """

    def __init__(self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **keywords: Any) -> None:
        super().__init__(name or getattr(fn, "__name__", "mean"), dtype)
        self.fn, self.keywords = fn, keywords

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add what the function says of labels and predictions."""
        with only(()):
            values = self.fn(y_true, y_pred, **self.keywords)
        mask = mask_of(y_pred)
        if mask is not None:
            shown, weights = of_one_rank(
                mask.astype(float), np.ones(()) if sample_weight is None else bare(sample_weight)
            )
            sample_weight = shown * weights
        super().update_state(values, sample_weight)
