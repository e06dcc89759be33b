"""Checkpointing: a loop that would keep much runs in √n segments, and the backward sweep runs each segment once more.

for i in range(n):                   for segment in range(segments):
    x = f(x)                             x_saved[segment] = x
…                                        for i in range(segment * length, …):
for i in range(n - 1, -1, -1):               x = f(x)
    x_bar = …                        …
                               →     for segment in range(segments - 1, -1, -1):
                                         x = x_saved[segment]
                                         for i in range(segment * length, …):
                                             x = f(x), keeping what the iterations backwards need
                                         for i in range(…, segment * length - 1, -1):
                                             x_bar = …

>>> from pullback.compilation.memory import interpreted
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import find_kept, prepared
>>> from pullback.transform.footprint import Footprint
>>> def f(x, n):
...     for i in range(n):
...         x = np.sin(x)
...     return x
>>> function = prepared(normal_form(f, 0.5, 10_000))
>>> for checkpointed in (frozenset(), frozenset({0})):  # no loop, the first loop
...     kept = find_kept(function, (0,), checkpointed=checkpointed)
...     print(interpreted(Footprint(function, kept).measure())(0.5, 10_000), "bytes")
80000 bytes
1600 bytes

To the rest of the transform the two outer loops are a loop and its mirror, so that what each segment starts with (the
checkpoint) is kept as everything else is. The statements of a segment run twice, with their effects once: checks and
prints run the first time. Griewank & Walther (2008), Evaluating Derivatives, chapter 12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Effect,
    For,
    Function,
    Operand,
    Statement,
    Value,
    results_of,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT
from pullback.passes.scalar.dead_code import remove_dead
from pullback.transform.reverse.sweep import Sweep

Merge = Callable[[Block, Sweep, tuple[Operand, ...]], tuple[list[Statement], Block]]


def can_be_checkpointed(statement: Statement) -> bool:
    """Whether a statement is a loop that can run in segments: its iterations are known when it starts.

    Calls of recursive functions are left out, as they may print.
    """
    counted = isinstance(statement, For) and not statement.exits and not statement.reverse
    return counted and not any(isinstance(s, Call) for s in walk(Block((statement,))))


def with_checkpoints(
    body: Block, sweep: Sweep, chosen: set[int], shapes: Shapes, merge: Merge
) -> tuple[Block, dict[Value, For]]:
    """The forward block with the loops whose ids are `chosen` in segments, and `sweep` with their mirrors.

    `merge` makes one block of a segment's forward and its backward iterations. Also returned: the loops over segments,
    by the indices of their mirrors.
    """
    statements: list[Statement] = []
    made: dict[Value, For] = {}
    for forward in body.statements:
        chosen_loop = forward if id(forward) in chosen and isinstance(forward, For) else None
        backward = next((s for s in sweep.statements if chosen_loop and sweep.mirror_of(s) is chosen_loop), None)
        if chosen_loop is None or not isinstance(backward, For):
            statements.append(forward)
            continue
        pieces = _Checkpointing(chosen_loop, backward, sweep, shapes, merge)
        statements += pieces.before
        statements.append(pieces.outer)
        place = sweep.statements.index(backward)
        mirror = sweep.statements[place] = pieces.backwards()
        made[mirror.index] = pieces.outer
    return Block(tuple(statements), body.yields), made


class _Checkpointing:
    """Builds the two loops over segments for a loop and its mirror."""

    def __init__(self, forward: For, backward: For, sweep: Sweep, shapes: Shapes, merge: Merge) -> None:
        self.forward, self.backward, self.sweep, self.shapes, self.merge = forward, backward, sweep, shapes, merge
        self.builder = Builder()
        self.builder.location = forward.location
        self.states = tuple(like(c.parameter) for c in forward.carried)
        self.iterations = trip_count(self.builder, forward.start, forward.stop, forward.step)
        self.length = self.builder.let(runtime.segment_length, self.iterations, name="length", type_=INT)
        whole = self.builder.let(np.floor_divide, self.builder.let(np.negative, self.iterations), self.length)
        self.count = self.builder.let(np.negative, whole, name="segments")
        self.outer = self.forwards()
        self.before = self.builder.statements
        self.shapes.block(Block((*self.before, self.outer)))

    def forwards(self) -> For:
        """The loop over segments."""
        forward = self.forward
        segment = Value("segment", INT)
        with self.builder.block() as statements:
            start, stop = self.bounds(segment)
            carried = tuple(Carried(c.parameter, s) for c, s in zip(forward.carried, self.states, strict=True))
            inner = copied(replace(forward, start=start, stop=stop, carried=carried), {})
            self.builder.add(inner)
        carried = tuple(Carried(s, c.initial) for c, s in zip(forward.carried, self.states, strict=True))
        body = Block(tuple(statements), results_of(inner))
        whole = replace(forward, index=segment, start=constant(0), stop=self.count, step=constant(1))
        return replace(whole, carried=carried, body=body)

    def bounds(self, segment: Value) -> tuple[Operand, Operand]:
        """Where the iterations of a segment start and stop."""
        let, (start, stop, step) = self.builder.let, (self.forward.start, self.forward.stop, self.forward.step)
        done = let(np.multiply, segment, self.length)
        if step == constant(1):
            first = done if start == constant(0) else let(np.add, start, done)
            return first, let(min, let(np.add, first, self.length), stop, type_=INT)
        iterations = let(min, self.length, let(np.subtract, self.iterations, done), type_=INT)
        first = let(np.add, start, let(np.multiply, done, step))
        return first, let(np.add, first, let(np.multiply, iterations, step))

    def backwards(self) -> For:
        """The mirror: a segment's iterations once more, from what it started with, then its iterations backwards."""
        backward = self.backward
        segment = Value("segment", INT)
        carried = tuple(Carried(like(c.parameter), c.initial) for c in backward.carried)
        with self.builder.block() as statements:
            bounds = self.bounds(segment)
            yields = self.again(bounds, tuple(c.parameter for c in carried))
        body = self.seen_once(Block(tuple(statements), yields))
        self.sweep.mirrored[segment] = self.outer
        whole = replace(backward, index=segment, start=constant(0), stop=self.count, step=constant(1))
        return replace(whole, carried=carried, body=body)

    def again(self, bounds: tuple[Operand, Operand], adjoints: tuple[Value, ...]) -> tuple[Operand, ...]:
        """Add a segment's iterations, forwards and backwards; what the latter yield."""
        start, stop = bounds
        forward, backward = self.forward, self.backward
        carried = tuple(Carried(c.parameter, s) for c, s in zip(forward.carried, self.states, strict=True))
        forward = replace(forward, start=start, stop=stop, carried=carried, results=tuple(map(like, forward.results)))
        self.shapes.block(Block((*self.builder.statements, forward)))
        carried = tuple(Carried(c.parameter, a) for c, a in zip(backward.carried, adjoints, strict=True))
        results = tuple(map(like, backward.results))
        backward = replace(backward, start=start, stop=stop, carried=carried, results=results)
        self.sweep.mirrored[backward.index] = forward
        inner = Sweep([backward], {}, self.sweep.mirrored, self.sweep.trip_counts, {id(forward): self.length})
        statements, block = self.merge(Block((forward,)), inner, results)
        for statement in (*_without_effects(Block(tuple(statements))).statements, *block.statements):
            self.builder.add(statement)
        return block.yields

    def seen_once(self, body: Block) -> Block:
        """The body without its dead code, and without mirrors: the second time is no forward sweep."""
        for statement in walk(body):
            for value in (statement.index,) if isinstance(statement, For) else results_of(statement):
                self.sweep.mirrored.pop(value, None)
        return remove_dead(Function("segment", (), body)).body


def _without_effects(block: Block) -> Block:
    statements = (with_blocks(s, _without_effects) for s in block.statements if not isinstance(s, Effect))
    return Block(tuple(statements), block.yields)
