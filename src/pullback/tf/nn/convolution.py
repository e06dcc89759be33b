"""Convolutions of any number of axes, which are bilinear: each derivative of one is another of the three products.

They run place by place of the filter, as products of matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tf.nn.windows import Windows, for_each_axis
from pullback.tf.values import extents, operands


def correlated(x: Any, w: Any, windows: Windows, groups: int = 1) -> Any:
    """y[n, i, o] = Σ x[n, i·s + k·d, c] w[k, c, o]. x: (n, *space, c), w: (*size, c / groups, o)."""

    @custom_gradient
    def product(x: Tensor, w: Tensor) -> Any:
        y = _correlate(x._value, w._value, windows, groups)
        return Tensor(y), lambda y_bar: (spread(y_bar, w, windows, groups), filter_of(x, y_bar, windows, groups))

    return product(x, w)


def spread(y: Any, w: Any, windows: Windows, groups: int = 1) -> Any:
    """The transpose of `correlated` as a function of x, applied to y."""

    @custom_gradient
    def product(y: Tensor, w: Tensor) -> Any:
        x = _spread(y._value, w._value, windows, groups)
        return Tensor(x), lambda x_bar: (correlated(x_bar, w, windows, groups), filter_of(x_bar, y, windows, groups))

    return product(y, w)


def filter_of(x: Any, y: Any, windows: Windows, groups: int = 1) -> Any:
    """The transpose of `correlated` as a function of w, applied to y."""

    @custom_gradient
    def product(x: Tensor, y: Tensor) -> Any:
        w = _filter_of(x._value, y._value, windows, groups)
        return Tensor(w), lambda w_bar: (spread(y, w_bar, windows, groups), correlated(x, w_bar, windows, groups))

    return product(x, y)


def _grouped(a: np.ndarray, groups: int) -> np.ndarray:
    """(…, c) as (groups, rows, c / groups)."""
    return np.moveaxis(a.reshape(-1, groups, a.shape[-1] // groups), 1, 0)


def _joined(a: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return np.moveaxis(a, 0, 1).reshape(shape)


def _of_place(w: np.ndarray, place: tuple[int, ...], groups: int) -> np.ndarray:
    """The filter at a place as (groups, c / groups, o / groups)."""
    one = w[place]
    return np.moveaxis(one.reshape(one.shape[0], groups, -1), 1, 0)


def _correlate(x: np.ndarray, w: np.ndarray, windows: Windows, groups: int) -> np.ndarray:
    padded = windows.padded(x)
    shape = (x.shape[0], *windows.outputs, w.shape[-1])
    y = np.zeros((groups, int(np.prod(shape[:-1])), shape[-1] // groups), np.result_type(x, w))
    for place, part in windows.parts():
        y += _grouped(padded[part], groups) @ _of_place(w, place, groups)
    return _joined(y, shape)


def _spread(y: np.ndarray, w: np.ndarray, windows: Windows, groups: int) -> np.ndarray:
    x = np.zeros((*windows.of_padded(y)[:-1], w.shape[-2] * groups), np.result_type(y, w))
    rows = _grouped(y, groups)
    for place, part in windows.parts():
        one = _of_place(w, place, groups)
        x[part] += _joined(rows @ one.mT, (*y.shape[:-1], x.shape[-1]))
    return windows.unpadded(x)


def _filter_of(x: np.ndarray, y: np.ndarray, windows: Windows, groups: int) -> np.ndarray:
    padded, rows = windows.padded(x), _grouped(y, groups)
    w = np.zeros((*windows.size, x.shape[-1] // groups, y.shape[-1]), np.result_type(x, y))
    for place, part in windows.parts():
        one = _grouped(padded[part], groups).mT @ rows
        w[place] = np.moveaxis(one, 0, 1).reshape(w.shape[-2:])
    return w


def channels_last(data_format: str | None) -> bool:
    """Whether channels are the last axis. ValueError for what is no format."""
    form = (data_format or "NWC").upper()
    if not form.startswith("NC") and not (form.startswith("N") and form.endswith("C")):
        raise ValueError(f"data_format starts with 'NC' or ends with 'C', unlike {data_format!r}")
    return not form.startswith("NC")


def moved_last(x: Any, last: bool) -> Any:
    """`x` with its channels along the last axis."""
    return x if last else np.moveaxis(x, 1, -1)


def moved_back(x: Any, last: bool) -> Any:
    """The reverse of `moved_last`."""
    return x if last else np.moveaxis(x, -1, 1)


def margins_of(padding: Any, last: bool) -> Any:
    """Explicit margins without those of rows and channels. ValueError where these are not 0."""
    if isinstance(padding, str):
        return padding
    rows, *inner = ((int(before), int(after)) for before, after in padding)
    channels = inner.pop(-1 if last else 0)
    if rows != (0, 0) or channels != (0, 0):
        raise ValueError(f"rows and channels have no margins: {padding!r}")
    return inner


def convolution(
    input: Any,
    filters: Any,
    strides: Any = 1,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = 1,
    name: str | None = None,
) -> Tensor:
    """The sums of products of `filters` with the parts of `input` under them, of any number of axes.

    input: (…, *space, channels), or (…, channels, *space) where `data_format` starts with 'NC'. filters: (*size,
    channels, outputs); with a divisor of the channels, they are grouped. strides: how far a filter moves along each
    axis. padding: 'VALID', 'SAME' for outputs as many as inputs over strides, or margins for each axis of the input.
    dilations: the distances of the elements under a filter.

    >>> import pullback.tf as tf
    >>> tf.nn.convolution([[[1.0], [2.0], [4.0]]], [[[1.0]], [[1.0]]])[0, :, 0]
    <View [3. 6.], float32>
    """
    (x, w), last = operands(input, filters), channels_last(data_format)
    count = w.ndim - 2
    if x.ndim < w.ndim:
        raise ValueError(f"an input of shape {x.shape} does not have the axes of filters of shape {w.shape}")
    rows, x = x.shape[: -count - 1], np.reshape(x, (-1, *x.shape[-count - 1 :])) if x.ndim > w.ndim else x
    x = moved_last(x, last)
    groups = x.shape[-1] // w.shape[-2] if w.shape[-2] else 0
    if not groups or groups * w.shape[-2] != x.shape[-1] or w.shape[-1] % groups:
        raise ValueError(f"filters of shape {w.shape} do not fit {x.shape[-1]} channels")
    settings = for_each_axis(strides, count, last), for_each_axis(dilations, count, last)
    windows = Windows(x.shape[1:-1], w.shape[:-2], *settings, margins_of(padding, last))
    y = moved_back(correlated(x, w, windows, groups), last)
    return y if len(rows) == 1 else np.reshape(y, (*rows, *y.shape[1:]))


def convolved_back(
    input: Any, filters: Any, output_shape: Any, strides: Any, padding: Any, data_format: str | None, dilations: Any
) -> Tensor:
    """The gradient of `convolution` by its input: filters are (*size, outputs, channels)."""
    (y, w), last = operands(input, filters), channels_last(data_format)
    y, shape, count = moved_last(y, last), extents(output_shape), w.ndim - 2
    space = shape if len(shape) == count else shape[1:-1] if last else shape[2:]
    settings = for_each_axis(strides, count, last), for_each_axis(dilations, count, last)
    windows = Windows(space, w.shape[:-2], *settings, margins_of(padding, last))
    whole = (y.shape[0], *space, w.shape[-2]) if last else (y.shape[0], w.shape[-2], *space)
    fits = len(shape) == count or shape == whole
    if windows.outputs != y.shape[1:-1] or w.shape[-1] != y.shape[-1] or not fits:
        raise ValueError(f"an input of shape {y.shape} and filters of shape {w.shape} do not make up {shape}")
    return moved_back(spread(y, w, windows), last)
