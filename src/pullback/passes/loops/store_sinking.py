"""Store sinking: what both sides of a branch store into one element is stored behind the branch.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def upwind(now, velocity, flux):
...     for i in range(velocity.shape[0]):
...         if velocity[i] > 0:
...             flux[i] = velocity[i] * now[i]
...         else:
...             flux[i] = velocity[i] * now[i + 1]
>>> function = prepared(normal_form(upwind, np.ones(4), np.ones(3), np.zeros(3)))
>>> text = emit_module([sink_stores(function)], compiled=False, comments=False)
>>> print(text[text.index("    for") :], end="")
    for i in range(velocity.shape[0]):
        velocity_i = velocity[i]
        if velocity_i > 0:
            t1 = velocity_i * now[i]
        else:
            t1 = velocity_i * now[i + 1]
        flux[i] = t1

The branch then only chooses between numbers. So do additions to one element. Nothing behind the store in its branch may
raise an error or read the array, so that the order of what a caller sees is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    Function,
    If,
    Let,
    Operand,
    Statement,
    defined_in,
    is_scalar,
    read_in,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array, Scalar, is_float
from pullback.passes.loops.speculation import CHEAP, yielding_numbers

_WRITES = (primitives.store, primitives.add_at)


def sink_stores(function: Function) -> Function:
    """The same function with such stores behind their branches."""
    callees = tuple(map(sink_stores, function.callees))
    return replace(function, body=_sunk(function.body), callees=callees)


def _sunk(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, _sunk)
        statements += _split(changed) if isinstance(changed, If) else [changed]
    return replace(block, statements=tuple(statements))


def _split(branch: If) -> list[Statement]:
    """A branch that yields numbers where both of its sides have stored them, and the stores."""
    behind: list[Statement] = []
    while (found := next(_common_writes(branch), None)) is not None:
        k, *writes = found
        one, _ = writes
        dtype = one.operands[0].type.dtype
        numbers = [_as(write.operands[2], dtype) for write in writes]
        result = branch.results[k]
        branch, number = yielding_numbers(branch, k, writes, numbers, Scalar(dtype))
        behind.insert(0, replace(one, value=result, operands=(*one.operands[:2], number)))
    return [branch, *behind]


def _common_writes(branch: If) -> Iterator[tuple[int, Let, Let]]:
    """The results of a branch that both sides make by a store of a number into the same element of the same array."""
    own = {*defined_in(branch.then), *defined_in(branch.orelse)}
    uses = Counter((*read_in(branch.then), *read_in(branch.orelse)))
    for k, result in enumerate(branch.results):
        if not isinstance(result.type, Array) or not is_float(result.type):
            continue
        one, other = (_last_write(side, side.yields[k]) for side in (branch.then, branch.orelse))
        if one is None or other is None or one.function is not other.function:
            continue
        is_same = one.operands[:2] == other.operands[:2] and own.isdisjoint(values_in(one.operands[:2]))
        is_read = uses[one.operands[0]] > 2 or uses[one.value] > 1 or uses[other.value] > 1
        if is_same and not is_read and all(_as(w.operands[2], result.type.dtype) is not None for w in (one, other)):
            yield k, one, other


def _last_write(side: Block, value: Operand) -> Let | None:
    """The write of a number that makes a value, if no statement behind it in its block may raise an error."""
    for statement in reversed(side.statements):
        if isinstance(statement, Let) and statement.value is value:
            return statement if statement.function in _WRITES and is_scalar(statement.operands[2]) else None
        if not isinstance(statement, Let) or statement.function not in CHEAP or statement.function is primitives.load:
            return None
    return None


def _as(number: Operand, dtype: str) -> Operand | None:
    """A number as one of a dtype; None where a store would convert it."""
    if isinstance(number, Constant):
        is_exact = np.dtype(dtype).type(number.value) == number.value
        return Constant(float(number.value), Scalar(dtype)) if is_exact else None
    return number if number.type.dtype == dtype else None
