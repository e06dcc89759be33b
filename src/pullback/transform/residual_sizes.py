"""Residual sizes: an array that the backward function takes for its shape alone becomes the sizes that it asks for.

>>> import numpy as np, pullback as pb
>>> def f(w, x):
...     return np.sum(w[1:] * 2.0) + np.sum(x * x)
>>> text = pb.source(f, np.ones(3), np.ones(4))
>>> [line.strip() for line in text.splitlines() if "def f_backward" in line or "zeros" in line]
['def f_backward(x, w_size, y_bar):', 'w_bar = np.zeros((w_size,), dtype=np.float64)']

A size of an array that is kept for its elements is read from that one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Size
from pullback.analysis.slice_sizes import shapes_with_slices
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
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
    blocks_in,
    operands_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks, with_number
from pullback.ir.types import Array, is_integer
from pullback.transform.residuals import noted_size


def with_sizes(pulled: Function, forward: Function, residuals: tuple[Value, ...]) -> tuple[Function, list[Statement]]:
    """A backward function that takes no residual for its shape alone, and the forward statements for what it takes.

    forward: the function that computes the residuals.
    """
    sizes = _Sizes(shapes_with_slices(forward), pulled, residuals, _always_made(forward))
    body = substituted(sizes.block(pulled.body), sizes.numbers())
    first = tuple(sizes.at_entry)
    return replace(pulled, body=Block((*first, *body.statements), body.yields)), sizes.forward.statements


class _Sizes:
    """elements: the residuals whose elements are read, by each size that they have. made: what every run makes."""

    def __init__(self, shapes: Shapes, pulled: Function, residuals: tuple[Value, ...], made: set[Value]) -> None:
        self.shapes, self.residuals, self.made = shapes, residuals, made
        read = set(_read_in(pulled.body))
        self.shells = {r for r in residuals if isinstance(r.type, Array) and r not in read}
        self.elements: dict[Size, tuple[Value, int]] = {}
        for residual in residuals:
            if isinstance(residual.type, Array) and residual in made and residual not in self.shells:
                for axis, size in enumerate(shapes.of(residual)):
                    self.elements.setdefault(size, (residual, axis))
        self.kept: dict[Size, Value] = {}
        self.forward = Builder()
        self.at_entry: list[Statement] = []

    def numbers(self) -> dict[Value, Operand]:
        """What stands for the residuals that are sizes of others whose elements are read."""
        found: dict[Value, Operand] = {}
        for residual in self.residuals:
            size = self.shapes.size(residual) if is_integer(residual.type) else residual
            if size is not residual and size in self.elements:
                array, axis = self.elements[size]
                found[residual] = Value(residual.name, residual.type)
                self.at_entry.append(Let(found[residual], primitives.dim, (array, constant(axis))))
        return found

    def block(self, block: Block) -> Block:
        return Block(tuple(new for s in block.statements for new in self.statement(s)), block.yields)

    def statement(self, statement: Statement) -> list[Statement]:
        if not isinstance(statement, Let) or statement.operands[:1] == () or statement.operands[0] not in self.shells:
            return [with_blocks(statement, self.block)]
        array = statement.operands[0]
        builder = Builder()
        with builder.at(statement.location):
            if statement.function is primitives.dim:
                size = self.size(array, statement.operands[1].value, builder)
                builder.add(with_number(statement, size))
            else:
                sizes = tuple(self.size(array, axis, builder) for axis in range(array.type.ndim))
                dtype = Constant(array.type.dtype)
                builder.add(replace(statement, function=np.zeros, operands=(sizes, dtype), keywords=("dtype",)))
        return builder.statements

    def size(self, array: Value, axis: int, builder: Builder) -> Operand:
        """One size of a residual: a number, a size of another residual, or a residual of its own."""
        size = self.shapes.of(array)[axis]
        if isinstance(size, int):
            return constant(size)
        if size in self.elements:
            source, along = self.elements[size]
            return builder.dim(source, along)
        if isinstance(size, Value) and size in self.residuals:
            return size
        key = size if array in self.made else (array, axis)
        if key not in self.kept:
            made = noted_size(array, axis)
            self.forward.add(made)
            self.kept[key] = made.value
        return self.kept[key]


def _always_made(function: Function) -> set[Value]:
    """The values that are there whichever branches are taken: arrays of others may stand for none, and be empty."""
    made = set(function.parameters)
    for statement in function.body.statements:
        match statement:
            case Let():
                made.add(statement.value)
            case For() | While():
                pairs = zip(statement.results, statement.carried, strict=True)
                made.update(result for result, carried in pairs if carried.initial in made)
    return made


def _read_in(block: Block) -> Iterator[Value]:
    """What a block reads otherwise than for a shape."""
    for inner in blocks_in(block):
        yield from values_in(inner.yields)
    for statement in walk(block):
        if not isinstance(statement, Let) or statement.function not in (primitives.dim, primitives.zeros_like):
            yield from values_in(operands_of(statement))
