"""Bounds: every element access is proved to be inside its array, or checked; before the loop where that can be done.

for i in range(n):                         check_span(0, n - 1, w.shape[0], n)
    s += w[i] * x[idx[i]]          →       for i in range(n):
                                               check_index(idx[i], x.shape[0])
                                               s += w[i] * x[idx[i]]

Here `n` is the size of `idx`. Machine code is then compiled without checks of its own, which would keep its loops from
being vectorised. A check before a loop stands for accesses that every round makes: an IndexError comes earlier than in
a plain call, never where a plain call has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from pullback import runtime
from pullback.analysis.ranges import Form, Ranges
from pullback.analysis.shapes import Shapes, Size
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Permute,
    Reshape,
    Statement,
    Step,
    Value,
    While,
    is_scalar,
    results_of,
)

_ACCESSES = {primitives.load, primitives.store, primitives.add_at, primitives.load_last}


def check_bounds(function: Function, picks: bool = False) -> Function:
    """The same function with a check for every access that is not proved to be inside.

    picks: with a proof for the indices that rounds pick: a loop around them without checks may be parallel.
    """
    checker = _Checker(function, picks)
    body = checker.block(function.body)
    return replace(function, body=body, callees=tuple(map(check_bounds, function.callees)))


@dataclass(slots=True)
class _Span:
    """A check of the first and the last index that loops of so many rounds run through."""

    first: Form
    last: Form
    extent: Form
    rounds: tuple[Form, ...]

    def covers(self, other: _Span) -> bool:
        """Whether the other check cannot fail where this one has not."""
        return self.joined(other) == self and set(self.rounds) <= set(other.rounds)

    def joined(self, other: _Span) -> _Span | None:
        """One check for both; None where it is not known which index comes first."""
        first, last = other.first.plus(self.first, -1), other.last.plus(self.last, -1)
        if self.extent != other.extent or first.terms or last.terms:
            return None
        return _Span(
            other.first if first.constant < 0 else self.first,
            other.last if last.constant > 0 else self.last,
            self.extent,
            self.rounds,
        )


@dataclass(slots=True)
class _Level:
    """A block around the present statement: the loop whose body it is (None where checks may not leave it)."""

    loop: For | None
    defined: set[Value]
    spans: list[_Span] = field(default_factory=list)

    def add(self, span: _Span) -> None:
        """Note a check that is to stand before the loop."""
        for k, known in enumerate(self.spans):
            joined = known.joined(span)
            if joined is not None and set(known.rounds) == set(span.rounds):
                self.spans[k] = joined
                return
        self.spans.append(span)


class _Checker:
    def __init__(self, function: Function, picks: bool) -> None:
        self.shapes = Shapes(function)
        self.ranges = Ranges(self.shapes, picks)
        self.builder = Builder()
        self.levels: list[_Level] = [_Level(None, set(function.parameters))]
        self.spans: list[_Span] = []

    # The walk

    def block(self, block: Block) -> Block:
        facts, spans = len(self.ranges.facts), len(self.spans)
        statements: list[Statement] = []
        for statement in block.statements:
            with self.builder.into(statements), self.builder.at(statement.location):
                statements += self.statement(statement)
            self.levels[-1].defined.update(results_of(statement))
        del self.ranges.facts[facts:], self.spans[spans:]
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case Let():
                if statement.function in _ACCESSES:
                    self.access(statement)
                self.ranges.note(statement)
                return [statement]
            case If():
                return [self.branches(statement)]
            case For():
                return self.count(statement)
            case While():
                return [self.repeat(statement)]
        return [statement]

    def branches(self, statement: If) -> If:
        """Both branches; what stands in one is not done in every round."""
        blocks = []
        for side, known in ((statement.then, self.ranges.conditions), (statement.orelse, self.ranges.refuted)):
            facts = known.get(statement.condition, ()) if isinstance(statement.condition, Value) else ()
            blocks.append(self.inside(side, _Level(None, set()), list(facts)))
        return replace(statement, then=blocks[0], orelse=blocks[1])

    def inside(self, block: Block, level: _Level, facts: list[Form]) -> Block:
        self.levels.append(level)
        self.ranges.facts += facts
        made = self.block(block)
        if facts:
            del self.ranges.facts[-len(facts) :]
        self.levels.pop()
        return made

    def count(self, statement: For) -> list[Statement]:
        own = {statement.index, *(c.parameter for c in statement.carried)}
        level = _Level(None if statement.exits else statement, own)
        body = self.inside(statement.body, level, self.ranges.loop_facts(statement))
        for span in level.spans:
            operands = [self.operand(form) for form in (span.first, span.last, span.extent, *span.rounds)]
            self.builder.effect(runtime.check_span, *operands)
        self.spans += level.spans
        self.ranges.note_picks(statement)
        return [replace(statement, body=body)]

    def repeat(self, statement: While) -> While:
        level = _Level(None, {c.parameter for c in statement.carried})
        condition = self.inside(statement.condition, level, [])
        last = statement.condition.yields[0]
        facts = self.ranges.conditions.get(last, ()) if isinstance(last, Value) else ()
        body = self.inside(statement.body, _Level(None, level.defined), list(facts))
        return replace(statement, condition=condition, body=body)

    # One access

    def access(self, statement: Let) -> None:
        for index, size in self.indices(statement.operands[0], statement.operands[1]):
            self.check(index, size)

    def indices(self, array: Value, path: tuple[Step, ...]) -> Iterator[tuple[Operand, Size]]:
        """Each integer index of a path, and the size of the axis that it is for."""
        shape: tuple[Size, ...] | None = self.shapes.of(array)
        checked_elsewhere = is_advanced(path)  # by the helpers for indices that are arrays
        for k, step in enumerate(path[: len(path) - checked_elsewhere]):
            if not k:
                shape = tuple((array, axis) if self.is_unknown(size) else size for axis, size in enumerate(shape or ()))
            elif shape is None or any(map(self.is_unknown, shape)):
                shape = self.measured(array, path[:k])
            match step:
                case Index(items):
                    yield from _paired(items, shape)
                    shape = self.shapes.indexed(shape, items)
                case Permute(axes):
                    shape = tuple(shape[axis] for axis in axes)
                case Reshape():
                    shape = None  # a size of -1 stands for what is left

    def measured(self, array: Value, path: tuple[Step, ...]) -> tuple[Size, ...]:
        """The shape of a part of an array, taken when the program runs."""
        part = self.builder.load(array, path)
        sizes = tuple(self.builder.dim(part, axis) for axis in range(getattr(part.type, "ndim", 0)))
        self.levels[-1].defined.update((part, *sizes))
        return sizes

    def is_unknown(self, size: Size) -> bool:
        """Whether a size is no sum of others."""
        return self.ranges.of_size(size) is None

    def check(self, index: Operand, size: Size) -> None:
        """Prove that an index is inside, or check it: before the loops that run through it, or here."""
        form, extent = self.ranges.form(index), self.ranges.of_size(size)
        assert extent is not None, "a size that is no sum of others was measured"
        if self.ranges.is_between(form, extent):
            return
        if not self.check_before(form, extent):
            operands = (self.operand(form), self.operand(extent))
            self.builder.effect(runtime.check_index, *operands)
        self.ranges.facts += [extent.plus(form, -1).moved(-1), form.plus(extent)]

    def check_before(self, form: Form, extent: Form) -> bool:
        """A check of the first and the last index before the outermost loop that allows it."""
        first, last, rounds = form, form, []
        target = None
        for level in reversed(self.levels):
            loop = level.loop
            if loop is None or loop.step not in (constant(1), constant(-1)):
                break
            reach = self.reach(loop)
            first, last = _over(first, loop.index, reach), _over(last, loop.index, reach[::-1])
            rounds.append(reach[1].plus(reach[0], -1).moved(1))
            if any(_mentions(f, level.defined) for f in (first, last, extent, *rounds)):
                break
            target = level, _Span(first, last, extent, tuple(rounds))
        if target is None:
            return False
        level, span = target
        if not any(known.covers(span) for known in self.spans):
            level.add(span)
        return True

    def reach(self, loop: For) -> tuple[Form, Form]:
        """The smallest and the largest index of a loop that counts by one."""
        start, stop = self.ranges.form(loop.start), self.ranges.form(loop.stop)
        return (start, stop.moved(-1)) if loop.step == constant(1) else (stop.moved(1), start)

    def operand(self, form: Form) -> Operand:
        """A form as an operand, computed here."""
        made: Operand | None = None
        for term, coefficient in form.terms:
            value: Operand = self.builder.dim(*term) if isinstance(term, tuple) else term
            if abs(coefficient) != 1:
                value = self.builder.let(np.multiply, value, constant(abs(coefficient)))
            if made is None:
                made = value if coefficient > 0 else self.builder.let(np.negative, value)
            else:
                made = self.builder.let(np.add if coefficient > 0 else np.subtract, made, value)
        if made is None:
            return constant(form.constant)
        if form.constant:
            function = np.add if form.constant > 0 else np.subtract
            made = self.builder.let(function, made, constant(abs(form.constant)))
        return made


def _paired(items: tuple[Operand, ...], shape: tuple[Size, ...]) -> Iterator[tuple[Operand, Size]]:
    """The integers among the items of an index, each with the size of its axis."""
    used = sum(not _is_new(item) and not _is_ellipsis(item) for item in items)
    axis = 0
    for item in items:
        if _is_ellipsis(item):
            axis += len(shape) - used
        elif not _is_new(item):
            if _is_integer(item):
                yield item, shape[axis]
            axis += 1


def _is_new(item: object) -> bool:
    return isinstance(item, Constant) and item.value is None


def _is_ellipsis(item: object) -> bool:
    return isinstance(item, Constant) and item.value is Ellipsis


def _is_integer(item: Operand) -> bool:
    return is_scalar(item) and item.type.dtype != "bool"


def _over(form: Form, index: Value, span: tuple[Form, Form]) -> Form:
    """The least value of a form while an index runs over a span; the greatest for the span turned round."""
    coefficient = form.of(index)
    without = form.plus(Form(0, ((index, 1),)), -coefficient)
    return without.plus(span[0] if coefficient > 0 else span[1], coefficient) if coefficient else form


def _mentions(form: Form, values: set[Value]) -> bool:
    return any((term[0] if isinstance(term, tuple) else term) in values for term, _ in form.terms)
