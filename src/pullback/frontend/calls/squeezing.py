"""`np.squeeze` without axes: which axes of a view surely have one element, because the view itself made them."""

from __future__ import annotations

from typing import Any

from pullback.ir.nodes import Constant, Index, Permute, Slice, Step
from pullback.ir.types import Scalar


def axes_of_one(path: tuple[Step, ...], rank: int) -> tuple[bool, ...]:
    """For each axis of what a path shows of an array of this rank, whether it was made with one element.

    >>> axes_of_one((Index((Slice(None, None, None), Constant(None))), Permute((1, 0))), 1)
    (True, False)
    """
    made = (False,) * rank
    for step in path:
        if isinstance(step, Permute):
            made = tuple(made[k] for k in step.axes)
        elif isinstance(step, Index):
            made = _indexed(step.items, made)
        else:
            made = tuple(isinstance(extent, Constant) and extent.value == 1 for extent in step.shape)
    return made


def _indexed(items: tuple[Any, ...], made: tuple[bool, ...]) -> tuple[bool, ...]:
    """What an index leaves of it. An index of arrays or with `...` leaves nothing that is known."""
    left, after = list(made), []
    for item in items:
        if isinstance(item, Slice):
            is_one = left.pop(0)
            after.append(is_one and item == Slice(None, None, None))
        elif isinstance(item, Constant) and item.value is None:
            after.append(True)
        elif isinstance(getattr(item, "type", None), Scalar):
            left.pop(0)
        else:
            return ()
    return (*after, *left)
