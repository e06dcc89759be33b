"""Interval analysis: between which numbers the integers of a Function lie.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> from pullback.transform.derivative import prepared
>>> def f(n, m):
...     for i in range(n):
...         k = i * n
...         m = m * n
...     return k + m
>>> function = prepared(normal_form(f, 3, 3))
>>> intervals = find_intervals(function, small=True)  # arguments do not exceed 2**31
>>> for name in ("n", "i", "k.1", "m.2"):
...     print(name, intervals.of(values_by_name(function)[name]))
n Interval(low=-2147483648, high=2147483648)
i Interval(low=0, high=2147483647)
k.1 Interval(low=-4611686016279904256, high=4611686016279904256)
m.2 Interval(low=-9223372036854775808, high=9223372036854775807)

Every value is assigned once, so one interval holds for each. What loops carry is found by going through the function
until nothing changes; a counter, to which each iteration adds a number between bounds, is as large as the iterations
allow, and what else keeps growing may be any number of 64 bits (widening: Cousot & Cousot, 1977).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    lets_in,
    results_of,
    walk,
)
from pullback.ir.types import Array, Scalar, Stack, is_integer

MOST_WORK = 2**48
"""More iterations than any run makes, and more elements than any memory holds."""

SMALL = 2**31
"""What arguments and sizes are assumed not to exceed, where this is checked."""

_PASSES = 8
_WIDENED = 3


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from low to high."""

    low: int
    high: int

    def __or__(self, other: Interval) -> Interval:
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def within(self, other: Interval) -> bool:
        return other.low <= self.low and self.high <= other.high

    def clipped(self, other: Interval) -> Interval:
        """What of it lies in another; the other where that is nothing."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else other


WORD = Interval(-(2**63), 2**63 - 1)
_TRUTH = Interval(0, 1)
_COUNT = Interval(0, MOST_WORK)


def find_intervals(function: Function, small: bool) -> Intervals:
    """The intervals of a function; small: if its integer arguments and sizes do not exceed `SMALL`."""
    intervals = Intervals(function, small)
    for number in range(_PASSES):
        before = dict(intervals.known)
        intervals.widening = number >= _WIDENED
        intervals.block(function.body)
        if intervals.known == before:
            return intervals
    return Intervals(function, small, anything=True)


class Intervals:
    def __init__(self, function: Function, small: bool, anything: bool = False) -> None:
        """anything: nothing is known of what is computed, as where no end was found."""
        self.widening = self.anything = anything
        self.sizes = Interval(0, SMALL) if small else _COUNT
        self.known: dict[Value, Interval] = {}
        self.exact: dict[Value, Interval] = {}
        self.growing: set[Value] = set()
        self.lets = lets_in(function.body)
        self.branched = {r: s for s in walk(function.body) if isinstance(s, If) for r in s.results}
        self.looped = {r: s for s in walk(function.body) if isinstance(s, For | While) for r in s.results}
        for parameter in function.parameters:
            if _is_integral(parameter):
                given = Interval(-SMALL, SMALL) if small else WORD
                self.known[parameter] = given.clipped(range_of(parameter))

    def of(self, operand: Operand) -> Interval:
        """The interval of an integer or truth value."""
        if isinstance(operand, Constant):
            return Interval(int(operand.value), int(operand.value)) if _is_number(operand) else WORD
        return self.known.get(operand, Interval(0, 0)) if not self.anything else range_of(operand)

    def result(self, statement: Let) -> Interval:
        """Between which numbers the result of a statement lies before it is put into its 64 bits."""
        made = _RESULTS.get(statement.function)
        return WORD if made is None else made(self, *statement.operands)

    # One pass

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        match statement:
            case Let():
                if _is_integral(statement.value):
                    self.note(statement.value, self.result(statement))
            case If():
                self.block(statement.then)
                self.block(statement.orelse)
                for k, result in enumerate(statement.results):
                    self.join(result, statement.then.yields[k], statement.orelse.yields[k])
            case For() | While():
                self.loop(statement)
            case Call():
                for value in results_of(statement):
                    if _is_integral(value):
                        self.known[value] = range_of(value)
            case Effect():
                pass

    def note(self, value: Value, interval: Interval) -> None:
        own = range_of(value)
        self.known[value] = interval if interval.within(own) else own

    def join(self, value: Value, *sides: Operand) -> None:
        if _is_integral(value):
            intervals = [self.of(side) for side in sides if _is_integral(side)]
            for interval in intervals[1:]:
                intervals[0] |= interval
            self.note(value, intervals[0] if intervals else range_of(value))

    def loop(self, statement: For | While) -> None:
        if isinstance(statement, For):
            self.note(statement.index, self.index(statement))
        for k, carried in enumerate(statement.carried):
            if _is_integral(carried.parameter):
                self.carry(carried, statement.body.yields[k])
        for block in (statement.condition, statement.body) if isinstance(statement, While) else (statement.body,):
            self.block(block)
        for k, result in enumerate(statement.results):
            self.join(result, statement.carried[k].parameter, statement.body.yields[k])

    def index(self, loop: For) -> Interval:
        """The interval of a loop's index: from its start, by no more iterations than `MOST_WORK`."""
        start, stop, step = map(self.of, (loop.start, loop.stop, loop.step))
        up, down = max(step.high, 0) * MOST_WORK, min(step.low, 0) * MOST_WORK
        low = start.low if not down else max(start.low + down, stop.low + 1)
        high = start.high if not up else min(start.high + up, stop.high - 1)
        return Interval(min(low, high), max(low, high))

    def carry(self, carried: Carried, following: Operand) -> None:
        """What a loop carries: a counter grows by its increments, other numbers until they stay between bounds."""
        parameter = carried.parameter
        initial = self.of(carried.initial) if _is_integral(carried.initial) else range_of(parameter)
        known = self.known.get(parameter, initial) | initial
        reached = known | self.of(following)
        if reached == known or not self.widening:
            self.note(parameter, reached)
            return
        added = self.increment(following, parameter)
        if added is None:
            self.note(parameter, WORD)
        else:
            low, high = min(added.low, 0) * MOST_WORK, max(added.high, 0) * MOST_WORK
            self.note(parameter, known | Interval(initial.low + low, initial.high + high))

    def increment(self, operand: Operand, parameter: Value) -> Interval | None:
        """What an iteration adds to a carried number; None where it does something else with it."""
        if operand is parameter:
            return Interval(0, 0)
        if operand in self.branched:
            branch = self.branched[operand]
            k = branch.results.index(operand)
            return self.either(parameter, branch.then.yields[k], branch.orelse.yields[k])
        if operand in self.looped:
            loop = self.looped[operand]
            k = loop.results.index(operand)
            inner = self.increment(loop.body.yields[k], loop.carried[k].parameter)
            outer = self.increment(loop.carried[k].initial, parameter)
            return None if inner is None or outer is None else _summed(inner | Interval(0, 0), outer)
        made = self.lets.get(operand) if isinstance(operand, Value) else None
        if made is None:
            return None
        if made.function is primitives.select:
            return self.either(parameter, *made.operands[1:])
        if made.function not in (np.add, np.subtract):
            return None
        a, b = made.operands
        if made.function is np.add and (before := self.increment(b, parameter)) is not None:
            return _summed(before, self.of(a))
        if (before := self.increment(a, parameter)) is not None:
            by = self.of(b)
            return _summed(before, by if made.function is np.add else Interval(-by.high, -by.low))
        return None

    def either(self, parameter: Value, *sides: Operand) -> Interval | None:
        one, other = (self.increment(side, parameter) for side in sides)
        return None if one is None or other is None else one | other


