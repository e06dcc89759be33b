"""Arrays where two paths meet: one cell for what is one of two, and whose memory it is after each path."""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import Alias, ArrayRef, Binding, Cell, PointsTo
from pullback.frontend.values.exchanged import mapped_content
from pullback.frontend.values.paths import Path, Paths, plain_name
from pullback.frontend.values.references import references
from pullback.ir.nodes import (
    UNDEFINED,
    Constant,
    Operand,
    Value,
    map_values,
    values_in,
)
from pullback.ir.types import BOOL


class ArrayMerge(Paths):
    """The arrays of two paths."""

    def arrays(self, a: ArrayRef, b: ArrayRef, name: str) -> Binding:
        """A new cell for an array that is one of two; it may be the memory of those that others still have."""
        key = (a.cell, b.cell, (a.path, b.path))
        if key not in self.cells:
            first, second = self.read(a, self.then), self.read(b, self.orelse)
            merged = self.phi(first, second, plain_name(name))
            if merged is None:
                return self.conflict(a, b, name)
            ref = self.cells[key] = self.fresh(merged, name)
            self.share(ref.cell, (a, first), (b, second))
        return self.cells[key]

    def share(self, cell: Cell, a: tuple[ArrayRef, Value], b: tuple[ArrayRef, Value]) -> None:
        """Note whose memory the new cell is, after each path, where others have that too."""
        if a[1].type.dtype != b[1].type.dtype:
            cell.outside = f"'{cell.name}' is an array of {a[1].type.dtype} or of {b[1].type.dtype} here"
            self.state.descend(cell, a[0].cell)
            self.state.descend(cell, b[0].cell)
            return
        sides = [self.owned(a, self.then), self.owned(b, self.orelse)]
        cell.strided = any(self.is_strided(ref, path) for ref, path in ((a[0], self.then), (b[0], self.orelse)))
        cell.outside = a[0].cell.outside or b[0].cell.outside
        for _, _, linked in sides:
            for other in linked:
                self.state.link(cell, other)
        (left, mine, _), (right, yours, _) = sides
        refs = list(dict.fromkeys([*left, *right]))
        if not refs:
            return
        never = Constant(False, BOOL)
        held = [
            self.phi(left.get(ref, never), right.get(ref, never), f"{cell.name}_is_{ref.cell.name}") for ref in refs
        ]
        owned = mine is not None or yours is not None
        own = self.own(mine, yours, cell.name) if owned else None
        aliases = tuple(Alias(holds, ref) for holds, ref in zip(held, refs, strict=True))
        self.state.points_to[cell] = PointsTo(aliases, own)

    def own(self, a: Value | None, b: Value | None, name: str) -> Operand:
        """The version of a cell's own memory, which it has after one of the paths at least."""
        return self.phi(a or Constant(UNDEFINED, b.type), b or Constant(UNDEFINED, a.type), name)

    def owned(self, given: tuple[ArrayRef, Value], path: Path) -> tuple[dict[ArrayRef, Operand], Any, set[Cell]]:
        """The arrays that one is the memory of, each with its condition; its own version; what it may overlap.

        An array from before the branches that nobody else has is taken over.
        """
        ref, value = given
        cell, state = ref.cell, path.state
        linked = state.linked.get(cell, frozenset())
        survives, points_to = cell in self.outer.cells, state.points_to.get(cell)
        always = Constant(True, BOOL)
        if cell.constant or (survives and (points_to is not None or self.is_shared(cell))):
            self.keep(cell, path)
            return {self.seen(ref, path): always}, None, set()
        if survives or (points_to is None and references(state, cell) <= 1):
            return {}, value, {*linked}
        if references(state, cell) > 1 or ref.path:
            self.keep(cell, path)
            return {self.seen(ref, path): always}, None, set()
        for alias in points_to.aliases:
            self.keep(alias.ref.cell, path)
        held = {self.seen(alias.ref, path): alias.holds for alias in points_to.aliases}
        return held, points_to.own, {*linked}

    def is_strided(self, ref: ArrayRef, path: Path) -> bool:
        return bool(ref.path) or ref.cell.strided or self.outer.is_given(ref.cell)

    def keep(self, cell: Cell, path: Path) -> None:
        """Let a cell that one path made go on to exist, undefined after the other path."""
        if cell in self.state.cells:
            return

        def leaf(operand: Operand) -> Operand:
            return self.visible(operand, path)

        self.state.cells[cell] = mapped_content(path.state.cells[cell], leaf)
        if cell in path.state.points_to:
            points_to = path.state.points_to[cell]
            for alias in points_to.aliases:
                self.keep(alias.ref.cell, path)
            aliases = tuple(Alias(self.visible(a.holds, path), self.seen(a.ref, path)) for a in points_to.aliases)
            own = None if points_to.own is None else leaf(points_to.own)
            self.state.points_to[cell] = PointsTo(aliases, own, points_to.moved)

    def seen(self, ref: ArrayRef, path: Path) -> ArrayRef:
        """The view as it is named behind the branches."""
        return ArrayRef(ref.cell, self.visible(ref.path, path))

    def visible(self, operand: Operand, path: Path) -> Any:
        """An operand whose values from within the branch are results of the If."""
        if not any(values_in(operand)):
            return operand
        made = path.made()

        def change(value: Value) -> Operand:
            return self.exported(value, path) if value in made else value

        return map_values(operand, change)

    def is_shared(self, cell: Cell) -> bool:
        """Whether the caller or anything besides the name at hand still has an array from before the branches."""
        if cell not in self.state.cells:
            return False
        return self.state.is_given(cell) or any(references(path.state, cell) > 1 for path in (self.then, self.orelse))
