"""Where copies must be made so that no write in place changes an array that is still needed.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import joint, prepared
>>> def changed(x):
...     y = np.exp(x)
...     y[0] = 0.0
...     return np.sum(y)
>>> required_copies(joint(prepared(normal_form(changed, np.ones(3))), (0,), with_results=True)).values
{y: float64[:]: 2}

The value is copied right after it is made, and the copy is read from that place in the text on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.analysis.aliases import consumes
from pullback.analysis.lifetimes import Lifetimes, Sides, Taken
from pullback.ir.nodes import (
    Carried,
    For,
    Function,
    If,
    Let,
    Operand,
    Value,
    While,
    is_undefined,
    walk,
)


@dataclass(slots=True)
class RequiredCopies:
    """What to copy: values right after they are made, operands where they are written, where loops take or yield them,
    and results."""

    values: dict[Value, int] = field(default_factory=dict)
    written: set[Value] = field(default_factory=set)
    handed_out: set[Value] = field(default_factory=set)
    initials: set[tuple[Value, int]] = field(default_factory=set)
    yields: set[tuple[Value, int]] = field(default_factory=set)
    results: set[int] = field(default_factory=set)

    def any(self) -> bool:
        return bool(self.values or self.written or self.handed_out or self.initials or self.yields or self.results)


def required_copies(function: Function) -> RequiredCopies:
    """What to copy so that the writes that a function has now can be done in place."""
    return _Placement(function).check()


class _Placement:
    def __init__(self, function: Function) -> None:
        self.function = function
        self.lifetimes = Lifetimes(function)
        self.required = RequiredCopies()
        self.copied: frozenset[Value] = frozenset()
        self.rank = {value: k for k, value in enumerate(self.lifetimes.order)}
        self.versions = _versions_seen(function)
        self.holders: dict[Value, list[Value]] = {}
        for value in self.lifetimes.order:
            for origin in self.lifetimes.origin(value):
                self.holders.setdefault(origin, []).append(value)

    def check(self) -> RequiredCopies:
        for statement, position, sides in self.lifetimes.writes:
            self.check_write(statement, position, sides)
        for parameter, taken in self.lifetimes.taken.items():
            self.check_taken(parameter, taken)
        self.check_results()
        return self.required

    def holding(self, origins: frozenset[Value]) -> list[Value]:
        """The values that may share this memory, in the order in which they are made."""
        found = {value for origin in origins for value in self.holders.get(origin, ())}
        return sorted(found, key=self.rank.__getitem__)

    def check_write(self, statement: Let, position: int, sides: Sides) -> None:
        lifetimes = self.lifetimes
        written = lifetimes.origin(statement.operands[0])
        given = [origin for origin in written if origin in self.function.parameters]
        if written & lifetimes.readonly or not all(self.may_take(origin, statement.value) for origin in given):
            self.copy_before(statement, written)
            return
        for value in self.holding(written):
            if lifetimes.made[value] >= position or value is statement.value:
                continue
            if lifetimes.is_read_after(value, position, sides):
                outer = len(lifetimes.loops[value]) < len(lifetimes.loops[statement.value])
                # A result that some branches leave undefined cannot be copied behind them for its own readers.
                alone = value is statement.operands[0] and self.handed_out(value)
                if value in lifetimes.kept or outer or alone or statement.operands[0] in lifetimes.views:
                    self.copy_before(statement, written)
                    return
                self.copy_for_readers(value, position)

    def copy_for_readers(self, value: Value, position: int) -> None:
        """Give those who read a value after a position a copy, made where the value is surely there."""
        handed_out = self.handed_out(value)
        if handed_out:
            self.required.handed_out |= handed_out
        else:
            self.required.values.setdefault(value, position)

    def handed_out(self, value: Value) -> set[Value]:
        """For a result that only some branches define: the innermost such results, which those branches can copy."""
        sides = self.lifetimes.sides.get(value, ())
        if not any(map(is_undefined, sides)):
            return set()
        inner = [self.handed_out(side) for side in sides if isinstance(side, Value)]
        return {part for parts in inner for part in parts} if any(inner) else {value}

    def copy_before(self, statement: Let, written: frozenset[Value]) -> None:
        """Write to a copy; the writes that follow on the same memory are looked at again in the next iteration."""
        if not written & self.copied:
            self.required.written.add(statement.value)
            self.copied |= written

    def check_taken(self, parameter: Value, place: Taken) -> None:
        """A carried array that is written must be the only holder of its memory, on entry and after every iteration."""
        lifetimes, loop, k = self.lifetimes, place.loop, place.k
        others = {o for j, c in enumerate(loop.carried) if j != k for o in lifetimes.origin(c.initial)}
        taken = lifetimes.origin(loop.carried[k].initial)
        before = [value for value in self.holding(taken) if lifetimes.made[value] <= place.start]
        needed = [value for value in before if lifetimes.is_read_after(value, place.start, place.sides)]
        foreign = [o for o in taken if o in self.function.parameters]
        again = any(len(lifetimes.loops[value]) < len(lifetimes.loops[parameter]) - 1 for value in needed)
        spare = not again and not lifetimes.kept.intersection(needed)
        allowed = all(self.may_take(origin, parameter) for origin in foreign)
        if foreign and allowed and any(self.is_refused(c, taken) for c in loop.carried):
            return  # once others have a copy, this one is looked at again
        if foreign and spare and allowed and not taken & others:
            for value in needed:
                self.copy_for_readers(value, place.start)
        elif taken & others or needed or foreign or taken & lifetimes.readonly:
            self.required.initials.add((parameter, k))
        yielded = lifetimes.origin(loop.body.yields[k])
        other_yields = [y for j, y in enumerate(loop.body.yields) if j != k]
        outer = any(lifetimes.made.get(origin, -1) <= place.start for origin in yielded)
        if outer or any(yielded & lifetimes.origin(y) for y in other_yields):
            self.required.yields.add((parameter, k))

    def is_refused(self, carried: Carried, memory: frozenset[Value]) -> bool:
        """Whether a carried array gets a copy of parameters in whose memory it begins, as it must not write there."""
        if carried.parameter not in self.lifetimes.taken:
            return False
        shared = self.lifetimes.origin(carried.initial) & memory & set(self.function.parameters)
        return not all(self.may_take(parameter, carried.parameter) for parameter in shared)

    def may_take(self, parameter: Value, version: Value) -> bool:
        """Whether a version of an array may be written to a parameter's memory.

        That is for what the caller sees in the end, if that is made of the parameter by writes in place: so writes
        reach the caller at once, also where an exception comes behind them.
        """
        position = self.function.parameters.index(parameter)
        if position not in self.function.mutated:
            return False
        seen = self.versions[position]
        return parameter not in seen or version in seen

    def check_results(self) -> None:
        seen: set[Value] = set()
        count = len(self.function.results)
        kept = {o for y in self.function.body.yields[count:] for o in self.lifetimes.origin(y)}
        for k, result in enumerate(self.function.results):
            origins = self.lifetimes.origin(result)
            if origins & (seen | kept | set(self.function.parameters)):
                self.required.results.add(k)
            seen |= origins


def _versions_seen(function: Function) -> dict[int, set[Value]]:
    """For each changed parameter, the versions that writes in place make the one of that the caller sees in the end."""
    if not function.mutated:
        return {}
    sources: dict[Value, tuple[Operand, ...]] = {}
    for statement in walk(function.body):
        match statement:
            case Let() if consumes(statement):
                sources[statement.value] = statement.operands[:1]
            case If():
                sides = zip(statement.then.yields, statement.orelse.yields, strict=True)
                sources |= dict(zip(statement.results, sides, strict=True))
            case For() | While():
                sources |= dict(zip(statement.results, ((y,) for y in statement.body.yields), strict=False))
                sources |= {carried.parameter: (carried.initial,) for carried in statement.carried}
    last = function.body.yields[len(function.results) :]
    return {k: _reached(version, sources) for k, version in zip(function.mutated, last, strict=True)}


def _reached(version: Operand, sources: dict[Value, tuple[Operand, ...]]) -> set[Value]:
    found: set[Value] = set()
    pending = [version]
    while pending:
        value = pending.pop()
        if isinstance(value, Value) and value not in found:
            found.add(value)
            pending += sources.get(value, ())
    return found