def range_of(value: Value) -> Interval:
    """What the dtype of a value can hold."""
    if value.type.dtype == "bool":
        return _TRUTH
    bounds = np.iinfo(value.type.dtype)
    return Interval(int(bounds.min), int(bounds.max))


def _is_integral(operand: Operand) -> bool:
    """Whether an operand is an integer or truth value."""
    type_ = getattr(operand, "type", None)
    return isinstance(type_, Scalar) and (is_integer(type_) or type_.dtype == "bool")


def _is_number(operand: Constant) -> bool:
    return isinstance(operand.value, int | np.integer | np.bool_)


def _summed(a: Interval, b: Interval) -> Interval:
    return Interval(a.low + b.low, a.high + b.high)


def _corners(function: Callable[[int, int], int]) -> Callable[..., Interval]:
    """The interval of a function that is largest and smallest at the ends of its arguments' intervals."""

    def find(intervals: Intervals, x: Operand, y: Operand) -> Interval:
        a, b = intervals.of(x), intervals.of(y)
        ends = [function(one, other) for one in (a.low, a.high) for other in (b.low, b.high)]
        return Interval(min(ends), max(ends))

    return find


def _negative(intervals: Intervals, x: Operand) -> Interval:
    a = intervals.of(x)
    return Interval(-a.high, -a.low)


