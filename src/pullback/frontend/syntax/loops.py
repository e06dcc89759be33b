"""Loops: the body is read with a guess of what it carries, and read again until the guess holds.

Carried are the names that the body binds anew and the cells that it writes. The guess starts from the text (names that
are assigned), so that most loops are read once or twice. A loop that is read again because the loop around it is starts
from the cells that it was found to write, so that the readings of a nest grow with its depth, and do not double.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from pullback.frontend.source.desugar import RESULT
from pullback.frontend.source.names import assigned_names, changed_in_place, loaded_early
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    Key,
    ListRef,
    MaybeUnset,
    Stack,
    State,
    TupleValue,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.merge import cast_to, element_type, to_stack
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import UNDEFINED, Block, Carried, Constant, For, Operand, Statement, Value, While
from pullback.ir.types import BOOL, INT, Array, Type, join

MOST_READINGS = 12


@dataclass(slots=True)
class _Guess:
    """What the loop is thought to carry: types of names' leaves, cells that are written, names set inside only.

    outside: names that must not be written through, with the reason; others: cells from before that a name may become;
    stale: cells from before that an iteration may have written under another name, with the reason not to read them.
    """

    names: dict[Key, list[Type]] = field(default_factory=dict)
    cells: dict[Cell, Any] = field(default_factory=dict)
    inner: dict[Key, tuple[Binding, list[Type]]] = field(default_factory=dict)
    dropped: dict[Key, str] = field(default_factory=dict)
    outside: dict[Key, str] = field(default_factory=dict)
    others: dict[Key, frozenset[Cell]] = field(default_factory=dict)
    stale: dict[Cell, str] = field(default_factory=dict)


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
        frame = context.frame
        assigned = assigned_names(node.body) | targets
        self.assigned = [(frame.number, name) for name in sorted(assigned)]
        self.in_place = {(frame.number, name) for name in changed_in_place(node.body) - targets}
        self.place = context.location(node)
        self.outside = frame.loads.outside(node) | loaded_early(node.body) | {RESULT}
        self.guess = self.first_guess()
        self.parameters: list[Carried] = []

    def first_guess(self) -> _Guess:
        guess = _Guess()
        for key in self.assigned:
            binding = self.entry.names.get(key)
            if binding is None or (isinstance(binding, ArrayRef) and key in self.in_place):
                continue
            types = _leaf_types(binding, self.entry)
            if types is not None and isinstance(binding, MaybeUnset):
                guess.inner[key] = (binding.binding, types)
            elif types is None:
                guess.dropped[key] = f"'{key[1]}' has different kinds of value before and inside the loop"
            else:
                guess.names[key] = types
        for cell in self.context.written.get(self.place, ()):
            if isinstance(self.entry.cells.get(cell), Value):
                guess.cells[cell] = self.entry.cells[cell]
        return guess

    def read(self) -> tuple[Reading, list[Carried], list[tuple[Operand, Any]]]:
        """The body read with a guess that holds."""
        for _ in range(MOST_READINGS):
            reading = self.attempt()
            if reading is not None:
                self.context.written[self.place] = tuple(self.guess.cells)
                return reading
        self.context.refuse(self.node, "the types of this loop's variables do not settle", "give them one type before")

    def attempt(self) -> tuple[Reading, list[Carried], list[tuple[Operand, Any]]] | None:
        self.parameters = []
        initial_statements: list[Statement] = []
        state = self.start(initial_statements)
        self.context.state = state.copy()
        self.started = state
        pending = self.context.pending
        self.context.pending = pending | {key for key in self.assigned if key not in state.names}
        self.context.depth += 1
        try:
            reading = self.body()
        finally:
            self.context.depth -= 1
            self.context.pending = pending
            self.context.state = self.entry
        if reading.state.dead:
            reading.state = state
        if not self.holds(reading):
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
        value = Value(name.strip("<>").split(" ")[0], type_)
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

        return _map_leaves(binding, change)

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
            if before is not None:
                initial = self.context.read(leaf, self.node) if isinstance(leaf, ArrayRef) else leaf
            value = self.parameter(key[1], type_, initial)
            if not isinstance(leaf, ArrayRef):
                return value
            cell = Cell(value.name, outside=self.guess.outside.get(key, ""))
            state.cells[cell] = value
            for other in self.guess.others.get(key, ()):
                state.descend(cell, other)
            return ArrayRef(cell)

        binding = _map_leaves(form, change)
        flag = Value(f"{key[1].strip('<>').split(' ')[0]}_is_set", BOOL)
        self.parameters.append(Carried(flag, is_set))
        return MaybeUnset(binding, flag)

    # Does the guess hold?

    def holds(self, reading: Reading) -> bool:
        results = [
            self.cells_hold(reading),
            self.stale_hold(reading),
            self.names_hold(reading),
            self.inner_hold(reading),
        ]
        return all(results)

    def stale_hold(self, reading: Reading) -> bool:
        """Arrays from before the loop whose memory an iteration may have written: the next must not read them."""
        now = {cell: reason for cell, reason in reading.state.stale.items() if cell in self.entry.cells}
        holds = now.keys() <= self.started.stale.keys()
        self.guess.stale.update(now)
        return holds

    def cells_hold(self, reading: Reading) -> bool:
        holds = True
        for cell, content in self.started.cells.items():
            end = reading.state.cells.get(cell)
            if end is content or end is None or cell not in self.entry.cells:
                continue
            if isinstance(end, Value):
                if cell not in self.guess.cells:
                    self.guess.cells[cell], holds = end, False
            elif not self.list_holds(cell, content, end, reading.state):
                holds = False
        return holds

    def list_holds(self, cell: Cell, start: Any, end: Any, state: State) -> bool:
        known = self.guess.cells.get(cell)
        if isinstance(start, tuple) and isinstance(end, tuple) and len(start) == len(end):
            if start == end:
                return True
            types = [_number_type(item) for item in end]
            before = [_number_type(item) for item in start]
            if all(types) and all(map(_number_type, self.entry.cells[cell])):
                joined = [join(a, b) for a, b in zip(before, types, strict=True) if a is not None and b is not None]
                if known == joined:
                    return True
                self.guess.cells[cell] = joined
                return False
            self.context.refuse(self.node, f"the list '{cell.name}' changes in a way that cannot be followed")
        type_: Type = element_type(end, state)
        if start and not isinstance(start, Stack):
            common = join(element_type(start, state), type_)
            if common is None:
                self.context.refuse(self.node, f"the list '{cell.name}' holds items of different kinds")
            type_ = common
        wanted = Stack(Value(cell.name, type_), Constant(0, INT))
        if isinstance(known, Stack) and known.buffer.type == wanted.buffer.type and isinstance(end, Stack):
            return True
        self.guess.cells[cell] = wanted
        return False

    def names_hold(self, reading: Reading) -> bool:
        holds = self.in_place_hold(reading)
        for key, types in list(self.guess.names.items()):
            joined = self.joined(self.started.names[key], reading.state.names.get(key), types, reading.state)
            if joined is None:
                del self.guess.names[key]
                self.guess.dropped[key] = f"'{key[1]}' has different kinds of value before and inside the loop"
                holds = False
            elif joined != types:
                self.guess.names[key], holds = joined, False
        return holds and self.owners_hold(reading)

    def in_place_hold(self, reading: Reading) -> bool:
        """Arrays thought to stay where they are that the body binds to others, as 0-d ones or those of a callee."""
        arrays = [key for key in sorted(self.in_place) if isinstance(self.entry.names.get(key), ArrayRef)]
        moved = [key for key in arrays if reading.state.names.get(key) != self.entry.names[key]]
        self.in_place.difference_update(moved)
        for key in moved:
            self.guess.names[key] = _leaf_types(self.entry.names[key], self.entry) or []
        return not moved

    def joined(self, start: Any, end: Any, types: list[Type], state: State) -> list[Type] | None:
        """The common types of a name's leaves at the start and at the end of the body."""
        now = _leaf_types(end, state) if end is not None else None
        if now is None or len(now) != len(types) or not _same_form(start, end):
            return None
        joined = [join(a, b) for a, b in zip(types, now, strict=True)]
        return [type_ for type_ in joined if type_] if all(joined) else None

    def owners_hold(self, reading: Reading) -> bool:
        """Each carried array must come from memory that no other name has, or may have."""
        linked, refused, holds = reading.state.linked, len(self.guess.outside), True
        ends = [
            (key, leaf)
            for key in [*self.guess.names, *self.guess.inner]
            for leaf in _array_leaves(reading.state.names[key])
        ]
        for k, (key, leaf) in enumerate(ends):
            cell = leaf.cell
            known = self.becomes(key, cell, reading.state)
            holds = holds and known
            same = {cell, *linked.get(cell, ())}
            sharing = [other for j, (other, end) in enumerate(ends) if j != k and end.cell in same]
            moved = key in self.guess.names and cell not in _cells_of(self.started.names[key])
            if cell.outside:
                self.guess.outside.setdefault(key, cell.outside)
            elif sharing or (moved and (leaf.path or cell in self.entry.cells)):
                for other in (key, *sharing):
                    reason = f"'{other[1]}' may be one of several arrays in this loop, so it cannot be written here"
                    self.guess.outside.setdefault(other, reason)
        return holds and len(self.guess.outside) == refused

    def becomes(self, key: Key, cell: Cell, state: State) -> bool:
        """Note the cells from before the loop that a name may stand for after an iteration; whether they were known."""
        sources = {other for other in (cell, *state.linked.get(cell, ())) if other in self.entry.cells}
        known = self.guess.others.get(key, frozenset())
        self.guess.others[key] = known | sources
        return sources <= known

    def inner_hold(self, reading: Reading) -> bool:
        """Names that only the loop sets, and that somebody reads in a later iteration or afterwards."""
        holds = True
        for key in self.assigned:
            end = reading.state.names.get(key)
            if key in self.guess.names or key in self.guess.dropped or end is None:
                continue
            if key in self.guess.inner:
                form, types = self.guess.inner[key]
                joined = self.joined(_without_flag(form), _without_flag(end), types, reading.state)
                if joined is None:
                    del self.guess.inner[key]
                    self.guess.dropped[key] = f"'{key[1]}' has different kinds of value in this loop"
                    holds = False
                elif joined != types:
                    self.guess.inner[key], holds = (form, joined), False
            elif key[1] in self.outside and key not in self.entry.names:
                types_now = _leaf_types(end, reading.state)
                if types_now is not None:
                    self.guess.inner[key], holds = (_without_flag(end), types_now), False
                    for leaf in _array_leaves(end):
                        self.becomes(key, leaf.cell, reading.state)
        return holds

    # What the body yields, and the state after the loop

    def yields(self, reading: Reading) -> list[Operand]:
        yields: list[Operand] = []
        context = self.context
        with context.builder.into(reading.statements):
            context.state = reading.state
            for cell, guess in self.guess.cells.items():
                yields += self.cell_yields(reading.state.cells[cell], guess)
            for key in [*self.guess.names, *self.guess.inner]:
                yields += self.name_yields(reading.state.names[key], key in self.guess.inner)
            context.state = self.entry
            types = [carried.parameter.type for carried in self.parameters]
            yields = [cast_to(context, operand, type_) for operand, type_ in zip(yields, types, strict=True)]
        return yields

    def cell_yields(self, content: Any, guess: Any) -> list[Operand]:
        if isinstance(guess, Stack):
            stack = to_stack(self.context, content, self.node, _array_type(guess.buffer))
            return [stack.buffer, stack.length]
        return list(content) if isinstance(content, tuple) else [content]

    def name_yields(self, binding: Any, inner: bool) -> list[Operand]:
        flag: Operand = Constant(True, BOOL)
        if isinstance(binding, MaybeUnset):
            binding, flag = binding.binding, binding.flag
        leaves: list[Operand] = []

        def collect(leaf: Any) -> Any:
            leaves.append(self.context.read(leaf, self.node) if isinstance(leaf, ArrayRef) else leaf)
            return leaf

        _map_leaves(binding, collect)
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
            binding = self.rebound(_without_flag(self.started.names[key]), after, state)
            flag = after.pop(0)
            state.names[key] = binding if key[1].startswith("<") else MaybeUnset(binding, flag)
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

        return _map_leaves(binding, change)


