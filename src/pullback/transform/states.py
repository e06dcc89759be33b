"""States of recurrences: one residual array has the state before each iteration and the one after it.

>>> import numpy as np, pullback as pb
>>> def f(w, x):
...     h = 0.0
...     for i in range(x.shape[0]):
...         h = np.tanh(w * h + x[i])  # dh/dw needs the state before it, the derivative of tanh the one after it
...     return h
>>> kept = [line for line in pb.inspect_source(f, 0.5, np.ones(3)).splitlines() if "_saved" in line]
>>> print("\\n".join(line.strip() for line in kept[:3]))
h_saved = np.empty((x.shape[0] + 1,), dtype=np.float64)
h_saved[0] = 0.0
h_saved[i + 1] = h

What an iteration hands on is what the next one starts with: the array has one place more than the loop has iterations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from pullback.analysis.shapes import Shapes
from pullback.ir.nodes import For, Operand, Statement, Value, is_undefined
from pullback.transform.residual_plan import Path
from pullback.transform.residual_rooms import Rooms


class Decisions(Protocol):
    """What is known of the values of a function; see `Residuals`."""

    shapes: Shapes
    statements: dict[int, Statement]
    needs: dict[Path, dict[Value, None]]
    rooms: Rooms


def states(known: Decisions, path: Path) -> Iterator[tuple[Value, Value]]:
    """What the loop around a block hands from one iteration to the next: before it, and after it."""
    loop = known.statements[path[-1][0]]
    if not isinstance(loop, For):
        return
    for carried, after in zip(loop.carried, loop.body.yields, strict=False):
        before = carried.parameter
        if isinstance(after, Value) and before is not after and _are_alike(known, before, carried.initial, after):
            yield before, after


def following(known: Decisions, path: Path, kept: Collection[Value]) -> dict[Value, Value]:
    """Of the values that a block keeps, those that share an array: what follows each state."""
    found: dict[Value, Value] = {}
    for before, after in states(known, path):
        taken = {before, after} & {*found, *found.values()}
        if before in kept and after in kept and not taken and known.rooms.has_places(before, path):
            found[before] = after
    return found


def begin_with(known: Decisions, path: Path, kept: Collection[Value]) -> dict[Value, Value]:
    """The states that take no memory as long as what follows each of them is kept."""
    return {b: a for b, a in states(known, path) if a in kept and b not in kept and known.rooms.has_places(b, path)}


def is_kept_by_the_next(known: Decisions, array: Value, path: Path) -> bool:
    """Whether the block of an array hands it on, and needs what the iteration before has handed on."""
    needed = known.needs.get(path, ())
    return any(after is array and before in needed for before, after in states(known, path))


def _are_alike(known: Decisions, before: Value, initial: Operand, after: Value) -> bool:
    """Whether one array can keep all that a loop hands on, with what it starts with."""
    if is_undefined(initial) or before.type != after.type:
        return False
    return known.shapes.of(before) == known.shapes.of(after)
