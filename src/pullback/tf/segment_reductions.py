"""TensorFlow's reductions of segments: of the parts of a tensor that have the same number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.runtime.numpy.items import put_item
from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, number

# What is done to a segment, and an example's result.
_WHAT = {
    "sum": ("The sum", "[4.0, 3.0]"),
    "mean": ("The mean", "[2.0, 3.0]"),
    "sqrt_n": ("The sum divided by the root of the count", "[2.8284270763397217, 3.0]"),
    "prod": ("The product", "[3.0, 3.0]"),
    "max": ("The maximum", "[3.0, 3.0]"),
    "min": ("The minimum", "[1.0, 3.0]"),
}


def _sums(x: Tensor, numbers: np.ndarray, count: int) -> Any:
    """The sum of each segment; numbers below 0 belong to none."""
    kept = numbers >= 0
    return put_item(x if kept.all() else x[kept], numbers[kept], (count, *x.shape[1:]))


def _means(power: float) -> Callable[[Tensor, np.ndarray, int], Any]:
    def mean(x: Tensor, numbers: np.ndarray, count: int) -> Any:
        counts = np.maximum(np.bincount(numbers[numbers >= 0], minlength=count), 1).astype(x.dtype) ** power
        return _sums(x, numbers, count) / np.reshape(counts, (-1,) + (1,) * (x.ndim - 1)).astype(x.dtype)

    return mean


def _reduced(function: Any, start: Callable[[np.dtype[Any]], Any]) -> Callable[[Tensor, np.ndarray, int], Any]:
    """A reduction of rows that are made equally long by elements that do not count."""

    def reduce(x: Tensor, numbers: np.ndarray, count: int) -> Any:
        if not count:
            return x[:0]
        members = [np.flatnonzero(numbers == k) for k in np.arange(count)]
        longest = max(1, *map(len, members))
        places = np.stack([np.pad(m, (0, longest - len(m)), constant_values=x.shape[0]) for m in members])
        filled = np.concatenate([x, np.full((1, *x.shape[1:]), start(x.dtype), x.dtype)])
        return function(filled[places], axis=1)

    return reduce


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max


_HOW: dict[str, Callable[[Tensor, np.ndarray, int], Any]] = {
    "sum": _sums,
    "mean": _means(1.0),
    "sqrt_n": _means(0.5),
    "prod": _reduced(np.prod, lambda dtype: 1),
    "max": _reduced(np.max, _lowest),
    "min": _reduced(np.min, _highest),
}


def _sorted(what: str) -> Any:
    def function(data: Any, segment_ids: Any, name: str | None = None) -> Any:
        x, numbers = convert_to_tensor(data), bare(segment_ids)
        if numbers.ndim != 1 or numbers.shape[0] != x.shape[0]:
            raise ValueError(f"segment_ids of shape {numbers.shape} for data of shape {x.shape}")
        if (np.diff(numbers) < 0).any() or (numbers < 0).any():
            raise ValueError("segment ids are not sorted: see tf.math.unsorted_segment_" + what)
        count = int(numbers[-1]) + 1 if numbers.size else 0
        found = _HOW[what](x, numbers, count).astype(x.dtype)
        if what not in ("max", "min"):
            return found
        some = np.bincount(numbers, minlength=count) > 0
        return np.where(np.reshape(some, (-1,) + (1,) * (x.ndim - 1)), found, 0).astype(x.dtype)

    function.__name__ = function.__qualname__ = f"segment_{what}"
    function.__doc__ = f"""{_WHAT[what][0]} of each segment: of parts of `data` along its first axis with one number.

    segment_ids: the numbers, in rising order. ValueError where they are not.

    >>> import pullback.tf as tf
    >>> tf.math.segment_{what}([1.0, 3.0, 3.0], [0, 0, 1]).numpy().tolist()
    {_WHAT[what][1]}
    """
    return function


def _unsorted(what: str) -> Any:
    def function(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
        x, numbers = convert_to_tensor(data), bare(segment_ids)
        if x.shape[: numbers.ndim] != numbers.shape:
            raise ValueError(f"segment_ids of shape {numbers.shape} for data of shape {x.shape}")
        count = int(number(num_segments))
        if numbers.size and numbers.max() >= count:
            raise ValueError(f"a segment has the number {numbers.max()}, and there are {count}")
        rows = np.reshape(x, (-1, *x.shape[numbers.ndim :]))
        found = _HOW[what](rows, numbers.ravel(), count)
        return found.astype(x.dtype) if what == "prod" else found

    function.__name__ = function.__qualname__ = f"unsorted_segment_{what}"
    function.__doc__ = f"""{_WHAT[what][0]} of each segment: of the parts of `data` with one number.

    segment_ids: the numbers, in the shape of the first axes of `data`, in any order; what has a number below 0 is left
    out. num_segments: how many segments there are.

    >>> import pullback.tf as tf
    >>> tf.math.unsorted_segment_{what}([1.0, 3.0, 3.0], [0, 1, 0], 2).numpy().tolist()
    {_WHAT[what][1]}
    """
    return function


SEGMENTS: dict[str, Any] = {f"segment_{what}": _sorted(what) for what in ("max", "mean", "min", "prod", "sum")}
SEGMENTS |= {f"unsorted_segment_{what}": _unsorted(what) for what in _WHAT}
