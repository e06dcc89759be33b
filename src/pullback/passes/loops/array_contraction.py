"""Array contraction: an array of which each iteration of a loop makes and reads its own row becomes that row.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     t = np.empty((x.shape[0], x.shape[1]))
...     s = 0.0
...     for i in range(x.shape[0]):
...         for j in range(x.shape[1]):
...             t[i, j] = np.exp(x[i, j])
...         for j in range(x.shape[1]):
...             s += t[i, j] * t[i, 0]
...     return s
>>> function = contract_arrays(prepared(normal_form(f, np.ones((3, 2)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for") :], end="")
    for i in range(x.shape[0]):
        t2 = np.empty((x.shape[1],))
        for j in range(x.shape[1]):
            t2[j] = np.exp(x[i, j])
        for j in range(x.shape[1]):
            s += t2[j] * t2[0]
    return s

The row stays in the nearest cache. It is legal where nobody reads the array behind the loop, and all accesses in it are
to the row with its own index (Allen & Kennedy 2001, 13.3.2; Sarkar & Gao 1991). The row is made in the iteration, and
moves before the loop again where its size is the same in all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pullback.analysis.aliases import find_aliases
from pullback.analysis.must_write import rank_of
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    Effect,
    For,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    read_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import counts_from_start
from pullback.ir.types import Array


def contract_arrays(function: Function) -> Function:
    """The same function with such arrays as rows."""
    return replace(function, body=_Contraction(function).block(function.body))


class _Contraction:
    def __init__(self, function: Function) -> None:
        self.root = find_aliases(function).root
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        made: dict[Value, Let] = {}
        statements: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, Let) and statement.function in (np.empty, np.zeros):
                made[statement.value] = statement
            changed = with_blocks(statement, self.block)
            if isinstance(changed, For):
                changed = self.contracted(changed, made)
            statements.append(changed)
        return Block(tuple(statements), block.yields)

    def contracted(self, loop: For, made: dict[Value, Let]) -> For:
        """The loop with rows that its iterations make in place of the arrays that can be."""
        makers = {k: made.get(carried.initial) for k, carried in enumerate(loop.carried)}
        own = {k: maker for k, maker in makers.items() if maker is not None and self.is_own(loop, k, maker)}
        return _Rows(loop, own, self.root).made() if own else loop

    def is_own(self, loop: For, k: int, maker: Let) -> bool:
        """Whether the iterations of a loop, and nobody else, access an array, each the row with its own index."""
        array = maker.value
        if not isinstance(maker.operands[0], tuple):
            return False
        if not counts_from_start(loop) or loop.exits or loop.parallel:
            return False
        if rank_of(array) < 2 or self.uses[array] != 1 or self.uses[loop.results[k]]:
            return False
        root = self.root(array)
        plain = [s for s in walk(loop.body) if isinstance(s, Let | Call | Effect)]
        if not all(self.is_in_own_row(statement, root, loop.index) for statement in plain):
            return False
        return not any(self.recurs_in(s, root) for s in walk(loop.body) if isinstance(s, For))

    def recurs_in(self, loop: For, root: Value) -> bool:
        """Whether a loop writes elements of an array, and accesses others in the same iteration.

        A row for all would make each iteration of the loop around it wait for all of the one before.
        """
        lets = [s for s in walk(loop.body) if isinstance(s, Let) and s.function in primitives.ACCESSES]
        accesses = [s for s in lets if self.root(s.operands[0]) is root]
        writes = any(s.function is not primitives.load for s in accesses)
        return writes and len({s.operands[1] for s in accesses}) > 1

    def is_in_own_row(self, statement: Let | Call | Effect, root: Value, index: Value) -> bool:
        """Whether a statement accesses an element of a row of an array, if it reads the array."""
        read = [v for v in values_in(statement.operands) if self.root(v) is root]
        if not read:
            return True
        if not isinstance(statement, Let) or statement.function not in primitives.ACCESSES or len(read) > 1:
            return False
        path = statement.operands[1]
        items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
        return len(items) == rank_of(read[0]) and items[0] is index and read[0] is statement.operands[0]


class _Rows:
    """A loop whose iterations make rows. makers: the statements that make the arrays, by the number carried."""

    def __init__(self, loop: For, makers: dict[int, Let], root: Callable[[Value], Value]) -> None:
        self.loop, self.makers, self.root = loop, makers, root
        self.roots = {root(maker.value) for maker in makers.values()}
        self.rows: set[Value] = set()

    def made(self) -> For:
        loop = self.loop
        terms: dict[Value, Operand] = {}
        first: list[Statement] = []
        for k, maker in self.makers.items():
            row = self.version(loop.carried[k].parameter)
            terms[loop.carried[k].parameter] = row
            shape, *others = maker.operands
            first.append(replace(maker, value=row, operands=(shape[1:], *others)))
        body = copied(loop.body, terms, self.version)
        kept = [k for k in range(len(loop.carried)) if k not in self.makers]
        block = Block((*first, *self.by_rows(body).statements), tuple(body.yields[k] for k in kept))
        carried, results = tuple(loop.carried[k] for k in kept), tuple(loop.results[k] for k in kept)
        return replace(loop, carried=carried, body=block, results=results)

    def version(self, value: Value) -> Value:
        """What stands for a value in the loop: a row for one of the arrays."""
        if self.root(value) not in self.roots:
            return like(value)
        row = Value(value.name, Array(value.type.dtype, rank_of(value) - 1), value.of)
        self.rows.add(row)
        return row

    def by_rows(self, block: Block) -> Block:
        """A block whose accesses to rows have an index less."""
        return Block(tuple(map(self.statement, block.statements)), block.yields)

    def statement(self, statement: Statement) -> Statement:
        if (
            isinstance(statement, Let)
            and statement.function in primitives.ACCESSES
            and statement.operands[0] in self.rows
        ):
            array, (step,), *others = statement.operands
            return replace(statement, operands=(array, (Index(step.items[1:]),), *others))
        return with_blocks(statement, self.by_rows)
