"""States: one value that is kept serves for two, as a loop or a branch hands it on.

One residual array has the state of a recurrence before each iteration and the one after it:

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
And what a branch hands on is its result, which is kept for both:

>>> def limited(x):
...     s = 0.0
...     for i in range(x.shape[0]):
...         if x[i] > 0.5:
...             t = np.exp(x[i])
...         else:
...             t = np.sin(x[i])
...         s = t * t * s + 1.0
...     return s
>>> text = pb.inspect_source(limited, np.ones(3))
>>> print(*(line.strip() for line in text.splitlines() if "_saved" in line and "= np.empty" in line), sep="\\n")
t_saved = np.empty(x.shape, dtype=np.float64)
s_saved = np.empty(x.shape, dtype=np.float64)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol

from pullback.analysis.shapes import Shapes
from pullback.ir.nodes import Block, For, If, Operand, Statement, Value, is_undefined
from pullback.transform.residual_plan import Path
from pullback.transform.residual_rooms import Rooms


class Decisions(Protocol):
    """What is known of the values of a function; see `Residuals`."""

    shapes: Shapes
    statements: dict[int, Statement]
    needs: dict[Path, dict[Value, None]]
    rooms: Rooms
    paths: dict[Value, Path]
    blocks: dict[Path, Block]


def states(known: Decisions, path: Path) -> Iterator[tuple[Value, Value]]:
    """What the loop around a block hands from one iteration to the next: before it, and after it.

    Not of a loop of a backward sweep that is differentiated again: its index, by which arrays are kept, runs down.
    """
    loop = known.statements[path[-1][0]] if path else None
    if not isinstance(loop, For) or loop.reverse:
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


def given_by_results(known: Decisions, path: Path) -> dict[Value, Value]:
    """The values that a branch hands on as results, each of which the block around it needs anyway."""
    branches = known.statements[path[-1][0]]
    if not isinstance(branches, If):
        return {}
    needed, yields = known.needs.get(path[:-1], ()), known.blocks[path].yields
    pairs = [(y, r) for y, r in zip(yields, branches.results, strict=True) if r in needed]
    return {y: r for y, r in pairs if isinstance(y, Value) and known.paths.get(y) == path and y.type == r.type}


def _are_alike(known: Decisions, before: Value, initial: Operand, after: Value) -> bool:
    """Whether one array can keep all that a loop hands on, with what it starts with."""
    if is_undefined(initial) or before.type != after.type:
        return False
    return known.shapes.of(before) == known.shapes.of(after)
