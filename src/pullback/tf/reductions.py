"""TensorFlow's reductions, scans and searches over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, stop_gradient
from pullback.tf.operation import operation
from pullback.tf.values import axes, convert_to_tensor


def _reduction(name: str, type_: str, function: Any) -> Any:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
        return function(convert_to_tensor(input_tensor), axis=axes(axis), keepdims=keepdims)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"The reduction {type_} over some axes, or over all."
    return operation(type_)(reduce)


def _logsumexp(x: Tensor, axis: Any, keepdims: bool) -> Any:
    largest = stop_gradient(np.max(x, axis=axis, keepdims=True))
    shift = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.sum(total, axis=axis)


REDUCTIONS: dict[str, Any] = {
    "reduce_all": _reduction("reduce_all", "All", np.all),
    "reduce_any": _reduction("reduce_any", "Any", np.any),
    "reduce_logsumexp": _reduction("reduce_logsumexp", "LogSumExp", _logsumexp),
    "reduce_max": _reduction("reduce_max", "Max", np.max),
    "reduce_mean": _reduction("reduce_mean", "Mean", np.mean),
    "reduce_min": _reduction("reduce_min", "Min", np.min),
    "reduce_prod": _reduction("reduce_prod", "Prod", np.prod),
    "reduce_std": _reduction("reduce_std", "Std", np.std),
    "reduce_sum": _reduction("reduce_sum", "Sum", np.sum),
    "reduce_variance": _reduction("reduce_variance", "Variance", np.var),
}


def argmax(input: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The position of the largest element along an axis."""
    return np.argmax(convert_to_tensor(input), axis=axis)


def argmin(input: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """The position of the smallest element along an axis."""
    return np.argmin(convert_to_tensor(input), axis=axis)


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The sums up to each element: without it if `exclusive`, from the end if `reverse`."""
    return _scan(np.cumsum, 0, x, axis, exclusive, reverse)


def cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The products up to each element: without it if `exclusive`, from the end if `reverse`."""
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
    """The elements of a vector, each once in the order of the first ones, and for each element its number there."""
    given = convert_to_tensor(x)
    _, first, inverse = np.unique(given._value, return_index=True, return_inverse=True)
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return given[first[order]], Tensor(numbers[inverse])
