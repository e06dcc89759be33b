"""Room for residuals: what is known, before the outermost loop of a nest, of its iterations and of the sizes of values.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import walk
>>> def f(x, n):
...     for i in range(n):
...         x = x * x
...     while x > 1.0:
...         x = x * 0.5
...     return x
>>> body = normal_form(f, 1.0, 3).body
>>> counted, uncounted = (s for s in walk(body) if isinstance(s, For | While))
>>> rooms = Rooms(body, Shapes(), Ranges(Shapes()))
>>> [rooms.is_regular(loop, ()) for loop in (counted, uncounted)]
[True, False]
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

from pullback.analysis.extents import can_compute
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.most_iterations import Bounds, Room
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size, values_of
from pullback.ir.nodes import Block, Constant, For, Let, Operand, Statement, Value, While, values_in
from pullback.ir.types import Array
from pullback.transform.residual_places import starts_at_zero
from pullback.transform.residual_plan import Path


class Rooms:
    """What is known of a body. paths: the block that defines each value. statements: those of the body by identity."""

    def __init__(self, body: Block, shapes: Shapes, ranges: Ranges) -> None:
        self.body, self.shapes, self.ranges = body, shapes, ranges
        self.paths: dict[Value, Path] = {}
        self.statements: dict[int, Statement] = {}
        self.lets: dict[Value, Let] = {}

    @cached_property
    def undefined(self) -> set[Value]:
        """What may have no value."""
        return maybe_undefined(self.body)

    def has_places(self, value: Value, path: Path) -> bool:
        """Whether an array that does not grow can keep a value of a block in a loop."""
        return None not in self.places(value, path)

    def nest(self, path: Path) -> tuple[Path, tuple[For | While, ...]]:
        """The block that the outermost loop around a block stands in, and the loops."""
        loops = [k for k, (number, _) in enumerate(path) if isinstance(self.statements[number], For | While)]
        around = tuple(self.statements[path[k][0]] for k in loops)
        return path[: loops[0]] if loops else path, cast(tuple[For | While, ...], around)

    def places(self, value: Value, path: Path) -> tuple[tuple[Size, ...] | None, tuple[Operand | Room, ...] | None]:
        """The sizes of a value, and where the loops around it stop at the latest, as far as that is known before."""
        home, around = self.nest(path)
        last = max(k for k, (number, _) in enumerate(path) if number == id(around[-1]))
        in_branch = last - len(home) >= len(around)
        return self.sizes_of(value, home), self.stops(around, home, in_branch)

    def is_regular(self, loop: Any, home: Path) -> bool:
        """Whether the number of iterations is known before the outermost loop."""
        if counts_iterations(loop):
            return False
        return all(self.is_outside(v, home) for v in values_in((loop.start, self.most(loop, home), loop.step)))

    def stops(self, loops: tuple[Any, ...], home: Path, in_branch: bool) -> tuple[Operand | Room, ...] | None:
        """Where each loop of a nest stops at the latest, or the room that it needs: of one, whose bounds vary.

        in_branch: whether one of the loops may not run at all.
        """
        found: list[Operand | Room] = []
        for k, loop in enumerate(loops):
            if self.is_regular(loop, home):
                found.append(self.most(loop, home))
                continue
            room = None if in_branch else self.room(loop, loops[:k], home)
            if room is None or (room.varies and any(isinstance(stop, Room) and stop.varies for stop in found)):
                return None
            found.append(room)
        return tuple(found)

    def room(self, loop: Any, around: tuple[Any, ...], home: Path) -> Room | None:
        """The most iterations of a loop whose bounds follow from the indices of loops around it."""
        if counts_iterations(loop):
            return None
        bounds = Bounds(self.ranges, self.lets, lambda value: self.is_outside(value, home))
        most = bounds.most_iterations(loop, around)
        return most.moved(loop.start.value) if most is not None and starts_at_zero(loop) else most

    def most(self, loop: For, home: Path) -> Operand:
        """Where a loop stops at the latest: of the smaller of two numbers, the one that is known at `home`."""
        made = self.lets.get(loop.stop) if isinstance(loop.stop, Value) else None
        counts_up = isinstance(loop.step, Constant) and loop.step.value > 0
        sides = made.operands if made is not None and made.function is min and counts_up else ()
        known = (side for side in (loop.stop, *sides) if all(self.is_outside(v, home) for v in values_in(side)))
        return next(known, loop.stop)

    def is_outside(self, value: Value, home: Path) -> bool:
        path = self.paths.get(value, ())
        return path == home[: len(path)]

    def sizes_of(self, value: Value, home: Path) -> tuple[Size, ...] | None:
        """The sizes of a value where they are known at `home`; None where they are not, or it may have none."""
        if isinstance(value.type, Array) and value in self.undefined:
            return None
        sizes: list[Size] = []
        for size in self.shapes.of(value):
            if not can_compute(size) or not all(self.is_outside(value, home) for value in values_of(size)):
                return None
            sizes.append(size)
        return tuple(sizes)


def counts_iterations(statement: For | While) -> bool:
    """Whether the mirror of a loop runs over iteration numbers rather than the loop's own index."""
    return isinstance(statement, While) or statement.exits
