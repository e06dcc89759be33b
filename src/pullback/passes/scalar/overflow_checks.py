"""Overflow checks: Python's integers do not wrap around; where 64 bits are not proved to suffice, machine code checks.

>>> import pullback as pb
>>> def weighted(x, n):
...     s = 0.0
...     for i in range(n):
...         s += x * (i * n + n**3)
...     return s
>>> print(pb.explain(weighted, 1.0, 2, passes=["small_integers", "overflow_checks"]))
assumptions: small_integers, arguments and sizes are assumed not to exceed 2**31; other calls go to the general form
  ...
   weighted_value_and_grad(x: float64*, n: int64*):
  +    t.5: bool* = less_equal(n, 2147483648)
  +    t.6: bool* = less_equal(-2147483648, n)
  +    t.7: bool* = logical_and(t.6, t.5)
  +    check(t.7, SizesDiffer)
       s.2, x_bar.2 = for i in range(0, n, 1) with (s: float64* = 0.0, x_bar: float64* = 0.0):
checks: overflow_checks, arithmetic of integers that is not proved to fit into 64 bits is checked
  ...
           t.3: int64* = multiply(i, n)
  -        t.4: int64* = power(n, 3)
  -        t.5: int64* = add(t.3, t.4)
  +        t.4: int64* = checked_power(n, 3, 4)
  +        t.5: int64* = checked_add(t.3, t.4, 4)
           t.6: float64* = multiply(x, t.5)

The last operand is the line of the user's, for the message. Arguments and sizes are first assumed to be small, where
this proves something, as it does for `i * n` here: the function then begins with checks of that, and the general form
serves other calls. What NumPy's integers compute wraps around, as it does in NumPy. A sum that is proved to lie between
the ends of a check before its loop, as the index that it checks does, needs no check of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.intervals import SMALL, WORD, Interval, Intervals, find_intervals
from pullback.analysis.sizes import Form, is_guard
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.external import is_call_outside
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    Function,
    Let,
    Statement,
    walk,
)
from pullback.ir.types import INT, Scalar, is_float, is_integer
from pullback.passes.scalar.range_walk import RangeWalk
from pullback.passes.scalar.wide_integers import without_wide


def check_integers(function: Function) -> Function:
    """The function with checks of the arithmetic of Python's integers that is not proved to fit into 64 bits."""
    function = without_wide(function)
    body = _Checker(function, find_intervals(function, _is_small(function))).block(function.body)
    return replace(function, body=body, callees=tuple(map(check_integers, function.callees)))


def assume_small(function: Function) -> Function:
    """The function with checks that arguments and sizes are small, where its arithmetic is not proved without them."""
    whole, small = find_intervals(function, False), find_intervals(function, True)
    lets = [s for s in walk(function.body) if isinstance(s, Let)]
    gained = [s for s in lets if not is_proved(s, whole) and is_proved(s, small)]
    if not gained:
        return function
    builder = Builder()
    for operand in _sources(function):
        value = builder.dim(*operand) if isinstance(operand, tuple) else operand
        fits = builder.let(np.less_equal, value, constant(SMALL))
        if value is operand:
            fits = builder.let(np.logical_and, builder.let(np.less_equal, constant(-SMALL), value), fits)
        builder.effect(primitives.check, fits, Constant(runtime.SizesDiffer))
    return replace(function, body=Block((*builder.statements, *function.body.statements), function.body.yields))


def _is_small(function: Function) -> bool:
    """Whether a function begins with checks that its arguments are small."""
    lets = {s.value: s for s in function.body.statements if isinstance(s, Let)}
    conditions = (lets.get(s.operands[0]) for s in function.body.statements if is_guard(s))
    compared = (c if c is None or c.function is np.less_equal else lets.get(c.operands[-1]) for c in conditions)
    return any(c is not None and c.operands[-1] == constant(SMALL) for c in compared)


