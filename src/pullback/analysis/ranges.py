"""Ranges of integers: linear forms in sizes, loop indices and other integers, and what can be proved of them.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import walk
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     s = 0.0
...     for i in range(1, x.shape[0] - 1):
...         s += x[i + 1] - x[i + 2]
...     return s
>>> function = prepared(normal_form(f, np.ones(3)))
>>> loop = next(s for s in function.body.statements if isinstance(s, For))
>>> lets = [s for s in walk(function.body) if isinstance(s, Let)]
>>> ranges = Ranges(Shapes(function))
>>> for let in lets:
...     ranges.note(let)
>>> ranges.facts += ranges.loop_facts(loop)  # i - 1 >= 0 and n - 2 - i >= 0, where n is the size of x
>>> indices = [let.operands[1][0].items[0] for let in lets if let.function is primitives.load]
>>> [ranges.is_inside(index, (function.parameters[0], 0)) for index in indices]  # i + 1, i + 2
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Container
from itertools import chain
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size, SliceSize
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Carried, Constant, For, If, Let, Operand, Value, is_undefined, results_of
from pullback.ir.types import Scalar

MOST_STEPS = 4
MOST_PARTS = 9
"""Up to so many equal parts of something each multiple of one part is known to be no more than the whole."""


Of = Callable[[Operand], Form]

_NON_NEGATIVE = {runtime.counted, runtime.chunk_length, runtime.folded}


class Ranges:
    """Linear forms of the integers of a function, and the facts (forms >= 0) that hold at one point of it."""

    def __init__(self, shapes: Shapes, selections: bool = False, exact: bool = False) -> None:
        """`selections`: also of integers that are the last iteration of a loop in which some condition held.

        `exact`: the size of a slice is a form only where that is proved not to be negative.
        """
        self.shapes, self.selections, self.exact = shapes, selections, exact
        self.selected: dict[Value, Form] = {}
        self.forms: dict[Value, Form] = {}
        self.slices: dict[Value, frozenset[Form]] = {}  # those in the form of an integer that stand for 0 if negative
        self.with_sizes: dict[Value, Form] = {}  # the form of such an integer, in which these sizes are terms
        self.conditions: dict[Value, tuple[Form, ...]] = {}
        self.refuted: dict[Value, tuple[Form, ...]] = {}
        self.facts: list[Form] = []

    def form(self, operand: Operand) -> Form:
        """An integer operand as a form."""
        if isinstance(operand, Constant):
            return Form(int(operand.value))
        assert isinstance(operand, Value), "an index is a number"
        known = self.forms.get(operand) or self.of_size(self.shapes.size(operand))
        return known or Form(0, ((operand, 1),))

    def slices_in(self, operand: Operand) -> frozenset[Form]:
        """The forms of sizes of slices in that of an integer, each of which stands for 0 where it is negative."""
        if not isinstance(operand, Value) or self.exact:
            return frozenset()
        if operand in self.forms:
            return self.slices.get(operand, frozenset())
        size = self.shapes.size(operand)
        return frozenset({self.form(operand)} if isinstance(size, SliceSize) and self.of_size(size) else ())

    def sure(self, operand: Operand, least: Form | None = None) -> Form:
        """An integer as a form that is equal to it: where a slice may be empty, its size is a term.

        least: what the integer is known not to be below. A slice whose size is above 0 is not empty.
        """
        form, slices = self.form(operand), self.slices_in(operand)
        if least is not None and slices == {form} and self.is_never_negative(least.moved(-1)):
            return form
        if all(map(self.is_never_negative, slices)):
            return form
        return self.with_sizes.get(operand) or Form(0, ((operand, 1),))

    def least(self, operand: Operand) -> Form:
        """A form that an integer is not below: the size of a slice is not below its form."""
        form = self.form(operand)
        return form if self.slices_in(operand) == {form} else self.sure(operand)

    def of_size(self, size: Size) -> Form | None:
        """The size of an axis as a form; for a slice that leaves off ends, a negative form stands for 0."""
        if isinstance(size, int):
            return Form(size)
        if isinstance(size, Form):
            return size
        if isinstance(size, SliceSize):
            form = self.of_slice(size)
            is_wrong = self.exact and form is not None and not self.is_never_negative(form)
            return None if is_wrong else form
        if isinstance(size, Value) and size in self.forms:
            return self.least(size)
        return Form(0, ((size, 1),))

    def of_slice(self, size: SliceSize) -> Form | None:
        whole, part = self.of_size(size.size), size.part
        start, stop = part.start or Constant(0), part.stop or Constant(0)
        plain = part.step in (None, constant(1)) and isinstance(start, Constant) and isinstance(stop, Constant)
        if whole is None or not plain or start.value < 0 or stop.value > 0 or (part.stop and not stop.value):
            return None
        return whole.moved(stop.value - start.value)

    def note(self, statement: Let) -> None:
        """Take in an integer, or a comparison of integers. Narrow ones wrap around: a sum of them is not their form."""
        made = _FORMS.get(statement.function)
        if made is not None and _is_int(statement.value) and statement.value.type.dtype == "int64":
            form = made(self, self.form, *statement.operands[:2])
            if form is not None:
                self.forms[statement.value] = form
                slices = frozenset(chain.from_iterable(map(self.slices_in, _integers(statement.operands[:2]))))
                with_sizes = made(self, self.sure, *statement.operands[:2]) if slices else None
                if with_sizes is not None:
                    self.slices[statement.value], self.with_sizes[statement.value] = slices, with_sizes
        if statement.function is np.remainder and _is_int(statement.value):
            self.facts += self.of_remainder(statement)
        if statement.function is np.floor_divide and _is_int(statement.value):
            self.facts += self.of_quotient(statement)
        if self.exact and statement.function is max and statement.operands[1:] == (constant(0),):
            form = self.form(statement.operands[0])
            if _is_int(statement.value) and self.is_never_negative(form):
                self.forms[statement.value] = form
        if statement.function is max and _is_int(statement.value):
            self.facts += [self.sure(statement.value).plus(self.sure(o), -1) for o in statement.operands]
        if statement.function is min and _is_int(statement.value):
            self.facts += [self.sure(o).plus(self.sure(statement.value), -1) for o in statement.operands]
        if statement.function is runtime.slice_end:
            end, least, size = map(self.sure, (statement.value, *statement.operands[1:]))
            self.facts += [end.plus(least, -1), size.plus(end, -1)]
        if statement.function in _NON_NEGATIVE or self.is_product(statement):
            self.facts.append(self.form(statement.value))
        if statement.function in _COMPARISONS and all(map(_is_int, statement.operands)):
            self.compare(statement)

    def compare(self, statement: Let) -> None:
        """Take in what is >= 0 where a comparison of integers holds, and what is where it does not."""
        value, function, (a, b) = statement.value, statement.function, statement.operands
        if function is np.equal:
            self.conditions[value], self.refuted[value] = (self.excess(a, b), self.excess(b, a)), ()
            return
        less, more = (b, a) if function in (np.greater, np.greater_equal) else (a, b)
        by = int(function in (np.less, np.greater))
        self.conditions[value], self.refuted[value] = (self.excess(more, less, by),), (self.excess(less, more, 1 - by),)
        if function is np.greater_equal and self.form(b) == Form(0) and a in self.selected:
            self.conditions[value] += (self.selected[a].plus(self.form(a), -1),)

    def excess(self, greater: Operand, lesser: Operand, by: int = 0) -> Form:
        """What is not negative where one integer is at least so much greater than another one."""
        least = self.least(lesser).moved(by)
        return self.sure(greater, least).plus(least, -1)

    def of_remainder(self, statement: Let) -> list[Form]:
        """A remainder by a positive number is at least 0 and below the number."""
        by, form = self.sure(statement.operands[1]), self.form(statement.value)
        if not self.is_never_negative(by.moved(-1)):
            return []
        return [form, by.plus(form, -1).moved(-1)]

    def of_quotient(self, statement: Let) -> list[Form]:
        """A quotient rounded down, times the divisor, is at most the dividend, and less than the divisor below it.

        If the dividend is not negative, neither is it, nor what a smaller multiple of it leaves of the dividend.
        """
        by = statement.operands[1]
        if not isinstance(by, Constant) or by.value <= 0 or statement.value.type.dtype != "int64":
            return []
        dividend, quotient = self.sure(statement.operands[0]), self.form(statement.value)
        left = dividend.plus(quotient, -by.value)
        smaller = [dividend.plus(quotient, -k) for k in range(1, min(by.value, MOST_PARTS))]
        signs = [quotient, *smaller] if self.is_never_negative(dividend) else []
        return [left, Form(by.value - 1).plus(left, -1), *signs]

    def is_product(self, statement: Let) -> bool:
        """Whether a statement multiplies two integers that are never negative."""
        if statement.function is not np.multiply or statement.value in self.forms or not _is_int(statement.value):
            return False
        is_wide = all(isinstance(o, Value) and _is_int(o) for o in statement.operands)
        is_wide = is_wide and statement.value.type.dtype == "int64"
        return is_wide and all(self.is_never_negative(self.form(o)) for o in statement.operands)

    def loop_facts(self, loop: For) -> list[Form]:
        """What is true of a loop's index, and of what it counts up from 0 or above, in every iteration."""
        pairs = zip(loop.carried, loop.body.yields, strict=False)
        counters = [self.form(c.parameter) for c, after in pairs if self.counts_up(c, after, loop.body)]
        if not isinstance(loop.step, Constant):
            return counters
        index, (first, last) = self.form(loop.index), self.reach(loop)
        return [*counters, index.plus(first, -1), last.plus(index, -1)]

    def counts_up(self, carried: Carried, after: Operand, body: Block) -> bool:
        """Whether an integer begins at 0 or above, and is added to by every iteration."""
        parameter, initial = carried.parameter, carried.initial
        if not _is_int(parameter) or parameter.type.dtype != "int64" or is_undefined(initial):
            return False
        return _is_plain(self.form(initial)) and self.only_grows(after, parameter, body)

    def only_grows(self, after: Operand, before: Value, block: Block) -> bool:
        """Whether a block makes an integer of another one by additions of what is never negative."""
        if after is before:
            return True
        made = next((s for s in block.statements if after in results_of(s)), None)
        if isinstance(made, Let) and made.function in (np.add, runtime.checked_add):
            one, other = made.operands[:2]
            steps = [b for a, b in ((one, other), (other, one)) if self.only_grows(a, before, block)]
            return any(self.is_step_up(step, block) for step in steps)
        if isinstance(made, For):
            k = made.results.index(after)
            inner = made.carried[k]
            is_same = self.only_grows(inner.initial, before, block)
            return is_same and self.only_grows(made.body.yields[k], inner.parameter, made.body)
        return False

    def is_step_up(self, operand: Operand, block: Block) -> bool:
        """Whether an integer is never negative for how it is made: as a constant, a size, or the larger of two."""
        made = next((s for s in block.statements if isinstance(s, Let) and s.value is operand), None)
        candidates = made.operands if made is not None and made.function is max else (operand,)
        return any(_is_plain(self.form(candidate)) for candidate in candidates)

    def reach(self, loop: For) -> tuple[Form, Form]:
        """Between which integers the index of a loop lies, whose step is a constant; both are indices if that is 1."""
        if loop.step.value > 0:
            start = self.sure(loop.start)
            return start, self.sure(loop.stop, start.moved(1)).moved(-1)
        after = self.sure(loop.stop).moved(1)
        return after, self.sure(loop.start, after)

    def first_and_move(self, loop: For) -> tuple[Form, int]:
        """The index of the first iteration of a loop that counts by one, and by how much it is more in the next one."""
        step = loop.step.value
        if loop.reverse:
            return self.form(loop.stop).moved(-step), -step
        return self.form(loop.start), step

    def note_selections(self, loop: For) -> None:
        """Take in the integers that a loop leaves negative, or as one of its indices (argument selection)."""
        if not self.selections or not isinstance(loop.step, Constant) or loop.step.value < 0:
            return
        for k, carried in enumerate(loop.carried):
            allowed = {carried.parameter, loop.index}
            if _is_negative(carried.initial) and _is_one_of(loop.body.yields[k], allowed, loop.body):
                self.selected[loop.results[k]] = self.form(loop.stop).moved(-1)

    def is_never_negative(self, form: Form) -> bool:
        """Whether a form is proved to be >= 0 by the facts at hand: at most MOST_STEPS of them leave what is never."""
        if _is_plain(form):
            return True
        facts, level = self.facts_by_term(), [form]
        seen: set[tuple[int, frozenset[tuple[Size, int]]]] = set()
        for _ in range(MOST_STEPS):
            following = []
            for rest in (rest for each in level for rest in _reduced(each, facts)):
                key = rest.constant, frozenset(rest.terms)
                if key not in seen:
                    seen.add(key)
                    following.append(rest)
            level = following
            if any(map(_is_plain, level)):
                return True
        return False

    def facts_by_term(self) -> dict[Size, list[tuple[int, Form]]]:
        """For each term, the facts that it is in, each with its coefficient there."""
        found: dict[Size, list[tuple[int, Form]]] = {}
        for fact in dict.fromkeys(self.facts):
            for term, coefficient in fact.terms:
                found.setdefault(term, []).append((coefficient, fact))
        return found

    def is_inside(self, index: Operand, size: Size) -> bool:
        """Whether an index is proved to be inside an axis, counted from its start or from its end."""
        extent = self.of_size(size)
        return extent is not None and self.is_between(self.sure(index), extent)

    def is_between(self, form: Form, extent: Form) -> bool:
        """Whether -extent <= form < extent is proved; from one side of 0 at a time."""
        if not self.is_never_negative(extent.plus(form, -1).moved(-1)):
            return False
        return self.is_never_negative(form) or self.is_never_negative(form.plus(extent))


