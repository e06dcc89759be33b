"""Copy insertion: an array is copied wherever it would be written while its old elements are still needed.

The derivative of `exp` reads the `y` from before the write:

>>> import numpy as np, pullback as pb
>>> def changed(x):
...     y = np.exp(x)
...     y[0] = 0.0
...     return np.sum(y)
>>> as_arrays = pb.differentiable(changed, optimisations=pb.OPTIMISATIONS - {"lowering"})
>>> print(pb.explain(as_arrays, np.ones(3), passes=["copy_insertion"]))
copies: copy_insertion, an array is copied where it is written although its old elements are read later
  ...
       y: float64[:] = exp(x)
  +    y_before: float64[:] = copy(y)
       y.1: float64[:] = store(y, ([0]), 0.0)
  ...
       y_bar.1: float64[:] = store(y_bar, ([0]), 0.0)
  -    x_bar: float64[:] = multiply(y_bar.1, y)
  +    x_bar: float64[:] = multiply(y_bar.1, y_before)
       return t.0, x_bar

After this pass every `store` can be done in place: no version of an array is read once it was written over. Results are
memory of their own: they share none with a parameter or with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from pullback.analysis.aliases import consumed_in, consumes, find_aliases
from pullback.analysis.lifetimes import END
from pullback.errors import Location
from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Carried,
    Effect,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_undefined,
    lets_in,
    map_values,
    results_of,
    walk,
)
from pullback.ir.types import Array
from pullback.passes.memory.copy_placement import RequiredCopies, required_copies

MOST_ATTEMPTS = 50


def insert_copies(function: Function) -> Function:
    """The function with the copies that make writing in place safe, and that bring changed parameters up to date."""
    function = _without_conflicts(replace(function, callees=tuple(map(insert_copies, function.callees))))
    moved = [k for k in function.mutated if not is_in_place(function, k)]
    return _written_back(function, moved) if moved else function


def _without_conflicts(function: Function) -> Function:
    for _ in range(MOST_ATTEMPTS):
        required = required_copies(function)
        if not required.any():
            return function
        function = _CopyInsertion(required, function).function(function)
    raise AssertionError("the copies of an array do not settle")


def is_in_place(function: Function, k: int) -> bool:
    """Whether the last version of a changed parameter stands in the parameter's own memory."""
    definitions: dict[Value, Statement] = {r: s for s in walk(function.body) for r in results_of(s)}
    last = function.body.yields[len(function.results) + function.mutated.index(k)]
    return _comes_from(last, function.parameters[k], definitions)


def _comes_from(value: Operand, source: Value, definitions: Mapping[Value, Statement]) -> bool:
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
        made = Effect(primitives.write_back, (function.parameters[k], last), location=function.location)
        if made not in statements:
            statements.append(made)
    return replace(function, body=Block(tuple(statements), function.body.yields))


class _CopyInsertion:
    def __init__(self, required: RequiredCopies, function: Function) -> None:
        self.required = required
        self.changed = {function.parameters[k] for k in function.mutated}
        self.aliases = cache(lambda: find_aliases(function))
        self.position = 0
        self.copies: dict[Value, tuple[Value, int]] = {}

    def function(self, function: Function) -> Function:
        statements = self.copied(function.parameters)
        statements += self.block_statements(function.body)
        body = Block(tuple(statements), self.operand(function.body.yields, END))
        shared = {k: body.yields[k] for k in self.required.results}
        return replace(function, body=_yielding_copies(body, shared, function.location))

    def copied(self, values: Iterable[Value]) -> list[Statement]:
        """Copies of the values that need one, right after they are made."""
        made: list[Statement] = []
        for value in values:
            if value in self.required.values:
                duplicate = Value(f"{value.name}_before" if value.name else "", value.type)
                self.copies[value] = (duplicate, self.required.values[value])
                made.append(Let(duplicate, primitives.copy, (value,)))
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
                orelse = self.in_place(statement, orelse)
                self.position += 1
                return [replace(statement, condition=condition, then=then, orelse=orelse)]
            case For() | While():
                return self.loop(statement)
        operands = self.operand(statement.operands, self.position)
        if isinstance(statement, Let) and statement.value in self.required.written:
            copy = _copy_of(operands[0], statement.value, statement.location)
            return [copy, replace(statement, operands=(copy.value, *operands[1:]))]
        return [replace(statement, operands=operands)]

    def in_place(self, statement: If, orelse: Block) -> Block:
        """The second branch, which hands out a changed parameter itself where the first one alone has written to it.

        So writes that follow reach the caller at once, also where an exception comes behind them.
        """
        then = lets_in(statement.then)

        def is_left(first: Operand, before: Operand, now: Operand) -> bool:
            if now is before or before not in self.changed or not _comes_from(first, before, then):
                return False
            return not self.may_write(statement.orelse, before)

        sides = zip(statement.then.yields, statement.orelse.yields, orelse.yields, strict=True)
        return replace(orelse, yields=tuple(side[1] if is_left(*side) else side[2] for side in sides))

    def may_write(self, block: Block, array: Value) -> bool:
        """Whether a block may write to the memory of an array."""
        root = self.aliases().root
        return any(root(value) is root(array) for value in consumed_in(block) if isinstance(value.type, Array))

    def copying(self, statement: If, block: Block) -> Block:
        """A branch that hands out copies of what only it defines and others write later."""
        pairs = enumerate(zip(statement.results, block.yields, strict=True))
        wanted = {k: r for k, (r, y) in pairs if r in self.required.handed_out and not is_undefined(y)}
        return _yielding_copies(block, wanted, statement.location)

    def loop(self, statement: For | While) -> list[Statement]:
        before: list[Statement] = []
        carried = []
        for k, item in enumerate(statement.carried):
            initial = self.operand(item.initial, self.position)
            if (item.parameter, k) in self.required.initials:
                copy = _copy_of(initial, item.parameter, statement.location)
                before.append(copy)
                initial = copy.value
            carried.append(Carried(item.parameter, initial, item.private))
        changes: dict[str, Any] = {"carried": tuple(carried)}
        if isinstance(statement, For):
            bounds = (statement.start, statement.stop, statement.step)
            changes["start"], changes["stop"], changes["step"] = self.operand(bounds, self.position)
        self.position += 1
        if isinstance(statement, While):
            changes["condition"] = self.block(statement.condition)
        body = self.block(statement.body, tuple(item.parameter for item in statement.carried))
        parameters = enumerate(item.parameter for item in statement.carried)
        wanted = {k: parameter for k, parameter in parameters if (parameter, k) in self.required.yields}
        changes["body"] = _yielding_copies(body, wanted, statement.location)
        self.position += 1
        return [*before, replace(statement, **changes)]


def _copy_of(operand: Operand, like: Value, location: Location) -> Let:
    """A statement that copies an operand, into a value of this name and type."""
    return Let(Value(like.name, like.type), primitives.copy, (operand,), location=location)


def _yielding_copies(block: Block, wanted: dict[int, Value], location: Location) -> Block:
    """A block that yields copies at some places, like the values there."""
    statements, yields = list(block.statements), list(block.yields)
    for k, like in wanted.items():
        copy = _copy_of(yields[k], like, location)
        statements.append(copy)
        yields[k] = copy.value
    return Block(tuple(statements), tuple(yields))
