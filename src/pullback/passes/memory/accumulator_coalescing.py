"""Accumulator coalescing: adjoints that start from zeros, and are added to another array, start from that array.

>>> import numpy as np, pullback as pb
>>> def stepped(u, n):
...     now = u.copy()
...     for _ in range(n):
...         after = now.copy()
...         for i in range(now.shape[0] - 1):
...             after[i + 1] += now[i] * now[i + 1]
...         now = after
...     return now[0]
>>> print(pb.explain(stepped, np.ones(9), 3, argnums=0, passes=["accumulator_coalescing"]))
lowered adjoint: accumulator_coalescing, what is added up from zeros, then to another adjoint, starts from that
  ...
           now.3: float64[:] = load(now_saved.3, ([_.1]))
  -        now_bar.3: float64[:] = zeros_like(u)
  -        now_bar.7 = for i.1 in range(0, t.1, 1) with (now_bar.4: float64[:] = now_bar.3):
  +        now_bar.7 = for i.1 in range(0, t.1, 1) with (now_bar.4: float64[:] = now_bar.2):
               t.8: int64* = add(i.1, 1)
  ...
               yield now_bar.6
  -        now_bar.8: float64[:] = accumulate(now_bar.7, now_bar.2)
  -        yield now_bar.8
  +        yield now_bar.7
       return t.7, now_bar.9

Neither the zeros are written then, nor are two arrays read to be added. Where the other array is read while the first
one is added to, `copy_insertion.py` makes a copy. It is legal where both have one shape and type, where nothing is done
with the first one but additions of the backward sweep, and where the other one is there before the first of them:
(0 + a) + b is b + a, but for the order of the additions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from typing import TypeGuard

from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    If,
    Let,
    Statement,
    Value,
    While,
    defined_in,
    read_by,
    read_in,
)
from pullback.ir.rewrite import substituted, with_blocks


def coalesce_accumulators(function: Function) -> Function:
    """The same function with such adjoints in one array from the start."""
    return replace(function, body=_Coalescing(function).block(function.body))


class _Coalescing:
    def __init__(self, function: Function) -> None:
        self.shapes = cache(lambda: Shapes(function))
        self.uses = Counter(read_in(function.body))

    def block(self, block: Block) -> Block:
        block = replace(block, statements=tuple(with_blocks(s, self.block) for s in block.statements))
        sums = {s.operands[1].type for s in block.statements if _is_sum(s) and s.function is primitives.accumulate}
        for made in block.statements:
            if isinstance(made, Let) and made.function in primitives.ZEROING and made.value.type in sums:
                block = self.coalesced(block, made)
        return block

    def coalesced(self, block: Block, zeros: Let) -> Block:
        """The block without zeros and the addition of what was added to them to another array, if there is one."""
        version, first = zeros.value, len(block.statements)
        for k, statement in enumerate(block.statements):
            if version not in read_by(statement):
                continue
            first = min(first, k)
            if self.is_joined(statement, version, zeros) and _is_sum(statement):
                other = next(operand for operand in statement.operands if operand is not version)
                if other in set(defined_in(Block(block.statements[first:]))):
                    return block
                kept = tuple(s for s in block.statements if s is not zeros and s is not statement)
                joined = substituted(Block(kept, block.yields), {statement.value: version})
                return substituted(joined, {zeros.value: other})
            after = self.after(statement, version, self.uses[version])
            if after is None:
                return block
            version = after
        return block

    def is_joined(self, statement: Statement, version: Value, zeros: Let) -> bool:
        """Whether a statement adds a sum to another array like that of zeros, or that to the sum."""
        if not _is_sum(statement) or statement.function is not primitives.accumulate or self.uses[version] != 1:
            return False
        others = [operand for operand in statement.operands if operand is not version]
        type_ = zeros.value.type
        return all(o.type == type_ and self.shapes().of(o) == self.shapes().of(zeros.value) for o in others)

    def after(self, statement: Statement, version: Value, uses: int) -> Value | None:
        """What becomes of a sum by a statement that only adds to it; None where it does anything else.

        uses: how often the sum is read.
        """
        match statement:
            case Let() if uses == 1 and _is_sum(statement) and statement.operands[0] is version:
                return statement.value
            case If() if uses == 2:
                places = {self.place(side, version) for side in (statement.then, statement.orelse)}
                k = places.pop()
                return statement.results[k] if k is not None and not places else None
            case For() | While() if uses == 1:
                for k, carried in enumerate(statement.carried):
                    if carried.initial is version:
                        parameter = carried.parameter
                        only = self.uses[parameter] == 1 and self.place(statement.body, parameter) == k
                        return statement.results[k] if only else None
        return None

    def place(self, block: Block, version: Value) -> int | None:
        """Where a block yields a sum that it reads once, if it only adds to it."""
        if Counter(read_in(block))[version] != 1:
            return None
        uses = 1
        for statement in block.statements:
            if version in read_by(statement):
                after = self.after(statement, version, uses)
                if after is None:
                    return None
                version, uses = after, self.uses[after]
        places = [k for k, y in enumerate(block.yields) if y is version]
        return places[0] if uses == 1 and len(places) == 1 else None


def _is_sum(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement of the backward sweep adds to an array, or to some of its elements."""
    adds = isinstance(statement, Let) and statement.function in (primitives.accumulate, primitives.add_at)
    return adds and statement.location.is_adjoint
