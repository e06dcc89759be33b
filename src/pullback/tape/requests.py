"""Requests to a tape, checked, and its answers: targets with their cotangents, and gradients as tensors."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from pullback.errors import ShapeError, TypingError
from pullback.tape.nest import flatten
from pullback.tape.sweep import Path, fitted
from pullback.tape.tensor import Tensor, as_operand
from pullback.tape.variable import Variable


class UnconnectedGradients(enum.Enum):
    """What stands for the gradient by a source that no target depends on: None, or zeros of its shape and dtype.

    >>> import pullback as pb
    >>> x = pb.Variable([1.0, 2.0])
    >>> with pb.GradientTape(persistent=True) as tape:
    ...     y = pb.constant(1.0) * 2
    >>> tape.gradient(y, x), tape.gradient(y, x, unconnected_gradients=pb.UnconnectedGradients.ZERO)
    (None, <Tensor [0. 0.], float64>)
    """

    NONE = "none"
    ZERO = "zero"


def checked(given: list[Any], what: str) -> list[Tensor]:
    for one in given:
        if not isinstance(one, Tensor):
            raise TypingError(
                f"a {what} is a tensor or variable, not {_a(one)}",
                None,
                "compute it from tensors inside of the tape, without x.numpy() or float(x)",
            )
        if one._value.dtype.kind not in "fbiu" and what != "source":
            raise TypingError(
                f"a {what} of {one.dtype} has no derivative", None, "make it real, as by np.real, np.imag or np.abs"
            )
    return given


def warn_of_integers(sources: list[Tensor]) -> None:
    for x in sources:
        if x.dtype.kind != "f":
            warnings.warn(f"a source of {x.dtype} has no gradient", stacklevel=3)


def _a(thing: Any) -> str:
    return "None" if thing is None else f"a {type(thing).__name__}"


def zeros_wanted(choice: UnconnectedGradients | str) -> bool:
    if choice is UnconnectedGradients.NONE:
        return False
    try:
        return UnconnectedGradients(choice) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(f"unconnected_gradients is 'none' or 'zero', not {choice!r}") from None


def weights_of(structure: Any, targets: list[Tensor], given: Any) -> list[Any]:
    """One weight for each target, None for ones. ValueError where they are too few, too many or of another shape."""
    if given is None:
        return [None] * len(targets)
    if isinstance(structure, Tensor):
        alone = isinstance(given, list | tuple) and len(given) == 1 and np.shape(given[0]) == structure.shape
        weights = [given[0] if alone else given]
    else:
        weights = flatten(given)
    if len(weights) != len(targets):
        raise ValueError(f"there are {len(targets)} targets and {len(weights)} output gradients")
    return weights


def seed_of(target: Tensor, weight: Any, on_tensors: bool) -> Any:
    """The cotangent of a target: its weight, or ones."""
    shape, dtype = target.shape, target.dtype
    seed: Any
    if weight is None:
        seed = np.ones(shape, dtype) if shape else dtype.type(1)
    else:
        seed = weight.value() if isinstance(weight, Variable) else weight
        seed = seed if isinstance(seed, Tensor) else np.array(as_operand(seed))
        if seed.shape not in ((), shape):
            raise ShapeError(f"the output gradient has shape {seed.shape}, its target {shape}")
        if seed.shape != shape:
            seed = np.broadcast_to(seed, shape)
        seed = fitted(seed, shape, dtype)[()]
    if not on_tensors:
        return seed._value if isinstance(seed, Tensor) else seed
    return seed if isinstance(seed, Tensor) else Tensor(seed)


def unit_seeds(y: Tensor, on_tensors: bool) -> Iterator[Any]:
    """For each element of the target the cotangent that is 1 there."""
    for k in range(y.size):
        seed = np.zeros(y.size, y.dtype)
        seed[k] = 1
        yield seed_of(y, seed.reshape(y.shape), on_tensors)


def unit_rows(y: Tensor, on_tensors: bool) -> Iterator[Any]:
    """For each element of a row of the target the cotangent that is 1 there, in all rows."""
    rest = y.shape[1:]
    for index in np.ndindex(rest):
        seed = np.zeros(y.shape, y.dtype)
        seed[(slice(None), *index)] = 1
        yield seed_of(y, seed, on_tensors)


def result_of(gradient: Any, source: Tensor, zero: bool) -> Tensor | None:
    """A gradient as it is returned."""
    if source.dtype.kind != "f":
        gradient = None
    if gradient is None:
        return zeros_of(source.shape, source) if zero else None
    return as_tensor(fitted(gradient, source.shape, source.dtype))


def stacked_rows(rows: list[Any], source: Tensor, shape: tuple[int, ...], path: Path, zero: bool) -> Tensor | None:
    """The Jacobian from the gradients of the target's elements."""
    connected = source._key in path.members and source.dtype.kind == "f"
    if not connected and not zero:
        return None
    if not connected or not rows:
        return zeros_of((*shape, *source.shape), source)
    each = [np.zeros(source.shape, source.dtype)[()] if row is None else row for row in rows]
    return as_tensor(np.reshape(np.stack(each), (*shape, *source.shape)))


def zeros_of(shape: tuple[int, ...], source: Tensor) -> Tensor:
    """Zeros in the dtype of a tensor."""
    return Tensor(np.zeros(shape, source.dtype)[()])


def as_tensor(value: Any) -> Tensor:
    """What was computed with tensors or with arrays, as a tensor."""
    return value if isinstance(value, Tensor) else Tensor(value[()])
