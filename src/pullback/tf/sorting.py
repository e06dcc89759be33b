"""TensorFlow's functions that sort, search and count."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from pullback.runtime.numpy.items import put_item
from pullback.tape import Tensor
from pullback.tf.values import bare, convert_to_tensor, number


def _order(values: np.ndarray, axis: int, direction: str) -> np.ndarray:
    """The positions in sorted order, equal elements as they stand."""
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"direction is 'ASCENDING' or 'DESCENDING', not {direction!r}")
    if direction == "ASCENDING":
        return np.argsort(values, axis=axis, kind="stable")
    turned = np.flip(np.argsort(np.flip(values, axis), axis=axis, kind="stable"), axis)
    return values.shape[axis] - 1 - turned


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements of `values` in order along an `axis`. direction: 'ASCENDING' or 'DESCENDING'.

    >>> import pullback.tf as tf
    >>> tf.sort([3.0, 1.0, 2.0], direction="DESCENDING")
    <Tensor [3. 2. 1.], float32>
    """
    given = convert_to_tensor(values)
    return np.take_along_axis(given, _order(np.asarray(given._value), axis, direction), axis)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The positions of the elements of `values` in order along an `axis`, equal elements as they stand.

    direction: 'ASCENDING' or 'DESCENDING'. `stable` changes nothing.

    >>> import pullback.tf as tf
    >>> tf.argsort([3.0, 1.0, 2.0])
    <Tensor [1 2 0], int32>
    """
    return Tensor(_order(bare(values), axis, direction).astype(np.int32))


class TopKV2(NamedTuple):
    """What `top_k` returns.

    >>> import pullback.tf as tf
    >>> tf.math.top_k([1.0, 3.0], 1).indices
    <Tensor [1], int32>
    """

    values: Any
    indices: Any


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = np.int32, name: str | None = None) -> TopKV2:
    """(values, indices) of the `k` largest elements of `input` along its last axis, the largest first.

    Of equal elements the first one counts. `sorted` changes nothing. index_type: the dtype of the positions.

    >>> import pullback.tf as tf
    >>> tf.math.top_k([1.0, 3.0, 2.0], k=2).values
    <Tensor [3. 2.], float32>
    """
    given, count = convert_to_tensor(input), int(number(k))
    if not given.ndim or not 0 <= count <= given.shape[-1]:
        raise ValueError(f"there are no {count} elements along the last axis of a tensor of shape {given.shape}")
    places = _order(np.asarray(given._value), -1, "DESCENDING")[..., :count]
    return TopKV2(np.take_along_axis(given, places, -1), Tensor(places.astype(index_type)))


def approx_max_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> TopKV2:
    """(values, indices) of the `k` largest elements of `operand` along the axis `reduction_dimension`: all are found.

    `recall_target`, `reduction_input_size_override` and `aggregate_to_topk` have no effect.

    >>> import pullback.tf as tf
    >>> tf.math.approx_max_k([1.0, 3.0, 2.0], 2).values
    <View [3. 2.], float32>
    """
    values, indices = top_k(np.moveaxis(convert_to_tensor(operand), reduction_dimension, -1), k)
    return TopKV2(np.moveaxis(values, -1, reduction_dimension), np.moveaxis(indices, -1, reduction_dimension))


def approx_min_k(
    operand: Any,
    k: Any,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> TopKV2:
    """(values, indices) of the `k` smallest elements of `operand` along the axis `reduction_dimension`: all are found.

    `recall_target`, `reduction_input_size_override` and `aggregate_to_topk` have no effect.

    >>> import pullback.tf as tf
    >>> tf.math.approx_min_k([1.0, 3.0, 2.0], 2).values
    <Tensor [1. 2.], float32>
    """
    values, indices = approx_max_k(-convert_to_tensor(operand), k, reduction_dimension)
    return TopKV2(-values, indices)


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether predictions[i, targets[i]] is among the `k` largest of each row of `predictions`, all of them finite.

    >>> import pullback.tf as tf
    >>> tf.math.in_top_k([0, 1], [[0.1, 0.9], [0.2, 0.8]], 1)
    <Tensor [False  True], bool>
    """
    rows, wanted = bare(predictions), bare(targets)
    there = (wanted >= 0) & (wanted < rows.shape[1])
    chosen = np.take_along_axis(rows, np.where(there, wanted, 0)[:, None], 1)
    return Tensor(((rows > chosen).sum(axis=1) < number(k)) & np.isfinite(rows).all(axis=1) & there)


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = np.int32, name: str | None = None
) -> Tensor:
    """Where `values` would stand in `sorted_sequence`, row by row: before equal ones, or behind for the `side` 'right'.

    out_type: the dtype of the positions.

    >>> import pullback.tf as tf
    >>> tf.searchsorted([1.0, 3.0], [2.0, 3.0])
    <Tensor [1 1], int32>
    """
    rows, sought = bare(sorted_sequence), bare(values)
    if rows.shape[:-1] != sought.shape[:-1]:
        raise ValueError(f"rows of shape {rows.shape} and values of shape {sought.shape} have different first axes")
    count = math.prod(rows.shape[:-1])
    pairs = zip(rows.reshape(count, rows.shape[-1]), sought.reshape(count, sought.shape[-1]), strict=True)
    found = [np.where(one == one, np.searchsorted(row, one, side), len(row) * (side == "right")) for row, one in pairs]
    return Tensor(np.reshape(np.array(found, out_type), sought.shape))


