"""Stages: the statements of an iteration in three parts, each of which runs as a loop over the lanes of a strip: those
that load, those that compute, and those that store.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x, places):
...     y = np.zeros(3)
...     for i in range(places.shape[0]):
...         y[places[i]] += np.exp(x[i])
...     return y
>>> function = prepared(normal_form(f, np.ones(3), np.zeros(3, int)))
>>> stages = divided(next(s for s in function.body.statements if isinstance(s, For)))
>>> [[s.function.__name__ for s in part] for part in (stages.loads, stages.arithmetic, stages.stores)]
[['load', 'load'], ['exp'], ['add_at']]

Between them, arrays hold the numbers of all lanes (scalar expansion). A compiler can vectorise the loop in the middle,
which has such arrays only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from pullback.analysis.reductions import are_reductions
from pullback.analysis.straight_loops import RAISING
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    operands_of,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, renamed
from pullback.ir.types import INT, Array
from pullback.passes.vector.strips import WIDTH

AFFINE = {np.add, np.subtract, np.multiply}
WRITES = {primitives.store, primitives.add_at}


@dataclass(slots=True)
class Stages:
    """A loop in three parts.

    cheap: what each part computes by itself, from the index and from outside. written: the arrays, as they are before
    the loop, that the last part writes; loaded: those that the others load from. versions: of the arrays that the loop
    carries, each with the number of the carried value.
    """

    loop: For
    cheap: list[Let] = field(default_factory=list)
    loads: list[Statement] = field(default_factory=list)
    arithmetic: list[Statement] = field(default_factory=list)
    stores: list[Let] = field(default_factory=list)
    versions: dict[Value, int] = field(default_factory=dict)

    @property
    def written(self) -> list[Value]:
        return [c.initial for c in self.loop.carried if isinstance(c.parameter.type, Array)]

    @property
    def loaded(self) -> list[Value]:
        parts = Block((*self.loads, *self.arithmetic))
        return [s.operands[0] for s in walk(parts) if isinstance(s, Let) and s.function is primitives.load]

    @property
    def numbers(self) -> list[int]:
        return [k for k, c in enumerate(self.loop.carried) if is_scalar(c.parameter)]

    def passed(self) -> tuple[list[Value], list[Value]]:
        """What the first part passes on to the others, and the second one to the third."""
        after = {*_read(self.arithmetic), *(self.loop.body.yields[k] for k in self.numbers)}
        last = set(_read(self.stores))
        first = [v for s in self.loads for v in results_of(s) if v in after | last]
        return first, [v for s in self.arithmetic for v in results_of(s) if v in last]


def _read(statements: Iterable[Statement]) -> set[Value]:
    return set(read_in(Block(tuple(statements))))


def divided(loop: For, loads_first: bool = False) -> Stages | None:
    """The statements of a loop, divided; None where iterations load what they write, or wait for each other.

    loads_first: no iteration loads an element after it or an earlier one has written it.
    """
    stages = Stages(loop)
    versions = stages.versions
    if not are_reductions(loop, stages.numbers):
        return None
    totals = {loop.carried[k].parameter for k in stages.numbers}
    stages.cheap = cheap_in(loop)
    cheap = {statement.value for statement in stages.cheap}
    versions.update({c.parameter: k for k, c in enumerate(loop.carried) if isinstance(c.parameter.type, Array)})
    others: list[Statement] = []
    for statement in loop.body.statements:
        if isinstance(statement, Let) and statement.function in WRITES and statement.operands[0] in versions:
            versions[statement.value] = versions[statement.operands[0]]
            stages.stores.append(statement)
        elif cheap.isdisjoint(results_of(statement)):
            others.append(statement)
    early = _needed_early(others, stages.stores)
    for statement in others:
        (stages.loads if early(statement) else stages.arithmetic).append(statement)
    if not loads_first and versions.keys() & _read(others):
        return None
    return None if totals & _read((*stages.loads, *stages.stores)) else stages


def cheap_in(loop: For) -> list[Let]:
    """The integers that are computed from the index of a loop and from outside, by additions and multiplications."""
    own = made_in_iterations(loop) - {loop.index}
    found: list[Let] = []
    for statement in loop.body.statements:
        if not isinstance(statement, Let) or not own.isdisjoint(values_in(statement.operands)):
            continue
        if statement.function in AFFINE and statement.value.type == INT:
            found.append(statement)
            own.discard(statement.value)
    return found


def _needed_early(statements: list[Statement], stores: list[Let]) -> Callable[[Statement], bool]:
    """Whether a statement loads an element, may raise, or computes where an element is or what is checked."""
    needed = {v for s in stores for v in values_in((s.operands[1],))}
    early: set[int] = set()
    for statement in reversed(statements):
        is_load = isinstance(statement, Let) and statement.function is primitives.load
        may_raise = isinstance(statement, Effect) or (isinstance(statement, Let) and statement.function in RAISING)
        if is_load or may_raise or needed & set(results_of(statement)):
            early.add(id(statement))
            needed |= set(values_in(operands_of(statement))) | _read((statement,))
    return lambda statement: id(statement) in early


class LaneLoops:
    """Builds loops over the lanes of a strip, each of which runs a part of the iterations of a loop.

    cheap: what each part computes by itself, from the index and from outside. versions: of the arrays that the loop
    carries, each with the number of the carried value. least: the index of the first lane, from which those of the
    others go on by one. width: how many lanes the strip has. buffers: the arrays that have a number of each lane.
    """

    def __init__(
        self,
        loop: For,
        cheap: list[Let],
        versions: dict[Value, int],
        builder: Builder,
        least: Operand,
        width: Operand,
    ) -> None:
        self.loop, self.cheap, self.versions, self.builder = loop, cheap, versions, builder
        self.least, self.width = least, width
        self.defined: set[Value] = set()
        self.buffers: dict[Value, Value] = {}

    def make_room(self, values: Iterable[Value]) -> None:
        """Make buffers for these numbers."""
        for value in values:
            dtype = Constant(value.type.dtype)
            type_ = Array(value.type.dtype, 1)
            self.buffers[value] = self.builder.let(
                np.empty, (constant(WIDTH),), dtype, keywords=("dtype",), name=value.name, type_=type_
            )

    def lanes(
        self,
        part: list[Statement],
        passed: list[Value],
        places: list[int],
        versions: list[Value],
        reverse: bool = False,
    ) -> list[Value]:
        """A loop over the lanes that runs a part, and passes these numbers on; what it carries, afterwards.

        reverse: the last lane comes first.
        """
        loop, lane = self.loop, Value("", INT)
        parameters = [loop.carried[k].parameter for k in places]
        is_changed = any(loop.body.yields[k] is not p for k, p in zip(places, parameters, strict=True))
        if not part and not passed and not is_changed:
            return [versions[k] for k in places]
        inside = [*map(like, parameters), *(like(self.buffers[v]) for v in passed)]
        outside = [*(versions[k] for k in places), *(self.buffers[v] for v in passed)]
        ends = tuple(loop.body.yields[k] for k in places)
        with self.builder.block() as body:
            before = {version: versions[k] for version, k in self.versions.items()}
            carried_in = dict(zip(parameters, inside, strict=False))
            terms = self.terms(Block(tuple(part), (*ends, *passed)), lane, carried_in) | before | carried_in
            for statement in part:
                self.builder.add(copied(statement, terms, self.define))
            stored = [
                self.builder.let(primitives.store, array, (Index((lane,)),), terms[v], type_=array.type)
                for v, array in zip(passed, inside[len(places) :], strict=True)
            ]
        yields = (*(renamed(end, terms) for end in ends), *stored)
        results = tuple(map(like, inside))
        carried = tuple(map(Carried, inside, outside))
        block = Block(tuple(body), yields)
        bounds = constant(0), self.width, constant(1)
        self.builder.add(For(lane, *bounds, carried, block, results, reverse=reverse, location=loop.location))
        self.buffers |= dict(zip(passed, results[len(places) :], strict=True))
        return list(results[: len(places)])

    def define(self, value: Value) -> Value:
        """A new value; it has the name of the old one once: Numba goes through a function for each name given twice."""
        made = Value("" if value in self.defined else value.name, value.type, value.of)
        self.defined.add(value)
        return made

    def terms(self, part: Block, lane: Value, own: Iterable[Value] = ()) -> dict[Value, Operand]:
        """What stands for the values that a part reads: the index and what is cheap are computed, others loaded.

        own: what the loop over the lanes carries.
        """
        needed, read = [], set(read_in(part))
        for statement in reversed(self.cheap):
            if statement.value in read:
                needed.append(statement)
                read |= set(values_in(statement.operands))
        terms: dict[Value, Operand] = {}
        made = {*own, *(v for s in part.statements for v in results_of(s))}
        if self.loop.index in read:
            is_zero = self.least == constant(0)
            terms[self.loop.index] = lane if is_zero else self.builder.let(np.add, self.least, lane, type_=INT)
        for statement in reversed(needed):
            self.builder.add(copied(statement, terms))
        for value, buffer in self.buffers.items():
            if value in read and value not in made:
                element = like(value)
                self.builder.add(
                    Let(element, primitives.load, (buffer, (Index((lane,)),)), location=self.loop.location)
                )
                terms[value] = element
        return terms


class StageLoops(LaneLoops):
    """Builds the three loops of stages.

    offset: how far the first lane's index is behind the start of all. width: how many lanes the strip has.
    """

    def __init__(self, stages: Stages, builder: Builder, offset: Operand, width: Operand) -> None:
        super().__init__(stages.loop, stages.cheap, stages.versions, builder, offset, width)
        self.stages = stages

    def made(self, versions: list[Value]) -> list[Value]:
        """The three loops; the next versions of what the loop carries."""
        stages, after = self.stages, list(versions)
        numbers = stages.numbers
        arrays = [k for k in range(len(versions)) if k not in numbers]
        first, second = stages.passed()
        self.make_room((*first, *second))
        self.lanes(stages.loads, first, [], versions)
        for k, result in zip(numbers, self.lanes(stages.arithmetic, second, numbers, versions), strict=True):
            after[k] = result
        for k, result in zip(arrays, self.lanes(list(stages.stores), [], arrays, versions), strict=True):
            after[k] = result
        return after
