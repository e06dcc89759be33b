"""Binomial segments: a loop's checkpoints have a memory of a given size, however many iterations it has.

The forward sweep leaves checkpoints where a binomial schedule puts them. The backward sweep goes to the last one before
the iterations that it needs next, runs the loop from there, and leaves further checkpoints on its way in the places
that have become free. Griewank & Walther (2008), Evaluating Derivatives, 12.3.

>>> import numpy as np, pullback as pb
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.memory.copy_insertion import insert_copies
>>> from pullback.transform.derivative import joint, prepared
>>> def f(x, n):
...     for i in pb.checkpointed(range(n), memory=1000):
...         x = np.sin(x)
...     return x
>>> made = joint(prepared(normal_form(f, 0.5, 10_000)), (0,), with_results=False)
>>> text = emit_module([insert_copies(made)], compiled=False)
>>> print("\\n".join(line for line in text.splitlines()[4:] if "#" not in line))
def f_grad(x, n):
    trips = max(n, 0)
    length = brief_length(8)
    steps = -(-trips // length)
    most = checkpoint_count(1000, 8, steps)
    x_saved = np.empty((most,), dtype=np.float64)
    places = np.empty((most,), dtype=np.int64)
    used = 0
    at = 0
    while at < steps:
        at2 = at + checkpoint_distance(steps - at, most - used)
        x_saved[used] = x
        places[used] = at
        used += 1
        for i in range(at * length, min(at2 * length, trips)):
            x = np.sin(x)
        at = at2
    x_saved2 = np.empty((length,), dtype=np.float64)
    x_bar = 1.0
    for step in range(steps - 1, -1, -1):
        last = used - 1
        at = places[last]
        x = x_saved[last]
        while at < step:
            at2 = at + checkpoint_distance(step + 1 - at, most - (used - 1))
            at2 = min(at2, step)
            for i in range(at * length, min(at2 * length, trips)):
                x = np.sin(x)
            if at2 < step:
                x_saved[used] = x
                places[used] = at2
                used += 1
            at = at2
        i_start = step * length
        i_end = min((step + 1) * length, trips)
        for i in range(i_start, i_end):
            x_saved2[i - i_start] = x
            x = np.sin(x)
        for i in range(i_end - 1, i_start - 1, -1):
            x = x_saved2[i - i_start]
            x_bar *= np.cos(x)
        last = used - 1
        if places[last] == step:
            used = last
    return x_bar
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.errors import ShapeError
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Index,
    Operand,
    Value,
    While,
    defined_in,
    read_by,
    read_in,
    results_of,
    values_in,
)
from pullback.ir.rewrite import copied, like, substituted
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT, Array, Scalar
from pullback.passes.scalar.dead_code import remove_dead
from pullback.transform.checkpointing.segmentation import Bounds, Segments, range_between, without_effects
from pullback.transform.residual_plan import ResidualArray

PLACES = Array("int64", 1)


@dataclass(frozen=True, slots=True)
class Checkpoints:
    """The arrays of checkpoints, one for each state that is stored, the steps where they stand, and their number."""

    arrays: tuple[Value, ...]
    places: Value
    used: Value

    @property
    def values(self) -> tuple[Value, ...]:
        return (*self.arrays, self.places, self.used)

    def again(self) -> Checkpoints:
        """New values of the same names and types."""
        return Checkpoints(tuple(map(like, self.arrays)), like(self.places), like(self.used))


def may_change_size(carried: Carried, shapes: Shapes) -> bool:
    """Whether the size of what a loop carries is not known to be the same in all iterations."""
    grows = not isinstance(carried.parameter.type, Scalar | Array)
    return grows or shapes.of(carried.parameter) != shapes.of(carried.initial)


class BinomialSegments(Segments):
    """A loop in steps of `room` iterations, and at most `most` checkpoints, each at the beginning of a step.

    stored: the numbers of the states that iterations need to run again. leaf: the iterations of `step`, forwards and
    backwards, from `states`.
    """

    forward: For

    def begin(self) -> None:
        builder, forward = self.builder, self.forward
        self.refuse_changing_sizes()
        self.shapes.block(Block((replace(forward, carried=self.carried_as(self.states)),)))
        self.sizes = [builder.dims(c.initial) for c in forward.carried]
        self.iterations = trip_count(builder, forward.start, forward.stop, forward.step)
        self.room = builder.let(runtime.brief_length, self.bytes_of(range(len(self.states))), name="length", type_=INT)
        whole = builder.let(np.floor_divide, builder.let(np.negative, self.iterations), self.room)
        self.steps = builder.let(np.negative, whole, name="steps")
        self.step = Value("step", INT)
        self.adjoints = tuple(like(c.parameter) for c in self.backward.carried)
        with builder.block() as statements:
            again, inner, _ = self.again(self.step)
            yields = self.merged(again, inner, self.adjoints)
        self.leaf = self.seen_once(Block(tuple(statements), yields))
        self.stored = self.needed_again()
        each = self.bytes_of(self.stored)
        self.most = builder.let(runtime.checkpoint_count, forward.checkpoints, each, self.steps, name="most", type_=INT)
        self.outer = self.forwards()
        self.note_arrays()

    def carried_as(self, parameters: tuple[Value, ...]) -> tuple[Carried, ...]:
        return tuple(Carried(p, c.initial) for p, c in zip(parameters, self.forward.carried, strict=True))

    def refuse_changing_sizes(self) -> None:
        """What is written into an array of checkpoints keeps its shape."""
        for carried in self.forward.carried:
            if may_change_size(carried, self.shapes):
                raise ShapeError(
                    f"with memory=, this loop cannot carry '{carried.parameter.name}', whose size may change",
                    self.forward.location,
                    "use pb.checkpointed(...) without memory=",
                )

    def bytes_of(self, numbers: Iterable[int]) -> Operand:
        """The bytes of one checkpoint of these states."""
        total: Operand = constant(0)
        for k in numbers:
            size: Operand = constant(np.dtype(self.states[k].type.dtype).itemsize)
            for extent in self.sizes[k]:
                size = self.builder.let(np.multiply, size, extent)
            both = isinstance(total, Constant) and isinstance(size, Constant)
            total = constant(total.value + size.value) if both else self.builder.let(np.add, total, size)
        return total

    def needed_again(self) -> tuple[int, ...]:
        """The numbers of the states that the leaf reads, or an iteration for those that it hands on."""
        body, read = self.forward.body, set(read_in(self.leaf))
        found = {k for k, state in enumerate(self.states) if state in read}
        while True:
            needed = {value for k in found for value in values_in(body.yields[k])}
            for statement in reversed(body.statements):
                if not needed.isdisjoint((*results_of(statement), *defined_in(Block((statement,))))):
                    needed.update(read_by(statement))
            more = {k for k, c in enumerate(self.forward.carried) if c.parameter in needed}
            if more <= found:
                return tuple(sorted(found))
            found |= more

    def bounds(self, first: Operand, last: Operand) -> Bounds:
        """The range of the iterations of the steps from `first` until `last`."""
        let = self.builder.let
        done = let(np.multiply, first, self.room)
        end = let(min, let(np.multiply, last, self.room), self.iterations, type_=INT)
        return range_between(self.builder, self.forward.start, self.forward.step, done, end)

    def again(self, segment: Value) -> tuple[For, Bounds, Bounds]:
        forward = self.forward
        bounds = self.bounds(segment, self.builder.let(np.add, segment, constant(1)))
        results, carried = tuple(map(like, forward.results)), self.carried(forward, self.states)
        start, stop, _ = bounds
        made = replace(forward, start=start, stop=stop, carried=carried, results=results, checkpoints=None)
        return made, bounds, (constant(0), self.steps, constant(1))

    def forwards(self) -> While:
        """The forward sweep: a checkpoint, and the iterations until the next one."""
        builder, at, checkpoints = self.builder, Value("at", INT), self.checkpoints()
        made = [
            builder.empty((self.most, *self.sizes[k]), array.type, array.name)
            for k, array in zip(self.stored, checkpoints.arrays, strict=True)
        ]
        places = builder.empty((self.most,), PLACES, "places")
        with builder.block() as test:
            goes_on = builder.let(np.less, at, self.steps)
        with builder.block() as statements:
            following = self.next_place(at, self.steps, checkpoints.used)
            after = self.store(checkpoints, at, [self.states[k] for k in self.stored])
            start, stop, _ = self.bounds(at, following)
            carried = self.carried(self.forward, self.states)
            inner = copied(replace(self.forward, start=start, stop=stop, carried=carried, checkpoints=None), {})
            builder.add(inner)
        carried = (
            *self.carried_as(self.states),
            *map(Carried, checkpoints.values, (*made, places, constant(0))),
            Carried(at, constant(0)),
        )
        self.left = checkpoints.again()
        results = (*self.forward.results, *self.left.values, like(at))
        body = Block(tuple(statements), (*inner.results, *after.values, following))
        return While(Block(tuple(test), (goes_on,)), carried, body, results, location=self.forward.location)

    def checkpoints(self) -> Checkpoints:
        """New values for all checkpoints."""
        arrays = []
        for k in self.stored:
            name, of = self.forward.carried[k].parameter.of_it("_saved")
            arrays.append(Value(name, Array(self.states[k].type.dtype, 1 + len(self.sizes[k])), of))
        return Checkpoints(tuple(arrays), Value("places", PLACES), Value("used", INT))

    def next_place(self, at: Operand, end: Operand, used: Operand) -> Value:
        """Add where, after a checkpoint at the step `at`, which is not among those used, the next one stands."""
        let = self.builder.let
        free, left = let(np.subtract, self.most, used), let(np.subtract, end, at)
        return let(np.add, at, let(runtime.checkpoint_distance, left, free, type_=INT), name="at")

    def store(self, checkpoints: Checkpoints, at: Operand, states: list[Value]) -> Checkpoints:
        """Add a checkpoint at the step `at`."""
        let, index = self.builder.let, (Index((checkpoints.used,)),)
        arrays = [
            let(primitives.store, array, index, state, name=array.name)
            for array, state in zip(checkpoints.arrays, states, strict=True)
        ]
        places = let(primitives.store, checkpoints.places, index, at, name="places")
        return Checkpoints(tuple(arrays), places, let(np.add, checkpoints.used, constant(1), name="used"))

    def backwards(self) -> For:
        """The backward sweep over the steps, from the last one."""
        builder, before = self.builder, self.checkpoints()
        with builder.block() as statements:
            last = (Index((builder.let(np.subtract, before.used, constant(1), name="last"),)),)
            at = builder.load(before.places, last, "at")
            states = [self.read(a, last, self.states[k]) for k, a in zip(self.stored, before.arrays, strict=True)]
            states, checkpoints = self.advance(states, before, at)
            arrived = {self.states[k]: state for k, state in zip(self.stored, states, strict=True)}
            leaf = substituted(self.leaf, arrived)
            for statement in leaf.statements:
                builder.add(statement)
            after = self.without_used(checkpoints)
        initials = (*(c.initial for c in self.backward.carried), *self.left.values)
        carried = tuple(map(Carried, (*self.adjoints, *before.values), initials))
        body = self.seen_once(Block(tuple(statements), (*leaf.yields, *after.values)))
        results = (*self.backward.results, *before.again().values)
        location = self.backward.location
        return For(
            self.step, constant(0), self.steps, constant(1), carried, body, results, reverse=True, location=location
        )

    def read(self, array: Value, place: tuple[Index, ...], state: Value) -> Value:
        """Add the reading of a checkpoint, which leaves the array free to be written."""
        read = self.builder.let(primitives.load, array, place, name=state.name, type_=state.type)
        return self.builder.let(primitives.copy, read, name=state.name) if isinstance(state.type, Array) else read

    def advance(self, states: list[Value], checkpoints: Checkpoints, at: Value) -> tuple[list[Value], Checkpoints]:
        """Add the iterations from the last checkpoint to the step, which leave further ones; what is there then."""
        builder, forward = self.builder, self.forward
        inside, present, place = [like(s) for s in states], checkpoints.again(), Value("at", INT)
        with builder.block() as test:
            goes_on = builder.let(np.less, place, self.step)
        with builder.block() as statements:
            others = builder.let(np.subtract, present.used, constant(1))
            following = self.next_place(place, builder.let(np.add, self.step, constant(1)), others)
            following = builder.let(min, following, self.step, name="at", type_=INT)
            start, stop, _ = self.bounds(place, following)
            yields = tuple(forward.body.yields[k] for k in self.stored)
            body = remove_dead(Function("step", (), without_effects(replace(forward.body, yields=yields)))).body
            carried = tuple(map(Carried, (forward.carried[k].parameter for k in self.stored), inside))
            results = tuple(forward.results[k] for k in self.stored)
            inner = replace(forward, start=start, stop=stop, carried=carried, body=body, results=results)
            inner = copied(replace(inner, checkpoints=None), {})
            builder.add(inner)
            after = self.store_before(present, following, list(inner.results))
        arrived, left = [like(s) for s in states], checkpoints.again()
        parameters = (*inside, *present.values, place)
        carried = tuple(map(Carried, parameters, (*states, *checkpoints.values, at)))
        block = Block(tuple(statements), (*inner.results, *after.values, following))
        results = (*arrived, *left.values, like(place))
        test_block = Block(tuple(test), (goes_on,))
        builder.add(While(test_block, carried, block, results, location=forward.location))
        return arrived, left

    def store_before(self, checkpoints: Checkpoints, at: Value, states: list[Value]) -> Checkpoints:
        """Add a checkpoint at `at`, unless that is the step itself."""
        builder, after = self.builder, checkpoints.again()
        is_before = builder.let(np.less, at, self.step)
        with builder.block() as statements:
            stored = self.store(checkpoints, at, states)
        then, orelse = Block(tuple(statements), stored.values), Block((), checkpoints.values)
        builder.add(If(is_before, then, orelse, after.values, self.forward.location))
        return after

    def without_used(self, checkpoints: Checkpoints) -> Checkpoints:
        """The checkpoints without one that stands at the step, which is done."""
        builder, used = self.builder, like(checkpoints.used)
        last = builder.let(np.subtract, checkpoints.used, constant(1), name="last")
        there = builder.let(np.equal, builder.load(checkpoints.places, (Index((last,)),)), self.step)
        builder.add(If(there, Block((), (last,)), Block((), (checkpoints.used,)), (used,), self.forward.location))
        return replace(checkpoints, used=used)

    def note_arrays(self) -> None:
        """Let the arrays of checkpoints be among those that the loop keeps."""
        places = replace(self.forward, index=Value("k", INT), start=constant(0), stop=self.most, step=constant(1))
        self.kept_over = replace(places, body=Block((), ()), carried=(), results=(), checkpoints=None)
        for k, array in zip(self.stored, self.left.arrays, strict=True):
            parameter = self.forward.carried[k].parameter
            sizes = self.shapes.of(self.forward.carried[k].initial)
            over, stops = (self.kept_over,), (self.most,)
            self.arrays.append(ResidualArray(parameter, (), (), over, sizes, array, None, stops=stops, each=sizes))
