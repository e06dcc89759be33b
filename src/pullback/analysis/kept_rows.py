"""Rows that a loop keeps: arrays that an iteration makes and stores as a whole into a row of a larger one.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def f(x, n):
...     path = np.empty((max(n, 0), x.shape[0]))
...     for t in range(n):
...         path[t] = x
...         y = np.empty(x.shape[0])
...         for i in range(x.shape[0]):
...             y[i] = 2 * x[i]
...         x = y
...     return path[0, 0]
>>> (row,) = find_kept_rows(normal_form(f, np.ones(3), 2))
>>> row.maker.value.name, row.store.operands[0].name, row.is_handed_on
('y', 'path', True)

There the row is stored by the next iteration, which the array is handed to. Such an array can be made in the memory of
its row: nothing writes to it once it is stored, no result shares its memory, nothing else reads or writes the larger
array in the loop, and the index of the row is not checked only after the array is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache
from typing import TypeGuard

import numpy as np

from pullback.analysis.made_arrays import MadeArrays, between, sizes_of
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    While,
    blocks_of,
    defined_in,
    is_scalar,
    is_undefined,
    read_by,
    walk,
)
from pullback.ir.trip_counts import least_index
from pullback.ir.types import Array


@dataclass(frozen=True, slots=True)
class KeptRow:
    """An array that an iteration makes, and the store that keeps it: in this iteration or, handed on, in the next one.

    axis: of the larger array, along which the rows follow one another. offset: of the row of an iteration.
    """

    maker: Let
    store: Let
    axis: int
    offset: int
    is_handed_on: bool


def find_kept_rows(function: Function) -> list[KeptRow]:
    """The arrays of all loops that can be made in their rows."""
    if not any(map(is_row_store, walk(function.body))):
        return []
    return list(_in_block(KeptRows(function), function.body, frozenset(), ()))


def made_in_rows(function: Function) -> set[Value]:
    """The arrays that can be made in their rows, as they are made."""
    return {row.maker.value for row in find_kept_rows(function)}


def _in_block(rows: KeptRows, block: Block, earlier: Set[Value], around: tuple[For | While, ...]) -> Iterator[KeptRow]:
    for k, statement in enumerate(block.statements):
        if isinstance(statement, For | While | If):
            known = {*earlier, *defined_in(Block(block.statements[:k]))}
            outer = around if isinstance(statement, If) else (*around, statement)
            for inner in blocks_of(statement):
                yield from _in_block(rows, inner, known, outer)
            if isinstance(statement, For):
                yield from rows.of_loop(statement, known, around)


class KeptRows(MadeArrays):
    """The arrays of a function that can be made in the rows that they are stored into."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.shapes = Shapes(function)
        self.ranges = Ranges(self.shapes)
        self.statements = list(walk(function.body))
        for statement in self.statements:
            if isinstance(statement, Let):
                self.ranges.note(statement)
        self.indices = {statement.index: statement for statement in self.statements if isinstance(statement, For)}
        self.is_of_rows = cache(self.has_only_rows)

    def of_loop(self, loop: For, earlier: Set[Value], around: tuple[For | While, ...]) -> Iterator[KeptRow]:
        """The arrays that a loop keeps. earlier: what is defined before it. around: the loops around it."""
        for store in filter(is_row_store, loop.body.statements):
            row = self.row(store, loop)
            if row is None or self.outlives(row.maker.value, around):
                continue
            is_fit = row.maker.value.type.dtype == store.value.type.dtype and not _is_of_constant_size(row.maker)
            if is_fit and self.fits(store, row.maker.value) and self.is_alone(row, loop, earlier):
                self.moved.add(row.maker.value)
                yield row

    def row(self, store: Let, loop: For) -> KeptRow | None:
        """The array that a store keeps, if it is made in this iteration or in the one before."""
        place = self.moving_item(store, loop)
        carried = {carried.parameter: k for k, carried in enumerate(loop.carried)}
        saved, array = carried.get(store.operands[0]), carried.get(store.operands[2])
        if place is None or saved is None or loop.body.yields[saved] is not store.value:
            return None
        maker = self.maker(store.operands[2], loop.body)
        if maker is not None:
            return KeptRow(maker, store, *place, is_handed_on=False)
        if array is None or is_undefined(loop.carried[array].initial):
            return None
        maker = self.maker(loop.body.yields[array], loop.body)
        is_first_kept = self.has_first_row(loop, saved, place) and self.fits(store, loop.carried[array].initial)
        return KeptRow(maker, store, *place, is_handed_on=True) if maker is not None and is_first_kept else None

    def moving_item(self, store: Let, loop: For) -> tuple[int, int] | None:
        """The axis along which the rows of iterations follow one another, and the offset of a row from the index."""
        if loop.exits or loop.reverse or loop.step != Constant(1, loop.index.type):
            return None
        inside = {loop.index, *defined_in(loop.body)}
        items = items_of(store)
        varying = [axis for axis, item in enumerate(items) if item in inside]
        if len(varying) != 1:
            return None
        item = items[varying[0]]
        added = self.let(item, np.add)
        match added.operands if added is not None else ():
            case (Value() as index, Constant(value=int() as offset)) if index is loop.index:
                return varying[0], offset
        return (varying[0], 0) if item is loop.index else None

    def has_first_row(self, loop: For, saved: int, place: tuple[int, int]) -> bool:
        """Whether the larger array, with one row more, has a row for the first iteration even where there is none."""
        axis, offset = place
        owner = loop.carried[saved].initial
        made = self.let(self.owner(owner), np.empty) if isinstance(owner, Value) else None
        if made is None or not isinstance(loop.start, Constant) or made.value in defined_in(loop.body):
            return False
        sizes = made.operands[0]
        if not isinstance(sizes, tuple):
            return False
        rows = self.ranges.form(sizes[axis]).moved(-offset - loop.start.value)
        return self.ranges.is_never_negative(rows) and self.is_of_rows(made.value, axis)

    def has_only_rows(self, array: Value, axis: int) -> bool:
        """Whether an array is read and written by rows alone, in this function, so that their number is not seen."""
        root = self.aliases.root(array)
        if root in self.results:
            return False
        for statement in self.statements:
            if isinstance(statement, For | While | If):
                continue
            whole = [v for v in read_by(statement) if v.type == array.type and self.aliases.root(v) is root]
            if whole and not self.is_of_row(statement, whole, axis):
                return False
        return True

    def is_of_row(self, statement: Statement, whole: list[Value], axis: int) -> bool:
        """Whether a statement loads or stores at one index of an axis, from its start, and does nothing else."""
        match statement:
            case Let(function=primitives.load | primitives.store, operands=(array, (Index(items), *_), *_)):
                indices = items[: axis + 1]
                if len(indices) <= axis or any(isinstance(item, Slice) or not is_scalar(item) for item in indices):
                    return False
                return whole == [array] and self.counts_from_start(items[axis])
        return False

    def counts_from_start(self, item: Operand) -> bool:
        """Whether an index is surely not negative: a negative one counts from the end, so that rows are counted."""
        if isinstance(item, Value) and item in self.indices:
            least = least_index(self.indices[item])
            return least is not None and least >= 0
        added = self.let(item, np.add)
        if added is not None:
            return all(map(self.counts_from_start, added.operands[:2]))
        return self.ranges.is_never_negative(self.ranges.least(item))

    def fits(self, store: Let, array: Operand) -> bool:
        """Whether an array has the shape of the row that a store writes."""
        sizes = self.shapes.of(store.operands[0])[len(items_of(store)) :]
        return sizes == self.shapes.of(array)

    def is_alone(self, row: KeptRow, loop: For, earlier: Set[Value]) -> bool:
        """Whether only its iteration writes to the array, before it is stored, and only the store to the larger one.

        No check of the index of the row, or of one like it, may come between what makes the array and the store.
        """
        maker, store = row.maker.value, row.store
        root = self.aliases.root(store.value)
        inner = (
            statement for statement in walk(loop.body) if statement is not store and not isinstance(statement, For)
        )
        if any(self.aliases.root(v) is root for statement in inner for v in read_by(statement)):
            return False
        if any(w is not store.value and w not in earlier for w in self.writes_to(store.value)):
            return False
        if row.is_handed_on and not self.leaves_next_row(row, loop):
            return False
        before = between(loop.body, maker, store.value)
        index = {loop.index, items_of(store)[row.axis]}
        if any(
            isinstance(statement, Effect) and index.intersection(read_by(statement)) for statement in before.statements
        ):
            return False
        writes = [w for w in self.writes_to(maker) if w not in earlier]
        if any(self.owner(write) is not maker for write in writes):
            return False
        return row.is_handed_on or set(writes) <= set(defined_in(before))

    def leaves_next_row(self, row: KeptRow, loop: For) -> bool:
        """Whether all that was written to the larger array before the loop is in rows below those of the loop."""
        assert isinstance(loop.start, Constant), "the first row of a loop is known"
        first = loop.start.value + row.offset
        earlier = (w for w in self.writes_to(row.store.value) if w is not row.store.value)
        return all(_is_row_below(self.made[write], row.axis, first) for write in earlier)


def is_row_store(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement stores an array as a row of a larger one, whose other axes have an index each."""
    match statement:
        case Let(function=primitives.store, operands=(Value(type=Array() as larger), (Index(items),), Value() as row)):
            ndim: int = larger.ndim - len(items)
            return all(map(is_scalar, items)) and isinstance(row.type, Array) and row.type.ndim == ndim > 0
    return False


def items_of(store: Let) -> tuple[Operand, ...]:
    """The indices of the row that a store writes."""
    items: tuple[Operand, ...] = store.operands[1][0].items
    return items


def _is_row_below(write: Statement, axis: int, first: int) -> bool:
    """Whether a statement stores a row before another one."""
    if not is_row_store(write):
        return False
    item = items_of(write)[axis]
    return isinstance(item, Constant) and 0 <= item.value < first


def _is_of_constant_size(maker: Let) -> bool:
    return all(isinstance(size, Constant) for size in sizes_of(maker))
