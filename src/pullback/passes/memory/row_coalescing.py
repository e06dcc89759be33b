"""Row coalescing: an array that a loop keeps as a row of a larger one is made there, and not copied there.

>>> import numpy as np, pullback as pb
>>> def grown(x, n):
...     for _ in range(n):
...         y = np.empty(x.shape[0])
...         y[0] = x[0]
...         for i in range(1, x.shape[0]):
...             y[i] = x[i] * x[i - 1]
...         x = y
...     return x[-1]
>>> lines = pb.inspect_source(grown, np.ones(9), 3, argnums=0).splitlines()
>>> first = next(k for k, line in enumerate(lines) if "x_saved = " in line)
>>> for line in lines[first : first + 14]:
...     if "#" not in line:
...         print(line)
    x_saved = np.empty((max(n, 0) + 1, i_end), dtype=np.float64)
    check_span(0, 0, x.shape[0], n)
    copy_alike(x_saved[0], x)
    x2 = x_saved[0]
    for k in range(n):
        y = x_saved[k + 1]
        y[0] = x2[0]
        for i in range(1, i_end):
            y[i] = x2[i] * x2[i - 1]
        x2 = y

This is the coalescing of copies (Chaitin 1982) for the rows of an array that keeps what a sweep needs later. For a loop
that hands on the array, which the next iteration keeps, there is one row more: the array that the loop starts with is
copied into the first row before it, and the last array that it makes is the last row. `analysis/kept_rows.py` finds
where this is legal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.kept_rows import KeptRow, find_kept_rows, items_of
from pullback.analysis.made_arrays import MadeArrays
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
)
from pullback.ir.rewrite import substituted, with_blocks


def coalesce_rows(function: Function) -> Function:
    """The same function with such arrays made in their rows."""
    rows = find_kept_rows(function)
    return replace(function, body=_Coalescing(function, rows).block(function.body)) if rows else function


class _Coalescing:
    def __init__(self, function: Function, rows: list[KeptRow]) -> None:
        self.rows = {row.store.value: row for row in rows}
        self.arrays = MadeArrays(function)
        self.longer = {self.arrays.owner(row.store.value): row.axis for row in rows if row.is_handed_on}

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            if isinstance(changed, For):
                statements += self.loop(changed)
            elif isinstance(changed, Let) and changed.value in self.longer:
                statements += self.with_longer_axis(changed, self.longer[changed.value])
            else:
                statements.append(changed)
        return Block(tuple(statements), block.yields)

    def loop(self, loop: For) -> list[Statement]:
        """What copies the arrays that a loop starts with into the rows before its own, and the loop."""
        before: list[Statement] = []
        for statement in loop.body.statements:
            row = self.rows.get(statement.value) if isinstance(statement, Let) else None
            if row is not None:
                if row.is_handed_on:
                    first, loop = _starting_in_row(loop, row)
                    before += first
                loop = replace(loop, body=_made_in_row(loop, row))
        return [*before, loop]

    def with_longer_axis(self, maker: Let, axis: int) -> list[Statement]:
        """What makes an array with one element more along an axis."""
        builder = Builder()
        builder.location = maker.location
        sizes = maker.operands[0]
        size, more = sizes[axis], 1
        added = self.arrays.let(size, np.add)
        if added is not None and isinstance(added.operands[1], Constant):
            size, more = added.operands[0], added.operands[1].value + 1
        is_known = isinstance(size, Constant)
        longer = constant(size.value + more) if is_known else builder.let(np.add, size, constant(more))
        sizes = (*sizes[:axis], longer, *sizes[axis + 1 :])
        return [*builder.statements, replace(maker, operands=(sizes, *maker.operands[1:]))]


def _starting_in_row(loop: For, row: KeptRow) -> tuple[list[Statement], For]:
    """What stores the array that a loop starts with into its row, and the loop that starts with this row."""
    larger, _, array = row.store.operands
    start = loop.start
    assert isinstance(start, Constant), "the first row of a loop is known"
    place = _place(row, constant(start.value + row.offset))
    builder = Builder()
    builder.location = loop.location
    carried = list(loop.carried)
    parameters = [c.parameter for c in carried]
    saved, handed = parameters.index(larger), parameters.index(array)
    with builder.block() as before:
        operands = (carried[saved].initial, place, carried[handed].initial)
        stored = builder.let(primitives.store, *operands, name=larger.name, type_=larger.type)
        first = builder.let(primitives.load, stored, place, name=array.name, type_=array.type)
    carried[saved] = replace(carried[saved], initial=stored)
    carried[handed] = replace(carried[handed], initial=first)
    return before, replace(loop, carried=tuple(carried))


def _made_in_row(loop: For, row: KeptRow) -> Block:
    """The body of a loop with an array that is a row from the start, and not stored there."""
    larger, _, array = row.store.operands
    builder = Builder()
    builder.location = row.maker.location
    with builder.block() as made:
        offset = row.offset + row.is_handed_on
        index = builder.let(np.add, loop.index, constant(offset)) if offset else loop.index
        builder.add(replace(row.maker, function=primitives.load, operands=(larger, _place(row, index)), keywords=()))
    statements: list[Statement] = []
    for statement in loop.body.statements:
        value = statement.value if isinstance(statement, Let) else None
        if value is row.store.value:
            statements.append(Effect(primitives.evaluated, (array,), row.store.location))
        else:
            statements += made if value is row.maker.value else [statement]
    return substituted(Block(tuple(statements), loop.body.yields), {row.store.value: larger})


def _place(row: KeptRow, index: Operand) -> tuple[Index]:
    """The path of the row with this index."""
    items = items_of(row.store)
    return (Index((*items[: row.axis], index, *items[row.axis + 1 :])),)
