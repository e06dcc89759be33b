"""Loops: the body is read with a guess of what it carries, and read again until the guess holds.

Carried are the names that the body binds anew and the cells that it writes. The guess starts from the text (names that
are assigned), so that most loops are read once or twice. A loop that is read again because the loop around it is starts
from the cells that it was found to write, so that the readings of a nest grow with its depth, and do not double.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from pullback.frontend.syntax.loop_guess import Guess
from pullback.frontend.syntax.loop_memory import Leaf
from pullback.frontend.values.bindings import (
    Alias,
    ArrayRef,
    Binding,
    Cell,
    DictRef,
    Key,
    ListRef,
    MaybeUnset,
    PointsTo,
    Stack,
    Static,
)
from pullback.frontend.values.choosing import read_if
from pullback.frontend.values.context import Context, Pending
from pullback.frontend.values.leaves import (
    Change,
    Inside,
    container_leaves,
    each_leaf,
    map_content,
    map_leaves,
    without_flag,
)
from pullback.frontend.values.paths import name_of_variable, plain_name
from pullback.frontend.values.stacks import cast_to, to_stack
from pullback.frontend.values.state import State, name_at
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Carried,
    Constant,
    Operand,
    Statement,
    Value,
    map_values,
    results_of,
    walk,
)
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
        self.index: Value | None = None

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
        self.context.loops += (self,)
        unset: Pending | None = None
        try:
            reading = self.body()
        except Pending as read:
            if read.key in pending or read.key not in self.context.pending:
                raise
            unset = read
        finally:
            self.context.loops = self.context.loops[:-1]
            self.context.pending = pending
            self.context.state = self.entry
        if unset is not None:
            self.context.refuse(unset.node, *unset.problem)  # every iteration reads it before it sets it
        if reading.state.dead:
            reading.state = state
        if not self.guess.holds(self.started, reading.state, self.made(reading)):
            return None
        self.context.builder.statements.extend(initial_statements)
        return reading, self.parameters, self.yields(reading)

    def made(self, reading: Reading) -> set[Value]:
        """The values that are others in each iteration."""
        tests = reading.condition.statements if reading.condition is not None else ()
        body = Block((*tests, *reading.statements), ())
        found = {value for statement in walk(body) for value in results_of(statement)}
        return found | {carried.parameter for carried in self.parameters} | ({self.index} if self.index else set())

    # The state at the start of the body

    def start(self, statements: list[Statement]) -> State:
        state = self.entry.copy()
        self.context.state = self.entry.copy()
        with self.context.builder.into(statements):
            for cell, content in self.guess.cells.items():
                state.cells[cell] = self.cell_parameter(cell, content)
            for cell in self.shared_cells():
                self.shared_parameter(cell, state)
            for key, types in self.guess.names.items():
                state.put(key, self.name_parameter(key, types, state))
        state.stale.update(self.guess.stale)
        for cell, other in self.guess.links:
            state.link(cell, other)
        state.names.update(self.guess.dropped)
        for key, (form, types) in self.guess.inner.items():
            state.names[key] = self.inner_parameter(key, form, types, state)
        return state

    def shared_cells(self) -> list[Cell]:
        return [cell for cell in self.entry.points_to if cell in self.guess.arrays.moved]

    def parameter(self, name: str, type_: Type, initial: Operand) -> Value:
        value = Value(plain_name(name), type_)
        self.parameters.append(Carried(value, cast_to(self.context, initial, type_)))
        return value

    def cell_parameter(self, cell: Cell, guess: Any) -> Any:
        content = self.entry.cells[cell]
        if isinstance(guess, Stack):
            stack = to_stack(self.context, content, self.node, _array_type(guess.buffer), guess.form)
            buffer = self.parameter(cell.name, guess.buffer.type, stack.buffer)
            return Stack(buffer, self.parameter(f"{cell.name}_length", INT, stack.length), stack.form)
        return self.parameter(cell.name, content.type, content)

    def name_parameter(self, key: Key, types: list[Type], state: State) -> Binding:
        remaining, numbers, before = list(types), count(), self.entry.at(key)
        is_set = before.flag if isinstance(before, MaybeUnset) else None

        def change(leaf: Any) -> Binding:
            type_ = remaining.pop(0)
            if isinstance(leaf, ArrayRef):
                return self.array_parameter((key, next(numbers)), leaf, type_, state, is_set)
            return self.parameter(name_at(key), type_, leaf)

        return map_leaves(before, change, self.container_parameters(key, self.entry, state, is_known=True))

    def container_parameters(self, key: Key, form: State, state: State, is_known: bool) -> Inside:
        """How the lists and dicts in a name start an iteration. form: holds what is in them before it."""
        numbers, containers = count(), self.guess.containers

        def inside(ref: ListRef | DictRef, change: Change) -> Binding:
            place = (key, next(numbers))
            if is_known:
                self.context.version(ref.cell, self.node)
            cell = containers.begin(place, ref if is_known else None, name_at(key))
            state.cells[cell] = map_content(self.content(key, form.cells[ref.cell]), change)
            for other in containers.others.get(place, ()):
                state.link(cell, other)
            return type(ref)(cell)

        return inside

    def content(self, key: Key, content: Any) -> Any:
        """What a list or dict holds; as a buffer if a name stands for lists of several lengths."""
        if key not in self.guess.stacks:
            return content
        type_ = self.guess.names[key][0]
        assert isinstance(type_, Array), "the buffer of a list is an array"
        return to_stack(self.context, content, self.node, type_, self.guess.stacks[key])

    def inner_parameter(self, key: Key, form: Binding, types: list[Type], state: State) -> Binding:
        """A name that may have no value before the loop: perhaps undefined, with a flag that says so."""
        remaining, numbers = list(types), count()
        before = self.entry.names.get(key)
        known = before is not None and before != Static(None)
        is_set: Operand = before.flag if isinstance(before, MaybeUnset) else Constant(False, BOOL)

        def change(leaf: Any) -> Binding:
            type_ = remaining.pop(0)
            if isinstance(leaf, ArrayRef):
                return self.array_parameter((key, next(numbers)), leaf if known else None, type_, state, is_set)
            return self.parameter(key[1], type_, leaf if known else Constant(UNDEFINED, type_))

        held = self.entry if known else self.guess.forms
        inside = self.container_parameters(key, held, state, is_known=known)
        binding = map_leaves(form, change, inside)
        flag = Value(f"{plain_name(key[1])}_is_set", BOOL)
        self.parameters.append(Carried(flag, is_set))
        return MaybeUnset(binding, flag, key in self.guess.none, name_of_variable(key[1]))

    def array_parameter(
        self, leaf: Leaf, before: ArrayRef | None, type_: Type, state: State, is_set: Operand | None = None
    ) -> ArrayRef:
        """An array that the loop carries, and the conditions that say whose memory it is.

        is_set: whether it has a value before the loop.
        """
        arrays, name = self.guess.arrays, name_at(leaf[0])
        version: Operand = Constant(UNDEFINED, type_)
        if before is not None:
            arrays.begin(leaf, before, type_)
            version = read_if(self.context, before, is_set, self.node)
        cell = arrays.cells.setdefault(leaf, Cell(plain_name(name)))
        cell.outside, cell.strided = arrays.unknown.get(leaf, ""), leaf in arrays.strided
        if leaf not in arrays.sources:
            state.cells[cell] = self.parameter(name, type_, version)
        else:
            self.share(leaf, cell, before, version, type_, state)
        for other in arrays.others.get(leaf, ()):
            note = state.descend if leaf in arrays.unknown else state.link
            note(cell, other)
        return ArrayRef(cell)

    def share(
        self, leaf: Leaf, cell: Cell, before: ArrayRef | None, version: Operand, type_: Type, state: State
    ) -> None:
        """The parameters for an array of several memories: its version, its own memory, and which of all it is."""
        arrays, own = self.guess.arrays, None
        moved = cell in arrays.moved
        state.cells[cell] = Value(cell.name, type_) if moved else self.parameter(cell.name, type_, version)
        if leaf in arrays.owned:
            taken = before is not None and before not in arrays.sources[leaf]
            own = self.parameter(cell.name, type_, version if taken else Constant(UNDEFINED, type_))
        aliases = []
        for ref in arrays.sources[leaf]:
            held = self.parameter(f"{cell.name}_is_{ref.cell.name}", BOOL, Constant(ref == before, BOOL))
            aliases.append(Alias(held, ref))
            for index in arrays.indices(leaf, ref):
                self.parameters.append(Carried(index, Constant(UNDEFINED, index.type)))
        state.points_to[cell] = PointsTo(tuple(aliases), own, moved)

    def shared_parameter(self, cell: Cell, state: State) -> None:
        """A cell of several memories from before the loop that an iteration writes: its own is carried."""
        points_to = self.entry.points_to[cell]
        own = points_to.own
        if own is not None:
            own = self.parameter(cell.name, own.type, own)
        state.points_to[cell] = PointsTo(points_to.aliases, own, moved=True)

    # What the body yields, and the state after the loop

    def yields(self, reading: Reading) -> list[Operand]:
        yields: list[Operand] = []
        context = self.context
        with context.builder.into(reading.statements):
            context.state = reading.state
            for cell, guess in self.guess.cells.items():
                yields += self.cell_yields(reading.state.cells[cell], guess)
            for cell in self.shared_cells():
                own = reading.state.points_to[cell].own
                yields += [own] if own is not None else []
            for key in [*self.guess.names, *self.guess.inner]:
                yields += self.name_yields(key, reading.state.at(key))
            context.state = self.entry
            types = [carried.parameter.type for carried in self.parameters]
            yields = [cast_to(context, operand, type_) for operand, type_ in zip(yields, types, strict=True)]
        return yields

    def cell_yields(self, content: Any, guess: Any) -> list[Operand]:
        if isinstance(guess, Stack):
            stack = to_stack(self.context, content, self.node, _array_type(guess.buffer), guess.form)
            return [stack.buffer, stack.length]
        return [content]

    def name_yields(self, key: Key, binding: Any) -> list[Operand]:
        flag: Operand = Constant(True, BOOL)
        inner = key in self.guess.inner
        if binding == Static(None) and inner:
            return [*self.unset_yields(key), Constant(False, BOOL)]
        if isinstance(binding, MaybeUnset):
            binding, flag = binding.binding, binding.flag
        leaves: list[Operand] = []
        numbers = count()

        def collect(leaf: Any) -> Any:
            leaves.extend(self.array_yields((key, next(numbers)), leaf) if isinstance(leaf, ArrayRef) else [leaf])
            return leaf

        cells = self.context.state.cells
        for ref in container_leaves(binding, self.context.state):
            self.context.check_fresh(ref.cell, self.node)
            cells[ref.cell] = self.content(key, cells[ref.cell])
        each_leaf(binding, collect, self.context.state)
        return [*leaves, flag] if inner else leaves

    def array_yields(self, leaf: Leaf, ref: ArrayRef) -> list[Operand]:
        arrays = self.guess.arrays
        if leaf not in arrays.sources:
            return [self.context.read(ref, self.node)]
        version = [] if arrays.cells[leaf] in arrays.moved else [self.context.read(ref, self.node)]
        type_ = self.started.cells[arrays.cells[leaf]].type
        return [*version, *self.guess.ends.yielded(leaf, type_, self.context, self.node)]

    def unset_yields(self, key: Key) -> list[Operand]:
        """What stands for a name that is None after an iteration: undefined values, and no memory of others."""
        arrays, numbers, yields = self.guess.arrays, count(), list[Operand]()

        def leave_out(leaf: Any) -> Any:
            if isinstance(leaf, ArrayRef):
                carried = (key, next(numbers))
                sources = arrays.sources.get(carried, ())
                versions = (not sources or leaf.cell not in arrays.moved) + (bool(sources) and carried in arrays.owned)
                yields.extend(Constant(UNDEFINED, self.started.cells[leaf.cell].type) for _ in range(versions))
                for source in sources:
                    indices = arrays.indices(carried, source)
                    yields.extend((Constant(False, BOOL), *(Constant(UNDEFINED, i.type) for i in indices)))
            else:
                yields.append(Constant(UNDEFINED, leaf.type))
            return leaf

        each_leaf(without_flag(self.started.names[key]), leave_out, self.started)
        return yields

    def leave(self, results: tuple[Value, ...], reading: Reading) -> None:
        """Bind names and cells to the results of the loop."""
        state = self.entry.copy()
        state.linked = dict(reading.state.linked)
        state.stale = dict(reading.state.stale)
        state.spent |= reading.state.spent
        given = {capture.parameter for capture, _ in self.context.captures.values()}
        for cell, content in reading.state.cells.items():
            if cell.constant and isinstance(content, Value) and content in given:
                state.cells.setdefault(cell, content)
        after = list(results)
        for cell, guess in self.guess.cells.items():
            if isinstance(guess, Stack):
                state.cells[cell] = Stack(after.pop(0), after.pop(0), guess.form)
            else:
                state.cells[cell] = after.pop(0)
        for cell in self.shared_cells():
            points_to = state.points_to[cell]
            own = None if points_to.own is None else after.pop(0)
            state.points_to[cell] = PointsTo(points_to.aliases, own, moved=True)
        for key in self.guess.names:
            state.put(key, self.rebound(self.started.at(key), after, state))
        for key in self.guess.inner:
            binding = self.rebound(without_flag(self.started.names[key]), after, state)
            flag = after.pop(0)
            is_none = key in self.guess.none
            unflagged = key[1].startswith("<") and not is_none
            state.names[key] = binding if unflagged else MaybeUnset(binding, flag, is_none, name_of_variable(key[1]))
        state.names.update(self.guess.dropped)
        self.context.state = state

    def rebound(self, binding: Binding, after: list[Value], state: State) -> Binding:
        def change(leaf: Any) -> Binding:
            return self.array_after(leaf.cell, after, state) if isinstance(leaf, ArrayRef) else after.pop(0)

        def inside(ref: ListRef | DictRef, change: Change) -> Binding:
            state.cells[ref.cell] = map_content(self.started.cells[ref.cell], change)
            return ref

        return map_leaves(binding, change, inside)

    def array_after(self, cell: Cell, after: list[Value], state: State) -> ArrayRef:
        """A carried array behind the loop."""
        points_to = self.started.points_to.get(cell)
        if points_to is None or not points_to.moved:
            state.cells[cell] = after.pop(0)
        if points_to is not None:
            own = None if points_to.own is None else after.pop(0)
            state.cells.setdefault(cell, self.started.cells[cell])
            leaf = next(leaf for leaf, carried in self.guess.arrays.cells.items() if carried is cell)
            aliases = []
            for alias in points_to.aliases:
                holds = after.pop(0)
                ended = {index: after.pop(0) for index in self.guess.arrays.indices(leaf, alias.ref)}
                aliases.append(Alias(holds, replaced(alias.ref, ended)))
            state.points_to[cell] = PointsTo(tuple(aliases), own, points_to.moved)
        return ArrayRef(cell)


def replaced(ref: ArrayRef, values: dict[Value, Value]) -> ArrayRef:
    """A view with other values in its path."""
    return ArrayRef(ref.cell, map_values(ref.path, lambda value: values.get(value, value)))


def _array_type(value: Value) -> Array:
    assert isinstance(value.type, Array), "the buffer of a list is an array"
    return value.type
