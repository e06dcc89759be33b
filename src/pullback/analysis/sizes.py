"""Sizes of axes: numbers, integers of the program, axes of arrays, and slices of them.

>>> from pullback.ir.builder import constant
>>> first = SliceSize(7, Slice(constant(2), None, None))
>>> first.leaves_off, sliced(first, Slice(constant(1), None, None)).leaves_off
(2, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from pullback import runtime
from pullback.ir.nodes import Constant, Effect, Slice, Statement, Value, values_in
from pullback.ir.types import INT

Size = Any  # int | Value | tuple[Value, int] | SliceSize | Form


@dataclass(frozen=True, slots=True)
class SliceSize:
    """The size of a slice of an axis."""

    size: Size
    part: Slice

    @property
    def leaves_off(self) -> int:
        """How many elements a slice of the form `[k:]` leaves off, k > 0; 0 for another one."""
        start = self.part.start if self.part.stop is None and self.part.step is None else None
        return start.value if isinstance(start, Constant) and start.value > 0 else 0


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """constant + the sum of coefficient * term; a term is an integer Value or the size (array, axis)."""

    constant: int
    terms: tuple[tuple[Size, int], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.constant == other.constant and set(self.terms) == set(other.terms)

    def __hash__(self) -> int:
        return hash((self.constant, frozenset(self.terms)))

    def plus(self, other: Form, factor: int = 1) -> Form:
        """This form plus `factor` times another."""
        sums = dict(self.terms)
        for term, coefficient in other.terms:
            sums[term] = sums.get(term, 0) + factor * coefficient
        kept = tuple((term, coefficient) for term, coefficient in sums.items() if coefficient)
        return Form(self.constant + factor * other.constant, kept)

    def moved(self, by: int) -> Form:
        return Form(self.constant + by, self.terms)

    def of_terms(self, named: Callable[[Size], Size]) -> Size:
        """The size that this form is of what stands for its terms."""
        names = {term: named(term) for term, _ in self.terms}
        if all(term is name or term == name for term, name in names.items()):
            return self
        total = Form(self.constant)
        for term, coefficient in self.terms:
            total = total.plus(form_of(names[term]) or Form(0, ((term, 1),)), coefficient)
        return total.as_size()

    def as_size(self) -> Size:
        """A form that is not negative as a size: a number, a single size, or one less a number, where it is that."""
        if not self.terms:
            return self.constant
        (term, coefficient), *others = self.terms
        if others or coefficient != 1 or self.constant > 0:
            return self
        return SliceSize(term, Slice(Constant(-self.constant, INT), None, None)) if self.constant else term

    def divided(self, by: int) -> Form | None:
        """This form divided by a number, rounded up; None where that depends on its terms."""
        if any(coefficient % by for _, coefficient in self.terms):
            return None
        return Form(-(-self.constant // by), tuple((term, c // by) for term, c in self.terms))

    def of(self, term: Size) -> int:
        """The coefficient of a term."""
        return next((coefficient for known, coefficient in self.terms if known == term), 0)


Shape = tuple[Size, ...]


def form_of(size: Size) -> Form | None:
    """A size as a form; None for that of a slice, which is not linear."""
    if isinstance(size, SliceSize):
        return None
    if isinstance(size, int):
        return Form(size)
    return size if isinstance(size, Form) else Form(0, ((size, 1),))


def values_of(size: Size) -> Iterator[Value]:
    """The values that a size is in terms of."""
    match size:
        case SliceSize():
            yield from (*values_of(size.size), *values_in(size.part))
        case Form():
            for term, _ in size.terms:
                yield from values_of(term)
        case _:
            yield from values_in(size)


def is_guard(statement: Statement) -> TypeGuard[Effect]:
    """Whether a statement leaves the function for its general form where sizes are not as this one assumes."""
    return isinstance(statement, Effect) and statement.operands[1:] == (Constant(runtime.SizesDiffer),)


def at_one_end(part: Slice) -> tuple[int, int] | None:
    """How many elements a slice has whose ends are constants counted from one end of an axis, and how many that needs.

    None for another slice: how many that has depends on how long the axis is.

    >>> from pullback.ir.builder import constant
    >>> at_one_end(Slice(constant(-3), constant(-1), None)), at_one_end(Slice(constant(-2), constant(5), None))
    ((2, 3), None)
    """
    start = 0 if part.start is None else part.start.value
    stop = None if part.stop is None else part.stop.value
    if start < 0 and (stop is None or stop < 0):
        count, least = (stop or 0) - start, -start
    elif start >= 0 and stop is not None and stop > 0:
        count, least = stop - start, stop
    else:
        return None
    return (count, least) if count > 0 else None


def sliced(size: Size, part: Slice) -> Size:
    """The size of a slice of an axis; one that leaves off ends is written as one that leaves off the beginning.

    >>> from pullback.ir.builder import constant
    >>> sliced(7, Slice(constant(1), constant(-1), None))
    5
    """
    items = (part.start, part.stop, part.step)
    if any(isinstance(item, Value) for item in items):
        return SliceSize(size, part)
    numbers = tuple(None if item is None else item.value for item in items)
    if isinstance(size, int):
        return len(range(size)[slice(*numbers)])
    start, stop, step = numbers[0] or 0, numbers[1], numbers[2] or 1
    if step == -1 and numbers[:2] == (None, None):
        return size
    if step != 1 or start < 0 or (stop is not None and stop >= 0):
        return SliceSize(size, part)
    left = start - (stop or 0)
    if isinstance(size, SliceSize) and size.leaves_off:
        size, left = size.size, left + size.leaves_off
    return SliceSize(size, Slice(Constant(left, INT), None, None)) if left else size
