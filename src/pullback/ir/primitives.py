"""The operations of the language that are not NumPy functions, as functions that show what they mean.

A *path* says which part of an array is meant: a tuple of steps, applied from left to right.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from pullback.ir.nodes import Index, Permute, Reshape, Slice, Step


def load(array: Any, path: tuple[Step, ...]) -> Any:
    """An element, or a copy of a part, of an array."""
    for step in path:
        match step:
            case Index(items):
                array = array[tuple(_item(item) for item in items)]
            case Permute(axes):
                array = np.transpose(array, axes)
            case Reshape(shape):
                array = np.reshape(array, shape)
    return array


def store(array: Any, path: tuple[Step, ...], value: Any) -> Any:
    """The next version of an array, with one part replaced."""
    *steps, last = path
    assert isinstance(last, Index), "a store ends at an index"
    load(array, tuple(steps))[tuple(_item(item) for item in last.items)] = value
    return array


def add_at(array: Any, path: tuple[Step, ...], value: Any) -> Any:
    """The next version of an array, with `value` added to one part; repeated indices add up."""
    *steps, last = path
    assert isinstance(last, Index), "a store ends at an index"
    np.add.at(load(array, tuple(steps)), tuple(_item(item) for item in last.items), value)
    return array


def load_last(array: Any, path: tuple[Step, ...]) -> Any:
    """A part of an array as `store` wrote it: where an index repeats, all but the last place read 0."""
    cleared = np.array(array)
    places = load(np.arange(array.size).reshape(array.shape), path)
    values = np.zeros(np.shape(places), array.dtype)
    for k in reversed(range(np.size(places))):
        place = np.ravel(places)[k]
        values.flat[k] = cleared.flat[place]
        cleared.flat[place] = 0
    return values


def accumulate(array: Any, value: Any) -> Any:
    """The sum of two values of one shape: an array is added to in place, a scalar is a new value."""
    return array + value


def product_into(array: Any, a: Any, b: Any, added: bool) -> Any:
    """The next version of an array: `a @ b`, for two vectors their outer product; or the old one and that."""
    value = np.outer(a, b) if a.ndim == b.ndim == 1 else np.matmul(a, b)
    array[...] = array + value if added else value
    return array


def inverse_into(array: Any, a: Any) -> Any:
    """The next version of an array: the inverse of a matrix."""
    array[...] = np.linalg.inv(a)
    return array


def cast(value: Any, dtype: str) -> Any:
    """The value as another dtype."""
    return np.asarray(value).astype(dtype)[()]


def copy(array: Any) -> Any:
    """A fresh array with the same elements."""
    return np.array(array)


def dim(array: Any, axis: int) -> int:
    """The size of an array along one axis."""
    return int(array.shape[axis])


def shaped_like(array: Any, other: Any) -> Any:
    """An array that the caller hands in for a result; it must have the shape of another and be other memory."""
    assert array.shape == other.shape, "the shape is checked before the call"
    return array


def watched(value: Any, number: int) -> Any:
    """The value itself, as a tape follows it from here on; equal values are told apart by the number."""
    return value


def gradient(source: Any, targets: tuple[Any, ...], seeds: tuple[Any, ...], request: int) -> Any:
    """The gradient of the targets by one source, each target with its cotangent, or None for one of ones.

    Like the other requests it has no meaning by itself: `transform/requests` puts statements in its place. Those with
    the same number ask at the same place for the same targets.
    """
    raise AssertionError("a gradient is made of statements")


def tangent(target: Any, sources: tuple[Any, ...], seeds: tuple[Any, ...], request: int) -> Any:
    """The tangent of a target, given those of the sources, each in the shape of its source."""
    raise AssertionError("a tangent is made of statements")


def jacobian(target: Any, source: Any, mode: str, request: int) -> Any:
    """All partial derivatives: an array with the axes of the target, then those of the source.

    mode: 'forward', 'reverse', or '' for what takes fewer iterations as far as sizes are known.
    """
    raise AssertionError("a Jacobian is made of statements")


def columns(target: Any, source: Any, tangents: Any, request: int) -> Any:
    """The tangents of a target, given those of a vector in the columns of a matrix: one column more for each."""
    raise AssertionError("tangents are made of statements")


def divergence(target: Any, source: Any, request: int) -> Any:
    """The sum of the partial derivatives of target[k] by source[k], which have the same shape."""
    raise AssertionError("a divergence is made of statements")


def zeros_like(value: Any) -> Any:
    """Zeros of the shape and dtype of a value."""
    return np.zeros_like(value)


def print_(*parts: Any) -> None:
    """Print the parts as the user wrote them."""
    print(*parts)


def print_to(end: str, stream: str, flush: bool, *parts: Any) -> None:
    """Print the parts to a stream of `sys`, and end them otherwise than with a line."""
    print(*parts, end=end, file=getattr(sys, stream), flush=flush)


def breakpoint_() -> None:
    """Stop for a debugger, where the code is not compiled."""
    breakpoint()


def raise_(exception: type[Exception], *parts: Any) -> None:
    """Raise the user's exception."""
    raise exception(*parts)


def check(condition: bool, exception: type[Exception], *parts: Any) -> None:
    """Raise the exception unless the condition holds."""
    if not condition:
        raise exception(*parts)


def evaluated(value: Any) -> None:
    """Compute a value for the errors that this may raise: nobody reads it."""


def write_back(array: Any, value: Any) -> None:
    """Give a changed parameter its last elements, where those ended up in other memory."""
    array[...] = value


def select(condition: bool, then: Any, orelse: Any) -> Any:
    """One of two scalars; both are evaluated."""
    return then if condition else orelse


def _item(item: Any) -> Any:
    return slice(item.start, item.stop, item.step) if isinstance(item, Slice) else item


PRINTING = {print_, print_to}
"""Functions that print."""

CREATING = {np.empty, np.zeros, np.ones}
"""Functions that make an array of a shape, whose elements follow from no value of the program."""

ZEROING = {np.zeros, zeros_like}
"""Functions that make an array of zeros."""

REQUESTS = {gradient, tangent, jacobian, columns, divergence}
"""Functions that ask for derivatives of what the statements before them compute."""

WRITES = {store, add_at}
"""Functions that write the element, or the part, of their first operand that the second one names."""

ACCESSES = {load, *WRITES}
"""Functions that read or write the element, or the part, of their first operand that the second one names."""

CONSUMING = {store, add_at, accumulate, product_into, inverse_into, shaped_like}
"""Functions that take their first operand's memory for their result."""
