"""Outer-loop vectorisation: iterations of a loop that need not wait for each other run side by side, 64 at a time.

The loop is strip-mined, and each of its numbers expanded to an array of 64, one for each *lane* of the strip:

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> from pullback.transform.derivative import prepared
>>> def chains(x):
...     total = 0.0
...     for p in range(x.shape[0]):
...         s = 1.0
...         for t in range(3):
...             s += s * x[p]
...         total += s
...     return total
>>> function = remove_dead(vectorise_outer_loops(prepared(normal_form(chains, np.ones(130)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def chains(x):
    trips = max(x.shape[0], 0)
    strips = (trips + 63) // 64
    total = 0.0
    for k in range(strips):
        scaled_k = k * 64
        width = min(64, trips - scaled_k)
        s = np.empty((64,), dtype=np.float64)
        s_elements = np.empty((64,), dtype=np.float64)
        for k2 in range(width):
            s_elements[k2] = x[scaled_k + k2]
            s[k2] = 1.0
        for t in range(3):
            for k3 in range(width):
                s2 = s[k3]
                s2 += s2 * s_elements[k3]
                s[k3] = s2
        for k4 in range(width):
            s2 = s[k4]
            total += s2
    return total

The steps of a chain wait for each other; those of 64 chains do not, and a machine takes several at once. The same holds
for loops over the few elements of an array that is private to an iteration: it gets an axis more. Loops that go down
columns, one column after the other, go along rows so (loop interchange), 256 columns at a time:

>>> def sums(a, w):
...     total = 0.0
...     for j in range(a.shape[1]):
...         s = 0.0
...         for i in range(a.shape[0]):
...             s += a[i, j]
...         total += s * w[j]
...     return total
>>> function = remove_dead(vectorise_outer_loops(prepared(normal_form(sums, np.ones((4, 3)), np.ones(3)))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def sums(a, w):
    trips = max(a.shape[1], 0)
    room = min(trips, 256)
    strips = (trips + 255) // 256
    total = 0.0
    for k in range(strips):
        scaled_k = k * 256
        width = min(room, trips - scaled_k)
        s = np.empty((room,), dtype=np.float64)
        for k2 in range(width):
            s[k2] = 0.0
        for i in range(a.shape[0]):
            for k3 in range(width):
                s2 = s[k3]
                s2 += a[i, scaled_k + k3]
                s[k3] = s2
        for k4 in range(width):
            s2 = s[k4]
            total += s2 * w[scaled_k + k4]
    return total

`analysis/outer_vectorisation.py` says which iterations may run so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np

from pullback.analysis.final import FinalElements
from pullback.analysis.outer_vectorisation import Legality, Pieces, last_reads_of, pieces_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    results_of,
)
from pullback.ir.rewrite import like, renamed, with_blocks
from pullback.ir.trip_counts import trip_count
from pullback.ir.types import INT
from pullback.passes.vector.array_expansion import ArrayExpansion, Stores, Terms
from pullback.passes.vector.lockstep import Lockstep
from pullback.passes.vector.packing import find_lines, pack
from pullback.passes.vector.private_reductions import with_private_reductions
from pullback.passes.vector.strips import MOST_ELEMENTS, WIDE, WIDTH, has_few_elements, strips_of_all, width_of_strip

FEW_COLUMNS = 16
"""With fewer columns than that, going along rows does not pay for the strip: sums of columns stay in registers."""


def vectorise_outer_loops(function: Function) -> Function:
    """The same function with such loops strip-mined, and the iterations of a strip side by side."""
    callees = tuple(map(vectorise_outer_loops, function.callees))
    shapes = Shapes(function)
    elements = cache(lambda: FinalElements(function.body, shapes))
    body = _block(function.body, shapes, elements)
    return replace(function, body=body, callees=callees)


def _block(block: Block, shapes: Shapes, elements: Callable[[], FinalElements]) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        lanes = None
        if isinstance(statement, For):
            lanes = Legality(with_private_reductions(statement), partial(_is_apart, elements, statement))
        if (
            lanes is not None
            and lanes.can_be_vectorised()
            and not _is_short(lanes.loop, FEW_COLUMNS if lanes.in_rows else WIDTH)
            and not lanes.are_large(MOST_ELEMENTS)
        ):
            statements += _StripMining(lanes, shapes).made()
        else:
            statements.append(with_blocks(statement, lambda inner: _block(inner, shapes, elements)))
    return Block(tuple(statements), block.yields)


def _is_apart(elements: Callable[[], FinalElements], loop: For, load: Let) -> bool:
    return elements().is_apart(load, loop)


def _is_short(loop: For, least: int) -> bool:
    """Whether the loop is known to have fewer iterations than that."""
    both = isinstance(loop.start, Constant) and isinstance(loop.stop, Constant)
    return both and bool(loop.stop.value - loop.start.value < least)


class _StripMining(ArrayExpansion):
    """Builds the loop over strips, the last of which takes what is left.

    The loop itself stays behind the strips where an iteration has arrays that may be large. Where lanes go through rows
    that iterations go down, strips are wider.
    """

    def __init__(self, lanes: Legality, shapes: Shapes) -> None:
        super().__init__(lanes, constant(WIDTH))
        self.loop = lanes.loop
        self.builder.location = self.loop.location
        self.offset: Operand = constant(0)
        self.width: Operand = self.room  # the number of lanes
        self.lines = [] if lanes.in_rows else find_lines(lanes, shapes)

    def made(self) -> list[Statement]:
        loop, builder = self.loop, self.builder
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        most = WIDE if self.lanes.in_rows else WIDTH
        if self.lanes.in_rows:
            self.room = builder.let(min, trips, constant(WIDE), name="room", type_=INT)
        few = has_few_elements(self.lanes, self.lines, builder)
        if few == constant(False):
            return [loop]
        strips = strips_of_all(trips, most, builder)
        if not isinstance(few, Constant):
            strips = builder.let(primitives.select, few, strips, constant(0), type_=INT)
        leaves_some = not isinstance(few, Constant)
        results = tuple(like(r) for r in loop.results) if leaves_some else loop.results
        carried = tuple(Carried(like(c.parameter), c.initial) for c in loop.carried)
        number = Value("", INT)
        with builder.block() as body:
            offset = builder.let(np.multiply, number, constant(most), type_=INT)
            self.width = width_of_strip(trips, offset, self.room, builder)
            yields = self.strip(offset, [c.parameter for c in carried])
        block = Block(tuple(body), tuple(yields))
        strip = replace(loop, index=number, start=constant(0), stop=strips, carried=carried, body=block)
        builder.add(replace(strip, results=results))
        if leaves_some:
            done = builder.let(np.multiply, strips, constant(most), type_=INT)
            start = done if loop.start == constant(0) else builder.let(np.add, loop.start, done, type_=INT)
            left = tuple(Carried(c.parameter, r) for c, r in zip(loop.carried, results, strict=True))
            builder.add(replace(loop, start=start, carried=left))
        return builder.statements

    def strip(self, offset: Operand, versions: list[Operand]) -> list[Operand]:
        """The statements of one strip, from so many iterations on; what it hands to the next."""
        start = self.loop.start
        self.offset = offset if start == constant(0) else self.builder.let(np.add, start, offset, type_=INT)
        for lines in self.lines:
            packed = pack(lines[0], self.offset, self.room, self.width, self.builder)
            self.packed |= {line.load.value: (packed, line.loop.index) for line in lines}
        pieces, last = self.lanes.pieces, self.lanes.last_reads()
        self.terms |= {c.parameter: version for c, version in zip(self.loop.carried, versions, strict=True)}
        for i in range(len(pieces.runs)):
            places = [k for k in range(len(versions)) if self.lanes.place[k] == i]
            yields = tuple(self.loop.body.yields[k] for k in places)
            carried = [(self.loop.carried[k].parameter, versions[k]) for k in places]
            made = self.run(pieces, last, i, [], carried, yields)
            for k, result in zip(places, made, strict=True):
                versions[k] = self.terms[self.loop.carried[k].parameter] = result
        return versions

    def inside(self, block: Block, last_stores: Stores) -> None:
        """The pieces of an inner body, for all lanes."""
        pieces = pieces_of(block)
        last = last_reads_of(block, pieces)
        for i in range(len(pieces.runs)):
            self.run(pieces, last, i, last_stores if i == len(pieces.loops) else [], [], ())

    def run(
        self,
        pieces: Pieces,
        last_reads: list[set[Value]],
        i: int,
        stores: Stores,
        carried: Stores,
        yields: tuple[Operand, ...],
    ) -> tuple[Value, ...]:
        """A run for all lanes, and the loop after it. Returns the next values of what lanes hand to one another."""
        uniform, varying = self.divided(pieces.runs[i])
        for statement in uniform:
            self.copy(statement, self.terms)
        crossing = self.lanes.crossing(pieces, last_reads, i)
        loop = pieces.loops[i] if i < len(pieces.loops) else None
        chained = [c for c in loop.carried if self.is_number(c.parameter)] if loop is not None else []
        for value in (*crossing, *(c.parameter for c in chained)):
            dtype = Constant(value.type.dtype)
            self.wide[value] = self.builder.let(np.empty, (self.room,), dtype, keywords=("dtype",), name=value.name)
        stores = [*((v, v) for v in crossing), *((c.parameter, c.initial) for c in chained), *stores]
        results: tuple[Value, ...] = ()
        if varying or stores or carried:
            results = self.all_lanes(Block(tuple(varying), yields), carried, stores)
        if isinstance(loop, While):
            self.in_lockstep(loop)
        elif loop is not None:
            self.inner(loop)
        return results

    def divided(self, run: Iterable[Statement]) -> tuple[list[Statement], list[Statement]]:
        """The statements of a run that have one result for all lanes, or make an array for all, and the others."""
        uniform: list[Statement] = []
        varying: list[Statement] = []
        for statement in run:
            is_creation = isinstance(statement, Let) and statement.function in primitives.CREATING
            if is_creation or not self.lanes.varying & set(results_of(statement)):
                uniform.append(statement)
            elif not (isinstance(statement, Let) and statement.value in self.packed):
                varying.append(statement)
        return uniform, varying

    def inner(self, inner: For) -> None:
        """An inner loop, each iteration of which goes through the lanes."""
        index = self.terms[inner.index] = like(inner.index)
        start, stop, step = renamed((inner.start, inner.stop, inner.step), self.terms)
        carried = tuple(self.carried_in(c) for c in inner.carried)
        chained = [
            (c.parameter, after)
            for c, after in zip(inner.carried, inner.body.yields, strict=True)
            if self.is_number(c.parameter)
        ]
        with self.builder.block() as body:
            self.inside(inner.body, chained)
        after = zip(inner.carried, inner.body.yields, strict=True)
        yields = tuple(self.version(c.parameter if self.is_number(c.parameter) else y) for c, y in after)
        results = tuple(like(c.parameter) for c in carried)
        block = Block(tuple(body), yields)
        bounds = replace(inner, index=index, start=start, stop=stop, step=step)
        self.builder.add(replace(bounds, carried=carried, body=block, results=results))
        for c, old, result in zip(inner.carried, inner.results, results, strict=True):
            for value in (c.parameter, old):
                if value in self.lanes.varying:
                    self.wide[value] = result
                else:
                    self.terms[value] = result

    def in_lockstep(self, loop: While) -> None:
        """A loop that lanes leave one by one."""
        parameters = [c.parameter for c in loop.carried]
        lockstep = Lockstep(loop, self, self.width)
        after = lockstep.made([self.wide[p] for p in parameters], partial(self.terms_of_lane, lockstep.whole))
        self.wide |= dict(zip(parameters, after, strict=True)) | dict(zip(loop.results, after, strict=True))

    def terms_of_lane(self, block: Block, inside: Mapping[Value, Value], lane: Value) -> Terms:
        """What stands for the values that a lane reads in a block, where it also reads all of `inside`."""
        terms = {**self.terms, self.loop.index: self.builder.let(np.add, self.offset, lane, type_=INT)}
        self.read(block, [(value, value) for value in inside], {**self.wide, **inside}, terms, lane)
        return terms

    def carried_in(self, carried: Carried) -> Carried:
        """What an inner loop carries for all lanes; from here on the parameter stands for it."""
        parameter = carried.parameter
        if parameter not in self.lanes.varying:
            made = Carried(like(parameter), renamed(carried.initial, self.terms))
            self.terms[parameter] = made.parameter
            return made
        initial = self.wide[parameter if self.is_number(parameter) else carried.initial]
        self.wide[parameter] = like(initial)
        return Carried(self.wide[parameter], initial)

    def all_lanes(self, block: Block, carried: Stores, stores: Stores) -> tuple[Value, ...]:
        """A loop over the lanes that runs a block's statements, then stores what other pieces read.

        carried: what lanes hand to one another, and its value at the start. Returns the last ones.
        """
        lane = Value("", INT)
        stored = list(dict.fromkeys(v for v, _ in stores))
        origins = self.lanes.origins(block.statements) or {}
        written = [v for v in dict.fromkeys(origins.values()) if v in self.wide]
        outside = [self.wide[v] for v in (*stored, *written)]
        inside = list(map(like, outside))
        parameters = [like(parameter) for parameter, _ in carried]
        terms = {**self.terms, **dict(zip((p for p, _ in carried), parameters, strict=True))}
        arrays = {**self.wide, **dict(zip((*stored, *written), inside, strict=True))}
        with self.builder.block() as body:
            terms[self.loop.index] = self.builder.let(np.add, self.offset, lane, type_=INT)
            self.read(block, stores, arrays, terms, lane)
            for statement in block.statements:
                self.copy(statement, terms, lane)
            versions = self.stored(stores, arrays, terms, lane)
        made = {v for s in block.statements for v in results_of(s)}
        last = {origin: version for version, origin in origins.items() if version in made}
        ends = [terms[last[v]] if v in last else terms[v] for v in written]
        yields = (*renamed(block.yields, terms), *(versions[v] for v in stored), *ends)
        results = tuple(like(v) for v in (*parameters, *inside))
        initials = (*(initial for _, initial in carried), *outside)
        whole = tuple(map(Carried, (*parameters, *inside), initials))
        made_loop = For(lane, constant(0), self.width, constant(1), whole, Block(tuple(body), yields), results)
        self.builder.add(replace(made_loop, location=self.builder.location))
        after = results[len(carried) :]
        self.wide |= dict(zip((*stored, *(last.get(v, v) for v in written)), after, strict=True))
        return results[: len(carried)]
