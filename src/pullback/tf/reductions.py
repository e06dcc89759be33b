"""TensorFlow's reductions, scans and searches over axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, stop_gradient
from pullback.tf.operation import operation
from pullback.tf.values import axes, bare, convert_to_tensor, number, operands

_ROWS = "[[1.0, 2.0], [3.0, 4.0]]"


def _reduction(name: str, type_: str, function: Any, argument: str, result: str) -> Any:
    def reduce(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
        given, along = convert_to_tensor(input_tensor), axes(axis)
        if not given.ndim and along not in (None, ()):
            raise ValueError(f"there is no axis {along} among none")
        return function(given, axis=along, keepdims=keepdims)

    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"""The reduction {type_} of `input_tensor` over one `axis` or several, by default over all.

    keepdims: the axes stay, with length one. Integers stay integers.

    >>> import pullback.tf as tf
    >>> tf.{name}({argument}, axis=0).numpy().tolist()
    {result}
    """
    return operation(type_)(reduce)


def _kept(function: Any) -> Any:
    """The reduction in the dtype of what is reduced. ValueError for booleans, of which TensorFlow reduces none so."""

    def reduce(x: Tensor, axis: Any, keepdims: bool) -> Any:
        if x.dtype == bool:
            raise ValueError("booleans are not numbers: cast the tensor, as in tf.cast(x, tf.float32)")
        found = function(x, axis=axis, keepdims=keepdims)
        return found if found.dtype == x.dtype else Tensor(np.trunc(found._value).astype(x.dtype))

    return reduce


def _mean(x: Tensor, axis: Any, keepdims: bool) -> Any:
    empty = x.dtype.kind in "iu" and not x.size  # 0, which floats have no number for
    return (np.sum if empty else np.mean)(x, axis=axis, keepdims=keepdims)


def _norm(x: Tensor, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _extreme(function: Any, bound: Any) -> Any:
    """The largest or smallest element: of none the bound of the dtype, and of some with NaN NaN, in gradients too."""

    def reduce(x: Tensor, axis: Any, keepdims: bool) -> Any:
        if not x.size:
            return Tensor(function(x._value, axis=axis, keepdims=keepdims, initial=bound(x.dtype)))
        found = function(x, axis=axis, keepdims=keepdims)
        unknown = found._value != found._value
        if not np.any(unknown):
            return found
        rest = function(np.where(x == x, x, bound(x.dtype)), axis=axis, keepdims=keepdims)
        return np.where(unknown, np.nan * np.sum(x, axis=axis, keepdims=keepdims), rest)

    return reduce


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return np.inf if dtype.kind == "f" else np.iinfo(dtype).max


def _variance(x: Tensor, axis: Any, keepdims: bool) -> Any:
    if x.dtype.kind != "f":
        raise TypeError(f"numbers of floating point are wanted, not {x.dtype}")
    return np.var(x, axis=axis, keepdims=keepdims)


def _deviation(x: Tensor, axis: Any, keepdims: bool) -> Any:
    return np.sqrt(_variance(x, axis, keepdims))


_largest, _smallest = _extreme(np.max, _lowest), _extreme(np.min, _highest)


def _logsumexp(x: Tensor, axis: Any, keepdims: bool) -> Any:
    largest = stop_gradient(_largest(x, axis, True))
    shift = np.where(np.isfinite(largest), largest, 0)
    total = np.log(np.sum(np.exp(x - shift), axis=axis, keepdims=True)) + shift
    return total if keepdims else np.sum(total, axis=axis)


REDUCTIONS: dict[str, Any] = {
    "reduce_all": _reduction("reduce_all", "All", np.all, "[[True, False], [True, True]]", "[True, False]"),
    "reduce_any": _reduction("reduce_any", "Any", np.any, "[[True, False], [True, False]]", "[True, False]"),
    "reduce_euclidean_norm": _reduction(
        "reduce_euclidean_norm", "EuclideanNorm", _kept(_norm), "[[3.0], [4.0]]", "[5.0]"
    ),
    "reduce_logsumexp": _reduction("reduce_logsumexp", "LogSumExp", _logsumexp, "[[0.0]]", "[0.0]"),
    "reduce_max": _reduction("reduce_max", "Max", _largest, _ROWS, "[3.0, 4.0]"),
    "reduce_mean": _reduction("reduce_mean", "Mean", _kept(_mean), _ROWS, "[2.0, 3.0]"),
    "reduce_min": _reduction("reduce_min", "Min", _smallest, _ROWS, "[1.0, 2.0]"),
    "reduce_prod": _reduction("reduce_prod", "Prod", _kept(np.prod), _ROWS, "[3.0, 8.0]"),
    "reduce_std": _reduction("reduce_std", "Std", _deviation, _ROWS, "[1.0, 1.0]"),
    "reduce_sum": _reduction("reduce_sum", "Sum", _kept(np.sum), _ROWS, "[4.0, 6.0]"),
    "reduce_variance": _reduction("reduce_variance", "Variance", _variance, _ROWS, "[1.0, 1.0]"),
}


def argmax(input: Any, axis: Any = None, output_type: Any = np.int64, name: str | None = None) -> Tensor:
    """The position of the largest element of `input` along an `axis` (0 by default): of several, the first.

    output_type: the dtype of the positions.

    >>> import pullback.tf as tf
    >>> tf.argmax([1.0, 3.0, 2.0])
    <Tensor 1, int64>
    """
    return _position(np.argmax, -np.inf, input, axis, output_type)


def argmin(input: Any, axis: Any = None, output_type: Any = np.int64, name: str | None = None) -> Tensor:
    """The position of the smallest element of `input` along an `axis` (0 by default): of several, the first.

    output_type: the dtype of the positions.

    >>> import pullback.tf as tf
    >>> tf.argmin([1.0, 3.0, 2.0])
    <Tensor 0, int64>
    """
    return _position(np.argmin, np.inf, input, axis, output_type)


def _position(function: Any, last: float, x: Any, axis: Any, dtype: Any) -> Tensor:
    """Where the largest or smallest element is; NaN is none of them."""
    elements, along = bare(x), 0 if axis is None else number(axis)
    if not elements.ndim:
        raise ValueError(f"there is no axis {along} among none")
    elements = np.where(elements == elements, elements, last) if elements.dtype.kind == "f" else elements
    return Tensor(np.asarray(function(elements, axis=along)).astype(dtype)[()])


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
    scanned = function(given, axis=0, dtype=given.dtype)
    made: Tensor = np.moveaxis(scanned[::-1] if reverse else scanned, 0, axis)
    return made


def cumulative_logsumexp(
    x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """log of sums of exp(x) along an `axis` up to each element, without it if `exclusive`, from the end if `reverse`.

    >>> import pullback.tf as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0])
    <View [0.        0.6931472], float32>
    """
    given = np.moveaxis(convert_to_tensor(x), axis, -1)
    if not given.size:
        return convert_to_tensor(x)
    kept = np.tri(given.shape[-1], k=-1 if exclusive else 0, dtype=bool)
    kept = kept.T if reverse else kept
    some: Any = kept.any(axis=1)
    least = given.dtype.type(-np.inf)
    terms = np.where(kept, given[..., None, :], least)
    terms = np.where(some[:, None], terms, given.dtype.type(0))  # a row without terms is no sum of them
    return np.moveaxis(np.where(some, _logsumexp(terms, -1, False), least), -1, axis)


def count_nonzero(
    input: Any, axis: Any = None, keepdims: bool | None = None, dtype: Any = np.int64, name: str | None = None
) -> Tensor:
    """How many elements of `input` along an `axis` are not 0, as a `dtype`. keepdims: the axes stay.

    >>> import pullback.tf as tf
    >>> tf.math.count_nonzero([0.0, 2.0, 3.0])
    <Tensor 2, int64>
    """
    found = np.count_nonzero(convert_to_tensor(input)._value, axis=axes(axis), keepdims=bool(keepdims))
    return Tensor(np.asarray(found).astype(dtype)[()])


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element of `x` is smaller than the one before it.

    >>> import pullback.tf as tf
    >>> tf.math.is_non_decreasing([1, 1, 2])
    <Tensor True, bool>
    """
    return Tensor(np.bool_((np.diff(bare(x).ravel()) >= 0).all()))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element of `x` is larger than the one before it.

    >>> import pullback.tf as tf
    >>> tf.math.is_strictly_increasing([1, 1, 2])
    <Tensor False, bool>
    """
    return Tensor(np.bool_((np.diff(bare(x).ravel()) > 0).all()))


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with the coefficients in the list `coeffs`, that of the highest power first, at `x`.

    >>> import pullback.tf as tf
    >>> tf.math.polyval([1.0, 0.0, 2.0], 3.0)
    <Tensor 11.0, float32>
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"the coefficients stand in a list, not in a {type(coeffs).__name__}")
    (at, *given) = operands(x, *coeffs)
    found = at * 0
    for one in given:
        found = found * at + one
    return found


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros among the elements of `value`.

    >>> import pullback.tf as tf
    >>> tf.math.zero_fraction([0.0, 1.0])
    <Tensor 0.5, float32>
    """
    return Tensor(np.float32(np.mean(bare(value) == 0)))