def _absolute(intervals: Intervals, x: Operand) -> Interval:
    a = intervals.of(x)
    ends = abs(a.low), abs(a.high)
    return Interval(0 if a.low <= 0 <= a.high else min(ends), max(ends))


def _divided(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    a, b = intervals.of(x), intervals.of(y)
    largest = max(abs(a.low), abs(a.high))
    nearest = min(abs(b.low), abs(b.high)) if b.low > 0 or b.high < 0 else 1
    low = 0 if a.low >= 0 and b.low >= 0 else -(largest // nearest) - 1
    return Interval(low, largest // nearest)


def _remainder(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    b = intervals.of(y)
    return Interval(min(b.low + 1, 0), max(b.high - 1, 0))


def _power(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    a, b = intervals.of(x), intervals.of(y)
    if not 0 <= b.low <= b.high <= 64:
        return Interval(WORD.low - 1, WORD.high + 1)
    largest = max(abs(a.low), abs(a.high), 1) ** b.high
    return Interval(0 if a.low >= 0 else -largest, largest)


def _shifted(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    b = intervals.of(y)
    if not 0 <= b.low <= b.high <= 64:
        return Interval(WORD.low - 1, WORD.high + 1)
    a = intervals.of(x)
    return Interval(min(a.low << b.high, a.low), max(a.high << b.high, a.high))


def _shifted_back(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    a = intervals.of(x)
    return Interval(min(a.low, 0), max(a.high, 0))


def _masked(intervals: Intervals, x: Operand, y: Operand) -> Interval:
    a, b = intervals.of(x), intervals.of(y)
    tops = [i.high for i in (a, b) if i.low >= 0]
    return Interval(0, min(tops)) if tops else WORD


def _extremum(best: Callable[..., int]) -> Callable[..., Interval]:
    def find(intervals: Intervals, *operands: Operand) -> Interval:
        found = [intervals.of(operand) for operand in operands]
        return Interval(best(i.low for i in found), best(i.high for i in found))

    return find


def _selected(intervals: Intervals, condition: Operand, x: Operand, y: Operand) -> Interval:
    return intervals.of(x) | intervals.of(y)


def _same(intervals: Intervals, x: Operand, *_: Operand) -> Interval:
    return intervals.of(x) if _is_integral(x) else Interval(WORD.low - 1, WORD.high + 1)


def _loaded(intervals: Intervals, array: Value, path: Any) -> Interval:
    is_plain = isinstance(array.type, Array) and not isinstance(array.type, Stack)
    return range_of(array) if is_plain and (is_integer(array.type) or array.type.dtype == "bool") else WORD


def _size(intervals: Intervals, *_: Operand) -> Interval:
    return intervals.sizes


def _count(intervals: Intervals, *_: Operand) -> Interval:
    return _COUNT


_RESULTS: dict[Any, Callable[..., Interval]] = {
    np.add: _corners(lambda a, b: a + b),
    np.subtract: _corners(lambda a, b: a - b),
    np.multiply: _corners(lambda a, b: a * b),
    np.negative: _negative,
    np.absolute: _absolute,
    np.floor_divide: _divided,
    np.remainder: _remainder,
    np.power: _power,
    np.left_shift: _shifted,
    np.right_shift: _shifted_back,
    np.bitwise_and: _masked,
    np.positive: _same,
    primitives.cast: _same,
    primitives.select: _selected,
    primitives.load: _loaded,
    primitives.dim: _size,
    runtime.counted: _count,
    runtime.chunk_length: _count,
    runtime.folded: _count,
    runtime.segment_length: _count,
    runtime.slice_end: _count,
    max: _extremum(max),
    min: _extremum(min),
}
