"""Linear maps that have been differentiated: nothing is left of them but the operands that they stand for.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.rules_of_users import with_rules
>>> import numpy as np, pullback as pb
>>> @pb.custom_vjp
... def sine(x):
...     return np.sin(x)
>>> sine.defvjp(lambda x: (np.sin(x), np.cos(x)), lambda slope, y_bar: (slope * y_bar,))
>>> def f(x):
...     return 2.0 * sine(x)
>>> function = normal_form(f, 0.5)
>>> print(show(without_maps(with_rules(function, function.parameters, lambda part: part))))
f(x: float64*):
    t.0: float64 = sin(x)
    t.1: float64 = cos(x)
    t.2: float64 = multiply(2.0, t.0)
    return t.2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pullback.ir.nodes import Block, Call, Function, Operand, Value, walk
from pullback.ir.rewrite import renamed, substituted, with_blocks
from pullback.ir.ruled import LinearMap


def without_maps(function: Function) -> Function:
    """The function with the operands of linear maps in the place of their results."""
    terms = terms_of_maps(function.body)
    callees = tuple(map(without_maps, function.callees))
    if not terms:
        return replace(function, callees=callees)
    return replace(function, body=in_terms(function.body, terms), callees=callees)


def terms_of_maps(block: Block) -> dict[Value, Operand]:
    """What stands for the results of linear maps when they have been differentiated."""
    terms: dict[Value, Operand] = {}
    for statement in walk(block):
        if isinstance(statement, Call) and isinstance(statement.function, LinearMap):
            terms.update(zip(statement.results, renamed(statement.operands[0], terms), strict=True))
    return terms


def in_terms(block: Block, terms: Mapping[Value, Operand]) -> Block:
    """A block without linear maps, in terms of what stands for their results."""

    def without(block: Block) -> Block:
        kept = (s for s in block.statements if not (isinstance(s, Call) and isinstance(s.function, LinearMap)))
        return Block(tuple(with_blocks(s, without) for s in kept), block.yields)

    return substituted(without(block), terms)
