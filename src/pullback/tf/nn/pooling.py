"""TensorFlow's pooling: the maximum or mean of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tf.kinks import linear_beside
from pullback.tf.nn.convolution import channels_last, margins_of, moved_back, moved_last
from pullback.tf.nn.windows import Windows, for_each_axis
from pullback.tf.values import convert_to_tensor, floats


def _windows(x: Any, ksize: Any, strides: Any, padding: Any, dilations: Any, last: bool) -> Windows:
    count = x.ndim - 2
    size, steps, distances = (for_each_axis(one, count, last) for one in (ksize, strides, dilations))
    return Windows(x.shape[1:-1], size, steps, distances, margins_of(padding, last))


def _largest(x: Any, windows: Windows) -> Any:
    """The maximum of each window; of equal elements the first one gets the gradient."""
    return _at(x, _places_of_largest(x, windows))


def _at(x: Any, places: np.ndarray) -> Any:
    """The elements of x at some places, which depend on x: by it, the gradient has the derivative 0."""

    def taken(v: np.ndarray) -> np.ndarray:
        return v.reshape(-1)[places]

    def put(y: np.ndarray) -> np.ndarray:
        sums = np.bincount(places.reshape(-1), y.reshape(-1), minlength=x.size)
        return sums.astype(y.dtype).reshape(x.shape)

    @custom_gradient
    def largest(x: Tensor) -> Any:
        return Tensor(taken(x._value)), lambda y_bar: linear_beside(y_bar, x, put, taken)

    return largest(x)


def _places_of_largest(x: Any, windows: Windows) -> np.ndarray:
    """The position of the maximum of each window among all elements."""
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    padded = windows.padded(x._value, least)
    places = windows.padded(np.arange(1, x.size + 1).reshape(x.shape)) - 1
    shape = (x.shape[0], *windows.outputs, x.shape[-1])
    best, where = np.full(shape, least, x.dtype), np.full(shape, -1)
    for _, part in windows.parts():
        values, found = padded[part], places[part]
        better = (values > best) | ((where < 0) & (found >= 0)) | (np.isnan(values) & ~np.isnan(best))
        best[better], where[better] = values[better], found[better]
    return where


def _sums(x: Any, windows: Windows) -> Any:
    """The sum of each window, and by `_spread` its transpose."""

    @custom_gradient
    def total(x: Tensor) -> Any:
        padded = windows.padded(x._value)
        found = np.zeros((x.shape[0], *windows.outputs, x.shape[-1]), x.dtype)
        for _, part in windows.parts():
            found += padded[part]
        return Tensor(found), lambda y_bar: _spread(y_bar, windows)

    return total(x)


def _spread(y: Any, windows: Windows) -> Any:
    @custom_gradient
    def total(y: Tensor) -> Any:
        found = np.zeros(windows.of_padded(y._value), y.dtype)
        for _, part in windows.parts():
            found[part] += y._value
        return Tensor(windows.unpadded(found)), lambda x_bar: _sums(x_bar, windows)

    return total(y)


def _means(x: Any, windows: Windows) -> Any:
    """The mean of each window; places in margins do not count."""
    floats(x)
    ones = Tensor(np.ones((1, *x.shape[1:-1], 1), x.dtype))
    return _sums(x, windows) / _sums(ones, windows)._value


_REDUCE = {"MAX": _largest, "AVG": _means}


def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The maximum or mean of each window of `input`, as `pooling_type` says: 'MAX' or 'AVG'.

    input: (n, *space, channels), or (n, channels, *space) where `data_format` starts with 'NC'. window_shape: the size
    along each axis. strides: how far a window moves. padding: 'VALID' or 'SAME'. dilations: the distances of elements
    in a window, which go with 'VALID' and strides of 1 only.

    >>> import pullback.tf as tf
    >>> tf.nn.pool([[[1.0], [2.0], [4.0]]], [2], "MAX")[0, :, 0]
    <View [2. 4.], float32>
    """
    last = channels_last(data_format)
    x = moved_last(convert_to_tensor(input), last)
    windows = _windows(x, window_shape, strides, padding, dilations, last)
    if max(windows.dilations) > 1 and (padding != "VALID" or max(windows.strides) > 1):
        raise ValueError(f"dilations {dilations!r} go with the padding 'VALID' and without strides")
    return moved_back(_REDUCE[pooling_type.upper()](x, windows), last)


def _named(name: str, count: int | None) -> Any:
    type_ = name.split("_")[0].upper()

    def function(
        input: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None = None, name: str | None = None
    ) -> Tensor:
        given = convert_to_tensor(input)
        if count is not None and given.ndim != count + 2:
            raise ValueError(f"a tensor of {count + 2} axes is wanted, not one of shape {given.shape}")
        return pool(given, ksize, type_, strides, padding, data_format)

    rank = count or 2
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {"maximum" if type_ == "MAX" else "mean"} of each window of `input`: see `tf.nn.pool`.

    ksize: the size of the windows. `strides`, `padding` and `data_format` are those of `tf.nn.pool`.

    >>> import pullback.tf as tf
    >>> tf.nn.{name}(tf.ones({[1] + [4] * rank + [3]}), ksize=2, strides=2, padding="VALID").shape
    {(1, *[2] * rank, 3)}
    """
    return function


_RANKS = {"": None, "1d": 1, "2d": 2, "3d": 3}
_KINDS = {f"{kind}_pool{suffix}": count for kind in ("avg", "max") for suffix, count in _RANKS.items()}
POOLING = {name: _named(name, count) for name, count in _KINDS.items()}


def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    output_dtype: Any = np.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(`tf.nn.max_pool2d` of `input`, the positions of these elements among all of a row, as `output_dtype`).

    include_batch_in_index: among all of `input`. `ksize`, `strides`, `padding` and `data_format`: see `tf.nn.pool`.

    >>> import pullback.tf as tf
    >>> tf.nn.max_pool_with_argmax(tf.reshape(tf.range(4.0), [1, 2, 2, 1]), 2, 2, "VALID")[1].numpy().ravel()
    array([3])
    """
    x = convert_to_tensor(input)
    windows = _windows(x, ksize, strides, padding, 1, True)
    places = _places_of_largest(x, windows)
    in_row = places if include_batch_in_index else places % int(np.prod(x.shape[1:]))
    return _at(x, places), Tensor(in_row.astype(output_dtype))
