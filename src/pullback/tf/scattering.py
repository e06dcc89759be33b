"""TensorFlow's functions that put elements at positions of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.numpy.items import put_item
from pullback.tape import Tensor, custom_gradient
from pullback.tf.selection import gather_nd
from pullback.tf.values import bare, convert_to_tensor, extents, operands


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros of a `shape` in which the parts `updates` stand at the positions `indices`; those at the same add up.

    indices: (…, k), the first k coordinates of each position. updates: (…, the rest of the shape).

    >>> import pullback.tf as tf
    >>> tf.scatter_nd([[1], [3], [1]], [5.0, 6.0, 7.0], [4])
    <Tensor [ 0. 12.  0.  6.], float32>
    """
    places, parts, whole = bare(indices), convert_to_tensor(updates), extents(shape)
    _check(places, parts, whole)
    return put_item(parts, tuple(np.moveaxis(places, -1, 0)), whole)


def tensor_scatter_nd_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """`tensor` with `updates` added to its parts at the positions `indices`: see `tf.scatter_nd`.

    >>> import pullback.tf as tf
    >>> tf.tensor_scatter_nd_add([1.0, 1.0], [[0], [0]], [2.0, 3.0])
    <Tensor [6. 1.], float32>
    """
    given, parts = operands(tensor, updates)
    return given + scatter_nd(indices, parts, given.shape)


def tensor_scatter_nd_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """`tensor` with `updates` subtracted from its parts at the positions `indices`: see `tf.scatter_nd`.

    >>> import pullback.tf as tf
    >>> tf.tensor_scatter_nd_sub([1.0, 1.0], [[0]], [2.0])
    <Tensor [-1.  1.], float32>
    """
    given, parts = operands(tensor, updates)
    return given - scatter_nd(indices, parts, given.shape)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """`tensor` with the parts `updates` at the positions `indices`: see `tf.scatter_nd`; of several at one, the last.

    >>> import pullback.tf as tf
    >>> tf.tensor_scatter_nd_update([1.0, 1.0], [[1]], [2.0])
    <Tensor [1. 2.], float32>
    """
    (given, parts), places = operands(tensor, updates), bare(indices)
    _check(places, parts, given.shape)
    k = places.shape[-1]
    source = np.full(given.shape[:k], -1)
    source[tuple(np.moveaxis(places, -1, 0))] = np.reshape(np.arange(places[..., 0].size), places.shape[:-1])
    if not parts.size:
        return +given
    rows = np.reshape(parts, (-1, *given.shape[k:]))[np.maximum(source, 0)]
    chosen = np.reshape(source >= 0, source.shape + (1,) * (given.ndim - k))
    return np.where(chosen, rows, given)


def tensor_scatter_nd_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The larger of `tensor` and of `updates` at the positions `indices`; equal ones share the gradient.

    >>> import pullback.tf as tf
    >>> tf.tensor_scatter_nd_max([1.0, 1.0], [[1]], [2.0])
    <Tensor [1. 2.], float32>
    """
    return _extreme(np.maximum, tensor, indices, updates)


def tensor_scatter_nd_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The smaller of `tensor` and of `updates` at the positions `indices`; equal ones share the gradient.

    >>> import pullback.tf as tf
    >>> tf.tensor_scatter_nd_min([1.0, 1.0], [[1]], [-2.0])
    <Tensor [ 1. -2.], float32>
    """
    return _extreme(np.minimum, tensor, indices, updates)


def _extreme(ufunc: np.ufunc, tensor: Any, indices: Any, updates: Any) -> Tensor:
    (given, parts), places = operands(tensor, updates), bare(indices)
    _check(places, parts, given.shape)
    index = tuple(np.moveaxis(places, -1, 0))

    @custom_gradient
    def extreme(given: Tensor, parts: Tensor) -> Any:
        found = np.array(given._value)
        ufunc.at(found, index, parts._value)
        of_given = (found == given._value).astype(given.dtype)
        of_parts = (found[index] == parts._value).astype(given.dtype)
        several = put_item(of_parts, index, given.shape) + of_given

        def gradient(y_bar: Any) -> Any:
            share = y_bar / several
            return share * of_given, gather_nd(share, places) * of_parts

        return Tensor(found), gradient

    return extreme(given, parts)


def _check(places: np.ndarray, parts: Tensor, whole: tuple[int, ...]) -> None:
    """ValueError where indices and updates do not fit a shape."""
    k = places.shape[-1] if places.ndim else 0
    if places.shape[:-1] + whole[k:] != parts.shape:
        raise ValueError(f"updates of shape {parts.shape} at positions of shape {places.shape} do not fit {whole}")
    if places.size and ((places < 0) | (places >= np.array(whole[:k]))).any():
        raise ValueError(f"a position lies outside of the shape {whole}")
