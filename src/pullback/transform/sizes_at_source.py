"""Sizes at their source: the backward sweep takes the size of an array from where it comes from.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     y = x * x
...     return np.mean(y)
>>> print(pb.source(pb.grad(f), np.ones(3)).splitlines()[-2].strip())
x_bar = np.divide(2.0, x_size) * x

`y` is not computed for its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pullback.analysis.aliases import consumed_in
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Function, Let, Statement, Value, results_of
from pullback.ir.rewrite import with_blocks, with_number


def read_at_source(statements: Iterable[Statement], function: Function, shapes: Shapes) -> list[Statement]:
    """Statements of a backward sweep with sizes of parameters, and of what the function's own block defines."""
    scope = {*function.parameters, *(value for s in function.body.statements for value in results_of(s))}
    scope -= consumed_in(function.body)
    return [_sourced(statement, shapes, scope) for statement in statements]


def _sourced(statement: Statement, shapes: Shapes, scope: set[Value]) -> Statement:
    if not isinstance(statement, Let) or statement.function is not primitives.dim:
        return with_blocks(
            statement, lambda block: Block(tuple(_sourced(s, shapes, scope) for s in block.statements), block.yields)
        )
    array, axis = statement.operands
    match shapes.of(array)[axis.value]:
        case (Value() as source, int() as along) if source in scope:
            return replace(statement, operands=(source, constant(along)))
        case int() as size:
            return with_number(statement, constant(size))
    return statement