def read_for(loop: Loop, index: Value, start: Operand, stop: Operand, step: Operand, reverse: bool = False) -> None:
    """Append the For that the loop is, and leave its state in the context."""
    reading, carried, yields = loop.read()
    exits = reading.exit is not None
    body = Block(tuple(reading.statements), (*yields, *([reading.exit] if exits else [])))
    results = tuple(Value(c.parameter.name, c.parameter.type) for c in carried)
    location = loop.context.location(loop.node)
    loop.context.builder.add(For(index, start, stop, step, tuple(carried), body, results, exits, reverse, location))
    loop.leave(results, reading)


def read_while(loop: Loop) -> None:
    """Append the While that the loop is, and leave its state in the context."""
    reading, carried, yields = loop.read()
    exits = reading.exit is not None
    assert reading.condition is not None, "the reading of a while has a condition"
    body = Block(tuple(reading.statements), (*yields, *([reading.exit] if exits else [])))
    results = tuple(Value(c.parameter.name, c.parameter.type) for c in carried)
    location = loop.context.location(loop.node)
    loop.context.builder.add(While(reading.condition, tuple(carried), body, results, exits, location))
    loop.leave(results, reading)


def exit_of(body: list[Any]) -> tuple[list[Any], str]:
    """The statements of a desugared body without the closing `if stopped: break`, and the flag's name."""
    if body and isinstance(body[-1], gast.If) and body[-1].body and isinstance(body[-1].body[0], gast.Break):
        return body[:-1], body[-1].test.id
    return body, ""


