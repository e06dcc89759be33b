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

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pullback.analysis.reductions import are_reductions
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, renamed
from pullback.ir.types import INT, Array
from pullback.passes.vector.branch_distribution import AFFINE, distribute_branches, is_store, needed_early
from pullback.passes.vector.strips import WIDTH

LoadsFirst = Callable[[For, Mapping[Value, int]], bool]


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
    stores: list[Statement] = field(default_factory=list)
    versions: dict[Value, int] = field(default_factory=dict)

    @property
    def written(self) -> list[Value]:
        return [c.initial for c in self.loop.carried if isinstance(c.parameter.type, Array)]

    @property
    def loaded(self) -> list[Value]:
        parts = Block((*self.loads, *self.arithmetic))
        loads = (s.operands[0] for s in walk(parts) if isinstance(s, Let) and s.function is primitives.load)
        return [array for array in loads if array not in self.versions]

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


def divided(loop: For, loads_first: LoadsFirst | None = None) -> Stages | None:
    """The statements of a loop, divided; None where iterations load what they write, or wait for each other.

    loads_first: whether no iteration loads an element after it or an earlier one has written it, where iterations load
    from what they write; asked with the versions of the arrays. None if not.
    """
    stages = Stages(replace(loop, body=distribute_branches(loop.body)))
    versions = stages.versions
    if not are_reductions(loop, stages.numbers):
        return None
    totals = {loop.carried[k].parameter for k in stages.numbers}
    stages.cheap = cheap_in(stages.loop)
    cheap = {statement.value for statement in stages.cheap}
    versions.update({c.parameter: k for k, c in enumerate(loop.carried) if isinstance(c.parameter.type, Array)})
    others: list[Statement] = []
    for statement in stages.loop.body.statements:
        if is_store(statement):
            if not _makes_versions(statement, versions):
                return None
            stages.stores.append(statement)
        elif cheap.isdisjoint(results_of(statement)):
            others.append(statement)
    early = needed_early(others, stages.stores)
    for statement in others:
        (stages.loads if early(statement) else stages.arithmetic).append(statement)
    if versions.keys() & _read(others) and not (loads_first and loads_first(loop, versions)):
        return None
    return None if totals & _read((*stages.loads, *stages.stores)) else stages


def _makes_versions(statement: Statement, versions: dict[Value, int]) -> bool:
    """Whether a store, or the stores of a branch, make versions of carried arrays, which are added to `versions`."""
    match statement:
        case Let() if statement.operands[0] in versions:
            versions[statement.value] = versions[statement.operands[0]]
            return True
        case If():
            blocks = statement.then, statement.orelse
            if not all(_makes_versions(s, versions) for block in blocks for s in block.statements):
                return False
            ends = [{versions.get(end) for end in pair} for pair in zip(*(b.yields for b in blocks), strict=True)]
            if any(len(numbers) > 1 or None in numbers for numbers in ends):
                return False
            versions.update(zip(statement.results, (versions[end] for end in statement.then.yields), strict=True))
            return True
    return False


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
        versions: Sequence[Operand],
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
        reverse = stages.loop.reverse
        self.load(first, versions)
        totals = self.lanes(stages.arithmetic, second, numbers, versions, reverse and bool(numbers))
        for k, result in zip(numbers, totals, strict=True):
            after[k] = result
        for k, result in zip(arrays, self.lanes(stages.stores, [], arrays, versions, reverse), strict=True):
            after[k] = result
        return after

    def load(self, passed: list[Value], versions: list[Value]) -> None:
        """The first loop, which passes these numbers on."""
        self.lanes(self.stages.loads, passed, [], versions, self.stages.loop.reverse)
