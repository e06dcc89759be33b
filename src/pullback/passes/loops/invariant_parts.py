"""The part of a nest that is the same in every iteration of the loop around it, as a nest of its own.

What moves with it is what takes long, and what that is made of. What the other part reads of it is in arrays, which
have a place for each iteration (scalar expansion), or is computed again where that takes a few additions only.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import walk
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import prepared
>>> def f(a, x):
...     s = 0.0
...     for i in range(2):
...         for j in range(3):
...             s += a[i, j] * np.exp(2.0 * x[j])
...     return s
>>> function = prepared(normal_form(f, np.ones((2, 3)), np.ones(3)))
>>> outer, inner = (s for s in walk(function.body) if isinstance(s, For))
>>> changing = {outer.index, *(carried.parameter for carried in outer.carried)}
>>> first, second = distributed(inner, changing)
>>> body = Block((*first, replace(outer, body=Block(tuple(second), outer.body.yields))), function.body.yields)
>>> print(show(replace(function, body=body)))
f(a: float64[:, :], x: float64[:]):
    t.0: float64[:] = empty((3), dtype='float64')
    t.6 = for j in range(0, 3, 1) with (t.1: float64[:] = t.0):
        t.2: float64 = load(x, ([j]))
        t.3: float64 = multiply(2.0, t.2)
        t.4: float64 = exp(t.3)
        t.5: float64[:] = store(t.1, ([j]), t.4)
        yield t.5
    s.4 = for i in range(0, 2, 1) with (s: float64 = 0.0):
        s.3 = for j.1 in range(0, 3, 1) with (s.1: float64 = s):
            t.7: float64 = load(a, ([i, j.1]))
            t.8: float64 = load(t.6, ([j.1]))
            t.9: float64 = multiply(t.7, t.8)
            s.2: float64 = add(s.1, t.9)
            yield s.2
        yield s.3
    return s.4
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from pullback.analysis.invariance import changing_in, is_pure
from pullback.analysis.outer_vectorisation import is_wide
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    For,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    blocks_of,
    is_scalar,
    is_undefined,
    lets_in,
    made_in_iterations,
    read_by,
    results_of,
    values_in,
)
from pullback.ir.rewrite import like, renamed, substituted
from pullback.ir.trip_counts import iteration_number, trip_count
from pullback.ir.types import Array, is_float
from pullback.passes.loops.cost import is_simple

_MOST_COPIED = 6
"""How many additions both parts may do, rather than that an array holds their results."""


def distributed(loop: For, changing: Set[Value]) -> tuple[list[Statement], list[Statement]] | None:
    """Both parts of a nest, each with the statements that it needs; None if no part of it is the same and takes long.

    changing: what is not the same in every iteration of the loop around it, and arrays that are to stay.
    """
    if not is_pure(loop) or not _is_expandable(loop) or not changing.isdisjoint(values_in((loop.start, loop.stop))):
        return None
    part = _Part(loop, changing)
    return _Distribution(part).made() if part.needed and part.is_legal() else None


def _is_expandable(loop: For) -> bool:
    """Whether arrays can have a place for each iteration."""
    undefined = any(map(is_undefined, (*(c.initial for c in loop.carried), *loop.body.yields)))
    return isinstance(loop.step, Constant) and not undefined


class _Part:
    """The part that moves.

    divided: by their indices, the nest and the loops in it whose statements are divided too, each with those around it.
    sources: for each value that the nest makes, what it is made of.
    needed: what the statements of the part make and read, with what its loops carry.
    copied: what of it the other part computes again.
    handed: what of it the other part reads from arrays.
    """

    def __init__(self, loop: For, changing: Set[Value]) -> None:
        self.loop = loop
        self.inside = made_in_iterations(loop)
        self.lets = lets_in(loop.body)
        self.divided: dict[Value, tuple[For, ...]] = {}
        self.sources: dict[Value, tuple[Value, ...]] = {}
        self.home: dict[Value, tuple[For, ...]] = {}
        self.survey(loop, ())
        kept = {c.parameter for c, result in zip(loop.carried, loop.results, strict=True) if result in changing}
        self.changing = changing_in(loop, changing | kept, self.divided.keys())
        self.needed = self.closure(self.roots())
        read = {v: None for v in self.read_by_rest() if v in self.needed and v in self.home}
        simple = {v: self.simple(v) for v in read}
        self.copied = {s for made in simple.values() if made and len(made) <= _MOST_COPIED for s in made}
        self.handed = [v for v in read if v not in self.copied]

    def survey(self, loop: For, around: tuple[For, ...]) -> None:
        loops = self.divided[loop.index] = (*around, loop)
        for carried, after in zip(loop.carried, loop.body.yields, strict=True):
            self.home[carried.parameter] = loops
            self.sources[carried.parameter] = (*values_in(carried.initial), *values_in(after))
        for statement in loop.body.statements:
            self.home.update((value, loops) for value in results_of(statement))
            if isinstance(statement, For) and self.is_rectangular(statement):
                self.survey(statement, loops)
                self.sources.update(zip(statement.results, ((c.parameter,) for c in statement.carried), strict=True))
            else:
                self.sources.update((value, tuple(read_by(statement))) for value in results_of(statement))

    @property
    def loops(self) -> list[For]:
        return [loops[-1] for loops in self.divided.values()]

    def is_divided(self, statement: Statement) -> TypeGuard[For]:
        return isinstance(statement, For) and statement.index in self.divided

    def is_rectangular(self, loop: For) -> bool:
        """Whether a loop in the nest has the same iterations in each one around it."""
        return _is_expandable(loop) and self.inside.isdisjoint(values_in((loop.start, loop.stop)))

    def roots(self) -> set[Value]:
        """What is the same and takes long to compute, and the arrays that are filled in the same way."""
        statements = [s for loop in self.loops for s in loop.body.statements if not self.is_divided(s)]
        costly = {v for s in statements if is_costly(s) for v in results_of(s)} - self.changing
        if not costly:
            return set()
        pairs = ((c, after) for loop in self.loops for c, after in zip(loop.carried, loop.body.yields, strict=True))
        filled = {c.parameter for c, _ in pairs if isinstance(c.parameter.type, Array)} - self.changing
        return costly | filled

    def closure(self, values: set[Value]) -> set[Value]:
        """These values and what they are made of; what loops carry, too, if they make it of that."""
        needed: set[Value] = set()
        while not values <= needed:
            needed |= values
            values = {source for value in values for source in self.sources.get(value, ())}
            for loop in self.loops:
                for carried, after in zip(loop.carried, loop.body.yields, strict=True):
                    if after in needed and carried.parameter not in self.changing:
                        values.add(carried.parameter)
        pairs = (pair for loop in self.loops for pair in zip(loop.carried, loop.results, strict=True))
        return needed.union(result for carried, result in pairs if carried.parameter in needed)

    def carried_first(self, loop: For) -> list[int]:
        """The places of what a loop of this part carries; the same loop of the other part carries the rest."""
        return [k for k, carried in enumerate(loop.carried) if carried.parameter in self.needed]

    def carried_second(self, loop: For) -> list[int]:
        return [k for k, carried in enumerate(loop.carried) if carried.parameter not in self.needed]

    def is_of_first(self, statement: Statement) -> bool:
        return not self.needed.isdisjoint(results_of(statement))

    def read_by_rest(self) -> Iterator[Value]:
        """What the other part reads."""
        for loop in self.loops:
            for k in self.carried_second(loop):
                yield from values_in((loop.carried[k].initial, loop.body.yields[k]))
            for statement in loop.body.statements:
                if not self.is_divided(statement) and not self.is_of_first(statement):
                    yield from read_by(statement)

    def simple(self, value: Value) -> set[Value] | None:
        """What a value is made of in an iteration, if it takes simple arithmetic on what stands outside alone."""
        if value not in self.inside:
            return set()
        let = self.lets.get(value)
        if let is None:
            return set() if value in self.divided else None
        if not is_simple(let) or let.function in primitives.CONSUMING or not is_scalar(value):
            return None
        parts = [self.simple(operand) for operand in read_by(let)]
        return None if None in parts else {value}.union(*filter(None, parts))

    def is_legal(self) -> bool:
        """Whether the other part reads numbers alone, which arrays hold as they are, no longer than others are."""
        subscripts = [set(self.subscripts(let)) for let in self.lets.values() if let.function in primitives.ACCESSES]
        for value in self.handed:
            indices = {loop.index for loop in self.home[value]}
            if not is_scalar(value) or not any(indices <= found for found in subscripts):
                return False
        return is_wide(self.loop.body)

    def subscripts(self, access: Let) -> Iterator[Value]:
        """The indices of loops by which an access finds its element, with what is added to them."""
        for item in values_in(access.operands[1]):
            made = self.lets.get(item)
            yield from (
                values_in(made.operands) if made is not None and made.function in (np.add, np.subtract) else (item,)
            )


def is_costly(statement: Statement) -> bool:
    """Whether it takes longer to compute a statement than to read its results: a loop, a quotient, an exponential."""
    if isinstance(statement, Let):
        is_arithmetic = is_elementwise(statement.function) and is_float(statement.value.type)
        return is_arithmetic and not is_simple(statement) and not _is_product(statement)
    return isinstance(statement, For) or any(is_costly(s) for block in blocks_of(statement) for s in block.statements)


def _is_product(statement: Let) -> bool:
    """Whether a power is that of a few multiplications."""
    exponent = statement.operands[-1] if statement.function is np.power else None
    return isinstance(exponent, Constant) and exponent.value in (2, 3, 4)


class _Distribution:
    """Builds both nests.

    arrays: for each value that is handed over, the present version of the array that holds it.
    """

    def __init__(self, part: _Part) -> None:
        self.part = part
        self.builder = Builder()
        self.builder.location = part.loop.location
        self.arrays: dict[Value, Value] = {}
        self.terms: dict[Value, Operand] = {}

    def made(self) -> tuple[list[Statement], list[Statement]]:
        part, builder = self.part, self.builder
        for value in part.handed:
            loops = part.home[value]
            sizes = tuple(trip_count(builder, loop.start, loop.stop, loop.step) for loop in loops)
            self.arrays[value] = builder.empty(sizes, Array(value.type.dtype, len(sizes)), value.name)
        self.add_first(part.loop, ())
        with builder.block() as after:
            self.add_second(part.loop, ())
        return builder.statements, after

    def add_first(self, loop: For, numbers: tuple[Operand, ...]) -> None:
        """Add the part of a loop that moves; `numbers` are those of the iterations around it."""
        part = self.part
        kept = part.carried_first(loop)
        held = [v for v in part.handed if any(loop is each for each in part.home[v])]
        initials = [self.arrays[v] for v in held]
        parameters = list(map(like, initials))
        self.arrays.update(zip(held, parameters, strict=True))
        with self.builder.block() as body:
            inner = (*numbers, iteration_number(self.builder, loop.index, loop.start, loop.step))
            self.store((carried.parameter for carried in loop.carried), inner)
            for statement in loop.body.statements:
                if part.is_divided(statement):
                    self.add_first(statement, inner)
                elif part.is_of_first(statement):
                    self.builder.add(statement)
                self.store(results_of(statement), inner)
        yields = (*(loop.body.yields[k] for k in kept), *(self.arrays[v] for v in held))
        filled = list(map(like, parameters))
        self.arrays.update(zip(held, filled, strict=True))
        carried = (*(loop.carried[k] for k in kept), *map(Carried, parameters, initials))
        block = Block(tuple(body), yields)
        results = (*(loop.results[k] for k in kept), *filled)
        self.builder.add(replace(loop, carried=carried, body=block, results=results))

    def store(self, values: Iterable[Value], numbers: tuple[Operand, ...]) -> None:
        for value in values:
            if value in self.arrays:
                array = self.arrays[value]
                made = self.builder.let(primitives.store, array, (Index(numbers),), value, name=array.name)
                self.arrays[value] = made

    def add_second(self, loop: For, numbers: tuple[Operand, ...]) -> None:
        """Add the part of a loop that stays."""
        part, index = self.part, like(loop.index)
        kept = part.carried_second(loop)
        self.terms[loop.index] = index
        initials = [renamed(loop.carried[k].initial, self.terms) for k in kept]
        with self.builder.block() as body:
            inner = (*numbers, iteration_number(self.builder, index, loop.start, loop.step))
            self.load((carried.parameter for carried in loop.carried), inner)
            for statement in loop.body.statements:
                if part.is_divided(statement):
                    self.add_second(statement, inner)
                elif not part.is_of_first(statement):
                    self.builder.add(substituted(statement, self.terms))
                elif isinstance(statement, Let) and statement.value in part.copied:
                    made = self.terms[statement.value] = like(statement.value)
                    self.builder.add(replace(statement, value=made, operands=renamed(statement.operands, self.terms)))
                self.load(results_of(statement), inner)
        carried = tuple(Carried(loop.carried[k].parameter, initial) for k, initial in zip(kept, initials, strict=True))
        block = Block(tuple(body), renamed(tuple(loop.body.yields[k] for k in kept), self.terms))
        results = tuple(loop.results[k] for k in kept)
        self.builder.add(replace(loop, index=index, carried=carried, body=block, results=results))

    def load(self, values: Iterable[Value], numbers: tuple[Operand, ...]) -> None:
        for value in values:
            if value in self.arrays:
                self.terms[value] = self.builder.load(self.arrays[value], (Index(numbers),), value.name)
