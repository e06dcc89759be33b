"""Code sinking: what only one side of a branch reads is computed there.

>>> import numpy as np, pullback as pb
>>> def f(x, rate):
...     s = 0.0
...     for i in range(x.shape[0]):
...         discount = np.exp(rate * i)
...         if i % 10 == 0:
...             s = s * x[i] * discount
...     return s
>>> print(pb.explain(f, np.ones(3), 0.5, passes=["code_sinking"]))
preparation: code_sinking, what only one side of a branch reads is computed there
  ...
       s.3 = for i in range(0, t.0, 1) with (s: float64 = 0.0):
  -        t.1: float64* = multiply(rate, i)
  -        discount: float64 = exp(t.1)
           t.2: int64* = remainder(i, 10)
  ...
           s.2 = if t.3:
  +            t.1: float64* = multiply(rate, i)
  +            discount: float64 = exp(t.1)
               t.4: float64 = load(x, ([i]))

So it is not computed where the branch is not taken, nor are its derivatives, and nothing is kept for these. It moves
where an exponential, a division or the like is saved, and where no loop is kept from being vectorised by it: before a
branch that differs from iteration to iteration, a machine computes eight of them in the time of one or two.

Moved are functions of numbers, which raise nothing; elements are read where they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.straight_loops import may_be_vectorised
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    lets_in,
    made_in_iterations,
    read_by,
    read_in,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import is_integer
from pullback.passes.loops.cost import is_simple

_OF_INTEGERS: set[Callable[..., Any]] = {np.add, np.subtract, np.multiply, np.negative}


def sink_into_branches(function: Function) -> Function:
    """The function with what one side of a branch alone reads in that side."""
    return replace(function, body=_block(function.body, None), callees=tuple(map(sink_into_branches, function.callees)))


def _block(block: Block, loop: For | While | None) -> Block:
    """The same block; `loop`: the innermost one around it."""
    statements = list(block.statements)
    uses = Counter(read_in(block))
    for branch in [s for s in statements if isinstance(s, If) and is_worthwhile(s, loop)]:
        place = next(k for k, statement in enumerate(statements) if statement is branch)
        sides = []
        for side in (branch.then, branch.orelse):
            moved = sinkable(statements[:place], side, uses)
            if all(map(is_simple, moved)):
                moved = []
            gone = set(map(id, moved))
            statements = [s for s in statements if id(s) not in gone]
            place -= len(moved)
            sides.append(Block((*moved, *side.statements), side.yields))
        statements[place] = replace(branch, then=sides[0], orelse=sides[1])
    return Block(tuple(_with_inner(statement, loop) for statement in statements), block.yields)


def _with_inner(statement: Statement, loop: For | While | None) -> Statement:
    around = statement if isinstance(statement, For | While) else loop
    return with_blocks(statement, lambda block: _block(block, around))


def is_worthwhile(branch: If, loop: For | While | None) -> bool:
    """Whether a loop around a branch cannot be vectorised, or becomes two, one for each side."""
    return not isinstance(loop, For) or is_invariant(branch.condition, loop) or not may_be_vectorised(loop)


def is_invariant(operand: Operand, loop: For) -> bool:
    """Whether an operand is the same in every iteration of a loop, though it may be computed in each of them."""
    made, lets = made_in_iterations(loop), lets_in(loop.body)

    def is_same(value: Value) -> bool:
        if value not in made:
            return True
        let = lets.get(value)
        return let is not None and is_function_of_numbers(let) and all(map(is_same, read_by(let)))

    return all(map(is_same, values_in(operand)))


def sinkable(before: list[Statement], side: Block, uses: Counter[Value]) -> list[Let]:
    """The statements before a branch that compute what one side of it alone reads, in their order.

    uses: how often the block around the branch reads each value.
    """
    read = Counter(read_in(side))
    found: list[Let] = []
    for statement in reversed(before):
        if isinstance(statement, Let) and 0 < uses[statement.value] == read[statement.value] and can_move(statement):
            read.update(read_by(statement))
            found.append(statement)
    return found[::-1]


def can_move(statement: Let) -> bool:
    """Whether a statement makes a number of numbers, and raises nothing."""
    if is_integer(statement.value.type) and statement.function not in _OF_INTEGERS:
        return False
    return is_function_of_numbers(statement)


def is_function_of_numbers(statement: Let) -> bool:
    """Whether a statement makes a number of numbers; only functions with an integer as their result may raise."""
    operands = (is_scalar(operand) or isinstance(operand, Constant) for operand in statement.operands)
    is_function = is_elementwise(statement.function) or statement.function is primitives.cast
    return is_function and is_scalar(statement.value) and not statement.keywords and all(operands)
