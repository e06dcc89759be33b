"""Zero-initialisation elimination: zeros are not written where the first addition to each element can be a store.

>>> import pullback as pb
>>> def squares(x):
...     s = 0.0
...     for i in range(x.shape[0]):
...         s += x[i] * x[i]
...     return s
>>> print(pb.explain(squares, np.ones(3), passes=["zero_initialisation"]))
initialisation: zero_initialisation, zeros are not written where the first addition to each element can be a store
  ...
       t.0: int64* = dim(x, 0)
  -    x_bar: float64[:] = zeros_like(x)
  +    t.4: int64* = dim(x, 0)
  +    x_bar: float64[:] = empty((t.4), dtype='float64')
       s.2, x_bar.3 = for i in range(0, t.0, 1) with (s: float64 = 0.0, x_bar.1: float64[:] = x_bar):
  ...
           t.3: float64 = multiply(2, t.1)
  -        x_bar.2: float64[:] = add_at(x_bar.1, ([i]), t.3)
  +        x_bar.2: float64[:] = store(x_bar.1, ([i]), t.3)
           yield s.1, x_bar.2

That is legal where the loop surely writes every element before it reads it (`analysis/must_write.py`). Before machine
code, a loop that may end before the array does is enough: `tail_initialisation` then writes zeros behind the elements
that the loop stores.

>>> def dot(x, w):
...     s = 0.0
...     for i in range(w.shape[0]):
...         s += x[i] * w[i]
...     return s
>>> print(pb.explain(dot, np.ones(3), np.ones(3), argnums=0, passes=["tail_initialisation"]))
arrangement: tail_initialisation, zeros are written only behind the elements that a loop stores
  ...
       t.0: int64* = dim(w, 0)
  -    x_bar: float64[:] = zeros_like(x)
  -    s.2, x_bar.3 = for i in range(0, t.0, 1) with (s: float64 = 0.0, x_bar.1: float64[:] = x_bar):
  +    t.4: int64* = dim(x, 0)
  +    x_bar: float64[:] = empty((t.4), dtype='float64')
  +    x_bar.4: float64[:] = store(x_bar, ([t.0:]), 0.0)
  +    s.2, x_bar.3 = for i in range(0, t.0, 1) with (s: float64 = 0.0, x_bar.1: float64[:] = x_bar.4):
           t.1: float64 = load(x, ([i]))
  ...
           s.1: float64 = add(s, t.3)
  -        x_bar.2: float64[:] = add_at(x_bar.1, ([i]), t.2)
  +        x_bar.2: float64[:] = store(x_bar.1, ([i]), t.2)
           yield s.1, x_bar.2
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
        zeros = {s.value: s for s in block.statements if isinstance(s, Let) and s.function in primitives.ZEROING}
        emptied: set[Value] = set()
        changed: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, For):
                for k, carried in enumerate(statement.carried):
                    made = zeros.get(carried.initial)
                    if made is None or not self.is_left(statement, k):
                        continue
                    first = self.must_writes.first_writes(statement, k)
                    if first:
                        emptied.add(made.value)
                        whole = self.must_writes.covers(statement, k)
                        statement = _storing(statement if whole else _with_tail(changed, statement, k), first)
            changed.append(with_blocks(statement, self.block))
        statements: list[Statement] = []
        for statement in changed:
            empty = isinstance(statement, Let) and statement.value in emptied
            statements += empty_like(statement) if empty and isinstance(statement, Let) else [statement]
        return Block(tuple(statements), block.yields)

    def is_left(self, loop: For, k: int) -> bool:
        """Whether a carried array is the loop's alone, and one that the loop fills or may leave unfilled at its end."""
        array = loop.carried[k].initial
        if not isinstance(array.type, Array) or not array.type.ndim or self.must_writes.uses[array] != 1:
            return False
        if self.must_writes.covers(loop, k):
            return True
        return self.tails and self.ranges.is_never_negative(self.ranges.form(loop.stop))


def _storing(loop: For, writes: tuple[Let, ...]) -> For:
    """The loop with writes, somewhere in it, as stores."""

    def stored(statement: Statement) -> Statement:
        if isinstance(statement, Let) and any(statement is write for write in writes):
            return replace(statement, function=primitives.store)
        return with_blocks(statement, changed)

    def changed(block: Block) -> Block:
        return replace(block, statements=tuple(map(stored, block.statements)))

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


def empty_like(statement: Let) -> list[Statement]:
    """An array of the same shape as one of zeros, without them."""
    if statement.function is np.zeros and not statement.keywords:
        return [replace(statement, function=np.empty)]
    builder = Builder()
    with builder.at(statement.location):
        source = statement.operands[0]
        shape = builder.dims(source) if statement.function is primitives.zeros_like else source
        dtype = Constant(statement.value.type.dtype)
        builder.add(replace(statement, function=np.empty, operands=(shape, dtype), keywords=("dtype",)))
    return builder.statements
