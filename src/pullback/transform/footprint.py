"""The footprint of a derivative: its residual arrays become a Function that gives their bytes for a call's arguments.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import find_kept, prepared
>>> def f(x, n):
...     for i in range(n):
...         x = np.sin(x)
...     return np.sum(x)
>>> function = prepared(normal_form(f, np.ones(3), 1000))
>>> print(show(Footprint(function, find_kept(function, (0,))).measure()))
f_bytes(x: float64[:], n: int64*):
    t.0: int64* = max(n, 0)
    t.1: int64* = dim(x, 0)
    t.2: int64* = multiply(8, t.0)
    t.3: int64* = multiply(t.2, t.1)
    return t.3
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.extents import base_of, extent
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    lets_in,
    values_in,
)
from pullback.ir.rewrite import copied
from pullback.ir.types import BOOL, INT, Array
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.simplify import simplify
from pullback.transform.residual_places import places_beside, room_for
from pullback.transform.residual_plan import ResidualArray
from pullback.transform.sweeps import Kept


class Footprint:
    """The residual arrays of a derivative, and their bytes for given arguments.

    Only those count whose sizes follow from the arguments by arithmetic; `unknown` is the number of the others. An
    array that each segment of a checkpointed loop makes anew counts once, in its size for the first segment, which is
    the longest.
    """

    def __init__(self, function: Function, kept: Kept) -> None:
        self.function, self.kept = function, kept
        self.definitions = lets_in(Block(tuple(kept.statements)))
        self.arrays = [array for array in kept.arrays if self.needed(array) is not None]
        self.unknown = len(kept.arrays) - len(self.arrays)

    def needed(self, array: ResidualArray) -> set[Value] | None:
        """The values that the size of a residual array is computed from; None if that takes more than arithmetic."""
        if array.sizes is None:
            return None
        found: set[Value] = set()
        sizes = [value for size in array.sizes for value in values_in(base_of(size))]
        if any(isinstance(size.type, Array) and size not in self.function.parameters for size in sizes):
            return None
        open_ = [
            *values_in(tuple((loop.start, loop.stop, loop.step) for loop in array.loops)),
            *sizes,
        ]
        while open_:
            value = open_.pop()
            if value in found or value in self.kept.segments or value in self.function.parameters:
                continue
            made = self.definitions.get(value)
            if made is None or not self.is_arithmetic(made):
                return None
            found.add(value)
            open_ += values_in(made.operands)
        return found

    def is_arithmetic(self, statement: Let) -> bool:
        """Whether a statement computes a number from numbers, or reads one element or size of an argument."""
        if not is_scalar(statement.value) or isinstance(statement.function, Identity):
            return False
        if statement.function in (primitives.dim, primitives.load):
            return statement.operands[0] in self.function.parameters
        return all(is_scalar(value) for value in values_in(statement.operands))

    def factors(self, array: ResidualArray, loop: For | While) -> Counter[frozenset[Any]] | None:
        """What the bytes that an array keeps in one iteration of a loop are multiples of; None if that is not known.

        Each factor is the set of the sizes and numbers that it is computed from; a factor that is a number is left out.
        """
        if array.each is None:
            return None
        inner = array.loops[array.loops.index(loop) + 1 :]
        bounds = [(s.start, s.stop, s.step) if isinstance(s, For) else id(s) for s in inner]
        factors = [frozenset(self.sources(factor)) for factor in (*bounds, *map(base_of, array.each))]
        return Counter(factor for factor in factors if factor)

    def sources(self, factor: Any) -> Iterator[Any]:
        """The sizes and numbers that a factor is computed from by arithmetic."""
        if isinstance(factor, tuple) and len(factor) == 2 and isinstance(factor[1], int):
            yield factor
            return
        for value in values_in(factor):
            made = self.definitions.get(value)
            if made is not None and made.function is primitives.dim:
                yield (made.operands[0], made.operands[1].value)
            elif made is not None and self.is_arithmetic(made):
                yield from self.sources(made.operands)
            else:
                yield value

    def measure(self) -> Function:
        """The function of the same parameters that gives the bytes of the residual arrays."""
        needed = set().union(*(self.needed(array) or () for array in self.arrays))
        builder = Builder()
        total: Operand = constant(0)
        for array in self.arrays:
            total = builder.let(np.add, total, _bytes(builder, array), type_=INT)
        made = [s for value, s in self.definitions.items() if value in needed]
        terms: dict[Value, Any] = dict.fromkeys(self.kept.segments, constant(0))
        statements: list[Statement] = [copied(s, terms) for s in (*made, *builder.statements)]
        body = Block(tuple(statements), (terms.get(total, total),))
        name = f"{self.function.name}_bytes"
        return remove_dead(simplify(Function(name, self.function.parameters, body, (), self.function.location)))


def limited(function: Function, measure: Function, most: int | None) -> Function:
    """The function, which begins with a check that raises KeepsTooMuch where `measure` gives more bytes than `most`.

    most: None for a quarter of the memory that is free. The function may have more parameters than `measure`.
    """
    builder = Builder()
    terms: dict[Value, Operand] = dict(zip(measure.parameters, function.parameters, strict=False))
    body = copied(measure.body, terms)
    with builder.at(function.location):
        limit = () if most is None else (constant(most),)
        fits = builder.let(np.less_equal if limit else runtime.fits_in_memory, *body.yields, *limit, type_=BOOL)
        builder.effect(primitives.check, fits, Constant(runtime.KeepsTooMuch))
    statements = (*body.statements, *builder.statements, *function.body.statements)
    return replace(function, body=replace(function.body, statements=statements))


def _bytes(builder: Builder, array: ResidualArray) -> Operand:
    assert array.sizes is not None, "a residual array of unknown size is not measured"
    sizes: list[Operand] = [room_for(builder, loop, stop) for loop, stop in zip(array.loops, array.stops, strict=True)]
    if array.following is not None:
        sizes[-1] = builder.let(np.add, sizes[-1], constant(places_beside(array)), type_=INT)
    sizes += [extent(size, builder) for size in array.sizes]
    product: Operand = constant(np.dtype(array.value.type.dtype).itemsize)
    for size in sizes:
        product = builder.let(np.multiply, product, size, type_=INT)
    return product
