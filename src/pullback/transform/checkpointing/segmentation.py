"""Segments: how the iterations of a checkpointed loop are divided, and the two loops over the segments.

Where the iterations are known when a loop starts, √n segments have √n iterations each. Otherwise each segment has one
iteration more than the one before, so that n iterations make about √(2n) segments, the longest of as many iterations,
wherever they end. The backward sweep runs a segment's iterations again as a loop over a known number of them: how many
there were is kept with what the segment started with.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.memory.copy_insertion import insert_copies
>>> from pullback.transform.derivative import joint, prepared
>>> def f(x):
...     while x < 5.0:
...         x = x + np.sin(x)
...     return x
>>> made = joint(prepared(normal_form(f, 0.5)), (0,), with_results=False, checkpointed=frozenset({0}))
>>> text = emit_module([insert_copies(made)], compiled=False)
>>> print("\\n".join(line for line in text.splitlines()[4:] if "#" not in line))
def f_grad(x):
    x_stack = growing(np.float64)
    end_stack = growing(np.int64)
    done_stack = growing(np.int64)
    going = x < 5.0
    length = 1
    end = 0
    trips = 0
    while going:
        keep(x_stack, trips, x)
        keep(done_stack, trips, end)
        for k in range(end, end + length):
            x += np.sin(x)
            going = x < 5.0
            end += 1
            if not going:
                break
        keep(end_stack, trips, end)
        length += 1
        trips += 1
    x_saved = contents(x_stack, trips)
    end_saved = contents(end_stack, trips)
    done_saved = contents(done_stack, trips)
    x_saved2 = np.empty((max(length, 0),), dtype=np.float64)
    x_bar = 1.0
    for segment in range(trips - 1, -1, -1):
        x = x_saved[segment]
        end = end_saved[segment]
        done = done_saved[segment]
        for k in range(done, end):
            x_saved2[k - done] = x
            x += np.sin(x)
        for k in range(end - 1, done - 1, -1):
            x = x_saved2[k - done]
            x_bar += x_bar * np.cos(x)
    return x_bar
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Effect,
    For,
    Function,
    If,
    Operand,
    Statement,
    Value,
    While,
    results_of,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import BOOL, INT
from pullback.passes.scalar.dead_code import remove_dead
from pullback.transform.residual_plan import ResidualArray
from pullback.transform.reverse.sweep import Sweep

Merge = Callable[[Block, Sweep, tuple[Operand, ...]], tuple[list[Statement], Block]]
Bounds = tuple[Operand, Operand, Operand]


def is_counted(loop: For | While) -> bool:
    """Whether the number of a loop's iterations is known when it starts."""
    return isinstance(loop, For) and not loop.exits


class Segments(ABC):
    """Builds the two loops over segments for a loop and its mirror: `before` them, `outer`, and `backwards`.

    states: what a segment starts with. room: the most iterations that a segment has. arrays: those that it makes for
    what is kept, beside what is kept as a residual, `kept_over` so many places.
    """

    outer: For | While
    room: Operand

    def __init__(self, forward: For | While, backward: For, sweep: Sweep, shapes: Shapes, merge: Merge) -> None:
        self.forward, self.backward, self.sweep, self.shapes, self.merge = forward, backward, sweep, shapes, merge
        self.builder = Builder()
        self.builder.location = forward.location
        self.states = tuple(like(c.parameter) for c in forward.carried)
        self.arrays: list[ResidualArray] = []
        self.kept_over: For | None = None
        self.begin()
        self.before = self.builder.statements
        self.shapes.block(Block((*self.before, self.outer)))

    @abstractmethod
    def begin(self) -> None:
        """Add what stands before the loops, and make `outer`."""

    @abstractmethod
    def again(self, segment: Value) -> tuple[For, Bounds, Bounds]:
        """A segment's iterations as a loop of the forward sweep, and the bounds of its mirror in it and of all."""

    def carried(self, loop: For | While, initials: tuple[Operand, ...]) -> tuple[Carried, ...]:
        return tuple(Carried(c.parameter, initial) for c, initial in zip(loop.carried, initials, strict=True))

    def backwards(self) -> For:
        """The mirror: a segment's iterations once more, from what it started with, then its iterations backwards."""
        backward = self.backward
        segment = Value("segment", INT)
        carried = tuple(Carried(like(c.parameter), c.initial) for c in backward.carried)
        with self.builder.block() as statements:
            forward, inner, whole = self.again(segment)
            yields = self.merged(forward, inner, tuple(c.parameter for c in carried))
        body = self.seen_once(Block(tuple(statements), yields))
        self.sweep.mirrored[segment] = self.outer
        start, stop, step = whole
        made = replace(backward, index=segment, start=start, stop=stop, step=step, reverse=True)
        return replace(made, carried=carried, body=body)

    def merged(self, forward: For, bounds: Bounds, adjoints: tuple[Value, ...]) -> tuple[Operand, ...]:
        """Add a segment's iterations, forwards and backwards; what the latter yield."""
        start, stop, step = bounds
        self.shapes.block(Block((*self.builder.statements, forward)))
        carried = self.carried(self.backward, adjoints)
        results = tuple(map(like, self.backward.results))
        index = Value(forward.index.name, INT, (forward.index, ""))
        backward = replace(self.backward, index=index, start=start, stop=stop, step=step)
        backward = replace(backward, carried=carried, results=results)
        self.sweep.mirrored[index] = forward
        inner = Sweep([backward], {}, self.sweep.mirrored, self.sweep.trip_counts, {id(forward): self.room})
        statements, block = self.merge(Block((forward,)), inner, results)
        for statement in (*without_effects(Block(tuple(statements))).statements, *block.statements):
            self.builder.add(statement)
        return block.yields

    def seen_once(self, body: Block) -> Block:
        """The body without its dead code, and without mirrors: the second time is no forward sweep."""
        for statement in walk(body):
            for value in (statement.index,) if isinstance(statement, For) else results_of(statement):
                self.sweep.mirrored.pop(value, None)
        return remove_dead(Function("segment", (), body)).body