def unique(x: Any, out_idx: Any = np.int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The elements of the vector `x`, each once in the order of the first ones, and for each element its number there.

    out_idx: the dtype of the numbers.

    >>> import pullback.tf as tf
    >>> tf.unique([5, 3, 5])
    (<Tensor [5 3], int32>, <Tensor [0 1 0], int32>)
    """
    return unique_with_counts(x, out_idx)[:2]


def unique_with_counts(x: Any, out_idx: Any = np.int32, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """What `tf.unique` returns, and how often each element stands in the vector `x`. out_idx: the dtype of integers.

    >>> import pullback.tf as tf
    >>> tf.unique_with_counts([5, 3, 5])[2]
    <Tensor [2 1], int32>
    """
    given = convert_to_tensor(x)
    if given.ndim != 1:
        raise ValueError(f"a vector is wanted, not a tensor of shape {given.shape}")
    _, first, inverse, counts = np.unique(
        given._value, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = np.argsort(first)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return given[first[order]], Tensor(numbers[inverse].astype(out_idx)), Tensor(counts[order].astype(out_idx))


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = np.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Tensor:
    """How often each number stands in `arr`, as a `dtype`, or the sum of its `weights`, which get a gradient.

    minlength, maxlength: bounds of how many numbers are counted. axis: 0 or None for all together, -1 for each row.
    binary_output: 1 for a number that is there.

    >>> import pullback.tf as tf
    >>> tf.math.bincount([1, 1, 3])
    <Tensor [0 2 0 1], int32>
    """
    numbers, shares = bare(arr), None if weights is None else convert_to_tensor(weights)
    length = max(int(numbers.max(initial=-1)) + 1, number(minlength) or 0)
    length = length if maxlength is None else min(length, number(maxlength))
    rows = numbers.reshape(-1, numbers.shape[-1]) if axis == -1 and numbers.ndim > 1 else [numbers]
    beside = [None] * len(rows) if shares is None else np.reshape(shares, np.shape(rows))
    counted = [_counted(row, share, length, binary_output) for row, share in zip(rows, beside, strict=True)]
    rows_of_counts = np.stack(counted) if counted else np.zeros((0, length))
    found = rows_of_counts if axis == -1 and numbers.ndim > 1 else counted[0]
    return convert_to_tensor(found.astype(dtype if shares is None else shares.dtype))


def _counted(row: np.ndarray, share: Any, length: int, binary: bool) -> Any:
    """The counts of one row; with a share for each element, their sums, which have gradients."""
    kept = row < length
    counts = np.bincount(row[kept], None if share is None else share[kept], length)
    return (counts > 0).astype(int) if binary else counts


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """How many of `values` fall in each of `nbins` equal parts of `value_range`, as a `dtype`, or outside beside it.

    >>> import pullback.tf as tf
    >>> tf.histogram_fixed_width([0.0, 1.0, 5.0], [0.0, 4.0], nbins=2)
    <Tensor [2 1], int32>
    """
    places = bare(histogram_fixed_width_bins(values, value_range, nbins))
    return Tensor(np.bincount(places.ravel(), minlength=number(nbins)).astype(dtype))


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = np.int32, name: str | None = None
) -> Tensor:
    """For each of `values`, in which of `nbins` equal parts of `value_range` it falls, as a `dtype`.

    >>> import pullback.tf as tf
    >>> tf.histogram_fixed_width_bins([0.0, 1.0, 5.0], [0.0, 4.0], nbins=2)
    <Tensor [0 0 1], int32>
    """
    (low, high), count = bare(value_range).tolist(), number(nbins)
    places = np.floor((bare(values) - low) / (high - low) * count)
    return Tensor(np.clip(places, 0, count - 1).astype(dtype))


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = np.int32,
    name: str | None = None,
) -> Tensor:
    """A matrix with a row for each of the `labels` and a column for each of the `predictions`: how often they meet.

    num_classes: how many rows and columns. weights: what each pair counts, which gets a gradient. dtype: that of the
    counts, and of the weights, which it may cut off.

    >>> import pullback.tf as tf
    >>> tf.math.confusion_matrix([0, 1], [1, 1])
    <Tensor [[0 1]
     [0 1]], int32>
    """
    rows, columns = bare(labels).ravel(), bare(predictions).ravel()
    if rows.shape != columns.shape or min(rows.min(initial=0), columns.min(initial=0)) < 0:
        raise ValueError(f"{rows.size} labels and {columns.size} predictions, or negative ones")
    count = number(num_classes) or int(max(rows.max(initial=-1), columns.max(initial=-1))) + 1
    shares = convert_to_tensor(np.ones(rows.size) if weights is None else weights).astype(dtype)
    return put_item(np.ravel(shares), (rows, columns), (count, count))


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """y with y[x[i]] = i for the permutation `x`.

    >>> import pullback.tf as tf
    >>> tf.math.invert_permutation([2, 0, 1])
    <Tensor [1 2 0], int32>
    """
    places = bare(x)
    if (np.sort(places) != np.arange(places.size)).any():
        raise ValueError("a permutation has each number below its length once")
    return Tensor(np.argsort(places).astype(places.dtype))
