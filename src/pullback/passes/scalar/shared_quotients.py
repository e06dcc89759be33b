"""Shared quotients: the adjoints of both operands of a division come from one quotient.

>>> import numpy as np, pullback as pb
>>> def f(x, y):
...     s = 0.0
...     for i in range(x.shape[0]):
...         s += np.sin(x[i] / y[i])
...     return s
>>> print(pb.explain(f, np.ones(3), np.ones(3), passes=["shared_quotients"]))
lowered adjoint: shared_quotients, the adjoints of both operands of a division come from one quotient
  ...
           t.8: float64 = divide(t.5, t.2)
  -        t.9: float64 = multiply(t.5, t.7)
  +        t.10: float64 = multiply(t.8, t.3)
  +        t.9: float64 = negative(t.10)
           y_bar.2: float64[:] = add_at(y_bar.1, ([i]), t.9)

The adjoint of b in y = a / b is g (-y / b), or -(g / b) y, where g / b is that of a. A division takes a machine several
times as long as a product. A loop that still runs backwards is left as it is: its iterations wait for each other, and
-y / b can be computed before g is known.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, For, Function, Let, Operand, Statement, Value, While, is_scalar, read_in
from pullback.ir.rewrite import with_blocks

Quotients = dict[tuple[Operand, Operand], Value]


def share_quotients(function: Function) -> Function:
    """The function with fewer divisions in its backward sweep."""
    body = _Quotients(Counter(read_in(function.body))).block(function.body, False)
    return replace(function, body=body, callees=tuple(map(share_quotients, function.callees)))


class _Quotients:
    def __init__(self, uses: Counter[Value]) -> None:
        self.uses = uses

    def block(self, block: Block, is_free: bool) -> Block:
        """The same block; `is_free`: in a loop whose iterations may run in any order."""
        statements: list[Statement] = []
        made: dict[Value, Let] = {}
        known: Quotients = {}
        for statement in block.statements:
            if not isinstance(statement, Let):
                statements.append(self.with_inner(statement, is_free))
                continue
            made[statement.value] = statement
            if statement.function is np.true_divide and statement.location.is_adjoint:
                known[statement.operands] = statement.value
            statements += self.product(statement, made, known) if is_free else [statement]
        return Block(tuple(statements), block.yields)

    def with_inner(self, statement: Statement, is_free: bool) -> Statement:
        if isinstance(statement, For | While):
            is_free = isinstance(statement, For) and not statement.reverse
        return with_blocks(statement, lambda block: self.block(block, is_free))

    def product(self, statement: Let, made: dict[Value, Let], known: Quotients) -> list[Statement]:
        """What stands in place of a statement: if it is g (-y / b), where g / b is known, -(g / b) y."""
        if statement.function is not np.multiply or not statement.location.is_adjoint or not is_scalar(statement.value):
            return [statement]
        for g, factor in (statement.operands, statement.operands[::-1]):
            divided = self.only_read_by(factor, made, np.true_divide)
            negated = self.only_read_by(divided.operands[0], made, np.negative) if divided is not None else None
            if divided is None or negated is None:
                continue
            shared = known.get((g, divided.operands[1]))
            if shared is not None and shared.type == statement.value.type:
                builder = Builder()
                with builder.at(statement.location):
                    product = builder.let(np.multiply, shared, negated.operands[0])
                    builder.add(replace(statement, function=np.negative, operands=(product,)))
                return builder.statements
        return [statement]

    def only_read_by(self, operand: Operand, made: dict[Value, Let], function: object) -> Let | None:
        """The statement that makes an operand, if it calls a function and nobody else reads what it makes."""
        let = made.get(operand) if isinstance(operand, Value) and self.uses[operand] == 1 else None
        return let if let is not None and let.function is function and let.location.is_adjoint else None
