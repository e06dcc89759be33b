"""Loops: the body is read with a guess of what it carries, and read again until the guess holds.

Carried are the names that the body binds anew and the cells that it writes. The guess starts from the text (names that
are assigned), so that most loops are read once or twice. A loop that is read again because the loop around it is starts
from the cells that it was found to write, so that the readings of a nest grow with its depth, and do not double.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gast

from pullback.errors import Location
from pullback.frontend.syntax.loop_guess import Guess
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    Key,
    MaybeUnset,
    Range,
    Stack,
    State,
    Static,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.leaves import map_leaves, without_flag
from pullback.frontend.values.merge import cast_to, name_of_variable, plain_name, to_stack
from pullback.ir.nodes import UNDEFINED, Block, Carried, Constant, For, Operand, Statement, Value, While
from pullback.ir.types import BOOL, INT, Array, Type

MOST_READINGS = 12


@dataclass(slots=True)
class Reading:
    """One reading of the body: statements, state at its end, condition (of a while), exit flag."""

    statements: list[Statement]
    state: State
    exit: Operand | None
    condition: Block | None = None


class Loop:
    """Reads one loop. `body` reads the body once in the present state and returns its Reading."""

    def __init__(self, context: Context, node: Any, body: Callable[[], Reading], targets: frozenset[str]) -> None:
        self.context, self.node, self.body = context, node, body
        self.entry = context.state
        self.guess = Guess(context, node, targets)
        self.parameters: list[Carried] = []

    def read(self) -> tuple[Reading, list[Carried], list[tuple[Operand, Any]]]:
        """The body read with a guess that holds."""
        for _ in range(MOST_READINGS):
            reading = self.attempt()
            if reading is not None:
                self.context.written[self.guess.place] = tuple(self.guess.cells)
                return reading
        self.context.refuse(self.node, "the types of this loop's variables do not settle", "give them one type before")

    def attempt(self) -> tuple[Reading, list[Carried], list[tuple[Operand, Any]]] | None:
        self.parameters = []
        initial_statements: list[Statement] = []
        state = self.start(initial_statements)
        self.context.state = state.copy()
        self.started = state
        pending = self.context.pending
        self.context.pending = pending | {key for key in self.guess.assigned if key not in state.names}
        self.context.depth += 1
        try:
            reading = self.body()
        finally:
            self.context.depth -= 1
            self.context.pending = pending
            self.context.state = self.entry
        if reading.state.dead:
            reading.state = state
        if not self.guess.holds(self.started, reading.state):
            return None
        self.context.builder.statements.extend(initial_statements)
        return reading, self.parameters, self.yields(reading)

    # The state at the start of the body

    def start(self, statements: list[Statement]) -> State:
        state = self.entry.copy()
        with self.context.builder.into(statements):
            for cell, content in self.guess.cells.items():
                state.cells[cell] = self.cell_parameter(cell, content)
            for key, types in self.guess.names.items():
                state.names[key] = self.name_parameter(key, types, state)
        state.stale.update(self.guess.stale)
        for key, reason in self.guess.dropped.items():
            state.names[key] = Conflict(reason, "use two names")
        for key, (form, types) in self.guess.inner.items():
            state.names[key] = self.inner_parameter(key, form, types, state)
        return state

    def parameter(self, name: str, type_: Type, initial: Operand) -> Value:
        value = Value(plain_name(name), type_)
        self.parameters.append(Carried(value, cast_to(self.context, initial, type_)))
        return value

    def cell_parameter(self, cell: Cell, guess: Any) -> Any:
        content = self.entry.cells[cell]
        if isinstance(guess, Stack):
            stack = to_stack(self.context, content, self.node, _array_type(guess.buffer))
            buffer = self.parameter(cell.name, guess.buffer.type, stack.buffer)
            return Stack(buffer, self.parameter(f"{cell.name}_length", INT, stack.length))
        if isinstance(content, tuple):
            return tuple(self.parameter(cell.name, type_, item) for item, type_ in zip(content, guess, strict=True))
        return self.parameter(cell.name, content.type, content)

    def name_parameter(self, key: Key, types: list[Type], state: State) -> Binding:
        binding, remaining = self.entry.names[key], list(types)

        def change(leaf: Any) -> Binding:
            type_ = remaining.pop(0)
            if isinstance(leaf, ArrayRef):
                initial: Operand = self.context.read(leaf, self.node)
                value = self.parameter(key[1], type_, initial)
                cell = Cell(value.name)
                state.cells[cell] = value
                self.protect(cell, leaf, key, state)
                return ArrayRef(cell)
            value = self.parameter(key[1], type_, leaf)
            return value

        return map_leaves(binding, change)

    def protect(self, cell: Cell, leaf: ArrayRef, key: Key, state: State) -> None:
        """A carried array takes over the memory of the array before it, unless somebody else has that too."""
        name = key[1]
        cell_before = leaf.cell
        foreign = bool(cell_before.outside or leaf.path) or self.entry.is_given(cell_before)
        shared = foreign or self.entry.references(cell_before, key) > 0
        for other in state.linked.get(cell_before, ()):
            state.link(cell, other)
        if shared or key in self.guess.outside:
            state.link(cell, cell_before)
            cell.outside = self.guess.outside.get(key) or (
                f"'{name}' is bound anew in this loop and may still be the array of '{leaf.cell.name}', "
                "so it cannot be written here"
            )
        for other in self.guess.others.get(key, ()):
            state.descend(cell, other)

    def inner_parameter(self, key: Key, form: Binding, types: list[Type], state: State) -> Binding:
        """A name that may have no value before the loop: perhaps undefined, with a flag that says so."""
        remaining = list(types)
        before = self.entry.names.get(key)
        is_set: Operand = before.flag if isinstance(before, MaybeUnset) else Constant(False, BOOL)

        def change(leaf: Any) -> Binding:
            type_ = remaining.pop(0)
            initial: Operand = Constant(UNDEFINED, type_)
            if before is not None and before != Static(None):
                initial = self.context.read(leaf, self.node) if isinstance(leaf, ArrayRef) else leaf
            value = self.parameter(key[1], type_, initial)
            if not isinstance(leaf, ArrayRef):
                return value
            cell = Cell(value.name, outside=self.guess.outside.get(key, ""))
            state.cells[cell] = value
            for other in self.guess.others.get(key, ()):
                state.descend(cell, other)
            return ArrayRef(cell)

        binding = map_leaves(form, change)
        flag = Value(f"{plain_name(key[1])}_is_set", BOOL)
        self.parameters.append(Carried(flag, is_set))
        return MaybeUnset(binding, flag, key in self.guess.none, name_of_variable(key[1]))

    # What the body yields, and the state after the loop

    def yields(self, reading: Reading) -> list[Operand]:
        yields: list[Operand] = []
        context = self.context
        with context.builder.into(reading.statements):
            context.state = reading.state
            for cell, guess in self.guess.cells.items():
                yields += self.cell_yields(reading.state.cells[cell], guess)
            for key in [*self.guess.names, *self.guess.inner]:
                yields += self.name_yields(key, reading.state.names[key])
            context.state = self.entry
            types = [carried.parameter.type for carried in self.parameters]
            yields = [cast_to(context, operand, type_) for operand, type_ in zip(yields, types, strict=True)]
        return yields

    def cell_yields(self, content: Any, guess: Any) -> list[Operand]:
        if isinstance(guess, Stack):
            stack = to_stack(self.context, content, self.node, _array_type(guess.buffer))
            return [stack.buffer, stack.length]
        return list(content) if isinstance(content, tuple) else [content]

    def name_yields(self, key: Key, binding: Any) -> list[Operand]:
        flag: Operand = Constant(True, BOOL)
        inner = key in self.guess.inner
        if binding == Static(None) and inner:
            return [*(Constant(UNDEFINED, type_) for type_ in self.guess.inner[key][1]), Constant(False, BOOL)]
        if isinstance(binding, MaybeUnset):
            binding, flag = binding.binding, binding.flag
        leaves: list[Operand] = []

        def collect(leaf: Any) -> Any:
            leaves.append(self.context.read(leaf, self.node) if isinstance(leaf, ArrayRef) else leaf)
            return leaf

        map_leaves(binding, collect)
        return [*leaves, flag] if inner else leaves

    def leave(self, results: tuple[Value, ...], reading: Reading) -> None:
        """Bind names and cells to the results of the loop."""
        state = self.entry.copy()
        state.linked = dict(reading.state.linked)
        state.stale = dict(reading.state.stale)
        after = list(results)
        for cell, guess in self.guess.cells.items():
            if isinstance(guess, Stack):
                state.cells[cell] = Stack(after.pop(0), after.pop(0))
            elif isinstance(guess, list):
                state.cells[cell] = tuple(after.pop(0) for _ in guess)
            else:
                state.cells[cell] = after.pop(0)
        for key in self.guess.names:
            state.names[key] = self.rebound(self.started.names[key], after, state)
        for key in self.guess.inner:
            binding = self.rebound(without_flag(self.started.names[key]), after, state)
            flag = after.pop(0)
            is_none = key in self.guess.none
            unflagged = key[1].startswith("<") and not is_none
            state.names[key] = binding if unflagged else MaybeUnset(binding, flag, is_none, name_of_variable(key[1]))
        for key, reason in self.guess.dropped.items():
            state.names[key] = Conflict(reason, "use two names")
        self.context.state = state

    def rebound(self, binding: Binding, after: list[Value], state: State) -> Binding:
        def change(leaf: Any) -> Binding:
            value = after.pop(0)
            if not isinstance(leaf, ArrayRef):
                return value
            cell = Cell(value.name, outside=leaf.cell.outside)
            state.cells[cell] = value
            state.descend(cell, leaf.cell)
            return ArrayRef(cell)

        return map_leaves(binding, change)


def read_for(loop: Loop, index: Value, range_: Range) -> None:
    """Append the For that the loop is, and leave its state in the context."""
    reading, carried, body, results, location = _read(loop)
    start, stop, step, most = range_.start, range_.stop, range_.step, range_.checkpoints
    made = For(index, start, stop, step, carried, body, results, reading.exit is not None, location=location)
    if made.exits and most not in (None, Constant(None)):
        loop.context.refuse(
            loop.node, "memory= is for loops without 'break' or 'return'", "leave it out: checkpointed(...)"
        )
    loop.context.builder.add(replace(made, checkpoints=most))
    loop.leave(results, reading)


def read_while(loop: Loop) -> None:
    """Append the While that the loop is, and leave its state in the context."""
    reading, carried, body, results, location = _read(loop)
    assert reading.condition is not None, "the reading of a while has a condition"
    exits = reading.exit is not None
    loop.context.builder.add(While(reading.condition, carried, body, results, exits, location))
    loop.leave(results, reading)


def _read(loop: Loop) -> tuple[Reading, tuple[Carried, ...], Block, tuple[Value, ...], Location]:
    reading, carried, yields = loop.read()
    body = Block(tuple(reading.statements), (*yields, *([reading.exit] if reading.exit is not None else [])))
    results = tuple(Value(c.parameter.name, c.parameter.type) for c in carried)
    return reading, tuple(carried), body, results, loop.context.location(loop.node)


def exit_of(body: list[Any]) -> tuple[list[Any], str]:
    """The statements of a desugared body without the closing `if stopped: break`, and the flag's name."""
    if body and isinstance(body[-1], gast.If) and body[-1].body and isinstance(body[-1].body[0], gast.Break):
        return body[:-1], body[-1].test.id
    return body, ""


def _array_type(value: Value) -> Array:
    assert isinstance(value.type, Array), "the buffer of a list is an array"
    return value.type