class CountedSegments(Segments):
    """√n segments of √n iterations, of a loop whose iterations are known when it starts."""

    forward: For

    def begin(self) -> None:
        forward = self.forward
        self.iterations = trip_count(self.builder, forward.start, forward.stop, forward.step)
        self.room = self.builder.let(runtime.segment_length, self.iterations, name="length", type_=INT)
        whole = self.builder.let(np.floor_divide, self.builder.let(np.negative, self.iterations), self.room)
        self.count = self.builder.let(np.negative, whole, name="segments")
        segment = Value("segment", INT)
        with self.builder.block() as statements:
            start, stop = self.bounds(segment)
            carried = self.carried(forward, self.states)
            inner = copied(replace(forward, start=start, stop=stop, carried=carried, checkpoints=None), {})
            self.builder.add(inner)
        carried = tuple(Carried(s, c.initial) for c, s in zip(forward.carried, self.states, strict=True))
        body = Block(tuple(statements), results_of(inner))
        outer = replace(forward, index=segment, start=constant(0), stop=self.count, step=constant(1), checkpoints=None)
        self.outer = replace(outer, carried=carried, body=body)
        self.builder.add(self.outer)
        self.builder.statements.pop()

    def bounds(self, segment: Value) -> tuple[Operand, Operand]:
        """Where the iterations of a segment start and stop."""
        let, (start, stop, step) = self.builder.let, (self.forward.start, self.forward.stop, self.forward.step)
        done = let(np.multiply, segment, self.room)
        if step == constant(1):
            first = done if start == constant(0) else let(np.add, start, done)
            return first, let(min, let(np.add, first, self.room), stop, type_=INT)
        iterations = let(min, self.room, let(np.subtract, self.iterations, done), type_=INT)
        first = let(np.add, start, let(np.multiply, done, step))
        return first, let(np.add, first, let(np.multiply, iterations, step))

    def again(self, segment: Value) -> tuple[For, Bounds, Bounds]:
        start, stop = self.bounds(segment)
        results = tuple(map(like, self.forward.results))
        carried = self.carried(self.forward, self.states)
        forward = replace(self.forward, start=start, stop=stop, carried=carried, results=results, checkpoints=None)
        return forward, (start, stop, self.forward.step), (constant(0), self.count, constant(1))


