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

from collections.abc import Callable, Iterable, Mapping
from functools import reduce

import numpy as np

from pullback import runtime
from pullback.analysis.assumptions import Assumptions
from pullback.analysis.progressions import Progression, progression_of
from pullback.analysis.quotients import Quotients
from pullback.analysis.ranges import Ranges
from pullback.analysis.shape_rules import JOINING
from pullback.analysis.shapes import CREATING, Shapes
from pullback.analysis.sizes import Form, Shape, Size, SliceSize, at_one_end, sliced
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
from pullback.ir.types import Array, is_integer

Carried = tuple[Form, int]


def find_slice_sizes(function: Function, shapes: Shapes) -> dict[Size, Size]:
    """For the size of each such slice the size that it is equal to."""
    return SliceSizes(function, shapes).found


def shapes_with_slices(function: Function, equal: Mapping[Size, Size] | None = None) -> Shapes:
    """The shapes of a function, in which such slices have the sizes that they are equal to.

    equal: other sizes that are equal.
    """
    equal = equal or {}
    return Shapes(function, {**equal, **find_slice_sizes(function, Shapes(function, equal))})


class SliceSizes(Assumptions):
    """The slices of a function whose ends are known to lie in their arrays, and arrays of numbers that are counted.

    A slice of a given size, that ends at a given place, is assumed to end in the array.

    found: the size of each slice that is equal to another one. open: the lengths of slices without an end, as far as
    nothing else is known of them. lengths: the integers of the program that are lengths of slices so far. depths: in
    how many blocks an integer is made; it can stand for what is made in as many or more. growth: by how much the size
    of an axis of a carried array exceeds that of an iteration whose index is one less, as far as that is guessed
    (`analysis/carried_sizes.py`). refuted: the guesses that the loop does not keep to. ends: the sizes of what a block
    yields, as forms, by its identity.
    """

    def __init__(
        self,
        function: Function,
        shapes: Shapes,
        given: Callable[[Size], bool] | None = None,
        forms: bool = False,
        growth: Mapping[Size, int] | None = None,
        assumed: Iterable[Form] = (),
    ) -> None:
        super().__init__(shapes, given, forms, assumed)
        self.growth = growth or {}
        self.quotients = Quotients(self.ranges)
        self.differences: dict[Value, Form] = {}
        self.found: dict[Size, Size] = {}
        self.refuted: set[Size] = set()
        self.ends: dict[int, list[tuple[Form | None, ...]]] = {}
        self.open: dict[Size, Form] = {}
        self.lengths: dict[Form, Value] = {}
        self.depth, self.depths = 0, dict[Value, int]()
        self.unknown: set[Size] = set()
        self.block(function.body)
        self.found = {key: size for key, size in self.found.items() if key not in self.unknown}

    def block(self, block: Block) -> None:
        facts, lengths = len(self.ranges.facts), dict(self.lengths)
        self.depth += 1
        for statement in block.statements:
            self.statement(statement)
        if self.forms:
            self.ends[id(block)] = [tuple(map(self.exact, self.shapes.of(operand))) for operand in block.yields]
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
        carried: dict[Size, Carried] = {}
        if isinstance(statement, For):
            facts = self.ranges.loop_facts(statement)
            self.depths[statement.index] = self.depth + 1
            carried = self.carried_sizes(statement)
            facts += [form for form, _ in carried.values()]
            self.loops.append(statement)
        self.ranges.facts += facts
        for block in blocks_of(statement):
            self.block(block)
        if isinstance(statement, For):
            self.loops.pop()
        if facts:
            del self.ranges.facts[-len(facts) :]
        if isinstance(statement, For) and carried:
            self.check_carried(statement, carried)

    # Arrays that loops carry

    def carried_sizes(self, loop: For) -> dict[Size, Carried]:
        """The sizes of carried arrays as they are guessed: forms in the index, and by how much they grow with it."""
        found: dict[Size, Carried] = {}
        if loop.step not in (constant(1), constant(-1)) or not self.growth:
            return found
        index, (first, _) = Form(0, ((loop.index, 1),)), self.ranges.first_and_move(loop)
        for carried in loop.carried:
            for axis in range(ndim_of(carried.parameter)):
                size = carried.parameter, axis
                if size not in self.growth:
                    continue
                initial = self.shapes.of(carried.initial)
                start = self.exact(initial[axis]) if initial else None
                if start is None:
                    self.refuted.add(size)
                    continue
                form = start.plus(index.plus(first, -1), self.growth[size])
                found[size] = form, self.growth[size]
                self.found[size] = form.as_size()
        return found

    def check_carried(self, loop: For, carried: Mapping[Size, Carried]) -> None:
        """Refute the guesses that an iteration does not keep to; note the sizes after the loop of the others."""
        _, move = self.ranges.first_and_move(loop)
        trips = self.ranges.form(loop.stop).plus(self.ranges.form(loop.start), -1)
        trips = Form(0).plus(trips, loop.step.value)
        places = {c.parameter: k for k, c in enumerate(loop.carried)}
        for (parameter, axis), (form, growth) in carried.items():
            k = places[parameter]
            after = self.ends[id(loop.body)][k]
            if not after or after[axis] != form.moved(growth * move):
                self.refuted.add((parameter, axis))
            elif not growth or (not loop.exits and (self.is_proved(trips) or self.is_assumed(trips))):
                start = self.exact(self.shapes.of(loop.carried[k].initial)[axis])
                assert start is not None, "the guess is built on it"
                self.found[loop.results[k], axis] = start.plus(trips, growth * move).as_size()

    # Statements

    def let(self, statement: Let) -> None:
        self.ranges.note(statement)
        self.quotients.note(statement, self.depth == 1)
        self.depths[statement.value] = self.depth
        operands = statement.operands
        if self.forms and statement.function is max and (form := self.ranges.forms.get(statement.value)) is not None:
            self.found[statement.value] = form.as_size()
        if statement.function is np.equal and all(is_integer(o.type) for o in operands):
            self.differences[statement.value] = self.ranges.form(operands[0]).plus(self.ranges.form(operands[1]), -1)
        elif statement.function is np.arange and len(operands) == 1 and is_integer(type_of_operand(operands[0])):
            self.counted(statement.value, operands[0])
        elif self.forms and (progression := progression_of(statement)) is not None:
            self.counted_in_steps(statement.value, progression)
        elif statement.function in JOINING and self.forms:
            self.joined(statement)
        elif statement.function in CREATING:
            self.ranges.facts += [self.ranges.form(size) for size in _sizes(statement)]
        elif statement.function in (primitives.load, primitives.store):
            self.access(operands[0], operands[1])

    def counted(self, array: Value, stop: Operand) -> None:
        """Note the size of `np.arange(stop)` if it is known, or assumed, that `stop` is not negative."""
        form = self.ranges.form(stop)
        if isinstance(stop, Value) and (self.is_proved(form) or self.is_assumed(form)):
            self.found[array, 0] = form.as_size() if self.forms else self.shapes.size(stop)

    def counted_in_steps(self, value: Value, numbers: Progression) -> None:
        """Note the size of `np.arange(start, stop, step)` likewise, where it is linear."""
        array = value, 0
        is_known = self.shapes.of(value) != (array,) and array not in self.shapes.equal
        distance = self.ranges.form(numbers.stop).plus(self.ranges.form(numbers.start), -1)
        length = distance.divided(numbers.step)
        if not is_known and length is not None and (self.is_proved(length) or self.is_assumed(length)):
            self.found[array] = length.as_size()

    def joined(self, statement: Let) -> None:
        """Note the size of arrays one behind the other, of which all sizes are known."""
        for axis in range(ndim_of(statement.value)):
            array = statement.value, axis
            *_, parts = self.shapes.joined.get(array, [None])
            forms = [self.length(part) for part in parts or ()]
            known = [form for form in forms if form is not None]
            if known and len(known) == len(forms):
                self.found[array] = reduce(Form.plus, known).as_size()

    def length(self, size: Size) -> Form | None:
        """A size as a form; in loops, an array is assumed to have as many elements as a slice leaves off."""
        if not isinstance(size, SliceSize) or not size.leaves_off:
            return self.exact(size)
        whole = self.exact(size.size)
        left = None if whole is None else whole.moved(-size.leaves_off)
        is_left = left is not None and (self.is_proved(left) or (self.depth > 1 and self.is_assumed(left)))
        return left if is_left else None

    def access(self, array: Value, path: tuple[object, ...]) -> None:
        shape: Shape | None = self.shapes.of(array)
        for step in path:
            if shape is None or (isinstance(step, Index) and Constant(Ellipsis) in step.items):
                return
            if isinstance(step, Index):
                self.step(shape, step)
            shape = self.shapes.part(shape, (step,))

    def step(self, shape: Shape, step: Index) -> None:
        """Note the sizes of the slices in one step of a path, of an array of this shape."""
        axes = iter(shape)
        for item in step.items:
            if item == Constant(None):
                continue
            size = next(axes)
            if isinstance(item, Slice):
                self.slice_of(size, item)

    def slice_of(self, size: Size, part: Slice) -> None:
        """Note the size of a slice. One that is not known wherever the slice is taken is not noted."""
        name = sliced(size, part)
        if name == size:
            return  # the whole axis, forwards or backwards
        ends = [self.ranges.form(end) for end in (part.start, part.stop) if end is not None]
        self.quotients.at_ends.update(term for form in ends for term, _ in form.terms)
        self.found.pop(name, None)
        if part.step in (None, constant(1)):
            self.part(size, part)
        if self.forms and name not in self.found:
            self.strided(size, part)
        if name not in self.found:
            self.unknown.add(name)

    def part(self, size: Size, part: Slice) -> None:
        """Note the size of one slice if it is known."""
        start, stop = part.start or constant(0), part.stop
        whole = self.ranges.of_size(size)
        if whole is None:
            return
        if isinstance(start, Constant) and (stop is None or isinstance(stop, Constant)):
            self.few(size, part, whole)
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

    def few(self, size: Size, part: Slice, whole: Form) -> None:
        """Note the size of a slice between constant places near one end of an array, if that is as long, or may be."""
        found = at_one_end(part)
        if found is None:
            return
        count, least = found
        rest = whole.moved(-least)
        if self.is_proved(rest) or self.is_assumed(rest):
            self.found[SliceSize(size, part)] = count

    def strided(self, size: Size, part: Slice) -> None:
        """Note the size of a slice as a form, where its ends lie in the array."""
        name, step = sliced(size, part), part.step or constant(1)
        whole = self.ranges.of_size(size)
        if not isinstance(name, SliceSize) or whole is None or not isinstance(step, Constant) or step.value < 1:
            return
        if step == constant(1) and not isinstance(size, Form):
            is_cut = all(end is None or isinstance(end, Constant) for end in (part.start, part.stop))
            if is_cut:
                return
        first, last = self.place(part.start, whole, Form(0)), self.place(part.stop, whole, whole)
        length, rest = last.plus(first, -1), whole.plus(last, -1)
        divided = length.divided(step.value)
        if divided is None:
            known = self.rounded(length, step.value, [first, rest, *([last] if isinstance(part.stop, Value) else [])])
        else:
            is_known = all(self.is_proved(form) for form in (first, last, divided))
            known = divided.as_size() if is_known and (self.is_proved(rest) or self.is_assumed(rest)) else None
        if known is not None:
            self.open.pop(name, None)
            self.found[name] = known

    def rounded(self, length: Form, step: int, ends: list[Form]) -> Size | None:
        """The length of a slice that its step does not divide, if it is assumed that what says so is not negative.

        As the function has the length from its entry on, what loops know does not count.
        """
        needed = [length.moved(step - 1), *ends]
        if self.given is None or not all(self.given(term) for form in needed for term, _ in form.terms):
            return None
        known, sizes = self.quotients.rounded_up(length, step), Ranges(self.shapes)
        is_inside = known is not None and all(sizes.is_never_negative(f) or self.is_assumed(f) for f in needed)
        return known if is_inside else None

    def place(self, end: Operand | None, whole: Form, default: Form) -> Form:
        """An end of a slice, counted from the start of the array."""
        if end is None:
            return default
        form = self.ranges.form(end)
        return whole.plus(form) if isinstance(end, Constant) and end.value < 0 else form

    def depth_of(self, part: Slice) -> int:
        """The depth of the block that makes the last of the ends of a slice."""
        return max((self.depths.get(value, 0) for value in values_in(part)), default=0)


def ndim_of(value: Value) -> int:
    """How many axes a value has."""
    return value.type.ndim if isinstance(value.type, Array) else 0


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
