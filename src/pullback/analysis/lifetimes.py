"""Live ranges of arrays: whose memory each value may have, and the positions at which it is made, written and read.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show, values_by_name
>>> def f(x):
...     y = np.exp(x)
...     z = np.sin(y)
...     z[0] = 0.0
...     return y * z
>>> function = normal_form(f, np.ones(3))
>>> print(show(function))
f(x: float64[:]):
    y: float64[:] = exp(x)
    z: float64[:] = sin(y)
    z.1: float64[:] = store(z, ([0]), 0.0)
    t.0: float64[:] = multiply(y, z.1)
    return t.0
>>> lifetimes, values = Lifetimes(function), values_by_name(function)
>>> for name, value in values.items():
...     print(name, lifetimes.made[value], [lifetimes.when(use) for use in lifetimes.uses[value]])
x 0 [1, 1000000000]
y 1 [2, 4]
z 2 [3]
z.1 3 [4]
t.0 4 [1000000000]

Positions number the statements of a function in the order of its text; `END` is behind all of them. A place inside
branches also has their sides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes, shares_memory
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    operands_of,
    results_of,
    values_in,
)
from pullback.ir.types import Array

END = 10**9
READ_ONLY = {np.broadcast_to, runtime.broadcast_along}
SHAPE_ONLY = {primitives.dim, primitives.zeros_like}
Sides = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A reading of a value: when, and on which sides of which branches.

    A position below -1 stands for the end of a loop that is still being walked: -2 minus the loop's own position.
    """

    position: int
    sides: Sides


@dataclass(frozen=True, slots=True)
class Taken:
    """A carried array whose memory the body of a loop writes: the loop, its number there, and where the loop is."""

    loop: For | While
    k: int
    start: int
    sides: Sides


