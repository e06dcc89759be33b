"""Ownership: copies are put in wherever an array would be written while somebody still needs its old elements.

    y = store(x, i, v)               x' = copy(x)
    z = add(x, y)            →       y = store(x, i, v)
    return z                         z = add(x', y)
                                     return z

After this pass every `store` can be done in place. Results are memory of their own: they share none with a parameter
or with each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes, shares_memory
from pullback.ir import primitives
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
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
    map_values,
    operands_of,
    results_of,
    values_in,
    walk,
)
from pullback.ir.types import Array

END = 10**9
MOST_ITERATIONS = 50
READ_ONLY = {np.broadcast_to, runtime.broadcast_along}
SHAPE_ONLY = {primitives.dim, primitives.zeros_like}
Sides = tuple[tuple[int, int], ...]


def own(function: Function) -> Function:
    """The function with the copies that make writing in place safe, and that bring changed parameters up to date."""
    function = _settled(replace(function, callees=tuple(map(own, function.callees))))
    moved = [k for k in function.mutated if not is_in_place(function, k)]
    return _written_back(function, moved) if moved else function


def _settled(function: Function) -> Function:
    for _ in range(MOST_ITERATIONS):
        repairs = Survey(function).repairs()
        if not repairs.any():
            return function
        function = _Repairer(repairs).function(function)
    raise AssertionError("the copies of an array do not settle")


def is_in_place(function: Function, k: int) -> bool:
    """Whether the last version of a changed parameter stands in the parameter's own memory."""
    definitions: dict[Value, Statement] = {r: s for s in walk(function.body) for r in results_of(s)}
    last = function.body.yields[len(function.results) + function.mutated.index(k)]
    return _comes_from(last, function.parameters[k], definitions)


def _comes_from(value: Operand, source: Value, definitions: dict[Value, Statement]) -> bool:
    """Whether a version is the source, changed by nothing but writes in place."""
    if value is source:
        return True
    match definitions.get(value):
        case Let() as statement:
            return consumes(statement) and _comes_from(statement.operands[0], source, definitions)
        case If() as statement:
            j = statement.results.index(value)
            sides = (statement.then.yields[j], statement.orelse.yields[j])
            return all(_comes_from(side, source, definitions) for side in sides)
        case For() | While() as statement:
            j = statement.results.index(value)
            carried = statement.carried[j]
            within = _comes_from(statement.body.yields[j], carried.parameter, definitions)
            return within and _comes_from(carried.initial, source, definitions)
    return False


def _written_back(function: Function, moved: list[int]) -> Function:
    """The function with a last statement for each parameter whose elements ended up elsewhere."""
    statements = list(function.body.statements)
    for k in moved:
        last = function.body.yields[len(function.results) + function.mutated.index(k)]
        operands = (function.parameters[k], last)
        statements.append(Effect(primitives.write_back, operands, location=function.location))
    return replace(function, body=Block(tuple(statements), function.body.yields))


@dataclass(slots=True)
class Repairs:
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


@dataclass(frozen=True, slots=True)
class Use:
    """A reading of a value: when, and on which sides of which branches."""

    position: int
    sides: Sides


