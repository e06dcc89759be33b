"""The state of the reading at one point of the program: what names stand for, and what is in memory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pullback.frontend.values.bindings import Binding, Cell, Key, PointsTo, Stack, cells_in
from pullback.frontend.values.contents import values_in_content, with_values
from pullback.ir.nodes import Value


@dataclass(slots=True)
class State:
    """What every name stands for, and the present version of every cell, at one point of the program.

    points_to: the cells of which only the run knows whose memory they are. spent: the tapes that have been asked for a
    gradient, and the iterators that have been gone over.
    """

    names: dict[Key, Binding] = field(default_factory=dict)
    cells: dict[Cell, Any] = field(default_factory=dict)
    linked: dict[Cell, frozenset[Cell]] = field(default_factory=dict)
    stale: dict[Cell, str] = field(default_factory=dict)
    points_to: dict[Cell, PointsTo] = field(default_factory=dict)
    arguments: frozenset[Cell] = frozenset()
    spent: frozenset[Any] = frozenset()
    dead: bool = False

    def copy(self) -> State:
        """A state that can go its own way."""
        return replace(
            self,
            names=dict(self.names),
            cells=dict(self.cells),
            linked=dict(self.linked),
            stale=dict(self.stale),
            points_to=dict(self.points_to),
        )

    def link(self, a: Cell, b: Cell) -> None:
        """Note that two cells may be the same memory."""
        if a is not b:
            self.linked[a] = self.linked.get(a, frozenset()) | {b}
            self.linked[b] = self.linked.get(b, frozenset()) | {a}

    def descend(self, cell: Cell, source: Cell) -> None:
        """Note that a new cell may be the memory of `source`, or whatever that may be."""
        for memory in self.memories(source):
            for other in (memory, *self.linked.get(memory, ())):
                self.link(cell, other)

    def hold(self, cell: Cell, content: Any) -> None:
        """Note that a buffer stands for a list of these items, whose arrays and lists others may write.

        Other lists that hold an array of this one are not this list: they take items of their own.
        """
        for item in content if isinstance(content, tuple) else ():
            for inner in cells_in(item):
                for memory in self.memories(inner):
                    others = self.linked.get(memory, ())
                    is_array = isinstance(self.cells.get(memory), Value)
                    for other in (memory, *(o for o in others if not (is_array and self.is_list(o)))):
                        self.link(cell, other)
                self.hold(cell, self.cells.get(inner))

    def is_list(self, cell: Cell) -> bool:
        return isinstance(self.cells.get(cell), tuple | Stack)

    def copy_items(self, cell: Cell, source: Cell) -> None:
        """Note that a new list, or an array or list in it, is what a list whose length is a matter of the run holds."""
        for other in self.linked.get(source, ()):
            if other is not cell:
                self.link(cell, other)

    def memories(self, cell: Cell) -> set[Cell]:
        """A cell, and all that it may point to."""
        points_to = self.points_to.get(cell)
        aliases = points_to.aliases if points_to is not None else ()
        return {cell}.union(*(self.memories(alias.ref.cell) for alias in aliases))

    def is_given(self, cell: Cell) -> bool:
        """Whether somebody outside has this memory: the caller, or who keeps a constant."""
        return bool(cell.constant) or cell in self.arguments

    def at(self, key: Key) -> Any:
        """What a name, or an item of a list or dict, stands for; None where there is no such name."""
        owner, place = key
        if not isinstance(owner, Cell):
            return self.names.get(key)
        return values_in_content(self.cells[owner])[place]

    def put(self, key: Key, binding: Binding) -> None:
        """Bind a name, or give a list or dict another item."""
        owner, place = key
        if not isinstance(owner, Cell):
            self.names[key] = binding
            return
        values = values_in_content(self.cells[owner])
        values[place] = binding
        self.cells[owner] = with_values(self.cells[owner], values)

    def settle(self, cell: Cell, reason: str) -> None:
        """Take a cell for the array that it is now, whosever memory that is: with the reason not to write it."""
        points_to = self.points_to.pop(cell, None)
        if points_to is not None:
            cell.outside = cell.outside or reason
            for alias in points_to.aliases:
                self.descend(cell, alias.ref.cell)

    def has_written(self, before: State) -> bool:
        """Whether any memory of an earlier state has another version now."""
        shared = {cell: points_to.own for cell, points_to in before.points_to.items() if cell in self.points_to}
        if any(self.points_to[cell].own is not own for cell, own in shared.items()):
            return True
        own = (cell for cell in before.cells if cell not in shared)
        return any(self.cells.get(cell) is not before.cells[cell] for cell in own)

    def moved(self, cell: Cell) -> None:
        """Note that a cell was written: those that may be its memory must be made anew before they are read."""
        reached, found = {cell}, True
        while found:
            found = False
            for other, points_to in self.points_to.items():
                if other not in reached and any(alias.ref.cell in reached for alias in points_to.aliases):
                    reached.add(other)
                    found = True
        for other in reached & self.points_to.keys():
            self.points_to[other] = replace(self.points_to[other], moved=True)


def name_at(key: Key) -> str:
    """The name that a key has, or that the list or dict has which it is an item of."""
    return key[0].name if isinstance(key[0], Cell) else str(key[1])
