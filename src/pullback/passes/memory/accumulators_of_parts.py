"""Accumulators of parts: an adjoint that is added up from zeros, then added to a part of a row, is added up there.

>>> import numpy as np, pullback as pb
>>> def shrinking(x, n):
...     y, s = np.exp(x), 0.0
...     for _ in range(n):
...         s += np.sum(np.sin(y))
...         y = y[1:-1]
...     return s
>>> text = pb.inspect_source(shrinking, np.ones(5), 2, argnums=0)
>>> for line in text.splitlines():
...     if "_bar" in line:
...         print(line)
    y_bar = np.zeros_like(x)
            y_bar[np.uint64(k + i)] += vm.cos(element)
    x_bar = np.empty(x.shape, dtype=np.float64)
        y_i_bar = y_bar[i]
        x_bar[i] = y_i_bar * y_i
    return s, x_bar

It is legal where the additions are to elements counted from the start of the part, which starts inside the row, and
where nothing else is done with the row while they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from pullback.analysis.array_uses import uses_of
from pullback.analysis.non_negative import possibly_negative_indices
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    defined_in,
    is_scalar,
    read_in,
)
from pullback.ir.paths import only_item
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import INT


def add_up_in_parts(function: Function) -> Function:
    """The same function with such adjoints in the rows that they are parts of."""
    return replace(function, body=_Parts(function).block(function.body))


class _Parts:
    def __init__(self, function: Function) -> None:
        self.negative = cache(lambda: possibly_negative_indices(function))
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        block = replace(block, statements=tuple(with_blocks(s, self.block) for s in block.statements))
        for added in block.statements:
            if isinstance(added, Let) and _start_of_part(added) is not None:
                block = self.joined(block, added)
        return block

    def joined(self, block: Block, added: Let) -> Block:
        """The block with additions to the part of a row itself, if they are made to zeros, and added to it then."""
        row, start, total = added.operands[0], _start_of_part(added), added.operands[2]
        for k, zeros in enumerate(block.statements):
            if not isinstance(zeros, Let) or zeros.function not in primitives.ZEROING or zeros.value.type != total.type:
                continue
            between = Block(block.statements[k + 1 : block.statements.index(added)])
            uses = uses_of(zeros.value, between)
            if uses is None or total not in uses.versions:
                continue
            if not self.is_free(row, start, total, between) or not all(map(self.is_addition, uses.statements)):
                break
            moved = _Moved({statement.value for statement in uses.statements}, start).block(between)
            kept = (*block.statements[:k], *moved.statements, *block.statements[block.statements.index(added) + 1 :])
            return substituted(Block(kept, block.yields), {zeros.value: row, added.value: total})
        return block

    def is_free(self, row: Value, start: Operand, total: Value, between: Block) -> bool:
        """Whether a row is there before some statements, where a part starts inside it, and only the part is used."""
        is_there = {row, start}.isdisjoint(defined_in(between))
        return is_there and self.uses[row] == self.uses[total] == 1 and not self.is_negative(start)

    def is_addition(self, statement: Let) -> bool:
        """Whether a statement adds to an element that is counted from the start."""
        index = _index_of(statement)
        return index is not None and not self.is_negative(index)

    def is_negative(self, operand: Operand) -> bool:
        """Whether an index may be negative."""
        if isinstance(operand, Constant):
            return bool(operand.value < 0)
        return operand in self.negative()


class _Moved:
    """Statements whose additions are to elements so many places further on."""

    def __init__(self, additions: set[Value], by: Operand) -> None:
        self.additions, self.by = additions, by

    def block(self, block: Block) -> Block:
        return Block(tuple(s for each in block.statements for s in self.statement(each)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, Let) or statement.value not in self.additions:
            return [with_blocks(statement, self.block)]
        builder = Builder()
        builder.location = statement.location
        place = builder.let(np.add, self.by, _index_of(statement), type_=INT)
        array, _, amount = statement.operands
        return [*builder.statements, replace(statement, operands=(array, (Index((place,)),), amount))]


def _start_of_part(statement: Let) -> Operand | None:
    """Where the part of a row starts that a statement of the backward sweep adds an array to."""
    match _item(statement):
        case Slice(start=start, step=None):
            return start
    return None


def _index_of(statement: Let) -> Operand | None:
    """The element of a row that a statement of the backward sweep adds to."""
    item = _item(statement)
    return item if item is not None and not isinstance(item, Slice) and is_scalar(item) else None


def _item(statement: Let) -> Any:
    if statement.function is not primitives.add_at or not statement.location.is_adjoint:
        return None
    return only_item(statement.operands[1]) if statement.operands[0].type.ndim == 1 else None
