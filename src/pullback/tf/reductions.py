"""TensorFlow's reductions, scans and searches over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, stop_gradient
from pullback.tf.operation import operation
from pullback.tf.values import axes, convert_to_tensor

_ROWS = "[[1.0, 2.0], [3.0, 4.0]]"


def _reduction(name: str, type_: str, function: Any, argument: str, result: str) -> Any:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
        return function(convert_to_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""The reduction {type_} of `input_tensor` over one `axis` or several, by default over all.

    keepdims: the axes stay, with length one.

    >>> import pullback.tf as tf
    >>> tf.{name}({argument}, axis=0).numpy().tolist()
    {result}
    """
    return operation(type_)(reduce)


def _logsumexp(x: Tensor, axis: Any, keepdims: bool) -> Any:
    largest = stop_gradient(np.max(x, axis=axis, keepdims=True))
    shift = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.sum(total, axis=axis)


REDUCTIONS: dict[str, Any] = {
    "reduce_all": _reduction("reduce_all", "All", np.all, "[[True, False], [True, True]]", "[True, False]"),
    "reduce_any": _reduction("reduce_any", "Any", np.any, "[[True, False], [True, False]]", "[True, False]"),
    "reduce_logsumexp": _reduction("reduce_logsumexp", "LogSumExp", _logsumexp, "[[0.0]]", "[0.0]"),
    "reduce_max": _reduction("reduce_max", "Max", np.max, _ROWS, "[3.0, 4.0]"),
    "reduce_mean": _reduction("reduce_mean", "Mean", np.mean, _ROWS, "[2.0, 3.0]"),
    "reduce_min": _reduction("reduce_min", "Min", np.min, _ROWS, "[1.0, 2.0]"),
    "reduce_prod": _reduction("reduce_prod", "Prod", np.prod, _ROWS, "[3.0, 8.0]"),
    "reduce_std": _reduction("reduce_std", "Std", np.std, _ROWS, "[1.0, 1.0]"),
    "reduce_sum": _reduction("reduce_sum", "Sum", np.sum, _ROWS, "[4.0, 6.0]"),
    "reduce_variance": _reduction("reduce_variance", "Variance", np.var, _ROWS, "[1.0, 1.0]"),
}


def argmax(input: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The position of the largest element of `input` along an `axis`: of several, the first.

    >>> import pullback.tf as tf
    >>> tf.argmax([1.0, 3.0, 2.0])
    <Tensor 1, int64>
    """
    return np.argmax(convert_to_tensor(input), axis=axis)


def argmin(input: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The position of the smallest element of `input` along an `axis`: of several, the first.

    >>> import pullback.tf as tf
    >>> tf.argmin([1.0, 3.0, 2.0])
    <Tensor 0, int64>
    """
    return np.argmin(convert_to_tensor(input), axis=axis)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The sums of `x` along an `axis` up to each element: without it if `exclusive`, from the end if `reverse`.

    >>> import pullback.tf as tf
    >>> tf.cumsum([1.0, 2.0, 3.0]), tf.cumsum([1.0, 2.0, 3.0], exclusive=True)
    (<View [1. 3. 6.], float32>, <View [0. 1. 3.], float32>)
    """
    return _scan(np.cumsum, 0, x, axis, exclusive, reverse)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The products of `x` along an `axis` up to each element: without it if `exclusive`, from the end if `reverse`.

    >>> import pullback.tf as tf
    >>> tf.math.cumprod([1.0, 2.0, 3.0]), tf.math.cumprod([1.0, 2.0, 3.0], reverse=True)
    (<View [1. 2. 6.], float32>, <View [6. 6. 3.], float32>)
    """
    return _scan(np.cumprod, 1, x, axis, exclusive, reverse)


def _scan(function: Any, start: int, x: Any, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    given = np.moveaxis(convert_to_tensor(x), axis, 0)
    if reverse:
        given = given[::-1]
    if exclusive:
        first = np.full((min(1, given.shape[0]), *given.shape[1:]), start, given.dtype)
        given = np.concatenate([first, given[:-1]])
    scanned = function(given, axis=0)
    made: Tensor = np.moveaxis(scanned[::-1] if reverse else scanned, 0, axis)
    return made


def unique(x: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The elements of the vector `x`, each once in the order of the first ones, and for each element its number there.

    >>> import pullback.tf as tf
    >>> tf.unique([5, 3, 5])
    (<Tensor [5 3], int32>, <Tensor [0 1 0], int64>)
    """
    given = convert_to_tensor(x)
    _, first, inverse = np.unique(given._value, return_index=True, return_inverse=True)
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return given[first[order]], Tensor(numbers[inverse])