class Survey:
    """Where every array comes from, when it is made, read and written."""

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
        self.taken: dict[Value, tuple[For | While, int]] = {}
        self.starts: dict[int, int] = {}
        self.loop_sides: dict[int, Sides] = {}
        self.rank: dict[Value, int] = {}
        self.holders: dict[Value, list[Value]] = {}
        self.readonly: set[Value] = set()
        self.views: set[Value] = set()
        self.sides: dict[Value, tuple[Operand, Operand]] = {}
        self.written: list[frozenset[Value]] = []
        self.copied: frozenset[Value] = frozenset()
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

    # Walking

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
        at, on = (self.position if position is None else position), sides
        outer = self.loops.get(value, ())
        if len(loops) > len(outer):
            number, around = loops[len(outer)]
            self.uses.setdefault(value, []).append(Use(-number - 2, around))
            return
        self.uses.setdefault(value, []).append(Use(at, on))

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
                self.taken[parameter] = (statement, k)
                self.written.append(self.origin(statement.carried[k].initial))
                self.starts[id(statement)] = number
                self.loop_sides[id(statement)] = sides
                own = self.origin(statement.carried[k].initial) & set(self.function.parameters)
                self.origins[result] = own | {result}
                continue
            outer = self.origin(statement.carried[k].initial) | self.origin(statement.body.yields[k])
            self.origins[result] = frozenset({result}) | frozenset(o for o in outer if o not in inside)

    # What must be repaired

    def repairs(self) -> Repairs:
        repairs = Repairs()
        self.rank = {value: k for k, value in enumerate(self.order)}
        for value in self.order:
            for origin in self.origin(value):
                self.holders.setdefault(origin, []).append(value)
        for statement, position, sides in self.writes:
            self.check_write(statement, position, sides, repairs)
        for parameter, (loop, k) in self.taken.items():
            self.check_taken(parameter, loop, k, repairs)
        self.check_results(repairs)
        return repairs

    def holding(self, origins: frozenset[Value]) -> list[Value]:
        """The values that may share this memory, in the order in which they are made."""
        found = {value for origin in origins for value in self.holders.get(origin, ())}
        return sorted(found, key=self.rank.__getitem__)

    def check_write(self, statement: Let, position: int, sides: Sides, repairs: Repairs) -> None:
        written = self.origin(statement.operands[0])
        if written & self.readonly or any(o in self.function.parameters and not self.may_take(o) for o in written):
            self.copy_before(statement, written, repairs)
            return
        for value in self.holding(written):
            if self.made[value] >= position or value is statement.value:
                continue
            if self.is_read_after(value, position, sides):
                outer = len(self.loops[value]) < len(self.loops[statement.value])
                if value in self.kept or outer or statement.operands[0] in self.views:
                    self.copy_before(statement, written, repairs)
                    return
                self.copy_for_readers(value, position, repairs)

    def copy_for_readers(self, value: Value, position: int, repairs: Repairs) -> None:
        """Give those who read a value after a position a copy, made where the value is surely there."""
        handed_out = self.handed_out(value)
        if handed_out:
            repairs.handed_out |= handed_out
        else:
            repairs.values.setdefault(value, position)

    def handed_out(self, value: Value) -> set[Value]:
        """For a result that only some branches define: the innermost such results, which those branches can copy."""
        sides = self.sides.get(value, ())
        if not any(map(_is_undefined, sides)):
            return set()
        inner = [self.handed_out(side) for side in sides if isinstance(side, Value)]
        return {part for parts in inner for part in parts} if any(inner) else {value}

    def copy_before(self, statement: Let, written: frozenset[Value], repairs: Repairs) -> None:
        """Write to a copy; the writes that follow on the same memory are looked at again in the next iteration."""
        if not written & self.copied:
            repairs.written.add(statement.value)
            self.copied |= written

    def is_read_after(self, value: Value, position: int, sides: Sides) -> bool:
        return any(self.when(use) > position and not _excludes(use.sides, sides) for use in self.uses.get(value, ()))

    def when(self, use: Use) -> int:
        return self.ends[-use.position - 2] if use.position < -1 else use.position

    def check_taken(self, parameter: Value, statement: For | While, k: int, repairs: Repairs) -> None:
        """A carried array that is written must be the only holder of its memory, on entry and after every iteration."""
        initial, start = statement.carried[k].initial, self.starts[id(statement)]
        sides = self.loop_sides[id(statement)]
        others = {o for j, c in enumerate(statement.carried) if j != k for o in self.origin(c.initial)}
        taken = self.origin(initial)
        needed = [
            value
            for value in self.holding(taken)
            if self.made[value] <= start and self.is_read_after(value, start, sides)
        ]
        foreign = [o for o in taken if o in self.function.parameters]
        spare = not self.kept.intersection(needed)
        if foreign and spare and all(map(self.may_take, foreign)) and not taken & others:
            for value in needed:
                self.copy_for_readers(value, start, repairs)
        elif taken & others or needed or foreign or taken & self.readonly:
            repairs.initials.add((parameter, k))
        yielded = self.origin(statement.body.yields[k])
        other_yields = [y for j, y in enumerate(statement.body.yields) if j != k]
        if any(yielded & self.origin(y) for y in other_yields) or self.is_outer(yielded, start):
            repairs.yields.add((parameter, k))

    def may_take(self, parameter: Value) -> bool:
        return self.function.parameters.index(parameter) in self.function.mutated

    def is_outer(self, origins: Iterable[Value], start: int) -> bool:
        """Whether memory from before the loop is yielded to one of its carried arrays."""
        return any(self.made.get(origin, -1) <= start for origin in origins)

    def check_results(self, repairs: Repairs) -> None:
        seen: set[Value] = set()
        count = len(self.function.results)
        kept = {o for y in self.function.body.yields[count:] for o in self.origin(y)}
        for k, result in enumerate(self.function.results):
            origins = self.origin(result)
            if origins & (seen | kept | set(self.function.parameters)):
                repairs.results.add(k)
            seen |= origins


def _is_undefined(operand: Operand) -> bool:
    return isinstance(operand, Constant) and operand.value is UNDEFINED


