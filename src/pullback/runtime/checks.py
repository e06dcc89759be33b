"""Checks of indices: IndexError where an access would be outside its array."""

from __future__ import annotations

from typing import Any

from pullback.runtime.compiled import compiled


class SizesDiffer(Exception):
    """The sizes of arguments differ, though code was made for equal ones; other code serves the call."""


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


def check_span(first: int, last: int, size: int, *rounds: int) -> None:
    """IndexError unless `first` and `last` are indices of an axis of this size, or one of the loops has no rounds."""
    if all(count > 0 for count in rounds):
        check_index(first, size)
        check_index(last, size)


@compiled(check_span, prefer_literal=False)
def _check_span(first: Any, last: Any, size: Any, *rounds: Any) -> Any:
    def check(first, last, size, *rounds):
        for count in rounds:
            if count <= 0:
                return
        if first < -size or last >= size:
            raise IndexError("index is out of bounds for its axis")

    return check