def _sources(function: Function) -> list[Any]:
    """The integers that a function is given, and the axes of arguments whose sizes it computes with, as pairs."""
    addresses = {s.operands[0] for s in walk(function.body) if is_call_outside(s)}
    integers = [p for p in function.parameters if isinstance(p.type, Scalar) and is_integer(p.type)]
    numbers = [p for p in integers if p not in addresses]
    dims = [s.operands for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.dim]
    return [*numbers, *dict.fromkeys((array, axis.value) for array, axis in dims if array in function.parameters)]


def is_proved(statement: Let, intervals: Intervals) -> bool:
    """Whether a statement surely gives what Python's integers give."""
    if statement.value.type != INT or statement.function not in _CHECKED:
        return True
    operands = statement.operands
    if statement.function is primitives.cast:
        return not is_float(operands[0].type)
    first, last = intervals.of(operands[0]), intervals.of(operands[-1])
    if statement.function in (np.left_shift, np.right_shift) and not last.within(Interval(0, 63)):
        return False
    if statement.function in (np.floor_divide, np.remainder) and last.low <= 0 <= last.high:
        return False
    if statement.function is np.floor_divide and first.low == WORD.low and last.low <= -1 <= last.high:
        return False
    return intervals.result(statement).within(WORD)


class _Checker(RangeWalk):
    def __init__(self, function: Function, intervals: Intervals) -> None:
        super().__init__(function)
        self.intervals = intervals
        self.ends: list[Form] = []  # of what checks of indices compare: integers that are there

    def block(self, block: Block) -> Block:
        ends = len(self.ends)
        made = super().block(block)
        del self.ends[ends:]
        return made

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case Let() if statement.value.type == Scalar("int64"):
                return self.let(statement)  # NumPy's, which may wrap around: a number of its own, no sum of others
            case Effect(function=runtime.check_span | runtime.check_index):
                self.ends += [self.ranges.sure(o) for o in statement.operands if o.type == INT]
        return super().statement(statement)

    def let(self, statement: Let) -> list[Statement]:
        if is_proved(statement, self.intervals) or self.is_between(statement) or self.divides_by_positive(statement):
            return [statement]
        given = statement.operands[:1] if statement.function is primitives.cast else statement.operands
        builder = Builder()
        with builder.at(statement.location):
            operands = [builder.cast(o, "int64*") if o.type.dtype == "bool" else o for o in given]
        line = constant(statement.location.line)
        checked = replace(statement, function=_CHECKED[statement.function], operands=(*operands, line))
        return [*builder.statements, checked]

    def divides_by_positive(self, statement: Let) -> bool:
        """Whether a statement divides by an integer that is above 0, which neither raises nor leaves 64 bits."""
        divides = statement.function in (np.floor_divide, np.remainder)
        return divides and self.ranges.is_never_negative(self.ranges.sure(statement.operands[1]).moved(-1))

    def is_between(self, statement: Let) -> bool:
        """Whether a sum lies between two integers that are there, as an index between the first and the last one."""
        if statement.function not in (np.add, np.subtract) or not self.ends:
            return False
        self.ranges.note(statement)
        form = self.ranges.sure(statement.value)
        terms = {term for term, _ in form.terms}
        known = [*map(self.ranges.sure, statement.operands), *self.ends]
        near = [other for other in dict.fromkeys(known) if not terms.isdisjoint(term for term, _ in other.terms)]
        is_low = any(self.ranges.is_never_negative(form.plus(other, -1)) for other in near)
        return is_low and any(self.ranges.is_never_negative(other.plus(form, -1)) for other in near)


_CHECKED: dict[Any, Callable[..., int]] = {
    np.add: runtime.checked_add,
    np.subtract: runtime.checked_subtract,
    np.multiply: runtime.checked_multiply,
    np.negative: runtime.checked_negative,
    np.absolute: runtime.checked_absolute,
    np.power: runtime.checked_power,
    np.left_shift: runtime.checked_left_shift,
    np.right_shift: runtime.checked_right_shift,
    np.floor_divide: runtime.checked_divide,
    np.remainder: runtime.checked_remainder,
    primitives.cast: runtime.checked_integer,
}
