"""Loop predication: where a strip loads, the checks of all its iterations are one condition.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import For
>>> from pullback.passes.loops.bounds_checks import check_bounds
>>> from pullback.passes.vector.stages import divided
>>> from pullback.transform.derivative import prepared
>>> def f(x, near):
...     total = 0.0
...     for p in range(near.shape[0]):
...         total += np.exp(-x[near[p] + 1])
...     return total
>>> function = check_bounds(prepared(normal_form(f, np.ones(3), np.zeros(3, int))))
>>> parts = predicated(divided(next(s for s in function.body.statements if isinstance(s, For))))
>>> [[s.function.__name__ for s in part] for part in (parts.indices, parts.loads)]
[['load', 'add', 'add', 'dim', 'greater_equal', 'bitwise_and', 'less', 'bitwise_and'], ['load']]

The indices are computed by a loop without checks, which LLVM can vectorise, along with whether all of them are inside:
what is loaded then needs none. Where one is not, nothing has happened yet: the loop that loads runs with its checks,
and raises what it raised before. An index that counts from the end takes that way, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.straight_loops import RAISING, computes_numbers, is_simple
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    If,
    Let,
    Operand,
    Statement,
    Value,
    read_by,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import like
from pullback.ir.types import BOOL, INT
from pullback.passes.vector.stages import StageLoops, Stages

_MOST = 9.2e18
"""Floats up to here are integers of 64 bits."""


@dataclass(slots=True)
class Predicated:
    """What a strip does before it computes: indices, and whether the checks hold for them; then the other loads.

    inside: whether they hold for the iterations so far, `before` for those before.
    """

    indices: list[Statement] = field(default_factory=list)
    loads: list[Statement] = field(default_factory=list)
    before: Value = field(default_factory=lambda: Value("inside", BOOL))
    inside: Value | None = None


def predicated(stages: Stages) -> Predicated | None:
    """The first of the stages in two parts; None where no index is computed from what is loaded and then checked."""
    parts = _Parts(stages)
    for statement in stages.loads:
        parts.add(statement)
    return parts.found if parts.computes and parts.found.inside is not None else None


class _Parts:
    """Divides statements into those of the indices and the others.

    late: what is not known before the loads. counted: what is computed from the index of the loop without a load. Where
    such a number is checked, the check may be what keeps later loads inside. computes: whether an index is computed
    from what is loaded; where indices are only loaded, a loop without checks is hardly faster.
    """

    def __init__(self, stages: Stages) -> None:
        self.found = Predicated()
        self.builder = Builder()
        self.late: set[Value] = set()
        self.loaded = {v for s in walk(Block(tuple(stages.loads))) for v in results_of(s)}
        self.counted = {stages.loop.index, *(s.value for s in stages.cheap)}
        self.is_guarded = self.computes = False

    def add(self, statement: Statement) -> None:
        if self.late.isdisjoint(read_by(statement)) and self.is_index(statement):
            with self.builder.block() as made:
                self.index(statement)
            is_let = isinstance(statement, Let) and not _is_load(statement)
            self.computes = self.computes or (is_let and not self.loaded.isdisjoint(read_by(statement)))
            self.found.indices += made
            if not self.counted.isdisjoint(read_by(statement)) and not _is_load(statement):
                self.counted.update(results_of(statement))
        else:
            self.found.loads.append(statement)
            self.late.update(results_of(statement))
        if isinstance(statement, Effect):
            self.is_guarded = self.is_guarded or not self.counted.isdisjoint(read_by(statement))

    def is_index(self, statement: Statement) -> bool:
        match statement:
            case Effect():
                return statement.function is runtime.check_index and statement.operands[0].type.dtype == "int64"
            case If():
                blocks = statement.then, statement.orelse
                return all(computes_numbers(b) and not any(map(_is_load, walk(b))) for b in blocks)
            case Let() if _is_load(statement):
                return not self.is_guarded and self.loaded.isdisjoint(values_in(statement.operands[1]))
            case Let():
                return statement.function in _CONDITIONS or (is_simple(statement) and statement.function not in RAISING)
        return False

    def index(self, statement: Statement) -> None:
        """Compute an index, or the condition of a check."""
        if isinstance(statement, Effect):
            index, size = statement.operands
            self.require(np.greater_equal, index, constant(0))
            self.require(np.less, index, size)
        elif isinstance(statement, Let) and statement.function in _CONDITIONS:
            _CONDITIONS[statement.function](self, statement)
        else:
            self.builder.add(statement)

    def require(self, function: Callable[..., Any], *operands: Operand) -> Value:
        """A condition for all checks to hold."""
        condition = self.builder.let(function, *operands, type_=BOOL)
        before = self.found.inside or self.found.before
        self.found.inside = self.builder.let(np.bitwise_and, before, condition, type_=BOOL)
        return condition

    def sum(self, statement: Let) -> None:
        """A sum or a difference, which may wrap around: then its sign is not that of both operands."""
        a, b, _ = statement.operands
        is_sum = statement.function is runtime.checked_add
        self.builder.add(replace(statement, function=np.add if is_sum else np.subtract, operands=(a, b), keywords=()))
        number = statement.value
        if isinstance(b, Constant):
            goes_up = (b.value >= 0) is is_sum
            self.require(np.greater_equal if goes_up else np.less_equal, number, a)
            return
        first = self.builder.let(np.bitwise_xor, a, number if is_sum else b, type_=INT)
        second = self.builder.let(np.bitwise_xor, b if is_sum else a, number, type_=INT)
        both = self.builder.let(np.bitwise_and, first, second, type_=INT)
        self.require(np.greater_equal, both, constant(0))

    def integer(self, statement: Let) -> None:
        """An integer of a float: of 0 where there is none of 64 bits."""
        number, _ = statement.operands
        size = self.builder.let(np.absolute, number, type_=number.type)
        fits = self.require(np.less, size, constant(_MOST))
        safe = self.builder.let(primitives.select, fits, number, constant(0.0), type_=number.type)
        self.builder.add(replace(statement, function=primitives.cast, operands=(safe, Constant("int64*")), keywords=()))


_CONDITIONS: dict[Callable[..., Any], Callable[[_Parts, Let], None]] = {
    runtime.checked_add: _Parts.sum,
    runtime.checked_subtract: _Parts.sum,
    runtime.checked_integer: _Parts.integer,
}


def _is_load(statement: Statement) -> bool:
    return isinstance(statement, Let) and statement.function is primitives.load


class PredicatedLoops(StageLoops):
    """Builds the loops of stages with such a condition."""

    def __init__(self, stages: Stages, parts: Predicated, builder: Builder, offset: Operand, width: Operand) -> None:
        super().__init__(stages, builder, offset, width)
        self.parts = parts

    def load(self, passed: list[Value], versions: list[Value]) -> None:
        """The loop of the indices, and one of those that load, with the checks or without."""
        parts, loop = self.parts, self.loop
        later = set(read_in(Block(tuple(parts.loads))))
        made = [v for s in parts.indices for v in results_of(s)]
        indices = [v for v in made if v in passed or v in later]
        self.make_room(v for v in indices if v not in passed)
        assert parts.inside is not None, "there is a check"
        carried = (*loop.carried, Carried(parts.before, constant(True)))
        body = replace(loop.body, yields=(*loop.body.yields, parts.inside))
        self.loop = replace(loop, carried=carried, body=body)
        (inside,) = self.lanes(parts.indices, indices, [len(loop.carried)], [*versions, constant(True)])
        self.loop = loop
        before = dict(self.buffers)
        with self.builder.block() as unchecked:
            self.lanes(parts.loads, [v for v in passed if v not in indices], [], versions)
        then = Block(tuple(unchecked), tuple(self.buffers[v] for v in passed))
        self.buffers = dict(before)
        with self.builder.block() as checked:
            self.lanes(self.stages.loads, passed, [], versions, loop.reverse)
        orelse = Block(tuple(checked), tuple(self.buffers[v] for v in passed))
        results = tuple(like(before[v]) for v in passed)
        self.builder.add(If(inside, then, orelse, results, loop.location))
        self.buffers = before | dict(zip(passed, results, strict=True))
