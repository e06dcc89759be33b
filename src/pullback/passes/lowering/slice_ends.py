r"""Ends of slices that only the run knows, as places of the axis: how long a slice is follows from them.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def weighted(x, first):
...     s = 0.0
...     for i in range(first.shape[0] - 1):
...         s += np.sum(x[first[i] : first[i + 1]] ** 2)
...     return s
>>> function = normal_form(weighted, np.ones(5), np.array([0, 3, 5]))
>>> text = show(with_places(function, Sizes(function)))
>>> print(*(line.strip() for line in text.splitlines() if "start" in line), sep="\n")
start: int64* = slice_end(t.2, 0, t.5)
stop: int64* = slice_end(t.4, start, t.5)
t.6: float64[:] = load(x, ([start:stop]))

Such an end may be counted from the end of the axis, or lie beyond it; the place does neither. Only slices whose
elements loops are to read or write are given so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pullback import runtime
from pullback.analysis.extents import can_compute, extent
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size, sliced
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Step,
    Value,
    is_scalar,
    values_in,
)
from pullback.ir.paths import is_rest
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, is_integer
from pullback.passes.lowering.groups import is_gather, is_inner_product, is_map, is_store, is_sum
from pullback.passes.lowering.sizes import Sizes


def with_places(function: Function, sizes: Sizes) -> Function:
    """The same function, in which such slices are given by places."""
    body = _Places(sizes.shapes, {}).block(function.body)
    return function if body == function.body else replace(function, body=body)


@dataclass(slots=True)
class _Places:
    """known: the start and the stop of each slice that this block, or one around it, has asked for."""

    shapes: Shapes
    known: dict[tuple[Size, Slice], Slice]

    def block(self, block: Block) -> Block:
        inner = _Places(self.shapes, dict(self.known))
        served = set(_served(block))
        statements = (s for each in block.statements for s in inner.statement(each, served))
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement, served: set[Value]) -> list[Statement]:
        if not isinstance(statement, Let):
            return [with_blocks(statement, self.block)]
        if statement.function not in primitives.ACCESSES or statement.value not in served:
            return [statement]
        builder = Builder()
        with builder.at(statement.location):
            array, path, *rest = statement.operands
            path = self.path(path, self.shapes.of(array), builder)
        if path is None or path == statement.operands[1]:
            return [statement]
        return [*builder.statements, replace(statement, operands=(array, path, *rest))]

    def path(self, path: tuple[Step, ...], shape: tuple[Size, ...], builder: Builder) -> tuple[Step, ...] | None:
        """The path in terms of places; None if it is not known which axis of which size each index is for."""
        found: list[Step] = []
        for step in path:
            after = self.shapes.part(shape, (step,))
            if after is None or (isinstance(step, Index) and any(map(is_rest, step.items))):
                return None
            found.append(self.step(step, shape, builder) if isinstance(step, Index) else step)
            shape = after
        return tuple(found)

    def step(self, step: Index, shape: tuple[Size, ...], builder: Builder) -> Index:
        axes = iter(shape)
        items: list[Operand | Slice] = []
        for item in step.items:
            size = None if item == Constant(None) else next(axes)
            items.append(self.placed(size, item, builder) if size is not None and isinstance(item, Slice) else item)
        return Index(tuple(items))

    def placed(self, size: Size, part: Slice, builder: Builder) -> Slice:
        """A slice of an axis, between places if it is not known where its ends are."""
        if not _is_open(part) or sliced(size, part) in self.shapes.equal or not can_compute(size):
            return part
        if (size, part) not in self.known:
            length = extent(size, builder)
            start: Operand = constant(0)
            if part.start is not None:
                start = _end(builder, "start", part.start, start, length)
            stop = None if part.stop is None else _end(builder, "stop", part.stop, start, length)
            self.known[size, part] = Slice(start, stop, None)
        return self.known[size, part]


def _end(builder: Builder, name: str, index: Operand, least: Operand, size: Operand) -> Value:
    return builder.let(runtime.slice_end, index, least, size, name=name, type_=INT)


def _is_open(part: Slice) -> bool:
    """Whether a slice of neighbours begins or ends at an integer that the program computes."""
    ends = [end for end in (part.start, part.stop) if end is not None]
    is_computed = any(isinstance(end, Value) for end in ends)
    return is_computed and part.step in (None, constant(1)) and all(is_scalar(e) and is_integer(e.type) for e in ends)


def _served(block: Block) -> Iterator[Value]:
    """The parts of arrays that statements over elements read, and the arrays of which these write parts."""
    lets = [s for s in block.statements if isinstance(s, Let)]
    made = {s.value for s in lets if is_map(s)}
    parts = {s.value for s in lets if s.function is primitives.load}
    for statement in lets:
        if is_map(statement) or is_sum(statement) or is_inner_product(statement):
            yield from values_in(statement.operands)
        elif is_gather(statement):
            yield from values_in(statement.operands[1])
        elif is_store(statement):
            is_added = statement.function is primitives.add_at and statement.operands[2] in parts
            yield from [statement.value] if is_added or statement.operands[2] in made else []
