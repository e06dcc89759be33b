"""The guess of what a loop carries: made from the text, and corrected after each reading of the body until it holds."""

from __future__ import annotations

from typing import Any, NoReturn

from pullback.frontend.source.desugar import RESULT
from pullback.frontend.source.names import assigned_names, changed_in_place, loaded_early
from pullback.frontend.syntax.loop_containers import CarriedContainers
from pullback.frontend.syntax.loop_memory import CarriedArrays, IterationEnd
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    Key,
    ListRef,
    MaybeUnset,
    ObjectRef,
    Stack,
    Static,
)
from pullback.frontend.values.contents import keys_in, values_in_content
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import TWO_NAMES, bound_anew, described, different, made_inside
from pullback.frontend.values.item_forms import check_forms, form_of_content
from pullback.frontend.values.leaves import (
    are_alike,
    array_leaves,
    container_leaves,
    count_of,
    types_of_leaves,
    without_flag,
)
from pullback.frontend.values.outside_objects import are_of_one_class, as_record
from pullback.frontend.values.references import containers_in
from pullback.frontend.values.stacks import common_stack, element_type
from pullback.frontend.values.state import State, name_at
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import INT, Type, join


class Guess:
    """What the loop is thought to carry: types of names' leaves, cells that are written, names set inside only.

    arrays: whose memory the carried arrays are. stale: cells from before that an iteration may have written under
    another name, with the reason not to read them. links: pairs of cells from before that an iteration makes one
    memory. none: names that are None, or may be, before the loop. containers, forms: what is known of carried lists and
    dicts, and what those held in the last iteration that have no value before the loop. stacks: names bound to lists of
    other lengths by some iterations, with the form of their items.
    """

    def __init__(self, context: Context, node: Any, targets: frozenset[str]) -> None:
        self.context, self.node, self.entry = context, node, context.state
        self.place = context.location(node)
        frame = context.frame
        self.assigned = [frame.key_of(name) for name in sorted(assigned_names(node.body) | targets)]
        self.in_place = {(frame.number, name) for name in changed_in_place(node.body) - targets}
        self.read_outside = frame.loads.outside(node) | loaded_early(node.body) | frame.outer_names | {RESULT}
        self.names: dict[Key, list[Type]] = {}
        self.staying: list[Key] = []  # lists, dicts and objects, until an iteration is found to bind another one
        self.cells: dict[Cell, Any] = {}
        self.inner: dict[Key, tuple[Binding, list[Type]]] = {}
        self.dropped: dict[Key, Conflict] = {}
        self.forms = State()
        self.stacks: dict[Key, Any] = {}
        self.arrays, self.containers = CarriedArrays(self.entry), CarriedContainers(self.entry)
        self.ends: IterationEnd | None = None
        self.stale: dict[Cell, str] = {}
        self.links: set[tuple[Cell, Cell]] = set()
        self.none: set[Key] = set()
        self.begin()

    def begin(self) -> None:
        for key in self.assigned:
            self.add(key)
        for cell in self.context.written.get(self.place, ()):
            if isinstance(self.entry.cells.get(cell), Value) and cell not in self.entry.points_to:
                self.cells[cell] = self.entry.cells[cell]

    def add(self, key: Key) -> None:
        """Note a name that the body assigns."""
        binding = self.entry.names.get(key)
        if binding is not None and not (isinstance(binding, ArrayRef) and key in self.in_place):
            types = types_of_leaves(binding, self.entry, in_lists=isinstance(binding, MaybeUnset))
            if types is not None and isinstance(binding, MaybeUnset):
                self.inner[key] = (binding.binding, types)
                if binding.is_none:
                    self.none.add(key)
            elif binding == Static(None):
                self.none.add(key)
            elif isinstance(binding, ObjectRef) or (types is None and self.carried_types(key) is not None):
                self.staying.append(key)
            elif types is None:
                self.dropped[key] = bound_anew(key[1], binding, self.entry)
            else:
                self.names[key] = types

    def carried_types(self, key: Key) -> list[Type] | None:
        """The types of all numbers and arrays in a list, a dict, or an item of one; None where it holds others."""
        binding = self.entry.at(key)
        return None if isinstance(binding, MaybeUnset) else types_of_leaves(binding, self.entry, in_lists=True)

    def holds(self, started: State, end: State, made: set[Value]) -> bool:
        """Whether a reading of the body, from its state at the start to that at the end, bears the guess out.

        made: the values that the body defines.
        """
        if not self.outer_hold(started, end):
            return False
        cells, stale = self.cells_hold(started, end), self.stale_hold(started, end) and self.links_hold(end)
        names, inner = self.names_hold(started, end), self.inner_hold(started, end)
        bound = {key: without_flag(end.at(key)) for key in [*self.names, *self.inner]}
        ends = {
            (key, n): leaf
            for key, binding in bound.items()
            for n, leaf in enumerate(array_leaves(binding, end))
            if (key, n) in self.arrays.cells
        }
        held = {
            (key, n): ref
            for key, binding in bound.items()
            for n, ref in enumerate(container_leaves(binding, end))
            if (key, n) in self.containers.cells
        }
        followed = {*self.names, *((ref.cell, k) for ref in held.values() for k in range(count_of(ref, end)))}
        self.ends = IterationEnd(self.arrays, ends, started, end, made, followed)
        known = self.containers.holds(held, started, end)
        return all((cells, stale, names, inner, known, self.ends.is_guessed()))

    def outer_hold(self, started: State, end: State) -> bool:
        """Names of functions around that calls of the body bind anew, by 'nonlocal', and new attributes of objects."""
        known = set(self.assigned)
        found = [
            key
            for key, binding in self.entry.names.items()
            if key not in known and end.names.get(key, binding) != started.names.get(key, binding)
        ]
        objects = {binding.number for binding in self.entry.names.values() if isinstance(binding, ObjectRef)}
        found += [key for key in end.names if key[0] in objects and key not in self.entry.names and key not in known]
        for key in found:
            self.assigned.append(key)
            self.read_outside |= {key[1]}
            self.add(key)
        return not found

    def stale_hold(self, started: State, end: State) -> bool:
        """Arrays from before the loop whose memory an iteration may have written: the next must not read them."""
        now = {cell: reason for cell, reason in end.stale.items() if cell in self.entry.cells}
        holds = now.keys() <= started.stale.keys()
        self.stale.update(now)
        return holds

    def links_hold(self, end: State) -> bool:
        """Memory from before the loop that a list takes in: what the next iteration writes is seen in the list."""
        pairs = ((cell, other) for cell, others in end.linked.items() for other in others)
        now = {pair for pair in pairs if all(cell in self.entry.cells for cell in pair)}
        holds = now <= self.links
        self.links |= now
        return holds

    def cells_hold(self, started: State, end: State) -> bool:
        holds = True
        for cell, content in started.cells.items():
            now = end.cells.get(cell)
            if now is content or now is None or cell not in self.entry.cells or cell in started.points_to:
                continue
            if isinstance(now, Value):
                if cell not in self.cells:
                    self.cells[cell], holds = now, False
            elif not self.list_holds(cell, content, now, end):
                holds = False
        return holds

    def list_holds(self, cell: Cell, start: Any, end: Any, state: State) -> bool:
        known = self.cells.get(cell)
        known_both = isinstance(start, tuple) and isinstance(end, tuple)
        if known_both and len(start) != len(end) and any(isinstance(item, tuple) for item in (*start, *end)):
            name = f"the dict '{cell.name}'" if cell.name else "a dict"
            self.context.refuse(self.node, f"{name} takes or loses keys in this loop", "give it all keys before")
        if isinstance(start, tuple) and isinstance(end, tuple) and len(start) == len(end):
            return self.items_hold(cell, start, end)
        for item in end if isinstance(end, tuple) else ():
            self.context.settled_unless_none(item, self.node)
        self.entry.hold(cell, self.entry.cells[cell])
        state.hold(cell, end)
        type_: Type = element_type(end if end != () else start, state)
        if start and not isinstance(start, Stack):
            common = join(element_type(start, state), type_)
            if common is None:
                self.context.refuse(
                    self.node, f"the list '{cell.name}' holds numbers and arrays", "keep them in two lists"
                )
            type_ = common
        form = form_of_content(end, state) if end != () else None
        wanted = Stack(Value(cell.name, type_), Constant(0, INT), form)
        if isinstance(known, Stack) and known.buffer.type == wanted.buffer.type and isinstance(end, Stack):
            check_forms(self.context, known.form, form, self.node)
            return True
        self.cells[cell] = wanted
        self.names = {key: types for key, types in self.names.items() if key[0] is not cell}
        return False

    def items_hold(self, cell: Cell, start: Any, end: Any) -> bool:
        """Items of a list, and values of a dict, that are others after an iteration are carried as names are."""
        if keys_in(start) != keys_in(end):
            self.refuse_change(cell, "gets its keys in another order in this loop", "keep their order")
        pairs = enumerate(zip(values_in_content(start), values_in_content(end), strict=True))
        changed = [(cell, k) for k, (before, after) in pairs if before != after and (cell, k) not in self.names]
        for key in changed:
            types = self.carried_types(key)
            if types is None:
                thing = described(self.entry.at(key), self.entry)
                self.refuse_change(cell, f"gets something else for {thing} in this loop", TWO_NAMES)
            self.names[key] = types
        return not changed

    def refuse_change(self, cell: Cell, what: str, remedy: str) -> NoReturn:
        which = f"'{cell.name}'" if cell.name else "a list or dict"
        self.context.refuse(self.node, f"{which} {what}", remedy)

    def names_hold(self, started: State, end: State) -> bool:
        holds = self.in_place_hold(end) and self.staying_hold(end)
        for key, types in list(self.names.items()):
            if are_of_one_class(started.at(key), end.at(key)) and self.become_records(key, end):
                holds = False
                continue
            joined = self.joined_of(key, types, started, end)
            if joined is None and self.becomes_stack(key, started, end):
                holds = False
            elif joined is None:
                reason = different(name_at(key), started.at(key), end.at(key), started, end)
                if isinstance(key[0], Cell):
                    self.context.refuse(self.node, reason, TWO_NAMES)
                del self.names[key]
                self.dropped[key] = Conflict(reason, TWO_NAMES)
                holds = False
            elif joined != types:
                self.names[key], holds = joined, False
        return holds

    def become_records(self, key: Key, end: State) -> bool:
        """Take an object from outside, of which an iteration binds another one, for a record.

        Returns whether the body must be read again since it was one at the start.
        """
        outer, was_outside = self.context.state, isinstance(self.entry.at(key), Static)
        records = []
        for state in (self.entry, end):
            self.context.state = state
            records.append(as_record(self.context, state.at(key), self.node))
        self.context.state = outer
        types = types_of_leaves(records[0], self.entry)
        if types is None or types_of_leaves(records[1], end) is None:
            return False
        self.entry.put(key, records[0])
        end.put(key, records[1])
        self.names[key] = types if was_outside else self.names[key]
        return was_outside

    def in_place_hold(self, end: State) -> bool:
        """Arrays thought to stay where they are that the body binds to others, as 0-d ones or those of a callee."""
        arrays = [key for key in sorted(self.in_place) if isinstance(self.entry.names.get(key), ArrayRef)]
        moved = [key for key in arrays if end.names.get(key) != self.entry.names[key]]
        self.in_place.difference_update(moved)
        for key in moved:
            self.names[key] = types_of_leaves(self.entry.names[key], self.entry) or []
        return not moved

    def staying_hold(self, end: State) -> bool:
        """Lists, dicts, objects, and tuples with such, that an iteration does not leave bound as they were."""
        moved = [key for key in self.staying if end.names.get(key) != self.entry.names[key]]
        self.staying = [key for key in self.staying if key not in moved]
        for key in moved:
            types = self.carried_types(key)
            if types is None:
                self.dropped[key] = bound_anew(key[1], self.entry.names[key], self.entry)
            else:
                self.names[key] = types
        return not moved

    def becomes_stack(self, key: Key, started: State, end: State) -> bool:
        """Whether a name is bound to a list of another length, which is carried as a buffer from now on."""
        found = self.stack_of(key, started, end)
        if found is None or key in self.stacks:
            return False
        for ref in container_leaves(self.entry.at(key), self.entry):
            self.entry.hold(ref.cell, self.entry.cells[ref.cell])
        self.names[key], self.stacks[key] = [found[0], INT], found[1]
        return True

    def stack_of(self, key: Key, started: State, end: State) -> tuple[Type, Any] | None:
        refs = (started.at(key), started), (end.at(key), end)
        if not all(isinstance(ref, ListRef) and ref.cell in state.cells for ref, state in refs):
            return None
        return common_stack([(state.cells[ref.cell], state) for ref, state in refs])

    def joined_of(self, key: Key, types: list[Type], first: State, then: State) -> list[Type] | None:
        """The common types of what is carried for a name."""
        if key not in self.stacks:
            return self.joined(first.at(key), then.at(key), types, first, then)
        found = self.stack_of(key, first, then)
        for ref in container_leaves(then.at(key), then):
            then.hold(ref.cell, then.cells[ref.cell])
        return None if found is None or found[1] != self.stacks[key] else [found[0], INT]

    def joined(self, start: Any, end: Any, types: list[Type], first: State, then: State) -> list[Type] | None:
        """The common types of a name's leaves at the start and at the end of the body."""
        now = types_of_leaves(end, then, in_lists=True) if end is not None else None
        if now is None or not are_alike(start, end, first, then) or len(now) != len(types):
            return None
        joined = [join(a, b) for a, b in zip(types, now, strict=True)]
        return [type_ for type_ in joined if type_] if all(joined) else None

    def keep_form(self, key: Key, binding: Binding, types: list[Type], end: State) -> None:
        """Note a name that only the loop sets, and what the lists and dicts in it hold."""
        self.inner[key] = (binding, types)
        for cell in containers_in(end, binding):
            self.forms.cells[cell] = end.cells[cell]

    def inner_hold(self, started: State, end: State) -> bool:
        """Names that only the loop sets, and that somebody reads in a later iteration or afterwards."""
        holds = True
        for key in self.assigned:
            now = end.names.get(key)
            if key in self.names or key in self.dropped or now is None:
                continue
            if now == Static(None) and key in self.none:
                continue
            if isinstance(now, MaybeUnset) and now.is_none and key not in self.none and key[1] in self.read_outside:
                reason = f"'{key[1]}' is None in some iterations of this loop, and has no value before it"
                self.dropped[key] = Conflict(reason, TWO_NAMES)
                holds = False
            elif key in self.inner:
                form, types = self.inner[key]
                joined = self.joined(without_flag(form), without_flag(now), types, self.forms, end)
                if joined is None:
                    del self.inner[key]
                    before = without_flag(form)
                    reason = different(key[1], before, without_flag(now), started, end, "at first")
                    self.dropped[key] = Conflict(reason, TWO_NAMES)
                    holds = False
                elif joined != types:
                    self.inner[key], holds = (form, joined), False
            elif key[1] in self.read_outside and (key not in self.entry.names or key in self.none):
                types_now = types_of_leaves(now, end, in_lists=bool(containers_in(end, now)))
                if types_now is None and key in self.none:
                    reason = different(key[1], Static(None), now, self.entry, end)
                    self.dropped[key], holds = Conflict(reason, TWO_NAMES), False
                elif types_now is None:
                    self.dropped[key], holds = made_inside(key[1], now, end), False
                else:
                    self.keep_form(key, without_flag(now), types_now, end)
                    holds = False
        return holds
