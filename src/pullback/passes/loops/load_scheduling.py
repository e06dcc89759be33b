"""Load scheduling: an iteration reads its elements before its first branch, so that it can be vectorised.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def differences(x, y):
...     for i in range(y.shape[0]):
...         left = x[i + 1] - x[i]
...         if left < 0.0:
...             left = 0.5 * left * left
...         y[i] = left * (x[i + 2] - x[i + 1])
>>> function = prepared(normal_form(differences, np.ones(5), np.ones(3)))
>>> text = emit_module([schedule_loads(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def differences(x, y):
    for i in range(y.shape[0]):
        x_next = x[i + 1]
        y_element = x[i + 2]
        left = x_next - x[i]
        if left < 0.0:
            left = 0.5 * left * left
        y[i] = left * (y_element - x_next)

LLVM hands an element that is read again in the next iteration on in a register. It can vectorise such a recurrence if
all uses of the element stand behind the load of the next one or can be moved there, but it moves nothing past a branch.
The order of loads matters to nobody else: an array that an iteration has written has another name from then on.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.straight_loops import is_straight
from pullback.ir import primitives
from pullback.ir.nodes import Block, For, Function, If, Let, Statement, Value, is_scalar, read_by, results_of
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT


def schedule_loads(function: Function) -> Function:
    """The same function with such loads first in the iterations of its innermost loops."""
    callees = tuple(map(schedule_loads, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    if isinstance(statement, For) and is_straight(statement):
        return replace(statement, body=_loads_first(statement.body))
    return with_blocks(statement, _block)


def _loads_first(body: Block) -> Block:
    """The body of an iteration with the loads behind its first branch, and all that are like them, before the rest."""
    loads: list[Statement] = []
    rest: list[Statement] = []
    made: set[Value] = set()
    is_behind = False
    for statement in body.statements:
        if isinstance(statement, Let) and _is_load_or_index(statement) and made.isdisjoint(read_by(statement)):
            loads.append(statement)
            is_behind |= statement.function is primitives.load and any(isinstance(s, If) for s in rest)
        else:
            rest.append(statement)
            made.update(results_of(statement))
    return Block((*loads, *rest), body.yields) if is_behind else body


def _is_load_or_index(statement: Let) -> bool:
    if statement.function is primitives.load:
        return is_scalar(statement.value)
    return statement.function in (np.add, np.subtract) and statement.value.type == INT
