"""Tensors with TensorFlow's dtypes: Python's floats are float32 and its integers int32; arrays of NumPy keep theirs."""

from __future__ import annotations

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
    found = np.asarray(value).dtype
    return _NARROW.get(found, found)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor of a copy of `value`, in its own or another `dtype`; a number may be spread over a `shape`.

    >>> import pullback.tf as tf
    >>> tf.constant([1, 2]), tf.constant(0.5, shape=(2,))
    (<Tensor [1 2], int32>, <Tensor [0.5 0.5], float32>)
    """
    made = tape.constant(value, default_dtype(value, dtype))
    return made if shape is None else tape.constant(np.broadcast_to(made.numpy(), tuple(shape)))


class Variable(tape.Variable):
    """`pb.Variable` with TensorFlow's dtypes for Python's numbers.

    initial_value: a number, a nested list, an array or a tensor, or a function that returns one. trainable: False for
    one that tapes watch when they are told to. name: any text. dtype: that of the value by default. `shape` and other
    `options` of TensorFlow's, as is `validate_shape`, are taken and have no effect; `constraint` is a function of the
    elements that optimizers call after each step.

    >>> import pullback.tf as tf
    >>> tf.Variable([1.0, 2.0], name="w")
    <Variable 'w' [1. 2.], float32>
    """

    __slots__ = ("constraint",)

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        shape: Any = None,
        **options: Any,
    ) -> None:
        value = initial_value() if callable(initial_value) else initial_value
        super().__init__(value, trainable, name, default_dtype(value, dtype))
        self.constraint = options.get("constraint")


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """A tensor of `value`: itself if it is one, of an array or of numbers, or the stack of a list of tensors.

    dtype: that of the value by default; ValueError for a tensor of another one. `dtype_hint` has no effect.

    >>> import pullback.tf as tf
    >>> tf.convert_to_tensor([tf.constant(1.0), tf.constant(2.0)])
    <Tensor [1. 2.], float32>
    """
    if isinstance(value, Tensor):
        return value if dtype is None or value.dtype == np.dtype(dtype) else value.astype(dtype)
    if hasattr(value, "__pullback_tensor__"):
        return convert_to_tensor(value.__pullback_tensor__(), dtype)
    if holds_tensor(value):
        return np.stack([convert_to_tensor(item, dtype) for item in value])
    return constant(value, dtype)


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


def extents(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of integers."""
    if isinstance(shape, list | tuple):
        return tuple(int(n) for n in shape)
    return tuple(int(n) for n in np.atleast_1d(bare(shape)))


def bare(given: Any) -> Any:
    """The elements of a tensor, or of a list of them, as an array; Python's numbers have TensorFlow's dtypes.

    For positions, labels and settings, which get no gradient.
    """
    return np.asarray(convert_to_tensor(given)._value)


def number(given: Any) -> Any:
    """A setting as a number of Python."""
    return given.item() if isinstance(given, Tensor | np.ndarray | np.generic) else given
