"""Abreast: rounds of a loop that each run a chain of steps run side by side, 64 at a time.

for p in range(n):                     for q in range(n // 64):
    s = 1.0                                s = np.empty(64)
    for t in range(m):                     for k in range(64):
        s += s * x[p, t]                       s[k] = 1.0
    total += s                 →           for t in range(m):
                                               for k in range(64):
                                                   s[k] = s[k] + s[k] * x[64 * q + k, t]
                                           for k in range(64):
                                               total += s[k]
                                       for p in range(n // 64 * 64, n): …as before

The steps of a chain wait for each other; those of 64 chains do not, and a machine takes several at once. What rounds
hand to one another must be read and written in one piece between the inner loops: its order then stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.sums import adds_to
from pullback.frontend.inserted import Inserted
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Carried,
    Constant,
    For,
    Function,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    made_in_rounds,
    map_values,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.rounds import trip_count
from pullback.ir.types import INT, Scalar, is_float

WIDTH = 64
_WIDEST = {"float64", "int64", "bool"}


def run_abreast(function: Function) -> Function:
    """The same function with such loops in strips of rounds that run side by side."""
    callees = tuple(map(run_abreast, function.callees))
    return replace(function, body=_block(function.body), callees=callees)


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        pieces = _Pieces(statement) if isinstance(statement, For) else None
        if pieces is not None and pieces.are_independent():
            statements += _Strips(pieces).made()
        else:
            statements.append(with_blocks(statement, _block))
    return Block(tuple(statements), block.yields)


class _Pieces:
    """The body of a loop in pieces: `runs[i]` stands before `loops[i]`, and the last run after all of them."""

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.runs: list[list[Statement]] = [[]]
        self.loops: list[For] = []
        for statement in loop.body.statements:
            if isinstance(statement, For):
                self.loops.append(statement)
                self.runs.append([])
            else:
                self.runs[-1].append(statement)
        self.own = made_in_rounds(loop)
        self.made_in = {v: i for i, run in enumerate(self.runs) for s in run for v in results_of(s)}
        self.made_in |= {v: i + 1 for i, inner in enumerate(self.loops) for v in inner.results}
        self.place: dict[int, int] = {}

    def are_independent(self) -> bool:
        """Whether rounds may run side by side, and gain from it."""
        loop = self.loop
        if loop.exits or loop.reverse or loop.step != constant(1) or self.is_short():
            return False
        # A loop that is no chain gains more from its own order, which goes through memory in one direction.
        if not self.loops or not all(_is_chain(inner) and self.is_plain_loop(inner) for inner in self.loops):
            return False
        if not all(_is_plain(s) for run in self.runs for s in run) or not self.find_places():
            return False
        crossing = self.crossing()
        types = [v.type for v in (*crossing, *self.chained())]
        # An element of an array is not weak: where other dtypes are near, it would not give the same ones.
        is_wide = all(s.value.type.dtype in _WIDEST for s in walk(loop.body) if isinstance(s, Let))
        return all(isinstance(type_, Scalar) and (is_wide or not type_.weak) for type_ in types)

    def is_short(self) -> bool:
        """Whether the loop is known to have fewer rounds than a strip."""
        start, stop = self.loop.start, self.loop.stop
        both = isinstance(start, Constant) and isinstance(stop, Constant)
        return both and bool(stop.value - start.value < WIDTH)

    def is_plain_loop(self, inner: For) -> bool:
        """Whether an inner loop has the same rounds in every round of the outer one, and carries numbers alone."""
        bounds = values_in((inner.start, inner.stop, inner.step))
        initial = [c.initial for c in inner.carried]
        if inner.exits or inner.reverse or self.own & set(bounds) or not isinstance(inner.step, Constant):
            return False
        if any(isinstance(o, Constant) and o.value is UNDEFINED for o in (*initial, *inner.body.yields)):
            return False
        return all(_is_plain(s) and all(isinstance(r.type, Scalar) for r in results_of(s)) for s in walk(inner.body))

    def find_places(self) -> bool:
        """Whether each carried value is read in one run only, which is noted, and its next one is known there."""
        parameters = [carried.parameter for carried in self.loop.carried]
        for k, carried in enumerate(self.loop.carried):
            after = self.loop.body.yields[k]
            if after is not carried.parameter and after in parameters:
                return False
            reading = [i for i in range(len(self.runs)) if carried.parameter in self.read_by_run(i)]
            if any(carried.parameter in read_in(inner.body) for inner in self.loops) or len(reading) > 1:
                return False
            self.place[k] = reading[0] if reading else len(self.runs) - 1
            if isinstance(after, Value) and self.made_in.get(after, 0) > self.place[k]:
                return False
            if isinstance(after, Constant) and after.value is UNDEFINED:
                return False
        return True

    def read_by_run(self, i: int) -> set[Value]:
        """What a run reads, and the loop after it at its start."""
        initial = tuple(c.initial for c in self.loops[i].carried) if i < len(self.loops) else ()
        return {*read_in(Block(tuple(self.runs[i]), initial))}

    def needed_by_run(self, i: int) -> set[Value]:
        """The same, and the next values of what it carries."""
        yields = tuple(self.loop.body.yields[k] for k, place in self.place.items() if place == i)
        return self.read_by_run(i) | set(values_in(yields))

    def crossing(self) -> list[Value]:
        """The values that a run makes and another piece reads."""
        crossing = []
        for i, run in enumerate(self.runs):
            others: set[Value] = set()
            for j in range(len(self.runs)):
                others |= self.needed_by_run(j) if j != i else set()
            for inner in self.loops:
                others |= set(read_in(inner.body))
            crossing += [v for s in run for v in results_of(s) if v in others]
        return crossing

    def chained(self) -> list[Value]:
        """What the inner loops carry."""
        return [carried.parameter for inner in self.loops for carried in inner.carried]


def _is_plain(statement: Statement) -> bool:
    """Whether a statement only computes or writes elements; a branch, if all its statements do."""
    if isinstance(statement, Let):
        return not isinstance(statement.function, Inserted)
    if not isinstance(statement, If):
        return False
    return all(map(_is_plain, (*statement.then.statements, *statement.orelse.statements)))


def _is_chain(inner: For) -> bool:
    """Whether a round needs a float of the round before for more than to add to it."""
    floats = [k for k, c in enumerate(inner.carried) if is_float(c.parameter.type)]
    return not all(adds_to(inner, [k]) for k in floats)


class _Strips:
    """Builds the loop over strips, and the loop over the rounds that are left."""

    def __init__(self, pieces: _Pieces) -> None:
        self.pieces, self.loop = pieces, pieces.loop
        self.builder = Builder()
        self.builder.location = self.loop.location
        self.wide: dict[Value, Value] = {}
        self.packed: dict[Value, tuple[Value, Value]] = {}
        self.offset: Operand = constant(0)

    def made(self) -> list[Statement]:
        loop, builder = self.loop, self.builder
        trips = trip_count(builder, loop.start, loop.stop, loop.step)
        strips = builder.let(np.floor_divide, trips, constant(WIDTH), type_=INT)
        results = tuple(like(r) for r in loop.results)
        carried = tuple(Carried(like(c.parameter), c.initial) for c in loop.carried)
        number = Value("", INT)
        with builder.block() as body:
            yields = self.strip(number, [c.parameter for c in carried])
        builder.add(
            replace(
                loop,
                index=number,
                start=constant(0),
                stop=strips,
                carried=carried,
                body=Block(tuple(body), tuple(yields)),
                results=results,
            )
        )
        done = builder.let(np.multiply, strips, constant(WIDTH), type_=INT)
        start = done if loop.start == constant(0) else builder.let(np.add, loop.start, done, type_=INT)
        left = tuple(Carried(c.parameter, r) for c, r in zip(loop.carried, results, strict=True))
        builder.add(replace(loop, start=start, carried=left))
        return builder.statements

    def strip(self, number: Value, versions: list[Operand]) -> list[Operand]:
        """The statements of one strip; what it hands to the next."""
        offset = self.builder.let(np.multiply, number, constant(WIDTH), type_=INT)
        start = self.loop.start
        self.offset = offset if start == constant(0) else self.builder.let(np.add, start, offset, type_=INT)
        for value in (*self.pieces.crossing(), *self.pieces.chained()):
            dtype = Constant(value.type.dtype)
            self.wide[value] = self.builder.let(
                np.empty, (constant(WIDTH),), dtype, keywords=("dtype",), name=value.name
            )
        crossing = set(self.pieces.crossing())
        for i, run in enumerate(self.pieces.runs):
            stores: list[tuple[Value, Operand]] = [(v, v) for s in run for v in results_of(s) if v in crossing]
            if i < len(self.pieces.loops):
                stores += [(c.parameter, c.initial) for c in self.pieces.loops[i].carried]
            places = [k for k in range(len(versions)) if self.pieces.place[k] == i]
            yields = tuple(self.loop.body.yields[k] for k in places)
            carried = [(self.loop.carried[k].parameter, versions[k]) for k in places]
            if run or stores or places:
                for k, result in zip(places, self.lanes(Block(tuple(run), yields), carried, stores, {}), strict=True):
                    versions[k] = result
            if i < len(self.pieces.loops):
                self.inner(self.pieces.loops[i])
        return versions

    def inner(self, inner: For) -> None:
        """An inner loop, each round of which goes through the lanes."""
        chained = [c.parameter for c in inner.carried]
        carried = tuple(Carried(like(self.wide[p]), self.wide[p]) for p in chained)
        results = tuple(like(self.wide[p]) for p in chained)
        index = like(inner.index)
        lines = {s.value: s for s in inner.body.statements if isinstance(s, Let) and self.is_line(s, inner)}
        self.packed = {value: (self.pack(line, inner), index) for value, line in lines.items()}
        for p, c in zip(chained, carried, strict=True):
            self.wide[p] = c.parameter
        with self.builder.block() as body:
            stores = list(zip(chained, inner.body.yields, strict=True))
            others = tuple(s for s in inner.body.statements if not (isinstance(s, Let) and s.value in lines))
            self.lanes(Block(others), [], stores, {inner.index: index})
        yields = tuple(self.wide[p] for p in chained)
        block = Block(tuple(body), yields)
        self.builder.add(replace(inner, index=index, carried=carried, body=block, results=results))
        for p, result, wide in zip(chained, inner.results, results, strict=True):
            self.wide[p] = self.wide[result] = wide

    def is_line(self, statement: Let, inner: For) -> bool:
        """Whether a statement reads what lanes find in different lines of an array, each its own from left to right."""
        if statement.function is not primitives.load or (inner.start, inner.step) != (constant(0), constant(1)):
            return False
        array, path = statement.operands
        whole = len(path) == 1 and isinstance(path[0], Index) and len(path[0].items) == array.type.ndim
        return whole and array not in self.pieces.own and path[0].items == (self.loop.index, inner.index)

    def pack(self, line: Let, inner: For) -> Value:
        """An array with what lanes read in one round of an inner loop side by side, which is fast to read."""
        dtype = Constant(line.value.type.dtype)
        trips = trip_count(self.builder, inner.start, inner.stop, inner.step)
        packed = self.builder.let(np.empty, (trips, constant(WIDTH)), dtype, keywords=("dtype",), name=line.value.name)
        outer, rows, results = (like(packed) for _ in range(3))
        lane, index, filled, element = Value("", INT), like(inner.index), like(packed), like(line.value)
        with self.builder.block() as body:
            row = self.builder.let(np.add, self.offset, lane, type_=INT)
            with self.builder.block() as statements:
                self.add(element, primitives.load, line.operands[0], (Index((row, index)),))
                self.add(filled, primitives.store, rows, (Index((index, lane)),), element)
            inside = Block(tuple(statements), (filled,))
            last, one = like(packed), constant(1)
            self.builder.add(For(index, inner.start, inner.stop, one, (Carried(rows, outer),), inside, (last,)))
        lanes = (Carried(outer, packed),)
        self.builder.add(For(lane, constant(0), constant(WIDTH), one, lanes, Block(tuple(body), (last,)), (results,)))
        return results

    def lanes(
        self,
        block: Block,
        carried: list[tuple[Value, Operand]],
        stores: list[tuple[Value, Operand]],
        terms: dict[Value, Operand],
    ) -> tuple[Value, ...]:
        """A loop over the lanes that runs a block's statements, then stores what other pieces read.

        carried: what lanes hand to one another, and its value at the start. Returns the last ones.
        """
        terms = dict(terms)
        lane = Value("", INT)
        path = (Index((lane,)),)
        made = {v for s in block.statements for v in results_of(s)}
        stored = list(dict.fromkeys(v for v, _ in stores))
        outside = {v: self.wide[v] for v in stored}
        inside = {v: like(self.wide[v]) for v in stored}
        parameters = [like(parameter) for parameter, _ in carried]
        terms |= {parameter: fresh for (parameter, _), fresh in zip(carried, parameters, strict=True)}
        with self.builder.block() as body:
            terms[self.loop.index] = self.builder.let(np.add, self.offset, lane, type_=INT)
            for value in dict.fromkeys([*read_in(block), *values_in(tuple(o for _, o in stores))]):
                if value in self.packed:
                    packed, index = self.packed[value]
                    terms[value] = like(value)
                    self.add(terms[value], primitives.load, packed, (Index((index, lane)),))
                elif value in self.wide and value not in made:
                    terms[value] = like(value)
                    self.add(terms[value], primitives.load, inside.get(value, self.wide[value]), path)
            for statement in block.statements:
                self.builder.add(copied(statement, terms))
            versions = dict(inside)
            for value, operand in stores:
                versions[value] = like(versions[value])
                self.add(versions[value], primitives.store, inside[value], path, _renamed(operand, terms))
        yields = (*_renamed(block.yields, terms), *versions.values())
        results = tuple(like(v) for v in (*parameters, *inside.values()))
        initials = (*(initial for _, initial in carried), *outside.values())
        whole = tuple(map(Carried, (*parameters, *inside.values()), initials))
        made_loop = For(lane, constant(0), constant(WIDTH), constant(1), whole, Block(tuple(body), yields), results)
        self.builder.add(replace(made_loop, location=self.builder.location))
        self.wide |= dict(zip(stored, results[len(carried) :], strict=True))
        return results[: len(carried)]

    def add(self, value: Value, function: Callable[..., Any], *operands: Operand) -> None:
        self.builder.add(Let(value, function, operands, location=self.builder.location))


def _renamed(operand: Operand, terms: dict[Value, Operand]) -> Operand:
    return map_values(operand, lambda value: terms.get(value, value))
