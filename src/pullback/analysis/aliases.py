"""Alias analysis: which arrays may share memory, and which still hold their elements when the forward sweep has ended.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show, values_by_name
>>> def f(x):
...     y = np.exp(x)
...     y[0] = 0.0
...     return np.sum(np.reshape(y, (-1,)))
>>> function = normal_form(f, np.ones(3))
>>> print(show(function))
f(x: float64[:]):
    y: float64[:] = exp(x)
    y.1: float64[:] = store(y, ([0]), 0.0)
    t.0: float64[:] = reshape(y.1, (-1))
    t.1: float64 = sum(t.0)
    return t.1
>>> aliases, values = find_aliases(function), values_by_name(function)
>>> [name for name, value in values.items() if aliases.root(value) is aliases.root(values["y"])]
['y', 'y.1', 't.0']
>>> [name for name, value in values.items() if not aliases.is_intact(value)]
['y']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pullback import runtime
from pullback.functions import record_of
from pullback.ir import primitives
from pullback.ir.identities import Identity
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import Block, For, Function, If, Let, Operand, Statement, Value, While, lets_in, walk
from pullback.ir.types import Array, Scalar


def shares_memory(statement: Let) -> bool:
    """Whether the result may share memory with the first operand. A number has none."""
    if isinstance(getattr(statement.operands[0], "type", None) if statement.operands else None, Scalar):
        return False
    if statement.function in (primitives.load, primitives.load_last):
        return isinstance(statement.value.type, Array) and not is_advanced(statement.operands[1])
    if isinstance(statement.function, Identity):
        return isinstance(statement.value.type, Array)
    return record_of(statement.function).is_view and isinstance(statement.value.type, Array)


def consumes(statement: Let) -> bool:
    """Whether the result takes over the memory of the first operand and changes it."""
    growing = (runtime.keep, runtime.push, runtime.push_block, runtime.push_row, runtime.reserve)
    writes = statement.function in primitives.CONSUMING or statement.function in growing
    return writes and isinstance(statement.value.type, Array)


def consumed_in(block: Block) -> set[Value]:
    """The values whose memory a later version takes over, or may, as a loop does with what it starts from."""
    taken = {statement.operands[0] for statement in lets_in(block).values() if consumes(statement)}
    loops = (statement for statement in walk(block) if isinstance(statement, For | While))
    return taken.union(carried.initial for loop in loops for carried in loop.carried)


def root_of(operand: Operand, definitions: Mapping[Value, Statement]) -> Value | None:
    """The array that became this one by writes in place alone; None where there may be several."""
    if not isinstance(operand, Value) or not isinstance(operand.type, Array):
        return None
    match definitions.get(operand):
        case Let(function=function, operands=operands) if function in primitives.CONSUMING:
            return root_of(operands[0], definitions)
        case If() as branch:
            j = branch.results.index(operand)
            then, orelse = (root_of(side.yields[j], definitions) for side in (branch.then, branch.orelse))
            return then if then is orelse else None
        case For() | While() as loop:
            j = loop.results.index(operand)
            within = root_of(loop.body.yields[j], definitions)
            return root_of(loop.carried[j].initial, definitions) if within is loop.carried[j].parameter else None
    return operand


@dataclass(slots=True)
class Aliases:
    """Alias sets: classes of values that may share memory, each known by its root; for each class, where it is written.

    A place is the position of a statement and the loops around it.
    """

    parent: dict[Value, Value] = field(default_factory=dict)
    written: dict[Value, list[tuple[int, tuple[int, ...]]]] = field(default_factory=dict)
    defined: dict[Value, tuple[int, tuple[int, ...]]] = field(default_factory=dict)

    def root(self, value: Value) -> Value:
        while (parent := self.parent.get(value, value)) is not value:
            value = parent
        return value

    def union(self, a: Operand, b: Operand) -> None:
        if isinstance(a, Value) and isinstance(b, Value) and isinstance(a.type, Array):
            self.parent[self.root(a)] = self.root(b)

    def is_intact(self, value: Value) -> bool:
        """Whether a version of an array is intact at the end: nothing writes to its memory once it is made."""
        if not isinstance(value.type, Array):
            return True
        position, loops = self.defined.get(value, (-1, ()))
        for written, around in self.written.get(self.root(value), ()):
            if written > position or set(loops) & set(around):
                return False
        return True

    def is_older(self, a: Value, b: Value) -> bool:
        """Whether an array is there in each iteration before another one is made in it."""
        (first, around_first), (second, around_second) = self.defined.get(a, (-1, ())), self.defined.get(b, (-1, ()))
        return first < second and around_second[: len(around_first)] == around_first


def find_aliases(function: Function) -> Aliases:
    """The alias sets of a function in the normal form, and the places of the writes to their memory."""
    finder = _Finder(Aliases())
    finder.block(function.body, ())
    aliases = finder.aliases
    for value, places in finder.writes:
        aliases.written.setdefault(aliases.root(value), []).append(places)
    return aliases


class _Finder:
    def __init__(self, aliases: Aliases) -> None:
        self.aliases = aliases
        self.position = 0
        self.writes: list[tuple[Value, tuple[int, tuple[int, ...]]]] = []

    def define(self, value: Value, loops: tuple[int, ...]) -> None:
        self.aliases.defined[value] = (self.position, loops)

    def block(self, block: Block, loops: tuple[int, ...]) -> None:
        for statement in block.statements:
            self.position += 1
            self.statement(statement, loops)

    def statement(self, statement: Statement, loops: tuple[int, ...]) -> None:
        match statement:
            case Let():
                if consumes(statement):
                    self.aliases.union(statement.value, statement.operands[0])
                    self.writes.append((statement.value, (self.position, loops)))
                elif shares_memory(statement):
                    self.aliases.union(statement.value, statement.operands[0])
                self.define(statement.value, loops)
            case If():
                for block in (statement.then, statement.orelse):
                    self.block(block, loops)
                    for result, operand in zip(statement.results, block.yields, strict=True):
                        self.aliases.union(result, operand)
            case For() | While():
                self.loop(statement, loops)
        self.position += 1
        for result in getattr(statement, "results", ()):
            self.define(result, loops)

    def loop(self, statement: For | While, loops: tuple[int, ...]) -> None:
        inner = (*loops, self.position)
        for carried in statement.carried:
            self.define(carried.parameter, inner)
            self.aliases.union(carried.parameter, carried.initial)
        if isinstance(statement, While):
            self.block(statement.condition, inner)
        self.block(statement.body, inner)
        for k, carried in enumerate(statement.carried):
            self.aliases.union(carried.parameter, statement.body.yields[k])
            self.aliases.union(statement.results[k], carried.parameter)
