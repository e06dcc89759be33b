"""Straight loops: innermost loops whose iterations only compute numbers and read and write elements.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import walk
>>> def f(x, y):
...     for i in range(x.shape[0]):
...         if x[i] > 0.0:
...             y[i] = np.exp(x[i])
...         for j in range(3):
...             y[i] += x[j]
...     return y
>>> outer, inner = (s for s in walk(normal_form(f, np.ones(3), np.ones(3)).body) if isinstance(s, For))
>>> is_straight(outer), is_straight(inner)
(False, True)

A compiler can do some of the iterations of such a loop at once, branches included, where they do not depend on each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pullback import runtime
from pullback.analysis.reductions import adds_to
from pullback.functions import is_elementwise, record_of
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Effect, For, If, Let, Statement, Value, While, blocks_of, is_scalar, walk
from pullback.ir.types import Scalar

_NUMBERS = {
    primitives.load,
    primitives.cast,
    primitives.select,
    primitives.dim,
    runtime.select,
    runtime.masked_product,
    np.round,
    max,
    min,
}
RAISING = {getattr(runtime, name) for name in dir(runtime) if name.startswith("checked_")}
"""Arithmetic of integers that raises where a number does not fit."""
_DIVIDING = {np.divide, np.sqrt}


def is_straight(loop: For) -> bool:
    """Whether a loop has no loop, call or visible effect in it, and ends where it says."""
    return not loop.exits and all(map(is_simple, walk(loop.body)))


def is_innermost(loop: For) -> bool:
    """Whether no other loop is in a loop."""
    return not any(isinstance(s, For | While) for s in walk(loop.body))


def may_be_vectorised(loop: For) -> bool:
    """Whether the iterations of an innermost loop wait for each other in nothing but sums, as far as numbers go."""
    numbers = [k for k, carried in enumerate(loop.carried) if is_scalar(carried.parameter)]
    return loop.step == constant(1) and is_straight(loop) and adds_to(loop, numbers)


def powers_one_by_one(block: Block, side_by_side: bool = False) -> Iterator[Value]:
    """The powers of numbers of which a compiler cannot compute several at once.

    side_by_side: whether the block is that of a loop of which it may do several iterations at once.
    """
    for statement in block.statements:
        if isinstance(statement, Let):
            if statement.function is np.power and is_scalar(statement.value) and not side_by_side:
                yield statement.value
            continue
        for inner in blocks_of(statement):
            is_vectorised = isinstance(statement, For) and may_be_vectorised(statement)
            yield from powers_one_by_one(inner, is_vectorised or (side_by_side and isinstance(statement, If)))


def computes_numbers(block: Block) -> bool:
    """Whether a block only computes numbers and reads elements, in branches too."""
    return all(is_simple(s) and not (isinstance(s, Let) and s.function in primitives.WRITES) for s in walk(block))


def is_simple(statement: Statement) -> bool:
    """Whether a statement computes a number, or reads or writes an element; a branch, as far as it is one."""
    if isinstance(statement, If):
        return True
    if isinstance(statement, Effect):
        return statement.function is primitives.evaluated
    if not isinstance(statement, Let):
        return False
    if statement.function in primitives.WRITES:
        return isinstance(statement.operands[2].type, Scalar)
    is_number = isinstance(statement.value.type, Scalar)
    return is_number and (statement.function in _NUMBERS or is_elementwise(statement.function))


def work_of(statements: Iterable[Statement]) -> int:
    """How many operations statements have, those in branches too; a division counts as 4, and an exponential as 16."""
    work = 0
    for statement in walk(Block(tuple(statements))):
        if isinstance(statement, Let) and isinstance(statement.function, np.ufunc):
            is_vector = record_of(statement.function).vector is True
            work += 16 if is_vector else 4 if statement.function in _DIVIDING else 1
    return work
