"""A walk through a Function in the order in which it runs, with what is proved of its integers at each statement.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.primitives import load
>>> class Proofs(RangeWalk):
...     def let(self, statement):
...         if statement.function is load:
...             array, path = statement.operands
...             (index,), (size,) = path[0].items, self.shapes.of(array)
...             print(path[0], "inside" if self.ranges.is_inside(index, size) else "not proved")
...         return [statement]
>>> def steps(x, k):
...     s = x[k]
...     for i in range(1, x.shape[0]):
...         s += x[i - 1] * x[i]
...     return s
>>> function = normal_form(steps, np.ones(3), 1)
>>> walked = Proofs(function).block(function.body)
Index(items=(k: int64*,)) not proved
Index(items=(_: int64*,)) inside
Index(items=(i: int64*,)) inside
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, Effect, For, Function, If, Let, Statement, Value, While


class RangeWalk:
    """Rewrites statements one by one: `let` says what stands in the place of a Let, `builder` adds before it."""

    def __init__(self, function: Function, selections: bool = False) -> None:
        self.shapes = Shapes(function)
        self.ranges = Ranges(self.shapes, selections)
        self.builder = Builder()

    def let(self, statement: Let) -> list[Statement]:
        return [statement]

    def after(self, statement: Statement) -> None:
        """Called when a statement has been rewritten."""

    def block(self, block: Block) -> Block:
        facts = len(self.ranges.facts)
        statements: list[Statement] = []
        for statement in block.statements:
            with self.builder.into(statements), self.builder.at(statement.location):
                statements += self.statement(statement)
            self.after(statement)
        del self.ranges.facts[facts:]
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case Let():
                made = self.let(statement)
                self.ranges.note(statement)
                return made
            case If():
                return [self.branches(statement)]
            case For():
                return [self.count(statement)]
            case While():
                return [self.repeat(statement)]
            case Effect(function=primitives.check):
                self.ranges.facts += self.known(statement.operands[0], self.ranges.conditions)
        return [statement]

    def branches(self, statement: If) -> If:
        then, orelse = (
            self.inside(side, self.known(statement.condition, facts), None)
            for side, facts in ((statement.then, self.ranges.conditions), (statement.orelse, self.ranges.refuted))
        )
        return replace(statement, then=then, orelse=orelse)

    def count(self, statement: For) -> For:
        body = self.inside(statement.body, self.ranges.loop_facts(statement), statement)
        self.ranges.note_selections(statement)
        return replace(statement, body=body)

    def repeat(self, statement: While) -> While:
        condition = self.inside(statement.condition, (), statement)
        facts = self.known(statement.condition.yields[0], self.ranges.conditions)
        return replace(statement, condition=condition, body=self.inside(statement.body, facts, statement))

    def inside(self, block: Block, facts: Sequence[Form], around: For | While | None) -> Block:
        """A block in which some forms are known not to be negative; `around` is the loop that it belongs to."""
        self.ranges.facts += facts
        made = self.block(block)
        if facts:
            del self.ranges.facts[-len(facts) :]
        return made

    def known(self, condition: object, facts: dict[Value, tuple[Form, ...]]) -> tuple[Form, ...]:
        """What follows from a condition."""
        return facts.get(condition, ()) if isinstance(condition, Value) else ()
