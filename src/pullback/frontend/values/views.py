"""Paths from a cell to the part of it that a view stands for."""

from __future__ import annotations

from typing import Any

from pullback.ir.nodes import Index, Step, is_scalar


def merged(path: tuple[Step, ...]) -> tuple[Step, ...]:
    """A path with `[i][j]` written as `[i, j]` where that means the same.

    >>> from pullback.ir.builder import constant
    >>> len(merged((Index((constant(0),)), Index((constant(1),)))))
    1
    """
    steps: list[Step] = []
    for step in path:
        before = steps[-1] if steps else None
        if isinstance(step, Index) and isinstance(before, Index) and all(_is_integer(i) for i in before.items):
            steps[-1] = Index((*before.items, *step.items))
        else:
            steps.append(step)
    return tuple(steps)


def _is_integer(item: Any) -> bool:
    return is_scalar(item) and item.type.dtype != "bool"
