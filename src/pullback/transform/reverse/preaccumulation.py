"""Preaccumulation: the forward sweep computes partial derivatives along with a value, where both share what costs most.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     total = 0.0
...     for i in range(x.shape[0]):
...         total = np.logaddexp(total, x[i])
...     return total
>>> text = pb.inspect_source(pb.value_and_grad(f), np.ones(3))
>>> print(text[text.index("        total2 =") : text.index("        total = total2")], end="")
        total2 = vm.logaddexp(total, x_i)
        d = total - x_i
        chosen_saved2[i] = where(total == np.inf, np.nan, vm.sigmoid(d))
        chosen_saved[i] = where(x_i == np.inf, np.nan, vm.sigmoid(-d))

The log of a sum of exponentials and the shares of its terms come of one exponential; from its result, each of the
shares costs another one. What the backward sweep then needs are the partial derivatives, and not the operands: they are
kept, or computed again, as other values are. Griewank & Walther (2008), Evaluating Derivatives, chapter 10.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from pullback.frontend.build import Inliner
from pullback.functions import rule_of
from pullback.ir.nodes import Block, Constant, Function, Let, Operand, Statement, Value, is_scalar
from pullback.ir.rewrite import with_blocks
from pullback.transform.inlining import inlined

Partials = dict[Value, tuple[Operand, ...]]


def preaccumulated(function: Function, active: Set[Value]) -> tuple[Function, Partials]:
    """The function with such partial derivatives behind the values, and which they are.

    active: the values that are differentiated.
    """
    accumulation = _Accumulation(active)
    body = accumulation.block(function.body)
    return replace(function, body=body), accumulation.partials


class _Accumulation:
    def __init__(self, active: Set[Value]) -> None:
        self.active = active
        self.partials: Partials = {}
        self.inliner = Inliner()

    def block(self, block: Block) -> Block:
        return Block(tuple(made for s in block.statements for made in self.statement(s)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        rule = rule_of(statement.function) if isinstance(statement, Let) and statement.value in self.active else None
        if not isinstance(statement, Let) or rule is None or rule.preaccumulated is None or not _is_wide(statement):
            return [with_blocks(statement, self.block)]
        with self.inliner.builder.block() as added:
            found = inlined(self.inliner, rule.preaccumulated, statement, {}, statement.location)
        self.partials[statement.value] = found
        return [statement, *added]


def _is_wide(statement: Let) -> bool:
    """Whether a statement computes a number of 64 bits from such numbers."""
    numbers = (*statement.operands, statement.value)
    return all(isinstance(n, Value | Constant) and is_scalar(n) and n.type.dtype == "float64" for n in numbers)
