"""Coalescing: versions of one variable become a class of values with one name, wherever that is safe."""

from __future__ import annotations

from collections.abc import Iterator

from pullback.analysis.aliases import consumes
from pullback.emission.liveness import Interference
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    If,
    Let,
    Operand,
    Value,
    While,
    results_of,
    walk,
)
from pullback.ir.types import Array


def coalesced(function: Function, inlined: dict[Value, Let]) -> Classes:
    """The classes of a function's values: what must have one name, should have one, or is called so by the user."""
    classes = Classes(function, inlined)
    for statement in walk(function.body):
        _must_join(statement, classes)
    for a, b in _wishes(function):
        classes.join(a, b)
    _join_by_name(function, classes)
    return classes


class Classes:
    """Sets of values that share a name; none holds two values that are needed at the same time."""

    def __init__(self, function: Function, inlined: dict[Value, Let]) -> None:
        self.inlined = inlined
        self.interference = Interference(function, inlined)
        self.parent: dict[Value, Value] = {}
        self.members: dict[Value, list[Value]] = {}
        self.parameters = set(function.parameters)

    def root(self, value: Value) -> Value:
        while (parent := self.parent.get(value, value)) is not value:
            value = parent
        return value

    def of(self, value: Value) -> list[Value]:
        root = self.root(value)
        return self.members.setdefault(root, [root])

    def unite(self, a: Value, b: Value) -> None:
        first, second = self.root(a), self.root(b)
        if first is not second:
            members = self.of(first) + self.of(second)
            self.parent[second] = first
            self.members[first] = members

    def join(self, a: Operand, b: Operand) -> None:
        """Unite two classes if they may share a name."""
        if not isinstance(a, Value) or not isinstance(b, Value) or a in self.inlined or b in self.inlined:
            return
        if self.root(a) is not self.root(b) and _same_kind(a, b) and not self.conflict(a, b):
            self.unite(a, b)

    def conflict(self, a: Value, b: Value) -> bool:
        first, second = self.of(a), self.of(b)
        if any(x in self.parameters for x in first) and any(y in self.parameters for y in second):
            return True
        return self.interference.between(first, second)


def values_of(function: Function) -> Iterator[Value]:
    """All values of a function, in the order of its text."""
    yield from function.parameters
    yield from _values_of(function.body)


def _values_of(block: Block) -> Iterator[Value]:
    for statement in walk(block):
        if isinstance(statement, For):
            yield statement.index
        if isinstance(statement, For | While):
            for carried in statement.carried:
                yield carried.parameter
        yield from results_of(statement)


def _same_kind(a: Value, b: Value) -> bool:
    ranks = [v.type.ndim if isinstance(v.type, Array) else -1 for v in (a, b)]
    return a.type.dtype == b.type.dtype and ranks[0] == ranks[1] and type(a.type) is type(b.type)


def _must_join(statement: object, classes: Classes) -> None:
    """Versions of one piece of memory, and a loop's parameters with its results, have one name."""
    match statement:
        case Let() if consumes(statement):
            classes.unite(statement.operands[0], statement.value)
        case For() | While():
            for carried, result in zip(statement.carried, statement.results, strict=True):
                classes.unite(carried.parameter, result)


def _wishes(function: Function) -> Iterator[tuple[Operand, Operand]]:
    """Pairs that should share a name, so that nothing must be copied between them."""
    for statement in walk(function.body):
        match statement:
            case If():
                for k, result in enumerate(statement.results):
                    yield result, statement.then.yields[k]
                    yield result, statement.orelse.yields[k]
            case For() | While():
                for k, carried in enumerate(statement.carried):
                    yield carried.parameter, statement.body.yields[k]
                    yield carried.parameter, carried.initial


def _join_by_name(function: Function, classes: Classes) -> None:
    """Values that the user calls by one name share it, in the order of the program."""
    known: dict[str, list[Value]] = {}
    for value in values_of(function):
        if not value.is_named or value in classes.inlined:
            continue
        for other in known.setdefault(value.name, []):
            classes.join(other, value)
            if classes.root(other) is classes.root(value):
                break
        else:
            known[value.name].append(value)
