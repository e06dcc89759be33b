"""Fresh arrays: zeros that are all added to once are not written before.

x_bar = np.zeros(n)                        x_bar = np.empty(n)
for i in range(n):              →          for i in range(n):
    x_bar[i] += f(i)                           x_bar[i] = f(i)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Constant, For, Function, Index, Let, Operand, Statement, Value, read_in
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array

_ZEROS = {np.zeros, primitives.zeros_like}


def fill_once(function: Function) -> Function:
    """The same function with such arrays left empty at first."""
    return replace(function, body=_Filler(function).block(function.body))


class _Filler:
    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        zeros = {s.value: s for s in block.statements if isinstance(s, Let) and s.function in _ZEROS}
        emptied: dict[Value, Let] = {}
        changed: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, For):
                for k, carried in enumerate(statement.carried):
                    made = zeros.get(carried.initial)
                    if made is None or not isinstance(made.value.type, Array) or self.uses[made.value] != 1:
                        continue
                    filling = self.filling(statement, k, made.value, ())
                    if filling is not None:
                        statement = filling
                        emptied[made.value] = made
            changed.append(with_blocks(statement, self.block))
        statements: list[Statement] = []
        for statement in changed:
            empty = isinstance(statement, Let) and statement.value in emptied
            statements += _empty(statement) if empty and isinstance(statement, Let) else [statement]
        return Block(tuple(statements), block.yields)

    def filling(self, loop: For, k: int, array: Value, indices: tuple[Value, ...]) -> For | None:
        """The loop that stores where it added; None unless it adds to each element of the array exactly once."""
        shape = self.shapes.of(array)
        if loop.start != constant(0) or loop.step != constant(1) or loop.exits or len(indices) == len(shape):
            return None
        if self.shapes.made_size(loop.stop) != shape[len(indices)]:
            return None
        indices = (*indices, loop.index)
        version, last = loop.carried[k].parameter, loop.body.yields[k]
        if self.uses[version] != 1:
            return None
        for j, statement in enumerate(loop.body.statements):
            made: Statement | None = None
            match statement:
                case Let(function=primitives.add_at) if statement.operands[:2] == (version, (Index(indices),)):
                    made = self.stored(statement) if statement.value is last else None
                case For() if last in statement.results:
                    inner = statement.results.index(last)
                    if statement.carried[inner].initial is version:
                        made = self.filling(statement, inner, array, indices)
            if made is not None:
                statements = (*loop.body.statements[:j], made, *loop.body.statements[j + 1 :])
                return replace(loop, body=replace(loop.body, statements=statements))
        return None

    def stored(self, statement: Let) -> Let | None:
        """The addition as a store, where both write the same number."""
        array, path, value = statement.operands
        complete = len(path[0].items) == array.type.ndim and self.uses[statement.value] == 1
        return replace(statement, function=primitives.store) if complete and _is_number_of(value, array) else None


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
