"""Cross-sweep common-subexpression elimination: the backward sweep reads what the forward sweep has computed already.

for i in range(n):                   for i in range(n):
    s += sin(x[i])                       t = cos(x[i])
    c += cos(x[i])                       …
…                             →      …
    x_bar[i] += s_bar * cos(x[i])        x_bar[i] += s_bar * t

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.transform.derivative import joint, prepared
>>> def f(x):
...     s, c = 0.0, 0.0
...     for i in range(x.shape[0]):
...         s += np.sin(x[i])
...         c += np.cos(x[i])
...     return s * c
>>> function = prepared(normal_form(f, np.ones(3)))
>>> for optimisations in (ALL.optimisations - {"common_subexpressions"}, ALL.optimisations):
...     text = show(joint(function, (0,), with_results=False, settings=replace(ALL, optimisations=optimisations)))
...     print(text.count("cos("), "cosines,", text.count("sin("), "sines")
2 cosines, 2 sines
1 cosines, 1 sines

Whether the value is then kept or computed again is decided with all others. What costs less than a load is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pullback.ir.nodes import Block, For, If, Let, Operand, Statement, Value, map_values
from pullback.ir.rewrite import substituted
from pullback.ir.types import Scalar
from pullback.passes.scalar.simplify import expression_key
from pullback.transform.min_cut import CHEAP
from pullback.transform.reverse.sweep import Sweep

Known = dict[Any, Value]


def eliminate_common_subexpressions(
    body: Block, sweep: Sweep, results: tuple[Operand, ...]
) -> tuple[list[Statement], tuple[Operand, ...]]:
    """The backward statements and results, in terms of the forward block's values where they compute the same."""
    made = _Elimination(sweep).block(Block(tuple(sweep.statements), results), body)
    return list(made.statements), made.yields


class _Elimination:
    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.terms: dict[Value, Operand] = {}

    def block(self, backward: Block, forward: Block | None) -> Block:
        known = _computed(forward) if forward is not None else {}
        statements = [made for s in backward.statements if (made := self.statement(s, known)) is not None]
        return Block(tuple(statements), self.operand(backward.yields))

    def operand(self, operand: Operand) -> Any:
        return map_values(operand, lambda value: self.terms.get(value, value))

    def statement(self, statement: Statement, known: Known) -> Statement | None:
        mirrored = self.sweep.mirror_of(statement)
        match statement:
            case Let():
                return self.let(replace(statement, operands=self.operand(statement.operands)), known)
            case If():
                sides = (mirrored.then, mirrored.orelse) if isinstance(mirrored, If) else (None, None)
                condition = self.operand(statement.condition)
                then, orelse = self.block(statement.then, sides[0]), self.block(statement.orelse, sides[1])
                return replace(statement, condition=condition, then=then, orelse=orelse)
            case For():
                body = self.block(statement.body, getattr(mirrored, "body", None))
                return substituted(replace(statement, body=body), self.terms)
        return substituted(statement, self.terms)

    def let(self, statement: Let, known: Known) -> Let | None:
        same = known.get(_key(statement))
        if same is None or same.type.dtype != statement.value.type.dtype:
            return statement
        self.terms[statement.value] = same
        return None


def _computed(block: Block) -> Known:
    lets = [s for s in block.statements if isinstance(s, Let) and _key(s) is not None]
    return {_key(s): s.value for s in lets if s.function not in CHEAP}


def _key(statement: Let) -> Any:
    """What makes two statements compute the same number or, as no other array costs as much, the same inverse."""
    if statement.function is np.linalg.inv:
        return statement.function, statement.operands
    return expression_key(statement) if isinstance(statement.value.type, Scalar) else None