def _excludes(a: Sides, b: Sides) -> bool:
    """Whether two places are on different sides of one branch."""
    other = dict(b)
    return any(other.get(number, side) != side for number, side in a)


class _Repairer:
    def __init__(self, repairs: Repairs) -> None:
        self.repairs = repairs
        self.position = 0
        self.copies: dict[Value, tuple[Value, int]] = {}

    def function(self, function: Function) -> Function:
        statements = self.copied(function.parameters)
        statements += self.block_statements(function.body)
        yields = list(self.operand(function.body.yields, END))
        for k in self.repairs.results:
            fresh = Value(getattr(yields[k], "name", ""), yields[k].type)
            statements.append(Let(fresh, primitives.copy, (yields[k],), location=function.location))
            yields[k] = fresh
        return replace(function, body=Block(tuple(statements), tuple(yields)))

    def copied(self, values: Iterable[Value], location: Any = None) -> list[Statement]:
        """Copies of the values that need one, right after they are made."""
        made: list[Statement] = []
        for value in values:
            if value in self.repairs.values:
                fresh = Value(f"{value.name}_before" if value.name else "", value.type)
                self.copies[value] = (fresh, self.repairs.values[value])
                made.append(Let(fresh, primitives.copy, (value,)))
        return made

    def operand(self, operand: Operand, position: int) -> Any:
        """The operand as it reads at a position: from the copy, once the original was written."""

        def change(value: Value) -> Value:
            copy = self.copies.get(value)
            return copy[0] if copy is not None and position > copy[1] else value

        return map_values(operand, change)

    def block_statements(self, block: Block) -> list[Statement]:
        statements: list[Statement] = []
        for statement in block.statements:
            self.position += 1
            statements += self.statement(statement)
            statements += self.copied(results_of(statement))
        self.position += 1
        return statements

    def block(self, block: Block, first: tuple[Value, ...] = ()) -> Block:
        statements = self.copied(first) + self.block_statements(block)
        return Block(tuple(statements), self.operand(block.yields, self.position))

    def statement(self, statement: Statement) -> list[Statement]:
        match statement:
            case If():
                condition = self.operand(statement.condition, self.position)
                then, orelse = (self.copying(statement, self.block(b)) for b in (statement.then, statement.orelse))
                self.position += 1
                return [replace(statement, condition=condition, then=then, orelse=orelse)]
            case For() | While():
                return self.loop(statement)
        operands = self.operand(statement.operands, self.position)
        if isinstance(statement, Let) and statement.value in self.repairs.written:
            fresh = Value(statement.value.name, statement.value.type)
            copied = Let(fresh, primitives.copy, (operands[0],), location=statement.location)
            return [copied, replace(statement, operands=(fresh, *operands[1:]))]
        return [replace(statement, operands=operands)]

    def copying(self, statement: If, block: Block) -> Block:
        """A branch that hands out copies of what only it defines and others write later."""
        statements, yields = list(block.statements), list(block.yields)
        for k, result in enumerate(statement.results):
            if result in self.repairs.handed_out and not _is_undefined(yields[k]):
                fresh = Value(result.name, result.type)
                statements.append(Let(fresh, primitives.copy, (yields[k],), location=statement.location))
                yields[k] = fresh
        return Block(tuple(statements), tuple(yields))

    def loop(self, statement: For | While) -> list[Statement]:
        before: list[Statement] = []
        carried = []
        for k, item in enumerate(statement.carried):
            initial = self.operand(item.initial, self.position)
            if (item.parameter, k) in self.repairs.initials:
                fresh = Value(item.parameter.name, item.parameter.type)
                before.append(Let(fresh, primitives.copy, (initial,), location=statement.location))
                initial = fresh
            carried.append(Carried(item.parameter, initial, item.scratch))
        changes: dict[str, Any] = {"carried": tuple(carried)}
        if isinstance(statement, For):
            bounds = (statement.start, statement.stop, statement.step)
            changes["start"], changes["stop"], changes["step"] = self.operand(bounds, self.position)
        self.position += 1
        if isinstance(statement, While):
            changes["condition"] = self.block(statement.condition)
        body = self.block(statement.body, tuple(item.parameter for item in statement.carried))
        changes["body"] = self.yielding(statement, body)
        self.position += 1
        return [*before, replace(statement, **changes)]

    def yielding(self, statement: For | While, body: Block) -> Block:
        statements, yields = list(body.statements), list(body.yields)
        for k, item in enumerate(statement.carried):
            if (item.parameter, k) in self.repairs.yields:
                fresh = Value(item.parameter.name, item.parameter.type)
                statements.append(Let(fresh, primitives.copy, (yields[k],), location=statement.location))
                yields[k] = fresh
        return Block(tuple(statements), tuple(yields))
