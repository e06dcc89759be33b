"""Fresh arrays: zeros are not written before where the first thing added to each element can be stored instead.

x_bar = np.zeros(n)                        x_bar = np.empty(n)
for i in range(n):              →          for i in range(n):
    x_bar[i] += f(i)                           x_bar[i] = f(i)
    x_bar[i] += g(i)                           x_bar[i] += g(i)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.must_write import MustWrites
from pullback.analysis.ranges import Ranges
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Carried, Constant, For, Function, Index, Let, Slice, Statement, Value
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array

_ZEROS = {np.zeros, primitives.zeros_like}


def skip_zero_initialisation(function: Function, tails: bool = False) -> Function:
    """The same function with such arrays left empty at first.

    tails: with zeros in what a loop leaves over that may end before the array does.
    """
    return replace(function, body=_ZeroInitialisation(function, tails).block(function.body))


class _ZeroInitialisation:
    def __init__(self, function: Function, tails: bool) -> None:
        self.must_writes = MustWrites(function)
        self.ranges = Ranges(self.must_writes.shapes)
        self.tails = tails

    def block(self, block: Block) -> Block:
        zeros = {s.value: s for s in block.statements if isinstance(s, Let) and s.function in _ZEROS}
        emptied: set[Value] = set()
        changed: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, For):
                for k, carried in enumerate(statement.carried):
                    made = zeros.get(carried.initial)
                    if made is None or not self.is_left(statement, k):
                        continue
                    first = self.must_writes.first_write(statement, k)
                    if first is not None:
                        emptied.add(made.value)
                        whole = self.must_writes.covers(statement, k)
                        statement = _storing(statement if whole else _with_tail(changed, statement, k), first)
            changed.append(with_blocks(statement, self.block))
        statements: list[Statement] = []
        for statement in changed:
            empty = isinstance(statement, Let) and statement.value in emptied
            statements += _empty(statement) if empty and isinstance(statement, Let) else [statement]
        return Block(tuple(statements), block.yields)

    def is_left(self, loop: For, k: int) -> bool:
        """Whether a carried array is the loop's alone, and one that the loop fills or may leave unfilled at its end."""
        array = loop.carried[k].initial
        if not isinstance(array.type, Array) or not array.type.ndim or self.must_writes.uses[array] != 1:
            return False
        if self.must_writes.covers(loop, k):
            return True
        return self.tails and self.ranges.is_never_negative(self.ranges.form(loop.stop))


def _storing(loop: For, write: Let) -> For:
    """The loop with a write, somewhere in it, as a store."""

    def changed(block: Block) -> Block:
        found = (
            replace(s, function=primitives.store) if s is write else with_blocks(s, changed) for s in block.statements
        )
        return replace(block, statements=tuple(found))

    return replace(loop, body=changed(loop.body))


def _with_tail(before: list[Statement], loop: For, k: int) -> For:
    """The loop over an array whose elements behind those that the loop reaches are set to 0 before."""
    array = loop.carried[k].initial
    builder = Builder()
    tail = Index((Slice(loop.stop, None, None),))
    with builder.into(before), builder.at(loop.location):
        zeroed = builder.let(primitives.store, array, (tail,), constant(0.0), name=array.name, type_=array.type)
    carried = (*loop.carried[:k], Carried(loop.carried[k].parameter, zeroed), *loop.carried[k + 1 :])
    return replace(loop, carried=carried)


def _empty(statement: Let) -> list[Statement]:
    """An array of the same shape as one of zeros, without them."""
    builder = Builder()
    with builder.at(statement.location):
        source = statement.operands[0]
        shape = builder.dims(source) if statement.function is primitives.zeros_like else source
        dtype = Constant(statement.value.type.dtype)
        builder.add(replace(statement, function=np.empty, operands=(shape, dtype), keywords=("dtype",)))
    return builder.statements
