"""Tensors with TensorFlow's dtypes: Python's floats are float32 and its integers int32; arrays of NumPy keep theirs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pullback import tape
from pullback.tape.nest import flatten
from pullback.tape.tensor import Tensor, holds_tensor

_NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.int64): np.int32}


def default_dtype(value: Any, dtype: Any) -> Any:
    """The dtype for a value: the one that is given, its own, or TensorFlow's for Python's numbers."""
    if dtype is not None or any(isinstance(leaf, Tensor | np.ndarray | np.generic) for leaf in flatten(value)):
        return dtype
    array = np.asarray(value)
    if array.dtype == np.int64 and (array.astype(np.int32) != array).any():
        return array.dtype
    return _NARROW.get(array.dtype, array.dtype)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a copy of `value`, in its own or another `dtype`, and in a `shape`, over which a number is spread.

    TypeError where numbers of Python would be cut off, or do not make up the shape.

    >>> import pullback.tf as tf
    >>> tf.constant([1, 2]), tf.constant(0.5, shape=(2,))
    (<Tensor [1 2], int32>, <Tensor [0.5 0.5], float32>)
    """
    check_kept(value, dtype)
    made = tape.constant(value, default_dtype(value, dtype))
    if shape is None:
        return made
    elements, wanted = np.asarray(made.numpy()), extents(shape)
    if elements.size == 1:
        return tape.constant(np.broadcast_to(elements.reshape(()), wanted))
    if elements.size != math.prod(wanted):
        raise TypeError(f"{elements.size} elements do not make up the shape {wanted}")
    return tape.constant(np.reshape(elements, wanted))


def check_kept(value: Any, dtype: Any) -> None:
    """TypeError for floats of Python that are to be integers, which would cut them off."""
    if dtype is None or np.dtype(dtype).kind not in "iu":
        return
    if any(isinstance(leaf, float) and not isinstance(leaf, np.generic) for leaf in flatten(value)):
        raise TypeError(f"{value!r} cannot be of {np.dtype(dtype)}, which would cut it off: cast the tensor")


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of `value`: itself if it is one, of an array or of numbers, or the stack of a list of tensors.

    dtype: that of the value by default; ValueError for a tensor of another one. dtype_hint: one for numbers of Python,
    where that loses nothing.

    >>> import pullback.tf as tf
    >>> tf.convert_to_tensor([tf.constant(1.0), tf.constant(2.0)])
    <Tensor [1. 2.], float32>
    """
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype != np.dtype(dtype):
            raise ValueError(f"a tensor of {value.dtype} is not one of {np.dtype(dtype)}: cast it")
        return value
    if hasattr(value, "__pullback_tensor__"):
        return convert_to_tensor(value.__pullback_tensor__(), dtype)
    if holds_tensor(value):
        return np.stack(joined(value) if dtype is None else [convert_to_tensor(one, dtype) for one in value])
    own = default_dtype(value, dtype)
    if dtype is None and None not in (own, dtype_hint) and np.can_cast(own, dtype_hint, "same_kind"):
        return constant(value, dtype_hint)
    return constant(value, dtype)


def joined(values: Any) -> list[Tensor]:
    """Parts of one tensor as tensors: Python's numbers take the dtype of the first tensor among them."""
    dtype = next((leaf.dtype for leaf in flatten(values) if isinstance(leaf, Tensor | np.ndarray)), None)
    return [one if isinstance(one, Tensor) else _beside(one, dtype) for one in values]


def operands(*given: Any) -> tuple[Tensor, ...]:
    """Arguments that belong together as tensors: Python's numbers take the dtype of the tensors beside them."""
    dtype = next((one.dtype for one in given if isinstance(one, Tensor | np.ndarray)), None)
    return tuple(one if isinstance(one, Tensor) else _beside(one, dtype) for one in given)


def _beside(given: Any, dtype: Any) -> Tensor:
    """What stands beside a tensor of this dtype. TypeError for floats beside integers, which would be cut off."""
    if dtype is None or isinstance(given, np.ndarray | np.generic) or holds_tensor(given):
        return convert_to_tensor(given)
    if dtype.kind in "iu" and np.asarray(given).dtype.kind == "f":
        raise TypeError(f"{given!r} cannot be a number of {dtype}, which stands beside it: cast the tensor")
    return convert_to_tensor(given, dtype)


def floats(*given: Any) -> tuple[Tensor, ...]:
    """`operands` that are to be floats. ValueError for integers and booleans."""
    found = operands(*given)
    for one in found:
        if one.dtype.kind != "f":
            raise ValueError(f"a tensor of floats is wanted, not of {one.dtype}: cast it")
    return found


def axes(axis: Any) -> Any:
    """An axis as NumPy takes it: lists become tuples."""
    if isinstance(axis, Tensor):
        axis = axis.numpy().tolist()
    return tuple(int(k) for k in axis) if isinstance(axis, list | tuple | np.ndarray) else axis


def axis_in(axis: Any, count: int) -> int:
    """The place of an axis among `count`. ValueError where it is not there."""
    k = int(axis)
    if not -count <= k < count:
        raise ValueError(f"there is no axis {k} among {count}")
    return k % count


def extents(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of integers."""
    if isinstance(shape, list | tuple):
        return tuple(int(n) for n in shape)
    return tuple(int(n) for n in np.atleast_1d(bare(shape)))


def bare(given: Any) -> Any:
    """The elements of a tensor, or of a list of them, as an array; Python's numbers have TensorFlow's dtypes.

    For positions, labels and settings, which get no gradient.
    """
    return np.asarray(convert_to_tensor(given)._read())


def number(given: Any) -> Any:
    """A setting as a number of Python."""
    return given.item() if isinstance(given, Tensor | np.ndarray | np.generic) else given
