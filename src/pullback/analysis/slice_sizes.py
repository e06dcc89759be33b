"""Slice sizes: how long a slice between two indices is, where both are proved to lie in the array.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(image, k):
...     y = np.zeros(image.shape[0] - 4)
...     for i in range(5):
...         y += image[i : i + y.shape[0]]  # as long as y, since 0 <= i and i + y.shape[0] <= image.shape[0]
...     return y + image[k : k + y.shape[0]]  # k may be anything
>>> function = normal_form(f, np.ones(9), 2)
>>> shapes, values = Shapes(function), values_by_name(function)
>>> found = find_slice_sizes(function, shapes)
>>> [(part.part.start.name, found[part] == shapes.of(values["y"])[0]) for part in found]
[('i', True)]
"""

from __future__ import annotations

import numpy as np

from pullback.analysis.ranges import Form, Ranges
from pullback.analysis.shapes import Shapes, Size, SliceSize
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, For, Function, Index, Let, Operand, Slice, Statement, Value, blocks_of

_CREATING = {np.zeros, np.ones, np.empty, np.full}


def find_slice_sizes(function: Function, shapes: Shapes) -> dict[Size, Size]:
    """For the size of each such slice the size that it is equal to."""
    finder = _Finder(shapes)
    finder.block(function.body)
    return finder.found


class _Finder:
    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.ranges = Ranges(shapes)
        self.found: dict[Size, Size] = {}

    def block(self, block: Block) -> None:
        facts = len(self.ranges.facts)
        for statement in block.statements:
            self.statement(statement)
        del self.ranges.facts[facts:]

    def statement(self, statement: Statement) -> None:
        if isinstance(statement, Let):
            self.ranges.note(statement)
            if statement.function in _CREATING:
                self.ranges.facts += [self.ranges.form(size) for size in _sizes(statement)]
            elif statement.function in (primitives.load, primitives.store):
                self.access(statement.operands[0], statement.operands[1])
        facts = self.ranges.loop_facts(statement) if isinstance(statement, For) else []
        self.ranges.facts += facts
        for block in blocks_of(statement):
            self.block(block)
        if facts:
            del self.ranges.facts[-len(facts) :]

    def access(self, array: Value, path: tuple[object, ...]) -> None:
        if len(path) != 1 or not isinstance(path[0], Index) or Constant(Ellipsis) in path[0].items:
            return
        axes = iter(self.shapes.of(array))
        for item in path[0].items:
            if item == Constant(None):
                continue
            size = next(axes)
            if isinstance(item, Slice) and item.step in (None, constant(1)):
                self.part(size, item)

    def part(self, size: Size, part: Slice) -> None:
        """Note the size of one slice if it is known."""
        start, stop = part.start or constant(0), part.stop
        whole = self.ranges.of_size(size)
        if whole is None or stop is None or (isinstance(start, Constant) and isinstance(stop, Constant)):
            return
        first, last = self.ranges.form(start), self.ranges.form(stop)
        length = last.plus(first, -1)
        if all(map(self.ranges.is_never_negative, (first, length, whole.plus(last, -1)))):
            known = _size_of(length)
            if known is not None:
                self.found[SliceSize(size, part)] = known


def _sizes(statement: Let) -> list[Operand]:
    """The sizes that an array is made with, which cannot be negative once it is there."""
    shape = statement.operands[0]
    sizes = shape if isinstance(shape, tuple) else (shape,)
    return [size for size in sizes if isinstance(size, Value)]


def _size_of(form: Form) -> Size | None:
    """A linear form as a size, where it is a single size less a number; else None."""
    if not form.terms:
        return form.constant
    if len(form.terms) > 1 or form.terms[0][1] != 1 or form.constant > 0:
        return None
    term = form.terms[0][0]
    return SliceSize(term, Slice(constant(-form.constant), None, None)) if form.constant else term