class GrowingSegments(Segments):
    """Segments of 1, 2, 3, … iterations, of a loop that ends where a condition says so.

    going: whether there is another iteration; length: the most iterations of a segment; done: how many iterations there
    were before a segment, and `end` after it.
    """

    def begin(self) -> None:
        forward, let = self.forward, self.builder.let
        going, length, self.done = Value("going", BOOL), Value("length", INT), Value("done", INT)
        if isinstance(forward, For):
            self.first, self.step = forward.start, forward.step
            self.iterations = trip_count(self.builder, forward.start, forward.stop, forward.step)
            initial: Operand = let(np.greater, self.iterations, constant(0))
        else:
            self.first, self.step = constant(0), constant(1)
            initial = self.is_true(forward, tuple(c.initial for c in forward.carried))
        with self.builder.block() as statements:
            inner = self.iterate(going, length)
            *found, goes_on, self.end = inner.results
            longer = let(np.add, length, constant(1), name="length")
            if isinstance(forward, For):
                goes_on = let(np.logical_and, goes_on, let(np.less, self.end, self.iterations), name="going")
        carried = [Carried(s, c.initial) for c, s in zip(forward.carried, self.states, strict=True)]
        carried += [Carried(going, initial), Carried(length, constant(1)), Carried(self.done, constant(0))]
        self.room = Value("length", INT)
        results = (*forward.results, like(going), self.room, like(self.done))
        body = Block(tuple(statements), (*found, goes_on, longer, self.end))
        self.outer = While(Block((), (going,)), tuple(carried), body, results, location=forward.location)
        self.trips = Value("trips", INT)
        self.sweep.trip_counts.pop(forward)
        self.sweep.trip_counts.note(self.outer, self.trips)

    def is_true(self, loop: While, values: tuple[Operand, ...]) -> Operand:
        """Add the condition of a loop for what it carries; what it yields."""
        terms: dict[Value, Operand] = {c.parameter: v for c, v in zip(loop.carried, values, strict=True)}
        condition = copied(loop.condition, terms)
        for statement in condition.statements:
            self.builder.add(statement)
        return condition.yields[0]

    def iterate(self, going: Value, length: Value) -> For:
        """Add the iterations of a segment, in values of their own; two results more are `going` and `end`."""
        forward, let = self.forward, self.builder.let
        goes, done, body = Value("going", BOOL), Value("done", INT), forward.body
        values, flags = body.yields[: len(forward.carried)], body.yields[len(forward.carried) :]
        last = let(np.add, self.done, length)
        if isinstance(forward, For):
            last = let(min, last, self.iterations, type_=INT)
        bounds = range_between(self.builder, self.first, self.step, self.done, last)
        with self.builder.block() as after:
            goes_on = self.goes_on(values, flags)
            more = let(np.add, done, constant(1), name="done")
            leaves = let(np.logical_not, goes_on)
        block = Block((*body.statements, *after), (*values, goes_on, more, leaves))
        carried = (*self.carried(forward, self.states), Carried(goes, going), Carried(done, self.done))
        results = (*forward.results, like(goes), Value("end", INT))
        made = copied(For(self.index(), *bounds, carried, block, results, True, location=forward.location), {})
        self.builder.add(made)
        return made

    def index(self) -> Value:
        """What numbers the iterations."""
        return self.forward.index if isinstance(self.forward, For) else Value("k", INT)

    def goes_on(self, values: tuple[Operand, ...], flags: tuple[Operand, ...]) -> Operand:
        """Add what says, at the end of an iteration, whether the loop may have another one."""
        if isinstance(self.forward, For):
            return self.builder.let(np.logical_not, flags[0], name="going")
        if not flags:
            return self.is_true(self.forward, values)
        with self.builder.block() as statements:
            condition = self.is_true(self.forward, values)
        going = Value("going", BOOL)
        leaves, stays = Block((), (constant(False),)), Block(tuple(statements), (condition,))
        self.builder.add(If(flags[0], leaves, stays, (going,), self.forward.location))
        return going

    def again(self, segment: Value) -> tuple[For, Bounds, Bounds]:
        forward = self.forward
        bounds = range_between(self.builder, self.first, self.step, self.done, self.end)
        block = replace(forward.body, yields=forward.body.yields[: len(forward.carried)])
        results = tuple(map(like, forward.results))
        carried = self.carried(forward, self.states)
        made = For(self.index(), *bounds, carried, block, results, location=forward.location)
        return made, bounds, (constant(0), self.trips, constant(1))


def range_between(builder: Builder, start: Operand, step: Operand, first: Operand, last: Operand) -> Bounds:
    """The range of the iterations from the number `first` until the number `last` of a range."""
    if step != constant(1):
        first, last = builder.let(np.multiply, first, step), builder.let(np.multiply, last, step)
    if start == constant(0):
        return first, last, step
    return builder.let(np.add, start, first), builder.let(np.add, start, last), step


def without_effects(block: Block) -> Block:
    """The block as it runs for the second time."""
    statements = (with_blocks(s, without_effects) for s in block.statements if not isinstance(s, Effect))
    return Block(tuple(statements), block.yields)