class Lifetimes:
    """The live ranges of the arrays of a function.

    origins: the arrays whose memory a value may have. made: the position of its definition. uses: its readings.
    loops: those around its definition. writes: the statements that write in place. taken: the carried arrays whose
    memory a loop writes. readonly: those that may be broadcast. views: those that are parts of others.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.position = 0
        self.origins: dict[Value, frozenset[Value]] = {}
        self.made: dict[Value, int] = {}
        self.order: list[Value] = []
        self.firsts: dict[int, int] = {}
        self.uses: dict[Value, list[Use]] = {}
        self.loops: dict[Value, tuple[tuple[int, Sides], ...]] = {}
        self.ends: dict[int, int] = {}
        self.writes: list[tuple[Let, int, Sides]] = []
        self.taken: dict[Value, Taken] = {}
        self.readonly: set[Value] = set()
        self.views: set[Value] = set()
        self.sides: dict[Value, tuple[Operand, Operand]] = {}
        self.written: list[frozenset[Value]] = []
        self.kept = {v for y in function.body.yields[len(function.results) :] for v in values_in(y)}
        for parameter in function.parameters:
            self.define(parameter, ())
            self.origins[parameter] = frozenset({parameter})
        self.block(function.body, (), ())
        count = len(function.results)
        for k, result in enumerate(function.body.yields):
            for value in values_in(result):
                self.use(value, (), (), END if k < count else self.position)
        for k, parameter in enumerate(function.parameters):
            if k not in function.mutated:
                self.uses.setdefault(parameter, []).append(Use(END, ()))

    def define(self, value: Value, loops: tuple[tuple[int, Sides], ...]) -> None:
        self.order.append(value)
        self.made[value] = self.position
        self.loops[value] = loops

    def origin(self, operand: Operand) -> frozenset[Value]:
        if isinstance(operand, Value) and isinstance(operand.type, Array):
            return self.origins.get(operand, frozenset({operand}))
        return frozenset()

    def use(self, value: Value, loops: Any, sides: Sides, position: int | None = None) -> None:
        """Note a reading; a value from outside a loop is needed until the loop ends."""
        outer = self.loops.get(value, ())
        if len(loops) > len(outer):
            number, around = loops[len(outer)]
            use = Use(-number - 2, around)
        else:
            use = Use(self.position if position is None else position, sides)
        self.uses.setdefault(value, []).append(use)

    def block(self, block: Block, loops: Any, sides: Sides) -> None:
        for statement in block.statements:
            self.position += 1
            self.statement(statement, loops, sides)
        self.position += 1

    def statement(self, statement: Statement, loops: Any, sides: Sides) -> None:
        if not (isinstance(statement, Let) and statement.function in SHAPE_ONLY):
            for value in values_in(operands_of(statement)):
                self.use(value, loops, sides)
        match statement:
            case Let():
                self.let(statement, loops, sides)
            case If():
                self.branches(statement, loops, sides)
            case For() | While():
                self.loop(statement, loops, sides)
            case _:
                for result in results_of(statement):
                    self.define(result, loops)

    def let(self, statement: Let, loops: Any, sides: Sides) -> None:
        value = statement.value
        self.define(value, loops)
        if not isinstance(value.type, Array):
            return
        if consumes(statement):
            self.writes.append((statement, self.position, sides))
            self.written.append(self.origin(statement.operands[0]))
            self.origins[value] = self.origin(statement.operands[0])
        elif shares_memory(statement):
            self.views.add(value)
            self.origins[value] = self.origin(statement.operands[0])
        else:
            self.origins[value] = frozenset({value})
        if statement.function in READ_ONLY:
            self.readonly.add(value)
            self.origins[value] = self.origins[value] | {value}

    def branches(self, statement: If, loops: Any, sides: Sides) -> None:
        number = id(statement)
        for side, block in enumerate((statement.then, statement.orelse)):
            inner = (*sides, (number, side))
            self.block(block, loops, inner)
            for value in values_in(block.yields):
                self.use(value, loops, inner)
        self.position += 1
        for k, result in enumerate(statement.results):
            self.define(result, loops)
            self.sides[result] = (statement.then.yields[k], statement.orelse.yields[k])
            self.origins[result] = self.origin(statement.then.yields[k]) | self.origin(statement.orelse.yields[k])

    def loop(self, statement: For | While, loops: Any, sides: Sides) -> None:
        number = self.position
        inner = (*loops, (number, sides))
        first_write = len(self.written)
        self.firsts[number] = len(self.order)
        self.position += 1
        parameters = [carried.parameter for carried in statement.carried]
        for parameter in parameters:
            self.define(parameter, inner)
            self.origins[parameter] = frozenset({parameter})
        if isinstance(statement, For):
            self.define(statement.index, inner)
        if isinstance(statement, While):
            self.block(statement.condition, inner, sides)
            for value in values_in(statement.condition.yields):
                self.use(value, inner, sides)
        self.block(statement.body, inner, sides)
        for value in values_in(statement.body.yields):
            self.use(value, inner, sides)
        self.ends[number] = self.position
        written = self.written_parameters(statement, parameters, first_write)
        self.position += 1
        self.leave(statement, parameters, written, number, sides, loops)

    def written_parameters(self, statement: For | While, parameters: list[Value], first: int) -> set[Value]:
        """The carried arrays whose memory the body writes, directly or by handing it to one that is written."""
        written = {origin for origins in self.written[first:] for origin in origins} & set(parameters)
        while True:
            more = set(written)
            for k, parameter in enumerate(parameters):
                if parameter in written:
                    more |= self.origin(statement.body.yields[k]) & set(parameters)
            if more == written:
                return written
            written = more

    def leave(
        self,
        statement: For | While,
        parameters: list[Value],
        written: set[Value],
        number: int,
        sides: Sides,
        loops: Any,
    ) -> None:
        inside = set(self.order[self.firsts[number] :])
        for k, (parameter, result) in enumerate(zip(parameters, statement.results, strict=True)):
            self.define(result, loops)
            if self.origin(statement.body.yields[k]) & self.readonly:
                self.readonly |= {parameter, result}
            if parameter in written:
                self.taken[parameter] = Taken(statement, k, number, sides)
                self.written.append(self.origin(statement.carried[k].initial))
                own = self.origin(statement.carried[k].initial) & set(self.function.parameters)
                self.origins[result] = own | {result} | self.same_memory(statement, k)
                continue
            outer = self.handed_on(statement, parameters, k)
            self.origins[result] = frozenset(outer - inside) | {result} | self.same_memory(statement, k)

    def same_memory(self, statement: For | While, k: int) -> frozenset[Value]:
        """The results before the k-th whose memory the last iteration makes that of the k-th as well."""
        own = self.origin(statement.body.yields[k])
        pairs = zip(statement.results[:k], statement.body.yields, strict=False)
        return frozenset(result for result, yielded in pairs if own & self.origin(yielded))

    def handed_on(self, statement: For | While, parameters: list[Value], k: int) -> set[Value]:
        """The arrays whose memory a loop may have as its k-th value, also from others that it carries."""
        found: set[Value] = set()
        seen, waiting = {k}, [k]
        while waiting:
            j = waiting.pop()
            yielded = self.origin(statement.body.yields[j])
            found |= yielded | self.origin(statement.carried[j].initial)
            others = {i for i, parameter in enumerate(parameters) if parameter in yielded} - seen
            seen |= others
            waiting += others
        return found

    def is_read_after(self, value: Value, position: int, sides: Sides) -> bool:
        return any(self.when(use) > position and not _excludes(use.sides, sides) for use in self.uses.get(value, ()))

    def when(self, use: Use) -> int:
        return self.ends[-use.position - 2] if use.position < -1 else use.position


def _excludes(a: Sides, b: Sides) -> bool:
    """Whether two places are on different sides of one branch."""
    other = dict(b)
    return any(other.get(number, side) != side for number, side in a)