# Leaves: the numbers and arrays inside a binding


def _map_leaves(binding: Binding, change: Callable[[Any], Binding]) -> Binding:
    match binding:
        case Value() | ArrayRef():
            return change(binding)
        case Constant():
            return change(binding) if binding.type is not None else binding
        case TupleValue():
            items = tuple(_map_leaves(item, change) for item in binding.items)
            return TupleValue(items, binding.kind, binding.fields)
    return binding


def _leaf_types(binding: Any, state: State) -> list[Type] | None:
    """The types of the leaves; None where something else is inside."""
    types: list[Type] = []
    good = True

    def note(leaf: Any) -> Any:
        if isinstance(leaf, ArrayRef):
            types.append(_ref_type(leaf, state))
        else:
            types.append(leaf.type)
        return leaf

    binding = _without_flag(binding)
    _map_leaves(binding, note)
    match binding:
        case Value() | ArrayRef():
            pass
        case Constant():
            good = binding.type is not None
        case TupleValue():
            good = all(_leaf_types(item, state) is not None for item in binding.items)
        case _:
            good = False
    return types if good else None


def _ref_type(ref: ArrayRef, state: State) -> Type:
    version = state.cells[ref.cell]
    type_: Type = version.type
    return type_of_part(type_, ref.path) if ref.path else type_


def _without_flag(binding: Any) -> Any:
    return binding.binding if isinstance(binding, MaybeUnset) else binding


def _same_form(a: Any, b: Any) -> bool:
    if isinstance(a, TupleValue) and isinstance(b, TupleValue):
        return len(a.items) == len(b.items) and all(map(_same_form, a.items, b.items))
    if isinstance(b, MaybeUnset | Conflict | ListRef):
        return False
    return isinstance(a, ArrayRef) == isinstance(b, ArrayRef)


def _array_leaves(binding: Any) -> list[ArrayRef]:
    found: list[ArrayRef] = []

    def note(leaf: Any) -> Any:
        if isinstance(leaf, ArrayRef):
            found.append(leaf)
        return leaf

    _map_leaves(binding, note)
    return found


def _array_type(value: Value) -> Array:
    assert isinstance(value.type, Array), "the buffer of a list is an array"
    return value.type


def _cells_of(binding: Any) -> set[Cell]:
    return {leaf.cell for leaf in _array_leaves(binding)}


def _number_type(item: Any) -> Type | None:
    return item.type if isinstance(item, Value | Constant) else None
