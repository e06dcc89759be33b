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

from collections.abc import Callable, Mapping

import numpy as np

from pullback import runtime
from pullback.analysis.ranges import Form, Ranges
from pullback.analysis.shapes import CREATING, Shapes
from pullback.analysis.sizes import Size, SliceSize
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    blocks_of,
    type_of_operand,
    values_in,
)
from pullback.ir.types import is_integer


def find_slice_sizes(function: Function, shapes: Shapes) -> dict[Size, Size]:
    """For the size of each such slice the size that it is equal to."""
    return SliceSizes(function, shapes).found


def shapes_with_slices(function: Function, equal: Mapping[Size, Size] | None = None) -> Shapes:
    """The shapes of a function, in which such slices have the sizes that they are equal to.

    equal: other sizes that are equal.
    """
    equal = equal or {}
    return Shapes(function, {**equal, **find_slice_sizes(function, Shapes(function, equal))})


class SliceSizes:
    """The slices of a function whose ends are known to lie in their arrays.

    given: whether a size is known when the function is entered. Then a slice of such a size, that ends at such a place,
    is assumed to end in the array. found: the size of each slice that is equal to another one. assumed: the forms that
    are not negative if it is so. open: the lengths of slices without an end, as far as nothing else is known of them.
    lengths: the integers of the program that are lengths of slices so far. depths: in how many blocks an integer is
    made; it can stand for what is made in as many or more.
    """

    def __init__(self, function: Function, shapes: Shapes, given: Callable[[Size], bool] | None = None) -> None:
        self.shapes, self.given = shapes, given
        self.ranges = Ranges(shapes)
        self.differences: dict[Value, Form] = {}
        self.zeros: list[Form] = []
        self.found: dict[Size, Size] = {}
        self.assumed: dict[Form, None] = {}
        self.open: dict[Size, Form] = {}
        self.lengths: dict[Form, Value] = {}
        self.depth, self.depths = 0, dict[Value, int]()
        self.block(function.body)

    def block(self, block: Block) -> None:
        facts, lengths = len(self.ranges.facts), dict(self.lengths)
        self.depth += 1
        for statement in block.statements:
            self.statement(statement)
        self.depth -= 1
        del self.ranges.facts[facts:]
        self.lengths = lengths

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                self.let(statement)
            case Effect(
                function=primitives.check, operands=(Value() as condition, Constant(value=runtime.SizesDiffer))
            ):
                self.ranges.facts += self.ranges.conditions.get(condition, ())
                self.zeros += [self.differences[condition]] if condition in self.differences else []
        facts = []
        if isinstance(statement, For):
            facts = self.ranges.loop_facts(statement)
            self.depths[statement.index] = self.depth + 1
        self.ranges.facts += facts
        for block in blocks_of(statement):
            self.block(block)
        if facts:
            del self.ranges.facts[-len(facts) :]

    def let(self, statement: Let) -> None:
        self.ranges.note(statement)
        self.depths[statement.value] = self.depth
        operands = statement.operands
        if statement.function is np.equal and all(is_integer(o.type) for o in operands):
            self.differences[statement.value] = self.ranges.form(operands[0]).plus(self.ranges.form(operands[1]), -1)
        elif statement.function is np.arange and len(operands) == 1 and is_integer(type_of_operand(operands[0])):
            self.counted(statement.value, operands[0])
        elif statement.function in CREATING:
            self.ranges.facts += [self.ranges.form(size) for size in _sizes(statement)]
        elif statement.function in (primitives.load, primitives.store):
            self.access(operands[0], operands[1])

    def counted(self, array: Value, stop: Operand) -> None:
        """Note the size of `np.arange(stop)` if it is known, or assumed, that `stop` is not negative."""
        form = self.ranges.form(stop)
        if isinstance(stop, Value) and (self.is_proved(form) or self.is_assumed(form)):
            self.found[array, 0] = self.shapes.size(stop)

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
        if whole is None or all(end is None or isinstance(end, Constant) for end in (start, stop)):
            return
        first = self.ranges.form(start)
        last = whole if stop is None else self.ranges.form(stop)
        length, rest = last.plus(first, -1), whole.plus(last, -1)
        known = next((size for size in map(_size_of, self.equal_to(length)) if size is not None), None)
        if not self.is_proved(first):
            return
        if start == constant(0) and isinstance(stop, Value):
            self.lengths.setdefault(length, stop)
        made = self.lengths.get(length)
        if known is None and made is not None and self.depths.get(made, 0) <= self.depth_of(part):
            known = made
        if known is None or not self.is_proved(length):
            if stop is None:
                self.open[SliceSize(size, part)] = length
        elif self.is_proved(rest) or self.is_assumed(rest):
            self.found[SliceSize(size, part)] = known

    def depth_of(self, part: Slice) -> int:
        """The depth of the block that makes the last of the ends of a slice."""
        return max((self.depths.get(value, 0) for value in values_in(part)), default=0)

    def equal_to(self, form: Form) -> list[Form]:
        """A form, and others that are equal to it behind the checks at the entry."""
        return [form, *(form.plus(zero, factor) for zero in self.zeros for factor in (-1, 1))]

    def is_proved(self, form: Form) -> bool:
        """Whether a form, or a multiple of it, is proved to be >= 0."""
        factors = {abs(coefficient) for zero in self.zeros for _, coefficient in zero.terms}
        return any(self.ranges.is_never_negative(Form(0).plus(form, factor)) for factor in sorted(factors | {1}))

    def is_assumed(self, form: Form) -> bool:
        """Whether a form is assumed not to be negative from here on."""
        if self.given is None or not all(self.given(term) for term, _ in form.terms):
            return False
        self.assumed[form] = None
        return True


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
