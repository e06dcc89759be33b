"""Lists and dicts that a loop binds to a name, or puts into another list or dict, anew in each iteration.

What they hold is carried item by item, and an iteration starts with a list or dict of its own. It is changed in place
only where nobody else can have the same one:

>>> import numpy as np, pullback as pb
>>> def descent(x, n):
...     p = {"w": x, "steps": 0}
...     for _ in range(n):
...         p = {"w": p["w"] - 0.1 * np.sin(p["w"]), "steps": p["steps"]}
...         p["steps"] += 1
...     return np.sum(p["w"]) * p["steps"]
>>> pb.grad(descent)(np.zeros(2), 2)
array([1.62, 1.62])
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pullback.frontend.values.bindings import Cell, Conflict, DictRef, Key, ListRef
from pullback.frontend.values.leaves import container_leaves
from pullback.frontend.values.paths import plain_name
from pullback.frontend.values.references import references
from pullback.frontend.values.state import State

Place = tuple[Key, int]  # a name, and which of the lists and dicts that it stands for


@dataclass(slots=True)
class CarriedContainers:
    """The guess of who else has a list or dict that the loop carries; it grows with each reading until it holds.

    cells: that of each one. shared: why it must not be changed, where somebody else may have the same. others: cells
    that may be the same, or hold the same.
    """

    entry: State
    cells: dict[Place, Cell] = field(default_factory=dict)
    shared: dict[Place, str] = field(default_factory=dict)
    others: dict[Place, frozenset[Cell]] = field(default_factory=dict)

    def begin(self, place: Place, before: ListRef | DictRef | None, name: str) -> Cell:
        """The cell at the start of an iteration. before: the list or dict from before the loop, if there is one."""
        cell = self.cells.setdefault(place, Cell(plain_name(name)))
        if before is not None:
            given = self.entry.at(place[0])
            among = [ref.cell for ref in container_leaves(getattr(given, "binding", given), self.entry)]
            reason = before.cell.outside or before.cell.constant
            if not reason and (among.count(before.cell) > 1 or references(self.entry, before.cell, place[0])):
                reason = _reason(cell)
            self._note(place, before.cell, reason, self.entry.linked.get(before.cell, frozenset()))
        cell.outside = self.shared.get(place, "")
        return cell

    def holds(self, ends: dict[Place, ListRef | DictRef], started: State, end: State) -> bool:
        """Whether what an iteration leaves behind was known. ends: the lists and dicts that are carried on."""
        read_on = {
            key: binding
            for key, binding in end.names.items()
            if key in started.names and not isinstance(started.names[key], Conflict)
        }
        end = replace(end, names=read_on)
        before = dict(self.shared), dict(self.others)
        for place, ref in ends.items():
            linked = {cell for cell in end.linked.get(ref.cell, ()) if cell in self.entry.cells}
            same = {self.cells[other] for other, their in ends.items() if other != place and their.cell is ref.cell}
            linked |= {self.cells[o] for o, their in ends.items() if their.cell in end.linked.get(ref.cell, ())}
            reason = ref.cell.outside if ref.cell is not self.cells[place] else ""
            if not reason and (same or ref.cell in self.entry.cells or references(end, ref.cell, place[0])):
                reason = _reason(self.cells[place])
            self._note(place, ref.cell, reason, linked | same)
        return before == (self.shared, self.others)

    def _note(self, place: Place, cell: Cell, reason: str, linked: frozenset[Cell] | set[Cell]) -> None:
        found = set(linked) - {self.cells[place]}
        if reason:
            self.shared.setdefault(place, reason)
            found |= {cell} if cell in self.entry.cells else set()
        self.others[place] = self.others.get(place, frozenset()) | found


def _reason(cell: Cell) -> str:
    which = f"'{cell.name}'" if cell.name else "this"
    return f"{which} may be one of several lists or dicts in this loop, so it cannot be changed here"
