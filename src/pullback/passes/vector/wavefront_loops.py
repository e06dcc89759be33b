"""Wavefront loops: a nest of two loops as strips of rows, the wavefronts of each, and the lanes of each wavefront.

>>> from pullback.analysis.wavefronts import nest_of
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(r):
...     for i in range(1, r.shape[0]):
...         for j in range(1, r.shape[1]):
...             r[i, j] = np.exp(r[i - 1, j] - r[i, j - 1])
...     return r
>>> function = prepared(normal_form(f, np.ones((3, 3))))
>>> made = wavefronts_of(nest_of(function.body.statements[-1]), lambda stages: True)
>>> (strips,) = (s for s in made[-1].then.statements if isinstance(s, For))
>>> (wavefronts,) = (s for s in strips.body.statements if isinstance(s, For))
>>> len([s for s in wavefronts.body.statements if isinstance(s, For)])  # load, compute, store
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from pullback.analysis.wavefronts import Nest
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    defined_in,
    has_effects,
    is_scalar,
    made_in_iterations,
    read_in,
    results_of,
    values_in,
)
from pullback.ir.rewrite import copied, like, renamed
from pullback.ir.trip_counts import signed_trip_count
from pullback.ir.types import INT, Array
from pullback.passes.vector.branch_distribution import AFFINE
from pullback.passes.vector.stages import StageLoops, Stages, divided
from pullback.passes.vector.strips import WIDTH, strips_of_all, width_of_strip

LEAST_ITERATIONS = 8
"""So many rows and columns there must be: of fewer, wavefronts are too short."""


def wavefronts_of(nest: Nest, gains: Callable[[Stages], bool]) -> list[Statement] | None:
    """What stands in the place of a nest: its wavefronts, and itself for a table of few rows or columns.

    None where the iterations of a wavefront cannot be divided into stages, or do not gain by that.
    """
    return _Wavefronts(nest, gains).made()


class _Counter:
    """The indices of a loop that counts by one, from the numbers of its iterations."""

    def __init__(self, loop: For, builder: Builder) -> None:
        self.builder = builder
        self.grows = (loop.step == constant(1)) is not loop.reverse
        self.first = builder.let(np.subtract, loop.stop, loop.step, type_=INT) if loop.reverse else loop.start

    def after(self, index: Operand, iterations: Operand) -> Operand:
        """The index so many iterations after the one that has a given index."""
        return self.moved(np.add if self.grows else np.subtract, index, iterations)

    def before(self, index: Operand, iterations: Operand) -> Operand:
        return self.moved(np.subtract if self.grows else np.add, index, iterations)

    def moved(self, function: np.ufunc, index: Operand, iterations: Operand) -> Operand:
        if function is np.add and index == constant(0):
            return iterations
        return self.builder.let(function, index, iterations, type_=INT)


class _Wavefronts:
    """Builds the loops.

    versions: what the arrays are that the outer loop carries, by their places. kept: the arrays that have a number of
    each row of the strip: of those that an iteration computes before the inner loop, and of those that this carries.
    sums: those that the outer loop carries, each with what it becomes in an iteration: each row adds to that of its
    place in the strip. again: what each part computes by itself, an index or an element that nobody writes.
    """

    def __init__(self, nest: Nest, gains: Callable[[Stages], bool]) -> None:
        self.nest, self.outer, self.inner, self.gains = nest, nest.outer, nest.inner, gains
        self.builder = Builder()
        self.builder.location = self.outer.location
        self.rows, self.columns = _Counter(self.outer, self.builder), _Counter(self.inner, self.builder)
        self.versions: dict[int, Value] = {k: self.outer.carried[k].initial for k in nest.versions.values()}
        self.sums = {self.outer.carried[k].parameter: self.outer.body.yields[k] for k in nest.sums}
        self.kept: dict[Value, Value] = {}
        self.again = _computed_again(nest)
        self.before = tuple(s for s in nest.before if not any(s is again for again in self.again))
        self.is_divided = False

    def made(self) -> list[Statement] | None:
        builder = self.builder
        trips = [signed_trip_count(builder, loop.start, loop.stop, loop.step) for loop in (self.outer, self.inner)]
        fewest = builder.let(min, *trips, type_=INT)
        are_many = builder.let(np.greater_equal, fewest, constant(LEAST_ITERATIONS))
        with builder.block() as inside:
            strips = strips_of_all(trips[0], WIDTH, builder)
            last = builder.let(np.subtract, trips[1], constant(1), type_=INT)
            self.kept = {v: self.room_for(v, np.zeros) for v in self.sums}
            self.loop("strip", strips, self.versions, self.sums, lambda number: self.strip(number, trips[0], last))
            ends = self.totals() | self.versions
        plain = copied(self.outer, {})
        then = Block(tuple(inside), tuple(ends[k] for k in range(len(self.outer.carried))))
        orelse = Block((plain,), plain.results)
        builder.add(If(are_many, then, orelse, self.outer.results, self.outer.location))
        return builder.statements if self.is_divided else None

    def loop(
        self, name: str, trips: Operand, places: Iterable[int], kept: Iterable[Value], body: Callable[[Value], None]
    ) -> None:
        """Add a loop that changes these arrays; `body` adds what an iteration does, from its number of this name."""
        places, kept = tuple(places), tuple(kept)
        outside = self.arrays(places, kept)
        parameters = [*map(like, outside)]
        self.become(places, kept, parameters)
        number = Value(name, INT)
        with self.builder.block() as statements:
            body(number)
        inside = Block(tuple(statements), tuple(self.arrays(places, kept)))
        results = tuple(map(like, outside))
        carried = tuple(map(Carried, parameters, outside))
        location = self.builder.location
        self.builder.add(For(number, constant(0), trips, constant(1), carried, inside, results, location=location))
        self.become(places, kept, results)

    def arrays(self, places: Iterable[int], kept: Iterable[Value]) -> list[Value]:
        return [*(self.versions[k] for k in places), *(self.kept[v] for v in kept)]

    def become(self, places: Iterable[int], kept: Iterable[Value], arrays: Iterable[Value]) -> None:
        """From here on these are the arrays."""
        following = iter(arrays)
        self.versions.update({k: next(following) for k in places})
        self.kept.update({v: next(following) for v in kept})

    def room_for(self, value: Value, function: Callable[..., np.ndarray]) -> Value:
        """An array for a number of each row of a strip."""
        dtype, type_ = Constant(value.type.dtype), Array(value.type.dtype, 1)
        size = (constant(WIDTH),)
        return self.builder.let(function, size, dtype, keywords=("dtype",), name=value.name, type_=type_)

    def totals(self) -> dict[int, Value]:
        """What the sums are in the end, by their places in the outer loop: a loop adds up those of the rows."""
        if not self.sums:
            return {}
        carried = [self.outer.carried[k] for k in self.nest.sums]
        lane, parameters = Value("", INT), [like(c.parameter) for c in carried]
        with self.builder.block() as body:
            yields = []
            for c, total in zip(carried, parameters, strict=True):
                part = self.builder.let(primitives.load, self.kept[c.parameter], (Index((lane,)),), type_=total.type)
                yields.append(self.builder.let(np.add, total, part, name=total.name, type_=total.type))
        inner = tuple(Carried(p, c.initial) for p, c in zip(parameters, carried, strict=True))
        results = tuple(map(like, parameters))
        block, location = Block(tuple(body), tuple(yields)), self.builder.location
        width = constant(WIDTH)
        self.builder.add(For(lane, constant(0), width, constant(1), inner, block, results, location=location))
        return dict(zip(self.nest.sums, results, strict=True))

    def strip(self, number: Value, trips: Operand, last: Operand) -> None:
        """What stands before the inner loops of all rows, their wavefronts, and what stands behind the loops."""
        builder, nest = self.builder, self.nest
        done = builder.let(np.multiply, number, constant(WIDTH), type_=INT)
        width = width_of_strip(trips, done, constant(WIDTH), builder)
        row = self.rows.after(self.rows.first, done)
        carried = {self.inner.carried[k].parameter: self.inner.carried[k].initial for k in nest.numbers}
        own = {v: v for v in _kept_for_later(nest, self.again)}
        self.kept |= {v: self.room_for(v, np.empty) for v in (*own, *carried)}
        self.beside(self.before, row, width, own | carried)
        waves = builder.let(np.add, width, last, type_=INT)
        places = nest.writes(self.inner.body.statements)
        self.loop("wave", waves, places, carried, lambda wave: self.wavefront(wave, row, width, last))
        self.kept.update({self.inner.results[k]: self.kept[self.inner.carried[k].parameter] for k in nest.numbers})
        self.beside(nest.behind, row, width, self.sums)

    def beside(self, part: tuple[Statement, ...], row: Operand, width: Operand, keeps: dict[Value, Operand]) -> None:
        """A loop over the rows for what stands beside the inner loop; `keeps`: what is kept of it, under which name."""
        places = self.nest.writes(part)
        if not places and not keeps and not has_effects(Block(part)):
            return

        def iteration(lane: Value) -> None:
            terms = self.terms(Block(part, tuple(keeps.values())), row, lane, lane)
            self.copy(part, terms)
            self.keep(keeps, lane, terms)

        self.loop("lane", width, places, keeps, iteration)

    def terms(self, part: Block, row: Operand, lane: Operand, place: Operand) -> dict[Value, Operand]:
        """What stands for the values of other parts that a part reads.

        row: the index of the row of the first lane. place: where the arrays have the numbers of the lane.
        """
        terms: dict[Value, Operand] = {v: self.versions[k] for v, k in self.nest.versions.items()}
        needed = {*read_in(part)}.difference(defined_in(part))
        again = []
        for statement in reversed(self.again):
            if statement.value in needed:
                again.append(statement)
                needed.update(values_in(statement.operands))
        if self.outer.index in needed:
            terms[self.outer.index] = self.rows.after(row, lane)
        for statement in reversed(again):
            self.builder.add(copied(statement, terms))
        for value in (v for v in self.kept if v in needed):
            element = (self.kept[value], (Index((place,)),))
            terms[value] = self.builder.let(primitives.load, *element, name=value.name, type_=value.type)
        return terms

    def copy(self, part: Iterable[Statement], terms: dict[Value, Operand]) -> None:
        for statement in part:
            self.builder.add(copied(statement, terms))
            if isinstance(statement, Let) and statement.value in self.nest.versions:
                version = terms[statement.value]
                assert isinstance(version, Value), "a store makes a version"
                self.versions[self.nest.versions[statement.value]] = version

    def keep(self, keeps: dict[Value, Operand], lane: Operand, terms: dict[Value, Operand]) -> None:
        """Store numbers of a row."""
        for value, operand in keeps.items():
            array, number = self.kept[value], renamed(operand, terms)
            self.kept[value] = self.builder.let(primitives.store, array, (Index((lane,)),), number, type_=array.type)

    def wavefront(self, wave: Value, row: Operand, width: Operand, last: Operand) -> None:
        """The iterations of a wavefront, in stages: those of the rows that have a column in it."""
        builder = self.builder
        late = builder.let(np.subtract, wave, last, type_=INT)
        start = builder.let(max, late, constant(0), name="first_lane", type_=INT)
        stop = builder.let(min, builder.let(np.add, wave, constant(1), type_=INT), width, type_=INT)
        lanes = builder.let(np.subtract, stop, start, name="lanes", type_=INT)
        row = self.rows.after(row, start)
        column = self.columns.after(self.columns.first, builder.let(np.subtract, wave, start, type_=INT))
        places = self.nest.writes(self.inner.body.statements)
        carried = [self.inner.carried[k].parameter for k in self.nest.numbers]
        outside = self.arrays(places, carried)
        with builder.block() as apart:
            self.loop("lane", lanes, places, carried, lambda lane: self.iteration(lane, start, row, column))
        (loop,) = apart
        assert isinstance(loop, For), "one loop was added"
        stages = divided(loop, loads_first=lambda *_: True)
        self.is_divided = stages is not None and self.gains(stages)
        if stages is not None:
            self.become(places, carried, StageLoops(stages, builder, constant(0), lanes).made(outside))

    def iteration(self, lane: Value, start: Operand, row: Operand, column: Operand) -> None:
        """An iteration of the inner loop, of the row that is so many after the first one of the wavefront."""
        nest, body = self.nest, self.inner.body
        carried = {self.inner.carried[k].parameter: body.yields[k] for k in nest.numbers}
        place = self.builder.let(np.add, start, lane, type_=INT)
        terms = self.terms(body, row, lane, place)
        terms[self.inner.index] = self.columns.before(column, lane)
        self.copy(body.statements, terms)
        self.keep(carried, place, terms)


def _computed_again(nest: Nest) -> list[Let]:
    """What each part computes by itself of what stands before the inner loop: indices, and elements nobody writes."""
    own, found = made_in_iterations(nest.outer) - {nest.outer.index}, list[Let]()
    is_checked = False  # what stands behind a check may not be done before it
    for statement in nest.before:
        is_checked = is_checked or isinstance(statement, Effect)
        if not isinstance(statement, Let) or own.intersection(values_in(statement.operands)):
            continue
        is_index = statement.function in AFFINE and statement.value.type == INT
        if is_index or (statement.function is primitives.load and is_scalar(statement.value) and not is_checked):
            found.append(statement)
            own.discard(statement.value)
    return found


def _kept_for_later(nest: Nest, again: Iterable[Let]) -> list[Value]:
    """The numbers that stand before the inner loop and are read in it or behind it."""
    computed = {statement.value for statement in again}
    ends = (*nest.inner.body.yields, *nest.outer.body.yields)
    read = {*read_in(Block((*nest.inner.body.statements, *nest.behind), ends))}
    made = (v for statement in nest.before for v in results_of(statement) if is_scalar(v))
    return [v for v in made if v in read and v not in computed]
