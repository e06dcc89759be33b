"""Checks of indices, and of memory that a caller hands in for a result."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, kernel
from pullback.runtime.memory.copying import may_overlap


def check_index(index: int, size: int) -> None:
    """IndexError unless `index` is one of an axis of this size, counted from its start or its end."""
    if not -size <= index < size:
        raise IndexError("index is out of bounds for its axis")


@compiled(check_index, prefer_literal=False)
def _check_index(index: Any, size: Any) -> Any:
    def check(index: Any, size: Any) -> None:
        if index >= size or index < -size:
            raise IndexError("index is out of bounds for its axis")

    return check


def check_span(first: int, last: int, size: int, *iterations: int) -> None:
    """IndexError unless `first` and `last` are indices of an axis of this size, or a loop has no iterations."""
    if all(count > 0 for count in iterations):
        check_index(first, size)
        check_index(last, size)


@compiled(check_span, prefer_literal=False)
def _check_span(first: Any, last: Any, size: Any, *iterations: Any) -> Any:
    def check(first, last, size, *iterations):
        for count in iterations:
            if count <= 0:
                return
        if first < -size or last >= size:
            raise IndexError("index is out of bounds for its axis")

    return check


def check_elements(indices: np.ndarray, first: int, last: int, size: int, *iterations: int) -> None:
    """IndexError unless all of `indices[first : last + 1]` are indices of an axis, or a loop has no iterations."""
    if all(count > 0 for count in iterations):
        for k in range(first, last + 1):
            check_index(indices[k], size)


@kernel
def check_elements_of(indices: Any, first: Any, last: Any, size: Any) -> None:
    least: Any = 0
    most: Any = -1
    if first >= 0:
        for k in range(first, last + 1):
            index = np.int64(indices[np.uint64(k)])
            least = min(least, index)
            most = max(most, index)
    else:  # counted from the end
        for k in range(first, last + 1):
            least = min(least, np.int64(indices[k]))
            most = max(most, np.int64(indices[k]))
    if least < -size or most >= size:
        raise IndexError("index is out of bounds for its axis")


@compiled(check_elements, prefer_literal=False)
def _check_elements(indices: Any, first: Any, last: Any, size: Any, *iterations: Any) -> Any:
    if not iterations:
        return lambda indices, first, last, size, *iterations: check_elements_of(indices, first, last, size)

    def check_unless_none(indices: Any, first: Any, last: Any, size: Any, *iterations: Any) -> None:
        for count in iterations:
            if count <= 0:
                return
        check_elements_of(indices, first, last, size)

    return check_unless_none


def check_out(out: np.ndarray, x: np.ndarray) -> None:
    """ValueError unless `out` has the shape of `x` and is other memory."""
    if out.shape != x.shape:
        raise ValueError("out has not the shape of its argument")
    check_apart(out, x)


@compiled(check_out)
def _check_out(out: Any, x: Any) -> Any:
    def check(out, x):
        if out.shape != x.shape:
            raise ValueError("out has not the shape of its argument")
        check_apart(out, x)

    return check


def check_apart(a: np.ndarray, b: np.ndarray) -> None:
    """ValueError if two contiguous arrays share memory."""
    if np.may_share_memory(a, b):
        raise ValueError("out shares memory with another array")


@compiled(check_apart)
def _check_apart(a: Any, b: Any) -> Any:
    def check(a, b):
        if may_overlap(a, b) and a.size > 0 and b.size > 0:
            raise ValueError("out shares memory with another array")

    return check


def check_unshared(changed: np.ndarray, other: np.ndarray) -> None:
    """ValueError if an argument that is changed may share memory with another one."""
    if np.may_share_memory(changed, other):
        raise ValueError("an argument that is written shares memory with another one: pass a copy of one of them")


@compiled(check_unshared)
def _check_unshared(changed: Any, other: Any) -> Any:
    def check(changed, other):
        if may_overlap(changed, other) and changed.size > 0 and other.size > 0:
            raise ValueError("an argument that is written shares memory with another one: pass a copy of one of them")

    return check
