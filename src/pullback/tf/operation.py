"""TensorFlow's names for operations, and gradients that are registered for them and put in their place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pullback.tape import Tensor, custom_gradient
from pullback.tf.values import operands

REGISTERED: dict[str, Callable[..., Any]] = {}
_overrides: list[Mapping[str, str]] = []


@dataclass(frozen=True, slots=True)
class Operation:
    """What a registered gradient is given: the operation's type, its inputs and its outputs."""

    type: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


class RegisterGradient:
    """A decorator: register `gradient(op, *cotangents)` under the name `op_type`, for `gradient_override_map`.

    `op` has the `type`, the `inputs` and the `outputs` of the operation. Raises KeyError for a name that is taken.

    >>> import pullback.tf as tf
    >>> @tf.RegisterGradient("StraightThrough")
    ... def straight_through(op, dy):
    ...     return dy
    >>> x = tf.Variable([0.4, 1.6])
    >>> with tf.GradientTape() as tape, tf.gradient_override_map({"Round": "StraightThrough"}):
    ...     y = tf.reduce_sum(tf.round(x) ** 2)
    >>> tape.gradient(y, x)
    <Tensor [0. 4.], float32>
    """

    def __init__(self, op_type: str) -> None:
        self.op_type = op_type

    def __call__(self, gradient: Callable[..., Any]) -> Callable[..., Any]:
        if self.op_type in REGISTERED:
            raise KeyError(f"a gradient is registered under the name {self.op_type!r} already")
        REGISTERED[self.op_type] = gradient
        return gradient


@contextmanager
def gradient_override_map(op_type_map: Mapping[str, str]) -> Iterator[None]:
    """In its block, operations of the types in `op_type_map` have the gradients registered under the names there.

    Raises LookupError, where such an operation is called, for a name that is not registered; see `RegisterGradient`.

    >>> import pullback.tf as tf
    >>> @tf.RegisterGradient("Halved")
    ... def halved(op, dy):
    ...     return 0.5 * dy
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape, tf.gradient_override_map({"Identity": "Halved"}):
    ...     y = tf.identity(x)
    >>> tape.gradient(y, x)
    <Tensor 0.5, float32>
    """
    _overrides.append(dict(op_type_map))
    try:
        yield
    finally:
        _overrides.pop()


def operation(type_: str) -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """Declare a function as the operation of this type; its tensors stand first."""

    def declare(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Tensor:
            chosen = next((m[type_] for m in reversed(_overrides) if type_ in m), None) if _overrides else None
            if chosen is None:
                return function(*arguments, **keywords)
            return _overridden(type_, chosen, function, arguments, keywords)

        return call

    return declare


def _overridden(
    type_: str, chosen: str, function: Callable[..., Tensor], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Tensor:
    """The operation with a registered gradient. LookupError where none is registered under this name."""
    if chosen not in REGISTERED:
        raise LookupError(f"gradient registry has no entry for: {chosen}")
    gradient = REGISTERED[chosen]

    @custom_gradient
    def computed(*tensors: Tensor) -> Any:
        y = function(*tensors, **keywords)
        return y, lambda *cotangents: gradient(Operation(type_, tensors, (y,)), *cotangents)

    made: Tensor = computed(*operands(*arguments))
    return made
