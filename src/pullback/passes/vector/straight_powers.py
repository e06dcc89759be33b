"""Straight powers: what a branching rule divides is a power again where iterations run side by side.

>>> import numpy as np, pullback as pb
>>> def decay(x, n):
...     y = 1.0
...     for i in range(x.shape[0]):
...         y = y + 0.1 * (x[i] - y**n)
...     return y
>>> print(pb.explain(decay, np.ones(3), 2.3, argnums=(0, 1), passes=["straight_powers"]))
text: straight_powers, a power stands for a quotient that branches, where iterations run side by side after all
  ...
               y.3: float64 = load(y_saved.3, ([t.17]))
  -            t.19: float64 = power_slope(y.3, n, t.18)
  +            t.44: bool = equal(y.3, 0)
  +            t.45: bool* = equal(n, 0)
  +            t.46: bool = logical_and(t.44, t.45)
  +            base: float64 = where(t.46, 1.0, y.3)
  +            t.47: float64* = subtract(n, 1)
  +            t.19: float64 = power(base, t.47)
               t.20: float64 = multiply(n, t.19)

Which loops run side by side is asked before they are differentiated. Some are distributed later, or wait for nothing in
the backward sweep alone: a loop with vectors takes both sides of a branch.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.straight_loops import may_be_vectorised
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, For, Function, Let, Statement
from pullback.ir.rewrite import with_blocks


def straighten_powers(function: Function) -> Function:
    """The function without branching slopes of powers in loops that may be vectorised."""
    callees = tuple(map(straighten_powers, function.callees))
    return replace(function, body=_outside(function.body), callees=callees)


def _outside(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    if isinstance(statement, For) and may_be_vectorised(statement):
        return replace(statement, body=_straight(statement.body))
    return with_blocks(statement, _outside)


def _straight(block: Block) -> Block:
    builder = Builder()
    with builder.block() as statements:
        for statement in block.statements:
            if isinstance(statement, Let) and statement.function is runtime.power_slope:
                _add_power(builder, statement)
            else:
                builder.add(with_blocks(statement, _straight))
    return Block(tuple(statements), block.yields)


def _add_power(builder: Builder, slope: Let) -> None:
    """x^(n - 1), but 1 for x = 0 and n = 0."""
    x, n, _ = slope.operands
    with builder.at(slope.location):
        is_one = builder.let(
            np.logical_and, builder.let(np.equal, x, constant(0)), builder.let(np.equal, n, constant(0))
        )
        base = builder.let(runtime.where, is_one, constant(1.0), x, name="base", type_=x.type)
        exponent = builder.let(np.subtract, n, constant(1))
        builder.add(replace(slope, function=np.power, operands=(base, exponent)))
