"""Whose memory the arrays are that a loop carries.

An array that a name is bound to in one iteration may be, in the next, one from before the loop, or that of another
name. Each carried array has a cell of its own, and for each memory besides its own that it was found to become, a
carried condition that says whether it is that:

>>> import numpy as np, pullback as pb
>>> def kept(x, n):
...     y = x.copy()
...     best = y
...     for i in range(n):
...         best[i] = 0.0
...         if i == 1:
...             best = x * 2.0
...     return np.sum(y)
>>> pb.grad(kept)(np.ones(4), 4)
array([0., 0., 1., 1.])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, Cell, Key, PointsTo, cells_in, joined
from pullback.frontend.values.choosing import either
from pullback.frontend.values.context import Context
from pullback.frontend.values.leaves import array_leaves, types_of_leaves, without_flag
from pullback.frontend.values.references import containers_in, references
from pullback.frontend.values.state import State, name_at
from pullback.ir.nodes import UNDEFINED, Constant, Operand, Value, map_values, values_in
from pullback.ir.types import BOOL, Type

MOST_SOURCES = 4
Leaf = tuple[Key, int]  # a name, and which of the arrays that it stands for
Condition = tuple[tuple[Operand, bool], ...]  # operands that are all true, or false


@dataclass(frozen=True, slots=True)
class Piece:
    """The memory that an array is where the conditions hold."""

    ref: ArrayRef
    conditions: Condition = ()


@dataclass(slots=True)
class CarriedArrays:
    """The guess of whose memory carried arrays are; it grows with each reading until it holds.

    cells: the cell of each carried array. sources: the memory besides its own that it may be. unknown: arrays of which
    that cannot be told, with the reason not to write them. others: cells that an array may overlap besides. moved: the
    cells that an iteration writes, of those that have several memories. strided: arrays whose elements may lie apart.
    owned: arrays with several memories that have one of their own as well.
    views: the sources with an index that changes, by what they have in common; such an index is carried, too.
    """

    entry: State
    cells: dict[Leaf, Cell] = field(default_factory=dict)
    sources: dict[Leaf, tuple[ArrayRef, ...]] = field(default_factory=dict)
    unknown: dict[Leaf, str] = field(default_factory=dict)
    others: dict[Leaf, frozenset[Cell]] = field(default_factory=dict)
    moved: set[Cell] = field(default_factory=set)
    strided: set[Leaf] = field(default_factory=set)
    owned: set[Leaf] = field(default_factory=set)
    views: dict[Any, ArrayRef] = field(default_factory=dict)

    def begin(self, leaf: Leaf, before: ArrayRef, type_: Type) -> None:
        """Note what the array is before the loop, if somebody else has that too; otherwise it is taken over.

        type_: that of the array in all iterations. Where memory from before the loop has elements of another type, the
        array has them converted, and writes to it would be lost there.
        """
        cell, entry = before.cell, self.entry
        if before.path or cell.strided or entry.is_given(cell):
            self.strided.add(leaf)
        among = [ref.cell for ref in array_leaves(without_flag(entry.at(leaf[0])), entry)]
        foreign = bool(cell.outside or before.path) or cell in entry.points_to or entry.is_given(cell)
        if leaf in self.unknown:
            self.others[leaf] = self.others.get(leaf, frozenset()) | {cell}
        elif foreign or among.count(cell) > 1 or references(entry, cell, leaf[0]) > 0:
            self.add(leaf, before)
        else:
            self.owned.add(leaf)
        given = [ref for ref in self.sources.get(leaf, ()) if ref.cell in entry.cells]
        if any(types_of_leaves(ref, entry) != [type_] for ref in given):
            self.unknown[leaf] = f"'{name_at(leaf[0])}' has elements of several types in this loop"
            self.others[leaf] = self.others.get(leaf, frozenset()) | {ref.cell for ref in self.sources.pop(leaf)}
        if leaf in self.unknown or before not in self.sources.get(leaf, ()):
            self.others[leaf] = self.others.get(leaf, frozenset()) | entry.linked.get(cell, frozenset())

    def add(self, leaf: Leaf, ref: ArrayRef) -> bool:
        """Note memory that an array may be; whether that was known."""
        known = self.sources.get(leaf, ())
        if ref in known:
            return True
        self.sources[leaf] = (*known, ref)
        return False

    def has_room(self, leaf: Leaf, ref: ArrayRef) -> bool:
        """Whether a source is known, or the first of a few: parts of parts of an array come to no end."""
        known = self.sources.get(leaf, ())
        return ref in known or len(known) < MOST_SOURCES

    def refers(self, leaf: Leaf, other: Leaf) -> bool:
        """Whether an array is another one, or may be its memory, directly or by way of others."""
        if leaf == other:
            return True
        cells = {source.cell for source in self.sources.get(leaf, ())}
        return any(self.cells[near] in cells and self.refers(near, other) for near in self.cells)

    def view(self, leaf: Leaf, ref: ArrayRef, made: set[Value]) -> ArrayRef:
        """A view with a carried value for each one in its path that changes."""
        numbers = count()

        def told(value: Value) -> Operand:
            return Constant(f"<{next(numbers)}>", value.type) if value in made else value

        form = (leaf, ref.cell, map_values(ref.path, told))
        if form not in self.views:
            path = map_values(ref.path, lambda value: Value(value.name, value.type) if value in made else value)
            self.views[form] = ArrayRef(ref.cell, path)
        return self.views[form]

    def indices(self, leaf: Leaf, source: ArrayRef) -> list[Value]:
        """The carried values in the path of a source."""
        fixed = next((form[2] for form, ref in self.views.items() if form[0] == leaf and ref is source), None)
        if fixed is None:
            return []
        known = set(values_in(fixed))
        return [value for value in values_in(source.path) if value not in known]


class IterationEnd:
    """What the carried arrays are at the end of a reading of the body.

    made: the values that the body defines. followed: names and items of lists and dicts whose arrays are carried.
    """

    def __init__(
        self,
        arrays: CarriedArrays,
        leaves: dict[Leaf, ArrayRef],
        started: State,
        end: State,
        made: set[Value],
        followed: set[Key],
    ) -> None:
        self.arrays, self.started, self.end, self.made = arrays, started, end, made
        self.entry, self.followed = arrays.entry, followed
        self.pieces = {leaf: self._expanded(ref) for leaf, ref in leaves.items()}
        self.owners = self._owners()

    def _is_outer(self, cell: Cell) -> bool:
        """Whether a cell is from before the loop, or from outside of the function."""
        return cell in self.entry.cells or bool(cell.constant)

    def _expanded(self, ref: ArrayRef, conditions: Condition = ()) -> list[Piece]:
        """The memory that a view shows: cells from before the loop, and the own memory of others."""
        points_to = self.end.points_to.get(ref.cell)
        if points_to is None or self._is_outer(ref.cell):
            return [Piece(ref, conditions)]
        found: list[Piece] = []
        for alias in points_to.aliases:
            part = ArrayRef(alias.ref.cell, joined(alias.ref.path, ref.path))
            found += self._expanded(part, (*conditions, (alias.holds, True)))
            conditions = (*conditions, (alias.holds, False))
        return found if points_to.own is None else [*found, Piece(ref, conditions)]

    def _owners(self) -> dict[Cell, list[tuple[Leaf, Condition]]]:
        """The arrays that keep each piece of memory from within the loop, under conditions that exclude each other."""
        users: dict[Cell, list[tuple[Leaf, Piece]]] = {}
        for leaf, pieces in self.pieces.items():
            for piece in pieces:
                if not self._is_outer(piece.ref.cell) and leaf not in self.arrays.unknown:
                    users.setdefault(piece.ref.cell, []).append((leaf, piece))
        reached = containers_in(self.end, *self.end.names.values())
        contents = {holder: self.end.cells[holder] for holder in reached}
        lists = {holder: content for holder, content in contents.items() if isinstance(content, tuple)}
        items = {(holder, k): item for holder, content in lists.items() for k, item in enumerate(content)}
        held = {cell for key, item in items.items() if key not in self.followed for cell in cells_in(item)}
        owners: dict[Cell, list[tuple[Leaf, Condition]]] = {}
        for cell, using in users.items():
            if cell in held:
                continue
            alone = len(using) == 1 and cell not in self.end.points_to
            found = owners.setdefault(cell, [])
            for leaf, piece in using:
                apart = all(leaf == other or _exclude(piece.conditions, theirs) for other, theirs in found)
                if apart and (alone or not piece.ref.path):
                    found.append((leaf, piece.conditions))
        return owners

    def _source(self, leaf: Leaf, piece: Piece) -> ArrayRef | bool:
        """What the next iteration finds the memory as; True: the array's own; False: it is not known."""
        ref = piece.ref
        if self._is_outer(ref.cell):
            return self._view(leaf, ref)
        owners = [] if ref.cell.outside else self.owners.get(ref.cell, [])
        if (leaf, piece.conditions) in owners:
            return True
        for owner, conditions in owners:
            if conditions in ((), piece.conditions) and not self.arrays.refers(owner, leaf):
                return self._view(leaf, ArrayRef(self.arrays.cells[owner], ref.path))
        return False

    def _view(self, leaf: Leaf, ref: ArrayRef) -> ArrayRef:
        changes = any(value in self.made for value in values_in(ref.path))
        return self.arrays.view(leaf, ref, self.made) if changes else ref

    # Whether the guess covers it

    def is_guessed(self) -> bool:
        known = [all((self._sources_hold(leaf), self._others_hold(leaf))) for leaf in self.pieces]
        return all([*known, self._writes_hold()])

    def _sources_hold(self, leaf: Leaf) -> bool:
        arrays, known = self.arrays, True
        for piece in self.pieces[leaf]:
            own = not self._is_outer(piece.ref.cell)
            if own and (piece.ref.path or piece.ref.cell.strided) and leaf not in arrays.strided:
                arrays.strided.add(leaf)
                known = False
            if leaf in arrays.unknown:
                continue
            source = self._source(leaf, piece)
            if isinstance(source, ArrayRef) and arrays.has_room(leaf, source):
                known &= arrays.add(leaf, source)
            elif source is True:
                known &= leaf in arrays.owned
                arrays.owned.add(leaf)
            else:
                reason = f"'{name_at(leaf[0])}' may be one of several arrays in this loop, so it cannot be written here"
                arrays.unknown[leaf] = piece.ref.cell.outside or reason
                arrays.sources.pop(leaf, None)
                known = False
        return known

    def _others_hold(self, leaf: Leaf) -> bool:
        """Note the cells that an array may overlap in a way that no condition tells."""
        is_unknown = leaf in self.arrays.unknown
        pieces = [piece for piece in self.pieces[leaf] if is_unknown or self._source(leaf, piece) is True]
        linked = {other for piece in pieces for other in self.end.linked.get(piece.ref.cell, ())}
        found = {cell for cell in linked if cell in self.entry.cells}
        for other, theirs in self.pieces.items():
            if other != leaf and any(piece.ref.cell in linked for piece in theirs):
                found.add(self.arrays.cells[other])
        if is_unknown:
            found |= {cell for piece in pieces for cell in self._cells_of(piece)}
        before = self.arrays.others.get(leaf, frozenset())
        self.arrays.others[leaf] = before | found
        return found <= before

    def _cells_of(self, piece: Piece) -> set[Cell]:
        """The cells, of those that there are before and after an iteration, that a piece of memory is a part of."""
        cell = piece.ref.cell
        keeping = {self.arrays.cells[owner] for owner, _ in self.owners.get(cell, ())}
        return keeping | {cell} if self._is_outer(cell) else keeping

    def _writes_hold(self) -> bool:
        """Cells of several memories that an iteration writes: the next starts with none of their versions."""
        carried = self.arrays.cells.values()
        shared = [cell for cell in self.end.points_to if cell in self.entry.cells or cell in carried]
        now = {cell for cell in shared if self._is_changed(cell, self.end.points_to[cell])}
        known = now <= self.arrays.moved
        self.arrays.moved |= now
        return known

    def _is_changed(self, cell: Cell, points_to: PointsTo) -> bool:
        if points_to.moved or points_to != self.started.points_to.get(cell):
            return True
        return self.end.cells[cell] is not self.started.cells[cell]

    # What the loop yields

    def yielded(self, leaf: Leaf, type_: Type, context: Context, node: Any) -> list[Operand]:
        """An array's own memory after an iteration; for each source, whether it is that, and its indices."""
        own: list[Piece] = []
        held: dict[ArrayRef, list[Piece]] = {source: [] for source in self.arrays.sources[leaf]}
        for piece in self.pieces[leaf]:
            source = self._source(leaf, piece)
            (held[source] if isinstance(source, ArrayRef) else own).append(piece)
        yields = [self._own(own, type_, context, node)] if leaf in self.arrays.owned else []
        for source, pieces in held.items():
            yields.append(_any([piece.conditions for piece in pieces], context, node))
            for index in self.arrays.indices(leaf, source):
                place = list(values_in(source.path)).index(index)
                yields.append(self._index(pieces, place, index, context, node))
        return yields

    def _index(self, pieces: list[Piece], place: int, index: Value, context: Context, node: Any) -> Operand:
        """The value at a place in the paths of a source's pieces."""
        if not pieces:
            return Constant(UNDEFINED, index.type)
        first, *others = pieces
        value = list(values_in(first.ref.path))[place]
        if not others:
            return value
        rest = self._index(others, place, index, context, node)
        return either(context, _all(first.conditions, context, node), lambda: value, lambda: rest, index.name, node)

    def _own(self, pieces: list[Piece], type_: Type, context: Context, node: Any) -> Operand:
        """The version of the piece whose conditions hold; where none does, it is not read.

        The last piece is taken without asking if it is a whole array, perhaps undefined. A part is taken only where its
        conditions hold: elsewhere the array that it is cut from may have no value. So parts come first.
        """
        if not pieces:
            return Constant(UNDEFINED, type_)
        first, *others = sorted(pieces, key=lambda piece: not piece.ref.path)
        if not others and not (first.ref.path and first.conditions):
            return self._version(first, context, node)
        return either(
            context,
            _all(first.conditions, context, node),
            lambda: self._version(first, context, node),
            lambda: self._own(others, type_, context, node),
            first.ref.cell.name,
            node,
        )

    def _version(self, piece: Piece, context: Context, node: Any) -> Value:
        cell, path = piece.ref.cell, piece.ref.path
        points_to = self.end.points_to.get(cell)
        version = points_to.own if points_to is not None else context.version(cell, node)
        return context.along(version, path, node)


def _exclude(a: Condition, b: Condition) -> bool:
    """Whether two conditions cannot hold together: one has the opposite of an operand of the other."""
    return any((operand, not wanted) in b for operand, wanted in a)


def _any(conditions: list[Condition], context: Context, node: Any) -> Operand:
    held: Operand = Constant(False, BOOL)
    for condition in conditions:
        one = _all(condition, context, node)
        held = one if held == Constant(False, BOOL) else context.let(node, np.logical_or, held, one)
    return held


def _all(condition: Condition, context: Context, node: Any) -> Operand:
    held: Operand = Constant(True, BOOL)
    for operand, wanted in condition:
        one = operand if wanted else _negated(operand, context, node)
        held = one if held == Constant(True, BOOL) else context.let(node, np.logical_and, held, one)
    return held


def _negated(operand: Operand, context: Context, node: Any) -> Operand:
    if isinstance(operand, Constant):
        return Constant(not operand.value, BOOL)
    return context.let(node, np.logical_not, operand)
