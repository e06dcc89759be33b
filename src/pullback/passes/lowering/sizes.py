"""Sizes: what a function assumes of the sizes of its arguments.

>>> from pullback.frontend.build import normal_form
>>> def added(x, y):
...     return x + y
>>> sizes = Sizes(normal_form(added, np.ones(3), np.ones(3)))
>>> sizes.assumed
{(x: float64[:], 0): (y: float64[:], 0)}
>>> [statement.function.__name__ for statement in sizes.guards()]
['dim', 'dim', 'equal', 'check']

Where arrays of arguments meet in arithmetic, an axis of one is as long as that of the other, or has size 1. The second
is rare: a function is lowered for equal sizes, and what it assumes is checked when it is entered. So it is where an
extremum is looked for, which raises an error if nothing is there to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.carried_sizes import find_carried_sizes
from pullback.analysis.extents import extent
from pullback.analysis.ranges import Ranges
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Shape, Size, SliceSize
from pullback.analysis.slice_sizes import SliceSizes
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Constant, Function, Let, Operand, Statement, Value


class Sizes:
    """The shapes of a function under the assumption that the sizes of arguments agree where arrays meet.

    products: also where a product sums over them, which raises an error if they differ. least: for the size of arrays
    one behind the other the size that it is equal to, of which a slice leaves off as many elements as are joined to it,
    and how many these are. not_empty: the sizes that are assumed not to be 0. not_negative: the forms that are assumed
    not to be negative, by which slices end in their arrays and loops that change sizes have iterations. agreeing: the
    sizes that are assumed to agree from the start, of what the function is given.
    """

    def __init__(
        self,
        function: Function,
        products: bool = True,
        entry: tuple[Let, ...] = (),
        agreeing: Mapping[Size, Size] = MappingProxyType({}),
    ) -> None:
        """entry: the first statements of the function, which compute integers from what it is given."""
        self.products, self.agreeing = products, agreeing
        self.given = {*function.parameters, *(let.value for let in entry)}
        self.not_empty: dict[Size, None] = {}
        self.refused: set[Size] = set()
        while True:
            self._settle(function)
            wrong = set(filter(self._is_wrong, self.least))
            if not wrong:
                break
            self.refused |= wrong

    def _is_wrong(self, joined: Size) -> bool:
        """Whether arrays one behind the other turn out not to be as long as was assumed: the loop changes the parts."""
        size, number = self.least[joined]
        return self._moved(self.shapes.joined[joined][-1]) != (self._named(size), number)

    def _settle(self, function: Function) -> None:
        """Assume sizes to agree until there is nothing more to assume."""
        self.known: dict[Size, Size] = {}
        self.assumed: dict[Size, Size] = dict(self.agreeing)
        self.least: dict[Size, tuple[Size, int]] = {}
        self.not_negative: dict[Form, None] = {}
        self.shapes = Shapes(function, self.assumed)
        self.slices = self._survey(function)
        while self._assume() or self._assume_lengths() or self._assume_joined():
            self.slices = self._survey(function)

    def _survey(self, function: Function) -> SliceSizes:
        """Take in what follows from the sizes that are assumed."""
        found = find_carried_sizes(function, self.known | self.assumed, self.is_given, self.not_negative)
        self.not_negative |= found.slices.assumed
        self.known |= {key: size for key, size in found.equal.items() if key not in self.assumed}
        self.shapes = Shapes(function, self.known | self.assumed)
        return found.slices

    def _pairs(self) -> Iterator[tuple[Size, Size]]:
        """The sizes that meet, of which no part of one is the other."""
        for *pair, summed in self.shapes.unsure:
            one, other = map(self._named, pair)
            if (self.products or not summed) and self._base(one) != self._base(other) and self._may_agree(one, other):
                yield one, other

    def _may_agree(self, one: Size, other: Size) -> bool:
        """Whether sizes are not linear forms that differ by a number."""
        ranges = Ranges(self.shapes)
        a, b = ranges.of_size(one), ranges.of_size(other)
        difference = None if a is None or b is None else a.plus(b, -1)
        return difference is None or bool(difference.terms) or not difference.constant

    def _assume(self) -> bool:
        """Take in the sizes that have to agree; whether there were new ones."""
        before = len(self.assumed)
        for pair in self._pairs():
            one, other = map(self._named, self.slices.quotients.bases(*pair))
            if not (self.is_given(one) and self.is_given(other)):
                one, other = self._wholes(one, other)
            if one != other and self.is_given(one) and self.is_given(other):
                first, second = (other, one) if isinstance(one, int) or isinstance(other, Form) else (one, other)
                if not isinstance(first, int):
                    self.assumed[first] = second
        return len(self.assumed) > before

    def _assume_lengths(self) -> bool:
        """Take in the lengths that slices without an end have to have; whether there were new ones."""
        before = len(self.assumed)
        for one, other in self._pairs():
            for part, size in ((one, other), (other, one)):
                if self._length(part) is not None and self.is_given(size) and part not in self.assumed:
                    self.assumed[part] = size
        return len(self.assumed) > before

    def _assume_joined(self) -> bool:
        """Take in the sizes of arrays that are as long as one that is cut at one end, and lengthened at the other."""
        before = len(self.least)
        for joined, taken in self.shapes.joined.items():
            moved = next((moved for sizes in taken if (moved := self._moved(sizes)) is not None), None)
            if moved is not None and joined not in self.refused and joined not in self.assumed:
                self.least[joined] = moved
                self.assumed[joined] = moved[0]
        return len(self.least) > before

    def _moved(self, sizes: Shape) -> tuple[Size, int] | None:
        """The size that a slice leaves as many elements off as the other sizes have, and how many, if it is given."""
        number = sum(size for size in sizes if isinstance(size, int))
        others = [size for size in sizes if not isinstance(size, int)]
        if len(others) != 1 or not isinstance(others[0], SliceSize) or not 0 < others[0].leaves_off == number:
            return None
        whole = self._named(others[0].size)
        return (whole, number) if self.is_given(whole) else None

    def _wholes(self, one: Size, other: Size) -> tuple[Size, Size]:
        """Two sizes; where they differ as sizes of arrays do, of which the same part is taken, these sizes."""
        while isinstance(one, SliceSize) and isinstance(other, SliceSize) and one.part == other.part:
            one, other = self._named(one.size), self._named(other.size)
        a, b = (self.slices.open.get(size) or self.slices.ranges.of_size(size) for size in (one, other))
        match None if a is None or b is None else a.plus(b, -1):
            case Form(constant=0, terms=((first, 1), (second, -1)) | ((second, -1), (first, 1))):
                return self._named(first), self._named(second)
        return one, other

    def _length(self, part: Size) -> Form | None:
        """The length of a slice without an end, where it is known when the function is entered."""
        form = self.slices.open.get(part) if isinstance(part, SliceSize) else None
        return form if form is not None and all(self.is_given(term) for term, _ in form.terms) else None

    def _named(self, size: Size) -> Size:
        while size in self.assumed:
            size = self.assumed[size]
        return size

    def _renamed(self, form: Form) -> Form:
        """A form of the sizes that others are assumed to agree with."""
        total = Form(form.constant)
        for term, coefficient in form.terms:
            named = self.slices.ranges.of_size(self._named(term)) or Form(0, ((term, 1),))
            total = total.plus(named, coefficient)
        return total

    def _base(self, size: Size) -> Size:
        """What a size is a part of; sizes of one base differ, or are the same."""
        size = self._named(size)
        return self._base(size.size) if isinstance(size, SliceSize) else size

    def is_given(self, size: Size) -> bool:
        """Whether a size is known when the function is entered."""
        match size:
            case int():
                return True
            case Value():
                return size in self.given
            case SliceSize():
                return bool(size.leaves_off) and self.is_given(size.size)
            case Form():
                return all(self.is_given(term) for term, _ in size.terms)
        return size[0] in self.given

    def assume_not_empty(self, sizes: list[Size]) -> bool:
        """Take in that sizes are not 0; whether all of them are such, or known when the function is entered."""
        named = [self._named(size) for size in sizes]
        if not all(size > 0 if isinstance(size, int) else self.is_given(size) for size in named):
            return False
        self.not_empty |= {size: None for size in named if not isinstance(size, int)}
        return True

    def agreed(self) -> dict[Size, Size]:
        """The sizes of arrays that are given, which are assumed to be other such sizes, or numbers."""
        return {one: other for one, other in self.assumed.items() if one not in self.least and _is_axis(one)}

    def guards(self) -> list[Statement]:
        """The statements that leave the function unless the sizes are as assumed."""
        builder = Builder()
        differ = Constant(runtime.SizesDiffer)
        for one, other in self.assumed.items():
            if one in self.least or (isinstance(one, SliceSize) and not one.leaves_off):
                continue
            agree = builder.let(np.equal, extent(one, builder), extent(other, builder))
            builder.effect(primitives.check, agree, differ)
        for size in self.not_empty:
            builder.effect(primitives.check, builder.let(np.greater, extent(size, builder), constant(0)), differ)
        self._guard_slices(builder)
        return builder.statements

    def guards_of_joined(self) -> list[Statement]:
        """The statements that leave the function unless there is enough of arrays to be cut off."""
        builder = Builder()
        for size, number in dict.fromkeys(self.least.values()):
            _check(builder, np.less_equal, Form(-number, ((size, 1),)))
        return builder.statements

    def _guard_slices(self, builder: Builder) -> None:
        """Checks of where slices end, but for what follows from others."""
        slices, ranges = self.slices, self.slices.ranges
        ranges.facts.clear()  # What is assumed is a fact to the analysis; here it has to follow from checks.
        parts = {part: form for part, form in slices.open.items() if part in self.assumed}
        pairs = [(form, ranges.of_size(self._named(part))) for part, form in parts.items()]
        slices.zeros = list(dict.fromkeys(form.plus(size, -1) for form, size in pairs if size is not None))
        for zero in slices.zeros:
            _check(builder, np.equal, zero)
            ranges.facts += [zero, Form(0).plus(zero, -1)]
        for form in sorted(map(self._renamed, self.not_negative), key=lambda form: form.constant):
            if not slices.is_proved(form):
                _check(builder, np.less_equal, form)
                ranges.facts.append(form)


def _is_axis(size: Size) -> bool:
    return isinstance(size, tuple)


def _check(builder: Builder, comparison: Callable[..., Any], form: Form) -> None:
    """A check of a form: that it is 0, or not negative."""
    below = _written(builder, [(t, -c) for t, c in form.terms if c < 0], max(-form.constant, 0))
    above = _written(builder, [(t, c) for t, c in form.terms if c > 0], max(form.constant, 0))
    sides = (above, below) if comparison is np.equal else (below, above)
    builder.effect(primitives.check, builder.let(comparison, *sides), Constant(runtime.SizesDiffer))


def _written(builder: Builder, terms: list[tuple[Size, int]], number: int) -> Operand:
    """The sum of a number and of sizes times their coefficients."""
    total: Operand = constant(number)
    for size, coefficient in terms:
        part = extent(size, builder)
        part = part if coefficient == 1 else builder.let(np.multiply, constant(coefficient), part)
        total = part if total == constant(0) else builder.let(np.add, total, part)
    return total