def over(form: Form, index: Value, span: tuple[Form, Form]) -> Form:
    """The least value of a form while an index runs over a span; the greatest for the span with its ends exchanged."""
    coefficient = form.of(index)
    without = form.plus(Form(0, ((index, 1),)), -coefficient)
    return without.plus(span[0] if coefficient > 0 else span[1], coefficient) if coefficient else form


def mentions(form: Form, values: Container[Value]) -> bool:
    """Whether a form has one of some integers in it, or a size of one of some arrays."""
    return any((term[0] if isinstance(term, tuple) else term) in values for term, _ in form.terms)


def _is_plain(form: Form) -> bool:
    """Whether nothing in a form may make it negative."""
    return form.constant >= 0 and not _negative_terms(form)


def _negative_terms(form: Form) -> list[tuple[Size, int]]:
    """The terms of a form that may make it negative."""
    return [(term, c) for term, c in form.terms if c < 0 or not _is_size(term)]


def _reduced(form: Form, facts: dict[Size, list[tuple[int, Form]]]) -> list[Form]:
    """What is left of a form less a multiple of a fact that eliminates a term.

    Each term that may be negative has to go: the one that the fewest facts eliminate is chosen.
    """
    negative = _negative_terms(form)
    choices = [
        [(fact, c // own) for own, fact in facts.get(term, ()) if c % own == 0 and c // own > 0]
        for term, c in negative or form.terms
    ]
    chosen = min(choices, key=len) if negative else list(chain.from_iterable(choices))
    return [form.plus(fact, -factor) for fact, factor in chosen]


def _is_negative(operand: Operand) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.value, int) and operand.value < 0


def _is_one_of(operand: Operand, allowed: set[Value], block: Block) -> bool:
    """Whether a value is always one of the allowed ones, whichever branches of a block are taken."""
    if operand in allowed:
        return True
    for statement in block.statements:
        match statement:
            case If() if operand in statement.results:
                k = statement.results.index(operand)
                sides = (statement.then, statement.orelse)
                return all(_is_one_of(side.yields[k], allowed, side) for side in sides)
            case Let(function=primitives.select) if statement.value is operand:
                return all(_is_one_of(side, allowed, block) for side in statement.operands[1:])
    return False


def _is_int(operand: Operand) -> bool:
    type_ = getattr(operand, "type", None)
    return isinstance(type_, Scalar) and type_.dtype.startswith(("int", "uint"))


def _integers(operands: tuple[Any, ...]) -> list[Operand]:
    return [operand for operand in operands if isinstance(operand, Value) and _is_int(operand)]


def _is_size(term: Size) -> bool:
    """Whether a term cannot be negative."""
    return not isinstance(term, Value)


def _added(ranges: Ranges, of: Of, a: Operand, b: Operand) -> Form:
    return of(a).plus(of(b))


def _subtracted(ranges: Ranges, of: Of, a: Operand, b: Operand) -> Form:
    return of(a).plus(of(b), -1)


def _multiplied(ranges: Ranges, of: Of, a: Operand, b: Operand) -> Form | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant):
            return Form(0).plus(of(other), int(one.value))
    return None


def _negated(ranges: Ranges, of: Of, a: Operand) -> Form:
    return Form(0).plus(of(a), -1)


def _same(ranges: Ranges, of: Of, a: Operand, dtype: Operand) -> Form | None:
    return of(a) if _is_int(a) else None


def _sized(ranges: Ranges, of: Of, array: Value, axis: Constant) -> Form | None:
    if isinstance(ranges.shapes.of(array)[axis.value], SliceSize):
        return None
    return ranges.of_size(ranges.shapes.of(array)[axis.value])


_FORMS: dict[Callable[..., Any], Callable[..., Form | None]] = {
    np.add: _added,
    np.subtract: _subtracted,
    np.multiply: _multiplied,
    np.negative: _negated,
    primitives.cast: _same,
    primitives.dim: _sized,
}

_COMPARISONS: set[Callable[..., Any]] = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal}
