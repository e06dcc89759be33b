"""Loop-invariant code motion of loads: an element that is the same in every iteration is read before the loop.

>>> import numpy as np, pullback as pb
>>> def sines(x, w):
...     s = 0.0
...     for i in range(x.shape[0]):
...         for j in range(w.shape[0]):
...             s += np.sin(w[j] * x[i])
...     return s
>>> print(pb.explain(sines, np.ones(3), np.ones(2), passes=["invariant_loads"]))
preparation: invariant_loads, an element that is the same in every iteration is read before the loop
  ...
       s.4 = for i in range(0, t.0, 1) with (s: float64 = 0.0):
  +        t.3: float64 = load(x, ([i]))
           s.3 = for j in range(0, t.1, 1) with (s.1: float64 = s):
               t.2: float64 = load(w, ([j]))
  -            t.3: float64 = load(x, ([i]))
               t.4: float64 = multiply(t.2, t.3)

Only where the index is proved to be inside, because a loop may have no iterations; where it is, out of branches, too. A
compiler could not move them: for all it knows, the loop writes to the same memory. What is kept of them is kept once,
not in every iteration, and their adjoints add up in a number, not in an array, which would keep the loop from being
vectorised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pullback.analysis.index_arithmetic import arithmetic_of
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    made_in_iterations,
    values_in,
)
from pullback.ir.rewrite import without_made
from pullback.ir.types import Array, Scalar


def hoist_invariant_loads(function: Function) -> Function:
    """The same function with such loads outside of all loops that allow it."""
    callees = tuple(map(hoist_invariant_loads, function.callees))
    return replace(function, body=_LoadHoisting(function).block(function.body), callees=callees)


class _LoadHoisting:
    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function)
        self.ranges = Ranges(self.shapes)
        self.unset = maybe_undefined(function.body)

    def block(self, block: Block) -> Block:
        facts = len(self.ranges.facts)
        statements: list[Statement] = []
        for statement in block.statements:
            statements += self.statement(statement)
        del self.ranges.facts[facts:]
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case Let():
                self.ranges.note(statement)
            case Effect(function=primitives.check, operands=(Value() as holds, *_)):
                self.ranges.facts += self.ranges.conditions.get(holds, ())
            case If():
                return [replace(statement, then=self.block(statement.then), orelse=self.block(statement.orelse))]
            case For():
                facts = self.ranges.loop_facts(statement)
                self.ranges.facts += facts
                body = self.block(statement.body)
                del self.ranges.facts[len(self.ranges.facts) - len(facts) :]
                return self.moved(replace(statement, body=body))
            case While():
                condition, body = self.block(statement.condition), self.block(statement.body)
                return self.moved(replace(statement, condition=condition, body=body))
        return [statement]

    def moved(self, loop: For | While) -> list[Statement]:
        """What moves out of a loop and the branches in it, then the loop."""
        changing = made_in_iterations(loop)
        lets = {s.value: s for s in _beside_loops(loop.body) if isinstance(s, Let)}
        chosen: set[Value] = set()
        for statement in lets.values():
            if self.is_element(statement):
                needed = arithmetic_of(statement.operands, lets, changing - chosen)
                if needed is not None:
                    chosen |= needed | {statement.value}
        before = [s for s in lets.values() if s.value in chosen]
        return [*before, replace(loop, body=without_made(loop.body, chosen))]

    def is_element(self, statement: Let) -> bool:
        """Whether a statement loads one element, for certain from inside an array that is there on all paths."""
        if statement.function is not primitives.load or not isinstance(statement.value.type, Scalar):
            return False
        if not self.unset.isdisjoint(values_in(statement.operands)):
            return False
        array, path = statement.operands
        items: tuple[Operand, ...] = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
        if not isinstance(array.type, Array) or len(items) != array.type.ndim or not all(map(is_scalar, items)):
            return False
        return all(self.ranges.is_inside(item, size) for item, size in zip(items, self.shapes.of(array), strict=True))


def _beside_loops(block: Block) -> Iterator[Statement]:
    """The statements of a block and of the branches in it."""
    for statement in block.statements:
        yield statement
        if isinstance(statement, If):
            yield from _beside_loops(statement.then)
            yield from _beside_loops(statement.orelse)
