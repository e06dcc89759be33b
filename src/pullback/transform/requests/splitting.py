"""A pushed region in two parts: what is the same for every tangent of its source runs once, before a loop over them.

>>> from pullback.ir.types import FLOAT
>>> x, x_dot, c, y_dot = (Value(name, FLOAT) for name in ("x", "x_dot", "c", "y_dot"))
>>> statements = Let(c, np.cos, (x,)), Let(y_dot, np.multiply, (c, x_dot))
>>> split = Split(x_dot, (), Block(statements, (y_dot,)))
>>> [s.value.name for s in split.before], [s.value.name for s, _ in split.varying]
(['c'], ['y_dot'])
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumed_in
from pullback.errors import LanguageError, Problem
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.external import repeated_calls_outside, title_of
from pullback.ir.nodes import Block, Effect, Function, Let, Operand, Statement, Value, read_by, results_of
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.passes.entries import Settings
from pullback.passes.scalar.dead_code import remove_dead
from pullback.transform.requests.places import Place
from pullback.transform.requests.tangents import at_last_mark, push_region


class Split:
    """A pushed region in two parts: what does not depend on the unit tangent, and what does.

    unit: what stands for the unit tangent. A loop that carries tangents is in both parts, without them in the first.
    """

    def __init__(self, unit: Value, originals: tuple[Statement, ...], pushed: Block) -> None:
        self.unit, self.yields = unit, pushed.yields
        known = {results_of(s)[0]: s for s in originals if results_of(s)}
        found = {unit}
        self.before: list[Statement] = []
        self.created: dict[Value, Let] = {}
        self.varying: list[tuple[Statement, tuple[Value, ...]]] = []
        for statement in pushed.statements:
            if found.isdisjoint(read_by(statement)):
                self.before.append(statement)
                if isinstance(statement, Let) and statement.function in _CREATING:
                    self.created[statement.value] = statement
                continue
            self._check(statement)
            original = known.get(results_of(statement)[0]) if results_of(statement) else None
            own = () if original is None else results_of(original)
            found.update(value for value in results_of(statement) if value not in own)
            self.before += () if original is None else (original,)
            self.varying.append((statement, own))

    def _check(self, statement: Statement) -> None:
        """LanguageError where a function that is not read would be called again: nobody knows what that does."""
        for call in repeated_calls_outside((statement,)):
            reason = f"{title_of(call)} is called in a loop or branch that a Jacobian by forward mode runs again"
            raise LanguageError([Problem(call.location, reason, "use mode='reverse', or pb.jacrev(pb.grad(f))")])

    def repeated(self) -> Iterator[tuple[Statement, tuple[Value, ...]]]:
        """What depends on the tangent, each with its results that are known before; what it takes over is made anew."""
        made: set[Value] = set()
        for statement, own in self.varying:
            for value in consumed_in(Block((statement,))):
                if value in self.created and value not in made:
                    made.add(value)
                    yield self.created[value], ()
            yield _without_effects(statement), own

    def live(self) -> tuple[Statement, ...]:
        """What the tangents of the targets are computed by."""
        statements = tuple(statement for statement, _ in self.repeated())
        return remove_dead(Function("tangents", (), Block(statements, self.yields))).body.statements

    def at(self, builder: Builder, tangent: Value) -> tuple[Operand, ...]:
        """The statements for a tangent of the source, and the tangents of the targets."""
        terms: dict[Value, Operand] = {self.unit: tangent}
        for statement, own in self.repeated():
            builder.add(copied(statement, terms))
            for value in own:
                del terms[value]
        return tuple(terms.get(y, y) if isinstance(y, Value) else y for y in self.yields)


_CREATING = primitives.CREATING | {np.full, primitives.zeros_like, runtime.growing}


def _without_effects(statement: Statement) -> Statement:
    """A statement that has run once already: what it prints is printed, and what it checks holds."""

    def quiet(block: Block) -> Block:
        kept = (s for s in block.statements if not isinstance(s, Effect))
        return Block(tuple(_without_effects(s) for s in kept), block.yields)

    return with_blocks(statement, quiet)


def pushed_split(place: Place, targets: tuple[Operand, ...], settings: Settings) -> tuple[list[Statement], Split]:
    """What runs once, and what runs for each element of the source of a place's requests."""
    source = place.requests[0].operands[1]
    before, after = at_last_mark(place, [source, *(r.operands[1] for r in place.requests)])
    unit = like(source)
    pushed = push_region(place, after, {source: unit}, targets, settings)
    split = Split(unit, after, pushed)
    return [*before, *split.before], split
