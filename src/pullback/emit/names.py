"""Names: values get the user's names back, and versions of one variable share one name wherever that is safe."""

from __future__ import annotations

import builtins
import keyword
import unicodedata
from collections.abc import Iterable, Iterator

from pullback import runtime
from pullback.analysis.aliases import consumes
from pullback.emit.liveness import Interference
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Value,
    While,
    read_in,
    results_of,
    walk,
)
from pullback.ir.types import Array

RESERVED = (
    frozenset(keyword.kwlist)
    | frozenset(dir(builtins))
    | frozenset(runtime.__all__)
    | {"Compiler", "in_parallel", "linked_in", "math", "np", "njit", "prange", "scipy", "stop", "vm"}
)


def name_classes(functions: Iterable[Function]) -> dict[str, type]:
    """The exceptions that functions raise, and that are not built in, by the names that the text has for them.

    A class goes by its own name, unless that is no name in Python, or means something else already.
    """
    functions = [f for function in functions for f in (*function.callees, function)]
    used = {*RESERVED, *(function.name for function in functions)}
    constants = (
        operand.value
        for function in functions
        for statement in walk(function.body)
        if isinstance(statement, Effect)
        for operand in statement.operands
        if isinstance(operand, Constant)
    )
    kinds = dict.fromkeys(value for value in constants if isinstance(value, type))
    own = [kind for kind in kinds if getattr(builtins, kind.__name__, None) is not kind]
    return {_class_name(kind, used): kind for kind in own}


def _class_name(kind: type, used: set[str]) -> str:
    own = kind.__name__
    if getattr(runtime, own, None) is kind:
        return own
    return _unused(own if _is_name(own) else "Error", used)


def _is_name(text: str) -> bool:
    """Whether Python reads a text as this name; it takes some letters for others."""
    return text.isidentifier() and unicodedata.normalize("NFKC", text) == text


def name_values(function: Function, inlined: dict[Value, Let], taken: frozenset[str]) -> dict[Value, str]:
    """A name for every value that is not written inside an expression; `taken` are names that mean something else."""
    classes = _Classes(function, inlined)
    for statement in walk(function.body):
        _must_join(statement, classes)
    for a, b in _wishes(function):
        classes.join(a, b)
    _join_by_name(function, classes)
    return _names(function, classes, inlined, taken)


class _Classes:
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


def _same_kind(a: Value, b: Value) -> bool:
    ranks = [v.type.ndim if isinstance(v.type, Array) else -1 for v in (a, b)]
    return a.type.dtype == b.type.dtype and ranks[0] == ranks[1] and type(a.type) is type(b.type)


def _must_join(statement: object, classes: _Classes) -> None:
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


def _values(function: Function) -> Iterator[Value]:
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


def _join_by_name(function: Function, classes: _Classes) -> None:
    """Values that the user calls by one name share it, in the order of the program."""
    known: dict[str, list[Value]] = {}
    for value in _values(function):
        if not value.name or value in classes.inlined:
            continue
        for other in known.setdefault(value.name, []):
            classes.join(other, value)
            if classes.root(other) is classes.root(value):
                break
        else:
            known[value.name].append(value)


def _names(function: Function, classes: _Classes, inlined: dict[Value, Let], taken: frozenset[str]) -> dict[Value, str]:
    used = set(taken) | RESERVED
    names: dict[Value, str] = {}
    named: dict[Value, str] = {}
    read = set(read_in(function.body))
    for parameter in function.parameters:
        root = classes.root(parameter)
        named[root] = _unused(parameter.name, used)
    for value in _values(function):
        if value in inlined:
            continue
        root = classes.root(value)
        if root not in named:
            named[root] = _unused(_stem(classes.of(root), read), used)
        names[value] = named[root]
    return names


def _stem(members: list[Value], read: set[Value]) -> str:
    """The first name among the members; `_` only for what nobody reads."""
    stem = next((member.name for member in members if member.name), "t")
    return "k" if stem == "_" and read.intersection(members) else stem


def _unused(stem: str, used: set[str]) -> str:
    """The name itself, or with the first number that makes it new; temporaries are t1, t2, …"""
    stem = stem if stem.isidentifier() else "value"
    if stem != "t" and stem not in used:
        used.add(stem)
        return stem
    number = 1 if stem == "t" else 2
    joint = "" if not stem[-1].isdigit() else "_"
    while f"{stem}{joint}{number}" in used:
        number += 1
    used.add(f"{stem}{joint}{number}")
    return f"{stem}{joint}{number}"
