"""`tf.function`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from pullback.tape.nest import flatten, rebuilt
from pullback.tf.types import TensorSpec
from pullback.tf.values import convert_to_tensor


def function(func: Callable[..., Any] | None = None, input_signature: Any = None, **options: Any) -> Any:
    """`func` on tensors: it runs as it reads, with Python's control flow on the values of tensors.

    Arrays among the arguments and numbers among the results become tensors. input_signature: a `tf.TensorSpec` for each
    argument, to which it is converted; TypeError for one that does not fit. The function's `python_function` is `func`,
    and its `get_concrete_function` returns it. Other `options` of TensorFlow's are taken and change nothing, for there
    is no graph to be traced.

    >>> import pullback.tf as tf
    >>> @tf.function(jit_compile=True)
    ... def relu(x):
    ...     return x if x > 0 else 0 * x
    >>> relu(tf.constant(-2.0))
    <Tensor -0.0, float32>
    """
    if func is None:
        return functools.partial(function, input_signature=input_signature, **options)

    return Function(func, input_signature)


class Function:
    """What `tf.function` returns; differentiable functions that call it read the function itself."""

    def __init__(self, python_function: Callable[..., Any], input_signature: Any = None) -> None:
        functools.update_wrapper(self, python_function)
        self.python_function = self.py_func = python_function
        self.input_signature = None if input_signature is None else tuple(input_signature)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self.input_signature is not None:
            arguments = _fitted(arguments, self.input_signature)
        found = self.python_function(*_with_tensors(arguments, _ARRAYS), **_with_tensors(keywords, _ARRAYS))
        return _with_tensors(found, _NUMBERS)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def get_concrete_function(self, *arguments: Any, **keywords: Any) -> Function:
        """The function itself, for all arguments."""
        return self


_ARRAYS = (np.ndarray, np.generic)
_NUMBERS = (*_ARRAYS, int, float)


def _with_tensors(structure: Any, classes: tuple[type, ...]) -> Any:
    """The same structure with tensors for what is of these classes."""
    leaves = flatten(structure)
    if not any(isinstance(one, classes) for one in leaves):
        return structure
    return rebuilt(structure, [convert_to_tensor(one) if isinstance(one, classes) else one for one in leaves])


def _fitted(arguments: tuple[Any, ...], signature: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments as tensors of the signature, which leaves out the object of a method."""
    first = max(len(arguments) - len(signature), 0)
    fitted = [_as_specified(one, spec) for one, spec in zip(arguments[first:], signature, strict=False)]
    return (*arguments[:first], *fitted)


def _as_specified(value: Any, spec: Any) -> Any:
    """A value as a tensor of a specification, or a structure of them. TypeError where it does not fit."""
    if not isinstance(spec, TensorSpec):
        specs = flatten(spec)
        pairs = zip(flatten(value) if len(specs) > 1 else [value], specs, strict=True)
        return rebuilt(spec, [_as_specified(one, each) for one, each in pairs])
    made = convert_to_tensor(value, None if hasattr(value, "dtype") else spec.dtype)
    if not spec.is_compatible_with(made):
        raise TypeError(f"a tensor of {made.dtype} and shape {made.shape} is not one of {spec.dtype} and {spec.shape}")
    return made
