"""Paths: which part of an array they lead to."""

from __future__ import annotations

from pullback.ir.nodes import Constant, Index, Operand, Slice, Step


def is_whole(path: tuple[Step, ...]) -> bool:
    """Whether a path is all of an array, as it lies."""
    items = [item for step in path for item in (step.items if isinstance(step, Index) else (None,))]
    return all(item == Slice(None, None, None) or is_rest(item) for item in items)


def is_rest(item: Operand) -> bool:
    """Whether an item of an index is `...`."""
    return isinstance(item, Constant) and item.value is Ellipsis
