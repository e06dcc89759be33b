"""Strips: how many of them the iterations of a loop make, whose lanes run side by side.

>>> from pullback.ir.builder import Builder, constant
>>> builder = Builder()
>>> strips = strips_of_all(constant(900), 256, builder)
>>> [(s.function.__name__, *(getattr(o, "value", o) for o in s.operands)) for s in builder.statements]
[('add', 900, 255), ('floor_divide', _: int64*, 256)]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import replace
from functools import cache, partial
from typing import Protocol, TypeVar

import numpy as np

from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.maybe_undefined import maybe_undefined
from pullback.analysis.outer_vectorisation import Legality, pieces_of
from pullback.analysis.repeated_arrays import REPEATED
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Operand,
    Statement,
    Value,
    While,
    made_in_iterations,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Array
from pullback.passes.vector.packing import Line

WIDTH = 64
WIDE = 256
"""The same where lanes go along rows: so many elements are a few lines of memory, and stay in the nearest cache."""
MOST_ELEMENTS = 256 * REPEATED
"""So much an iteration may have in private arrays and lines that it reads, those that loops go over again and again
weighted: 64 times 256 elements stay in a near cache."""
FEW_ELEMENTS = 16
"""Where no inner loop stands in another one: the loops over more elements are vectorised well as they are."""


class Divided(Protocol):
    """A loop in parts. written: the arrays that it writes, as they are before it. loaded: those that it only reads."""

    @property
    def written(self) -> list[Value]: ...

    @property
    def loaded(self) -> list[Value]: ...


Parts = TypeVar("Parts", bound=Divided)
Unset = Callable[[], set[Value]]


def distributed(
    function: Function,
    divided: Callable[[For, Unset, Set[Value]], Parts | None],
    made: Callable[[Parts], list[Statement]],
) -> Function:
    """The same function with what is made of their parts in the place of loops that can be divided; its callees stay.

    A loop is left as it is where an array that it writes may share memory with another one, or was given.

    divided: finds the parts of a loop, from what may be undefined, and what the iterations of loops around it make.
    """
    arrays = cache(lambda: MadeArrays(function))
    unset = cache(lambda: maybe_undefined(function.body))
    given = [parameter for parameter in function.parameters if isinstance(parameter.type, Array)]

    def are_apart(written: list[Value], loaded: list[Value]) -> bool:
        others = ((array, other) for k, array in enumerate(written) for other in (*written[:k], *given, *loaded))
        return not any(arrays().may_share(*pair) for pair in others)

    def statement(whole: Statement, around: frozenset[Value]) -> list[Statement]:
        inside = around | made_in_iterations(whole) if isinstance(whole, For | While) else around
        changed = with_blocks(whole, partial(block, around=inside))
        parts = divided(changed, unset, around) if isinstance(changed, For) else None
        if parts is None:
            return [changed]
        return made(parts) if are_apart(parts.written, parts.loaded) else [changed]

    def block(inner: Block, around: frozenset[Value]) -> Block:
        return Block(tuple(new for s in inner.statements for new in statement(s, around)), inner.yields)

    return replace(function, body=block(function.body, frozenset()))


def may_be_short(loop: For, around: Set[Value]) -> bool:
    """Whether a loop has few iterations, or as many as one around it says, such as over the neighbours of a node."""
    return has_few_iterations(loop) or any(value in around for value in values_in((loop.start, loop.stop)))


def has_few_iterations(loop: For) -> bool:
    """Whether a loop is known to have fewer iterations than a strip has lanes."""
    bounds = loop.start, loop.stop
    if not all(isinstance(bound, Constant) for bound in bounds):
        return False
    return len(range(*(bound.value for bound in bounds if isinstance(bound, Constant)))) < WIDTH


def strips_of_all(trips: Operand, most: int, builder: Builder) -> Operand:
    """How many strips of at most so many lanes there are; the last one may have fewer."""
    filled = builder.let(np.add, trips, constant(most - 1), type_=INT)
    return builder.let(np.floor_divide, filled, constant(most), name="strips", type_=INT)


def width_of_strip(trips: Operand, offset: Operand, room: Operand, builder: Builder) -> Operand:
    """How many lanes the strip has that starts so many iterations after the first: as many as fit, or are left."""
    rest = builder.let(np.subtract, trips, offset, type_=INT)
    return builder.let(min, room, rest, name="width", type_=INT)


def has_few_elements(lanes: Legality, lines: list[list[Line]], builder: Builder) -> Operand:
    """Whether the arrays of an iteration, and the lines it reads, are small; True where it has no arrays."""
    if not lanes.private:
        return constant(True)
    shapes = [created.operands[0] for created in lanes.created] + [(same[0].loop.stop,) for same in lines]
    is_nest = any(pieces_of(inner.body).loops for inner in lanes.pieces.loops)
    most = MOST_ELEMENTS if is_nest else FEW_ELEMENTS
    weights = [*lanes.weights(), *(REPEATED for _ in lines)] if is_nest else [1 for _ in shapes]
    products = list(zip(weights, shapes, strict=True))
    if all(isinstance(size, Constant) for shape in shapes for size in shape):
        return constant(sum(weight * math.prod(size.value for size in shape) for weight, shape in products) <= most)
    elements: Operand = constant(0)
    for weight, shape in products:
        product: Operand = constant(weight)
        for size in shape:
            product = builder.let(np.multiply, product, size, type_=INT)
        elements = builder.let(np.add, elements, product, type_=INT)
    return builder.let(np.less_equal, elements, constant(most))
