"""TensorFlow's moments, normalisations and look-ups."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, stop_gradient
from pullback.tf.clipping import clip_by_norm
from pullback.tf.elementwise import ELEMENTWISE
from pullback.tf.nn.convolution import channels_last
from pullback.tf.selection import gather
from pullback.tf.values import axes as along
from pullback.tf.values import convert_to_tensor, floats, operands

_divided = ELEMENTWISE["divide_no_nan"]


def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) of `x` over `axes`. keepdims: the axes stay, with length one. `shift` has no effect.

    The mean in the variance counts as a constant, which changes second derivatives. float16 is summed as float32.

    >>> import pullback.tf as tf
    >>> tf.nn.moments([1.0, 3.0], axes=[0])
    (<Tensor 2.0, float32>, <Tensor 1.0, float32>)
    """
    given, over = convert_to_tensor(x), along(axes)
    wide = given.astype(np.float32) if given.dtype == np.float16 else given
    mean = np.mean(wide, axis=over, keepdims=True)
    variance = np.mean((wide - stop_gradient(mean)) ** 2, axis=over, keepdims=keepdims)
    return (mean if keepdims else np.squeeze(mean, over)).astype(given.dtype), variance.astype(given.dtype)


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """(count, sum, sum of squares, shift) of `x` - `shift` over `axes`. keepdims: the axes stay, with length one.

    >>> import pullback.tf as tf
    >>> tf.nn.sufficient_statistics([1.0, 3.0], [0])
    (<Tensor 2.0, float32>, <Tensor 4.0, float32>, <Tensor 10.0, float32>, None)
    """
    (given,), over = floats(x), along(axes)
    moved = None if shift is None else operands(given, shift)[1]
    y = given if moved is None else given - moved
    totals = (np.sum(one, axis=over, keepdims=keepdims) for one in (y, y * y))
    count = np.prod([given.shape[k] for k in np.atleast_1d(over)])
    return Tensor(given.dtype.type(count)), *totals, moved


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) of the `counts`, sums `mean_ss`, sums of squares `variance_ss` and `shift` of elements.

    They are the results of `tf.nn.sufficient_statistics`.

    >>> import pullback.tf as tf
    >>> tf.nn.normalize_moments(2.0, 4.0, 10.0, None)
    (<Tensor 2.0, float32>, <Tensor 1.0, float32>)
    """
    count, total, squares = floats(counts, mean_ss, variance_ss)
    mean = total / count
    return mean if shift is None else mean + operands(mean, shift)[1], squares / count - mean * mean


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """(mean, variance) of `x` over `axes`, in which each element counts `frequency_weights` times.

    keepdims: the axes stay, with length one. Both are 0 where nothing counts.

    >>> import pullback.tf as tf
    >>> tf.nn.weighted_moments([1.0, 4.0], [0], [2.0, 1.0])
    (<Tensor 2.0, float32>, <Tensor 2.0, float32>)
    """
    given, weights = operands(x, frequency_weights)
    weights, over = np.broadcast_to(weights, given.shape), along(axes)
    total = np.sum(weights, axis=over, keepdims=True)
    mean = _divided(np.sum(given * weights, axis=over, keepdims=True), total)
    variance = _divided(np.sum((given - mean) ** 2 * weights, axis=over, keepdims=True), total)
    if keepdims:
        return mean, variance
    return np.sum(mean, axis=over), np.sum(variance, axis=over)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """(x - mean) scale / √(variance + variance_epsilon) + offset; `offset` and `scale` may be None.

    >>> import pullback.tf as tf
    >>> tf.nn.batch_normalization([3.0], 1.0, 4.0, 0.5, 1.0, 0.0)
    <Tensor [1.5], float32>
    """
    given, centre, spread = operands(x, mean, variance)
    factor = 1 / np.sqrt(spread + variance_epsilon)
    if scale is not None:
        factor = factor * convert_to_tensor(scale)
    found = (given - centre) * factor
    return found if offset is None else found + convert_to_tensor(offset)


def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`tf.nn.batch_normalization` with the offset `beta` and, if `scale_after_normalization`, the scale `gamma`.

    `input`, `mean`, `variance` and `variance_epsilon` are those that it has.

    >>> import pullback.tf as tf
    >>> tf.nn.batch_norm_with_global_normalization([3.0], 1.0, 4.0, 0.5, 2.0, 0.0, True)
    <Tensor [2.5], float32>
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


def local_response_normalization(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5, name: str | None = None
) -> Tensor:
    """input / (bias + alpha Σ input²)^beta, with the sum over the channels at most `depth_radius` away.

    >>> import pullback.tf as tf
    >>> tf.nn.local_response_normalization([[[[1.0]]]], alpha=3.0)[0, 0, 0]
    <View [0.5], float32>
    """
    x = convert_to_tensor(input)
    channels = np.arange(x.shape[-1])
    near = (np.abs(channels[:, None] - channels) <= depth_radius).astype(x.dtype)
    return x / (bias + alpha * (x * x @ near)) ** beta


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """`value` plus the vector `bias`, a number for each channel: the last axis, or the second for `data_format` 'NC…'.

    >>> import pullback.tf as tf
    >>> tf.nn.bias_add([[1.0, 2.0]], [10.0, 20.0])
    <Tensor [[11. 22.]], float32>
    """
    (x, b), first = operands(value, bias), not channels_last(data_format)
    if x.ndim < 2 or b.shape != (x.shape[1 if first else -1],):
        raise ValueError(f"a bias of shape {b.shape} does not fit the channels of {x.shape}")
    if first:
        return x + np.reshape(b, (-1, *[1] * (x.ndim - 2)))
    return x + b


def embedding_lookup(params: Any, ids: Any, max_norm: float | None = None, name: str | None = None) -> Tensor:
    """The rows `ids` of the table `params`, scaled so that their norms are at most `max_norm`.

    params: a tensor, or a list of several, which are parts of the table.

    >>> import pullback.tf as tf
    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1])
    <Tensor [[3. 4.]], float32>
    """
    if isinstance(params, list | tuple):
        table = np.concatenate(operands(*params)) if len(params) > 1 else convert_to_tensor(params[0])
    else:
        table = convert_to_tensor(params)
    places = convert_to_tensor(ids)
    rows = gather(table, places)
    return rows if max_norm is None else clip_by_norm(rows, max_norm, list(range(places.ndim, rows.ndim)))
