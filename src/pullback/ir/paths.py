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


def only_item(path: tuple[Step, ...]) -> Operand | Slice | None:
    """The item of a path that is one index with one item; None for other paths."""
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    return items[0] if len(items) == 1 else None
