"""Fresh arrays: zeros are not written before where the first thing added to each element can be stored instead.

x_bar = np.zeros(n)                        x_bar = np.empty(n)
for i in range(n):              →          for i in range(n):
    x_bar[i] += f(i)                           x_bar[i] = f(i)
    x_bar[i] += g(i)                           x_bar[i] += g(i)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pullback.analysis.ranges import Ranges
from pullback.analysis.rounds import slots_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    operands_of,
    read_in,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array

_ZEROS = {np.zeros, primitives.zeros_like}


def fill_once(function: Function, tails: bool = False) -> Function:
    """The same function with such arrays left empty at first.

    tails: with zeros in what a loop leaves over that may end before the array does.
    """
    return replace(function, body=_Filler(function, tails).block(function.body))


class _Filler:
    def __init__(self, function: Function, tails: bool) -> None:
        self.shapes = Shapes(function)
        self.ranges = Ranges(self.shapes)
        self.uses = Counter(read_in(function.body))
        self.tails = tails

    def block(self, block: Block) -> Block:
        zeros = {s.value: s for s in block.statements if isinstance(s, Let) and s.function in _ZEROS}
        emptied: set[Value] = set()
        changed: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, For):
                for k, carried in enumerate(statement.carried):
                    made = zeros.get(carried.initial)
                    if made is None or not isinstance(made.value.type, Array) or self.uses[made.value] != 1:
                        continue
                    ends = self.ends_with(statement, made.value, 0)
                    filling = self.filling(statement, k, made.value, ()) if ends or self.may_end(statement) else None
                    if filling is not None:
                        emptied.add(made.value)
                        statement = filling if ends else _with_tail(changed, filling, k)
            changed.append(with_blocks(statement, self.block))
        statements: list[Statement] = []
        for statement in changed:
            empty = isinstance(statement, Let) and statement.value in emptied
            statements += _empty(statement) if empty and isinstance(statement, Let) else [statement]
        return Block(tuple(statements), block.yields)

    def ends_with(self, loop: For, array: Value, axis: int) -> bool:
        """Whether a loop has as many rounds as an array has elements along an axis."""
        return self.shapes.made_size(loop.stop) == self.shapes.of(array)[axis]

    def may_end(self, loop: For) -> bool:
        """Whether zeros may be put behind what a loop reaches."""
        return self.tails and self.ranges.is_never_negative(self.ranges.form(loop.stop))

    def filling(self, loop: For, k: int, array: Value, indices: tuple[Value, ...]) -> For | None:
        """The loop that stores what it first adds to each element; None if it does anything else before."""
        axis = len(indices)
        if loop.start != constant(0) or loop.step != constant(1) or loop.exits or axis == array.type.ndim:
            return None
        version = loop.carried[k].parameter
        if self.uses[version] != 1 or slots_of(loop, k).get(axis) != (loop.index,):
            return None
        indices = (*indices, loop.index)
        for j, statement in enumerate(loop.body.statements):
            if version in values_in(operands_of(statement)):
                made = self.first(statement, version, array, indices)
                if made is None:
                    return None
                statements = (*loop.body.statements[:j], made, *loop.body.statements[j + 1 :])
                return replace(loop, body=replace(loop.body, statements=statements))
        return None

    def first(self, statement: Statement, version: Value, array: Value, indices: tuple[Value, ...]) -> Statement | None:
        """What stands in place of the first statement that concerns the elements at some indices."""
        match statement:
            case Let(function=primitives.add_at) if statement.operands[:2] == (version, (Index(indices),)):
                return _stored(statement)
            case For():
                inner = [k for k, carried in enumerate(statement.carried) if carried.initial is version]
                if inner and len(indices) < array.type.ndim:
                    ends = self.ends_with(statement, array, len(indices))
                    return self.filling(statement, inner[0], array, indices) if ends else None
        return None


def _stored(statement: Let) -> Let | None:
    """The addition as a store, where both write the same number."""
    array, path, value = statement.operands
    complete = len(path[0].items) == array.type.ndim
    return replace(statement, function=primitives.store) if complete and _is_number_of(value, array) else None


def _with_tail(before: list[Statement], loop: For, k: int) -> For:
    """The loop over an array whose elements behind those that the loop reaches are set to 0 before."""
    array = loop.carried[k].initial
    builder = Builder()
    tail = Index((Slice(loop.stop, None, None),))
    with builder.into(before), builder.at(loop.location):
        zeroed = builder.let(primitives.store, array, (tail,), constant(0.0), name=array.name, type_=array.type)
    carried = (*loop.carried[:k], Carried(loop.carried[k].parameter, zeroed), *loop.carried[k + 1 :])
    return replace(loop, carried=carried)


def _is_number_of(value: Operand, array: Value) -> bool:
    return value.type.dtype == array.type.dtype and not isinstance(value.type, Array)


def _empty(statement: Let) -> list[Statement]:
    """An array of the same shape as one of zeros, without them."""
    builder = Builder()
    with builder.at(statement.location):
        source = statement.operands[0]
        shape = builder.dims(source) if statement.function is primitives.zeros_like else source
        dtype = Constant(statement.value.type.dtype)
        builder.add(replace(statement, function=np.empty, operands=(shape, dtype), keywords=("dtype",)))
    return builder.statements
