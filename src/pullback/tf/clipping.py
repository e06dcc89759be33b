"""TensorFlow's functions that bound elements and norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor
from pullback.tf.values import axes as along
from pullback.tf.values import convert_to_tensor, operands


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """The elements of `t`, or the bounds `clip_value_min` and `clip_value_max` where they lie beyond them.

    The gradient is 1 on the bounds and 0 beyond them. Where the bounds are in the wrong order, the lower one counts.

    >>> import pullback.tf as tf
    >>> tf.clip_by_value([-1.0, 0.5, 7.0], 0.0, 1.0)
    <Tensor [0.  0.5 1. ], float32>
    """
    given, low, high = operands(convert_to_tensor(t), clip_value_min, clip_value_max)
    if (low._value > high._value).any():
        high = np.maximum(low, high)
    bounded = np.clip(given, low, high)
    if bounded.shape != given.shape:
        raise ValueError(f"bounds of shapes {low.shape} and {high.shape} for a tensor of shape {given.shape}")
    return bounded


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The elements of `t`, scaled so that their Euclidean norm over `axes` (all by default) is at most `clip_norm`.

    >>> import pullback.tf as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0)
    <Tensor [0.6 0.8], float32>
    """
    given = convert_to_tensor(t)
    squares = np.sum(given * given, axis=along(axes), keepdims=True)
    some = squares > 0
    norm = np.where(some, np.sqrt(np.where(some, squares, 1)), 0)
    return given * clip_norm / np.where(norm >= clip_norm, norm, clip_norm)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of the tensors in `t_list` together; those that are None are left out.

    It is 0 where there are none.

    >>> import pullback.tf as tf
    >>> tf.linalg.global_norm([[3.0], None, [4.0]])
    <Tensor 5.0, float32>
    """
    squares = [np.sum(convert_to_tensor(one) ** 2) for one in t_list if one is not None]
    return np.sqrt(sum(squares[1:], squares[0])) if squares else Tensor(np.float32(0))


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """The tensors in `t_list`, scaled so that their norm together is at most `clip_norm`, and that norm before.

    use_norm: the norm, where it is known. None stays None. All is NaN where the norm is not finite.

    >>> import pullback.tf as tf
    >>> tf.clip_by_global_norm([[3.0], [4.0]], 1.0)[0]
    [<Tensor [0.6], float32>, <Tensor [0.8], float32>]
    """
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    scale = clip_norm * np.minimum(1 / norm, norm.dtype.type(1) / clip_norm)
    scale = np.where(np.isfinite(norm), scale, norm.dtype.type(np.nan))
    return [None if one is None else convert_to_tensor(one) * scale for one in t_list], norm


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """The elements of `t`, scaled so that their Euclidean norm over their count is at most `clip_norm`.

    >>> import pullback.tf as tf
    >>> tf.compat.v1.clip_by_average_norm([3.0, 4.0], 1.0)
    <Tensor [1.2 1.6], float32>
    """
    given = convert_to_tensor(t)
    norm = np.sqrt(np.sum(given * given)) / given.size
    return given * clip_norm * np.minimum(1 / norm, norm.dtype.type(1) / clip_norm)
