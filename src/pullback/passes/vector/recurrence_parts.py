"""Recurrence parts: what of an iteration does not wait for the iteration before, what does, and what comes after that.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     h, total = 1.0, 0.0
...     for t in range(x.shape[0]):
...         shock = np.exp(x[t]) * x[t]
...         h = shock + 0.9 * h
...         total += np.log(h)
...     return total
>>> (loop,) = (s for s in prepared(normal_form(f, np.ones(3))).body.statements if isinstance(s, For))
>>> parts = parts_of(loop)
>>> [[s.function.__name__ for s in part] for part in parts.statements]
[['load', 'exp', 'multiply'], ['multiply', 'add'], ['log', 'add']]
>>> [[value.name for value in values] for values in parts.passed]
[['shock'], ['h']]

The statements that depend on the numbers that the loop carries, and that these depend on, are its recurrence (Allen &
Kennedy 2001, 5.5: a π-block). All others can be in loops of their own, before and behind, where their iterations do not
wait for each other. A sum is no recurrence: it is added up behind. What only one part needs is computed there; an
element that nobody writes, or one operation more, is cheaper to have again than to pass on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from pullback.analysis.reductions import adds_to, takes_extremum, versions_of_reductions
from pullback.analysis.straight_loops import is_simple
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    operands_of,
    read_by,
    results_of,
    values_in,
    walk,
)
from pullback.ir.trip_counts import least_index
from pullback.ir.types import Array, Scalar, is_float
from pullback.passes.vector.stages import cheap_in

BEFORE, RECURRENCE, BEHIND = range(3)
_COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
_LOGICAL = {np.logical_and, np.logical_or, np.logical_not}
_AGAIN = {np.add, np.subtract, np.multiply, np.negative, np.square, primitives.select}


@dataclass(slots=True)
class Parts:
    """A loop in three parts.

    statements: of each part, without those in `cheap`, which every part computes by itself. passed: the numbers that
    the first part passes on, and the second one. places: the numbers of the carried values that each part hands on.
    checks: those of numbers alone, which are made after all parts. versions: as in `Stages`.
    """

    loop: For
    cheap: list[Let]
    versions: dict[Value, int]
    statements: list[list[Statement]] = field(default_factory=lambda: [[], [], []])
    passed: tuple[list[Value], list[Value]] = ([], [])
    places: list[list[int]] = field(default_factory=lambda: [[], [], []])
    checks: list[Effect] = field(default_factory=list)

    @property
    def grows(self) -> bool:
        """Whether the index becomes larger from iteration to iteration."""
        return (self.loop.step == constant(1)) is not self.loop.reverse

    @property
    def written(self) -> list[Value]:
        """The arrays that it writes, as they are before the loop."""
        return [c.initial for c in self.loop.carried if isinstance(c.parameter.type, Array)]

    @property
    def loaded(self) -> list[Value]:
        """Those that it reads and does not write."""
        lets = (s for s in walk(self.loop.body) if isinstance(s, Let) and s.function is primitives.load)
        return [s.operands[0] for s in lets if s.operands[0] not in self.versions]


def parts_of(loop: For) -> Parts | None:
    """The parts of a loop with a recurrence; None where they cannot be told apart."""
    checks = [s for s in loop.body.statements if isinstance(s, Effect)]
    if not all(s in checks or is_simple(s) for s in walk(loop.body)):
        return None
    if not all(_is_check_of_numbers(check, loop) for check in checks):
        return None
    versions = _versions(loop)
    numbers = [k for k, c in enumerate(loop.carried) if is_scalar(c.parameter)]
    sums = [k for k in numbers if _is_sum(loop, k)]
    recurrent = [k for k in numbers if k not in sums]
    if versions is None or all(takes_extremum(loop, k) for k in recurrent):
        return None
    parts = Parts(loop, cheap_in(loop), versions, checks=checks)
    return _Division(parts, sums, recurrent).made()


def _is_sum(loop: For, k: int) -> bool:
    """Whether a carried number is a sum of floats that no iteration reads."""
    parameter = loop.carried[k].parameter
    others = (*loop.body.yields[:k], *loop.body.yields[k + 1 :])
    return is_float(parameter.type) and adds_to(loop, [k]) and parameter not in values_in(others)


def _is_check_of_numbers(check: Effect, loop: For) -> bool:
    """Whether a check looks at floats alone: others may be what makes an element safe to read."""
    made = {s.value: s for s in loop.body.statements if isinstance(s, Let)}

    def compares_floats(operand: object) -> bool:
        statement = made.get(operand) if isinstance(operand, Value) else None
        if statement is None:
            return False
        if statement.function in _COMPARISONS:
            return all(is_float(o.type) for o in statement.operands)
        return statement.function in _LOGICAL and all(map(compares_floats, statement.operands))

    if check.function is not primitives.check or not all(isinstance(o, Constant) for o in check.operands[1:]):
        return False
    return compares_floats(check.operands[0])


def _versions(loop: For) -> dict[Value, int] | None:
    """The versions of the arrays that a loop writes; None where one is the result of what is no store."""
    versions = {c.parameter: k for k, c in enumerate(loop.carried) if isinstance(c.parameter.type, Array)}
    arrays = {*versions.values()}

    def of(operand: Operand) -> int | None:
        return versions.get(operand) if isinstance(operand, Value) else None

    def follow(block: Block) -> bool:
        for statement in block.statements:
            if isinstance(statement, If):
                if not follow(statement.then) or not follow(statement.orelse):
                    return False
                ends = zip(statement.then.yields, statement.orelse.yields, strict=True)
                for result, (then, orelse) in zip(statement.results, ends, strict=True):
                    if isinstance(result.type, Array):
                        number = of(then)
                        if number is None or of(orelse) != number:
                            return False
                        versions[result] = number
            elif isinstance(statement, Let) and statement.function in primitives.WRITES:
                number = of(statement.operands[0])
                if number is None:
                    return False
                versions[statement.value] = number
        return True

    return versions if follow(loop.body) and all(of(loop.body.yields[k]) == k for k in arrays) else None


class _Division:
    """Finds the part of each statement. of: that of each value that the iterations make, or carry."""

    def __init__(self, parts: Parts, sums: list[int], recurrent: list[int]) -> None:
        self.parts, self.loop, self.sums, self.recurrent = parts, parts.loop, sums, recurrent
        cheap = {s.value for s in parts.cheap}
        body = parts.loop.body.statements
        self.statements = [s for s in body if not isinstance(s, Effect) and cheap.isdisjoint(results_of(s))]
        self.of: dict[Value, int] = {self.loop.carried[k].parameter: RECURRENCE for k in recurrent}
        self.place: dict[int, int] = {}

    def made(self) -> Parts | None:
        self.place_by_dependence()
        mixed = [k for k in self.sums if self.is_added_to_early(k)]
        if mixed:
            sums = [k for k in self.sums if k not in mixed]
            return _Division(self.parts, sums, sorted((*self.recurrent, *mixed))).made()
        if not self.place_writes():
            return None
        for statement in self.statements:
            self.parts.statements[self.place[id(statement)]].append(statement)
        self.parts.places = [[], list(self.recurrent), list(self.sums)]
        for k, part in self.parts_of_arrays().items():
            self.parts.places[part].append(k)
        self.pass_on()
        return self.parts

    def is_added_to_early(self, k: int) -> bool:
        """Whether a statement before the last part adds to a sum, as a branch may that the recurrence needs, too."""
        versions = versions_of_reductions(self.loop, [k]) or {}
        return any(self.of.get(version, BEHIND) != BEHIND for version in versions)

    def place_by_dependence(self) -> None:
        late = {self.loop.carried[k].parameter for k in self.recurrent}
        needed = set(values_in(tuple(self.loop.body.yields[k] for k in self.recurrent)))
        after: set[int] = set()
        for statement in self.statements:
            if not late.isdisjoint(read_by(statement)):
                late.update(filter(is_scalar, results_of(statement)))
                after.add(id(statement))
        for statement in reversed(self.statements):
            is_needed = not needed.isdisjoint(filter(is_scalar, results_of(statement)))
            if is_needed:
                needed.update(read_by(statement))
            part = (RECURRENCE if id(statement) in after else BEFORE) if is_needed else BEHIND
            self.place[id(statement)] = part
            self.of.update(dict.fromkeys(results_of(statement), part))

    def place_writes(self) -> bool:
        """Place each store where its number is made, and those to one array together. Whether that is legal.

        What iterations load of an array that they write must be the element that each of them writes itself.
        """
        for statement in self.statements:
            if isinstance(statement, Let) and statement.function in primitives.WRITES:
                read = [self.of[v] for v in read_by(statement) if v in self.of and is_scalar(v)]
                self.place[id(statement)] = max(read, default=BEHIND)
        last = self.parts_of_arrays()
        for statement in self.statements:
            writes = self.arrays_written(statement)
            part = max((last[k] for k in writes), default=BEFORE)
            if isinstance(statement, Let) and writes:
                self.place[id(statement)] = part
            elif writes and any(last[k] != self.place[id(statement)] for k in writes):
                return False
        return all(self.keeps_order(k, part) for k, part in last.items())

    def parts_of_arrays(self) -> dict[int, int]:
        """The part in which each array is written last."""
        last: dict[int, int] = {}
        for statement in self.statements:
            for k in self.arrays_written(statement):
                last[k] = max(last.get(k, BEFORE), self.place[id(statement)])
        return last

    def arrays_written(self, statement: Statement) -> set[int]:
        lets = (s for s in walk(Block((statement,))) if isinstance(s, Let) and s.function in primitives.WRITES)
        return {self.parts.versions[s.value] for s in lets}

    def keeps_order(self, k: int, part: int) -> bool:
        """Whether the elements of an array, which is written in one part, are accessed as if in the order of the loop.

        They are where each iteration has elements of its own, and loads before it stores or in the same part; or where
        none is loaded, and the part goes through the iterations in their order or only adds.
        """
        accesses = [
            (access, self.place[id(statement)])
            for statement in self.statements
            for access in walk(Block((statement,)))
            if isinstance(access, Let)
            and access.function in primitives.ACCESSES
            and self.parts.versions.get(_array_of(access)) == k
        ]
        parameter = self.loop.carried[k].parameter
        loads = [(_array_of(access), place) for access, place in accesses if access.function is primitives.load]
        if self.are_own([access for access, _ in accesses]):
            return all(place <= part if array is parameter else place == part for array, place in loads)
        only_adds = all(access.function is primitives.add_at for access, _ in accesses)
        return not loads and (self.parts.grows or part == RECURRENCE or only_adds)

    def are_own(self, accesses: list[Let]) -> bool:
        """Whether no two iterations access the same element: along one axis, each has an index of its own."""
        paths = [access.operands[1] for access in accesses]
        if not all(len(path) == 1 and isinstance(path[0], Index) for path in paths):
            return False
        moving = self.moving()
        along = zip(*(path[0].items for path in paths), strict=False)
        return any(items[0] in moving and all(item is items[0] for item in items) for items in along)

    def moving(self) -> set[Operand]:
        """The integers that are another one in each iteration, and never count from the end of an axis."""
        least = least_index(self.loop)
        if least is None or least < 0:
            return set()
        moving: dict[Operand, int] = {self.loop.index: least}
        for statement in self.parts.cheap:
            index, offset = statement.operands
            if index in moving and isinstance(offset, Constant) and statement.function in (np.add, np.subtract):
                lowest = moving[index] + (offset.value if statement.function is np.add else -offset.value)
                if lowest >= 0:
                    moving[statement.value] = lowest
        return {*moving}

    def pass_on(self) -> None:
        """Find what each part passes on, and drop what the first one computes for nobody."""
        parts, ends = self.parts, self.loop.body.yields
        before, recurrence, behind = parts.statements
        recurrent = tuple(ends[k] for k in self.recurrent)
        again, first = self.again(before, {*_read(recurrence), *values_in(recurrent)})
        parts.statements[RECURRENCE] = [*again, *recurrence]
        read = {*_read(behind), *(v for check in parts.checks for v in values_in(check.operands))}
        second = [v for v, part in self.of.items() if part == RECURRENCE and v in read and is_scalar(v)]
        again, third = self.again(before, read)
        parts.statements[BEHIND] = [*again, *behind]
        parts.passed = (list(dict.fromkeys((*first, *third))), second)
        parts.statements[BEFORE] = _needed(before, {*parts.passed[0]})

    def again(self, before: list[Statement], wanted: set[Value]) -> tuple[list[Statement], list[Value]]:
        """What another part computes again of the first one, and what it is passed, to have what it wants."""
        own = made_in_iterations(self.loop) - {self.loop.index, *(s.value for s in self.parts.cheap)}
        loads: dict[Value, Let] = {}
        found: dict[Value, Let] = {}
        passed: list[Value] = []
        for statement in before:
            loaded = self.is_free_load(statement, own)
            if loaded is not None:
                loads[loaded.value] = loaded
                if loaded.value in wanted:
                    found[loaded.value] = loaded
                continue
            for value in results_of(statement):
                if value not in wanted or not is_scalar(value):
                    continue
                needed = [v for v in values_in(operands_of(statement)) if v in own and v not in passed]
                is_there = all(v in loads or v in found for v in needed)
                if isinstance(statement, Let) and _is_light(statement) and is_there:
                    found.update((v, loads[v]) for v in needed if v not in found)
                    found[value] = statement
                else:
                    passed.append(value)
        return [s for s in before if isinstance(s, Let) and s.value in found], passed

    def is_free_load(self, statement: Statement, own: set[Value]) -> Let | None:
        """The statement, if it loads an element that no iteration writes, at a place that every part can compute."""
        if not isinstance(statement, Let) or statement.function is not primitives.load:
            return None
        is_free = own.isdisjoint(values_in(statement.operands)) and statement.operands[0] not in self.parts.versions
        return statement if is_free and isinstance(statement.value.type, Scalar) else None


def _is_light(statement: Let) -> bool:
    """Whether a statement is one operation: no more than to pass on what it computes."""
    is_square = statement.function is np.power and statement.operands[1] in (constant(2), constant(2.0))
    return is_square or statement.function in _AGAIN


def _array_of(access: Let) -> Value:
    array = access.operands[0]
    assert isinstance(array, Value), "an element is one of an array"
    return array


def _read(statements: Iterable[Statement]) -> Iterator[Value]:
    for statement in statements:
        yield from read_by(statement)


def _needed(statements: list[Statement], wanted: set[Value]) -> list[Statement]:
    """Those of the statements that make what is wanted, or write."""
    kept: list[Statement] = []
    for statement in reversed(statements):
        writes = any(isinstance(s, Let) and s.function in primitives.WRITES for s in walk(Block((statement,))))
        if writes or not wanted.isdisjoint(results_of(statement)):
            wanted.update(read_by(statement))
            kept.append(statement)
    return kept[::-1]
