"""Loop reversal, its legality: which loops give the same in whatever order their iterations run.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x, y):
...     total, last = 0.0, 1.0
...     for i in range(x.shape[0]):
...         total += x[i]  # a reduction
...         y[i] = x[i] * y[i]  # an element of the iteration's own
...     for i in range(x.shape[0]):
...         last = last * x[i] + y[i]  # depends on the iteration before
...     return total + last
>>> function = prepared(normal_form(f, np.ones(3), np.ones(3)))
>>> [is_reversible(s) for s in function.body.statements if isinstance(s, For)]
[True, False]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pullback.analysis.access_chains import accesses_of
from pullback.analysis.reductions import adds_to
from pullback.analysis.subscripts import Places, may_meet_in_others
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    has_effects,
    lets_in,
    operands_of,
    values_in,
    walk,
)
from pullback.ir.trip_counts import least_index
from pullback.ir.types import Array

_OF_SHAPE = {primitives.dim, primitives.zeros_like}


def is_reversible(loop: For, places: Callable[[], Places] | None = None) -> bool:
    """Whether the iterations may run in any order: they carry reductions and elements of their own, without effects.

    places: of the whole function. By them, an iteration may also add to other elements than those of its own.
    """
    if loop.exits or has_effects(loop.body):
        return False
    others = [k for k, carried in enumerate(loop.carried) if not has_own_elements(loop, k)]
    if adds_to(loop, others):
        return True
    sums = [k for k in others if adds_to(loop, [k])]
    return places is not None and all(_adds_elsewhere(loop, k, places) for k in others if k not in sums)


def _adds_elsewhere(loop: For, k: int, places: Callable[[], Places]) -> bool:
    """Whether iterations add to elements of a carried array, and load or store no element that another one accesses."""
    accesses = accesses_of(loop, k)
    if accesses is None:
        return False
    others = [access for access in accesses if access.function is not primitives.add_at]
    return not may_meet_in_others(loop, others, accesses, places())


def has_own_elements(loop: For, k: int) -> bool:
    """Whether each iteration reads and writes only elements of a carried array that no other iteration does."""
    return own_axes_of(loop, k) != {}


def own_axes_of(loop: For, k: int, made: Mapping[Value, Statement] | None = None) -> dict[int, Any]:
    """The axes of a carried array along which all that an iteration reads and writes has its own index.

    By axis that index, as equal things for equal ones: `(loop.index,)` is the loop's itself. {} where there is none.

    made: what makes each value of the function. With it, the indices of a strip are its own: 64 k to 64 k + 63.
    """
    parameter = loop.carried[k].parameter
    if not isinstance(parameter.type, Array):
        return {}
    axes = _OwnAxes(loop, parameter) if made is None else _OwnStrips(loop, parameter, made)
    own = axes.block(loop.body) and loop.body.yields[k] in axes.versions
    return axes.keys or {} if own else {}


class _OwnAxes:
    """The versions of an array within an iteration, and the axes along which all accesses have its own index."""

    def __init__(self, loop: For, parameter: Value) -> None:
        self.index = loop.index
        self.versions: set[Value] = {parameter}
        self.least = least_index(loop)
        self.definitions = lets_in(loop.body)
        self.keys: dict[int, Any] | None = None

    def block(self, block: Block) -> bool:
        return all(map(self.statement, block.statements))

    def statement(self, statement: Statement) -> bool:
        read = self.versions.intersection(values_in(operands_of(statement)))
        match statement:
            case Let():
                return not read or statement.function in _OF_SHAPE or self.access(statement)
            case If():
                return not read and self.branches(statement)
            case For() | While():
                return self.loop(statement)
        return not read

    def access(self, statement: Let) -> bool:
        if statement.function not in primitives.ACCESSES or self.versions.intersection(
            values_in(statement.operands[1:])
        ):
            return False
        _, path, *_ = statement.operands
        if len(path) != 1 or not isinstance(path[0], Index):
            return False
        keys = {p: key for p, item in enumerate(path[0].items) if (key := self.key(item)) is not None}
        self.keys = keys if self.keys is None else {p: k for p, k in self.keys.items() if keys.get(p) == k}
        if isinstance(statement.value.type, Array) and statement.function is not primitives.load:
            self.versions.add(statement.value)
        return bool(self.keys)

    def key(self, item: Operand) -> Any:
        """What an index is in terms of the iteration, equal for equal ones; None if two iterations may have the same.

        One that may be negative counts from the end, and may so be that of another iteration.
        """
        if self.least is None:
            return None
        if item is self.index:
            return (item,) if self.least >= 0 else None
        made = self.definitions.get(item) if isinstance(item, Value) else None
        if made is None or made.function not in (np.add, np.subtract) or made.operands[0] is not self.index:
            return None
        other = made.operands[1]
        if not isinstance(other, Constant):
            return None
        distance = other.value if made.function is np.add else -other.value
        return (made.function, other) if self.least + distance >= 0 else None

    def branches(self, statement: If) -> bool:
        if not self.block(statement.then) or not self.block(statement.orelse):
            return False
        for result, *sides in zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True):
            if any(side in self.versions for side in sides):
                if not all(side in self.versions for side in sides):
                    return False
                self.versions.add(result)
        return True

    def loop(self, statement: For | While) -> bool:
        chained = [k for k, carried in enumerate(statement.carried) if carried.initial in self.versions]
        bounds = (statement.start, statement.stop, statement.step) if isinstance(statement, For) else ()
        if self.versions.intersection(values_in(bounds)):
            return False
        self.versions.update(statement.carried[k].parameter for k in chained)
        if not all(map(self.block, blocks_of(statement))):
            return False
        self.versions.update(statement.results[k] for k in chained)
        yielded = [k for k in range(len(statement.carried)) if statement.body.yields[k] in self.versions]
        return yielded == chained


class _OwnStrips(_OwnAxes):
    """The same, where an iteration may be a strip of several indices."""

    def __init__(self, loop: For, parameter: Value, made: Mapping[Value, Statement]) -> None:
        super().__init__(loop, parameter)
        self.made = made
        self.lanes = {s.index: s for s in walk(loop.body) if isinstance(s, For)}

    def key(self, item: Operand) -> Any:
        return super().key(item) or self.strip(item)

    def strip(self, item: Operand) -> Any:
        """The first index of the strip that an index lies in: strips do not overlap."""
        width = self.width(item)
        if width > 0:
            return (np.multiply, item)
        match self.let(item):
            case Let(function=np.add, operands=(Value() as first, Constant(value=int(lane)))):
                return (np.multiply, first) if 0 <= lane < self.width(first) else None
            case Let(function=np.add, operands=(Value() as first, Value() as lane)) if lane in self.lanes:
                inner = self.lanes[lane]
                starts = inner.start == Constant(0, lane.type) and inner.step == Constant(1, lane.type)
                return (np.multiply, first) if starts and self.is_most(inner.stop, self.width(first)) else None
        return None

    def width(self, first: Operand) -> int:
        """How many indices lie between the first ones of two strips; 0 where they are not known to be apart."""
        if self.least is None or self.least < 0:
            return 0
        match self.let(first):
            case Let(function=np.add, operands=(Constant(value=start), rest)) if start >= 0:
                return self.width(rest)
            case Let(function=np.multiply, operands=(a, Constant(value=width)) | (Constant(value=width), a)):
                return max(int(width), 0) if a is self.index else 0
        return 0

    def is_most(self, number: Operand, most: int) -> bool:
        """Whether a number is not above another one."""
        if isinstance(number, Constant):
            return bool(number.value <= most)
        match self.let(number):
            case Let(function=function, operands=(a, b)) if function is min:
                return self.is_most(a, most) or self.is_most(b, most)
            case Let(function=function, operands=(a, b)) if function is max:
                return self.is_most(a, most) and self.is_most(b, most)
        return False

    def let(self, operand: Operand) -> Statement | None:
        return self.made.get(operand) if isinstance(operand, Value) else None
