"""Where two paths meet: the states after both branches become one, and what differs becomes a result of the If."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    DictRef,
    ListRef,
    MaybeUnset,
    PointsTo,
    Stack,
    Static,
    TupleValue,
)
from pullback.frontend.values.contents import keys_in
from pullback.frontend.values.exchanged import mapped, mapped_content, mapped_points_to
from pullback.frontend.values.item_forms import check_forms, form_of_content
from pullback.frontend.values.leaves import map_content
from pullback.frontend.values.merged_arrays import ArrayMerge
from pullback.frontend.values.outside_objects import are_of_one_class, as_record
from pullback.frontend.values.paths import Path, name_of_variable, plain_name
from pullback.frontend.values.references import references
from pullback.frontend.values.stacks import element_type, to_stack
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Constant,
    If,
    Operand,
    Value,
)
from pullback.ir.types import BOOL


class Merge(ArrayMerge):
    """Joins two paths behind a condition; `finish` appends the If and leaves the joined state in the context."""

    def finish(self) -> None:
        then, orelse = self.then.state, self.orelse.state
        if then.dead or orelse.dead:
            alive = self.orelse if then.dead else self.then
            self.state = alive.state.copy()
            self.export(alive)
        else:
            self.join()
        location = self.context.location(self.node)
        branches = (
            Block(tuple(self.then.statements), tuple(self.then.yields)),
            Block(tuple(self.orelse.statements), tuple(self.orelse.yields)),
        )
        self.context.builder.add(If(self.condition, *branches, tuple(self.results), location))
        self.context.state = self.state

    def export(self, alive: Path) -> None:
        """Only one path goes on: what it computed inside its branch becomes results of the If."""
        before, made = self.outer, alive.made()

        def leaf(value: Value) -> Operand:
            return self.exported(value, alive) if value in made else value

        for cell, content in alive.state.cells.items():
            if before.cells.get(cell) is not content:
                self.state.cells[cell] = mapped_content(content, leaf)
        for cell, points_to in alive.state.points_to.items():
            if before.points_to.get(cell) is not points_to:
                self.state.points_to[cell] = mapped_points_to(points_to, leaf)
        for key, binding in alive.state.names.items():
            if before.names.get(key) is not binding:
                self.state.names[key] = mapped(binding, leaf)

    def join(self) -> None:
        then, orelse = self.then.state, self.orelse.state
        for states in (then.linked, orelse.linked):
            for cell, others in states.items():
                self.state.linked[cell] = self.state.linked.get(cell, frozenset()) | others
        self.state.stale = {**then.stale, **orelse.stale}
        self.state.arguments = then.arguments
        self.state.spent = then.spent | orelse.spent
        for cell in [cell for cell in then.cells if cell in orelse.cells]:
            self.cell(cell)
        for key in dict.fromkeys([*then.names, *orelse.names]):
            merged = self.binding(then.names.get(key), orelse.names.get(key), key[1])
            if merged is not None:
                self.state.names[key] = merged

    def cell(self, cell: Cell) -> None:
        """The content of a cell from before the branches, and whose memory it is."""
        then, orelse = self.then.state, self.orelse.state
        if cell in then.points_to and cell in orelse.points_to:
            a, b = then.points_to[cell], orelse.points_to[cell]
            own = None if a.own is None else self.content(a.own, b.own, cell.name)
            self.state.points_to[cell] = PointsTo(a.aliases, own, a.moved or b.moved)
            if a.moved or b.moved:
                self.state.cells[cell] = self.outer.cells[cell]
                return
        elif cell in then.points_to or cell in orelse.points_to:
            for path in (self.then, self.orelse):
                self.read(ArrayRef(cell), path)
        self.hold(cell, then.cells[cell], orelse.cells[cell], cell.name)

    def hold(self, cell: Cell, a: Any, b: Any, name: str) -> None:
        """Give a cell its content after both paths; whose memory the items are is noted where they become a buffer."""
        self.state.cells[cell] = joined = self.content(a, b, name)
        for content in (a, b) if isinstance(joined, Stack) else ():
            self.state.hold(cell, content)

    def binding(self, a: Binding | None, b: Binding | None, name: str) -> Binding | None:
        if a is b or a == b:
            return a
        is_none = _may_be_none(a) or _may_be_none(b)
        if is_none and any(x is None or (isinstance(x, MaybeUnset) and not x.is_none) for x in (a, b)):
            return Conflict(f"'{plain_name(name)}' has no value on one path here, and is None on another")
        inner_a, flag_a = _flagged(a)
        inner_b, flag_b = _flagged(b)
        if flag_a is _YES and flag_b is _YES:
            return self.both(inner_a, inner_b, name)
        self.is_set = {id(self.then): flag_a, id(self.orelse): flag_b}
        merged = self.both(inner_a, inner_b, name) if inner_a and inner_b else self.one(inner_a, inner_b, name)
        self.is_set = {}
        if isinstance(merged, Conflict) or (name.startswith("<") and not is_none):
            return merged
        flag = self.phi(flag_a, flag_b, f"{name}_is_set")
        return MaybeUnset(merged, flag, is_none, name_of_variable(name))

    def one(self, a: Binding | None, b: Binding | None, name: str) -> Binding:
        """A variable that only one path sets."""
        binding, inside = (a, True) if a is not None else (b, False)
        path = self.then if inside else self.orelse

        def leaf(operand: Operand) -> Operand:
            undefined = Constant(UNDEFINED, operand.type)
            a, b = (operand, undefined) if inside else (undefined, operand)
            return self.result(a, b, operand.type, name)

        assert binding is not None, "one path sets the variable"
        rebuilt: Binding = self.rebuilt(binding, path, leaf, name)
        return rebuilt

    def rebuilt(self, binding: Binding, path: Path, leaf: Callable[[Operand], Any], name: str) -> Any:
        match binding:
            case Value():
                return leaf(binding)
            case Constant():
                return leaf(binding) if binding.type is not None else binding
            case ArrayRef():
                if binding.cell in path.state.points_to or references(path.state, binding.cell) > 1:
                    self.keep(binding.cell, path)
                if binding.cell in self.state.cells:
                    return self.seen(binding, path)
                ref = self.fresh(leaf(self.read(binding, path)), name)
                self.state.descend(ref.cell, binding.cell)
                ref.cell.outside = binding.cell.outside
                ref.cell.strided = self.is_strided(binding, path)
                return ref
            case TupleValue():
                items = tuple(self.rebuilt(item, path, leaf, name) for item in binding.items)
                return TupleValue(items, binding.kind, binding.fields)
            case ListRef() | DictRef() if binding.cell not in self.state.cells and binding.cell in path.state.cells:
                content = path.state.cells[binding.cell]
                if isinstance(content, tuple):
                    self.state.cells[binding.cell] = map_content(content, lambda i: self.rebuilt(i, path, leaf, name))
                else:
                    self.state.cells[binding.cell] = Stack(leaf(content.buffer), leaf(content.length), content.form)
                return binding
        return binding

    def both(self, a: Binding, b: Binding, name: str) -> Binding:
        if a == b:
            return a
        if isinstance(a, Conflict) or isinstance(b, Conflict):
            return a if isinstance(a, Conflict) else b
        if isinstance(a, Value | Constant) and isinstance(b, Value | Constant):
            merged = self.phi(a, b, plain_name(name))
            return merged if merged is not None else self.conflict(a, b, name)
        if isinstance(a, ArrayRef) and isinstance(b, ArrayRef):
            return self.arrays(a, b, name)
        if isinstance(a, TupleValue) and isinstance(b, TupleValue) and a.is_of_class_of(b):
            items = tuple(self.both(x, y, name) for x, y in zip(a.items, b.items, strict=True))
            return TupleValue(items, a.kind, a.fields)
        if isinstance(a, ListRef | DictRef) and isinstance(b, ListRef | DictRef) and type(a) is type(b):
            return self.containers(a, b, name)
        if are_of_one_class(a, b):
            first, second = self.record(a, self.then), self.record(b, self.orelse)
            return self.both(first, second, name) if first.is_of_class_of(second) else self.conflict(a, b, name)
        return self.conflict(a, b, name)

    def record(self, binding: Binding, path: Path) -> TupleValue:
        """A record, or an object from outside as one, after one path."""
        with self.context.builder.into(path.statements):
            outer, self.context.state = self.context.state, path.state
            try:
                return as_record(self.context, binding, self.node)
            finally:
                self.context.state = outer

    def containers(self, a: ListRef | DictRef, b: ListRef | DictRef, name: str) -> Binding:
        """A list or dict that is one of two; it is not changed where somebody else may have one of them."""
        key = (a.cell, b.cell)
        if key not in self.joined:
            first, second = self.then.state.cells[a.cell], self.orelse.state.cells[b.cell]
            if isinstance(a, DictRef) and keys_in(first) != keys_in(second):
                return self.conflict(a, b, name)
            label = "" if name.startswith("<") else name
            cell = self.joined[key] = Cell(label, outside=a.cell.outside or b.cell.outside)
            self.hold(cell, first, second, name)
            self.share_container(cell, (a, b))
            for ref, path in ((a, self.then), (b, self.orelse)):
                if ref.cell in path.state.stale:
                    self.state.stale[cell] = path.state.stale[ref.cell]
        return type(a)(self.joined[key])

    def share_container(self, cell: Cell, refs: tuple[ListRef | DictRef, ListRef | DictRef]) -> None:
        """Note the lists and dicts that a new cell may be, where others have those as well."""
        paths = (self.then, self.orelse)
        pairs = zip(*([path.state.names.get(name) for name in self.then.state.names] for path in paths), strict=True)
        together = max(1, sum(pair == refs for pair in pairs))
        for ref, path in zip(refs, paths, strict=True):
            others = path.state.linked.get(ref.cell, frozenset())
            if ref.cell.constant or references(path.state, ref.cell) > together:
                which = f"'{cell.name}'" if cell.name else "this"
                reason = f"{which} may be one of several lists or dicts here, so it cannot be changed"
                cell.outside = cell.outside or reason
                others |= {ref.cell, *(joined for pair, joined in self.joined.items() if ref.cell in pair)}
            for other in others:
                self.state.link(cell, other)

    def content(self, a: Any, b: Any, name: str) -> Any:
        """The content of a cell after both paths: an array's version, or a list's items."""
        if a is b:
            return a
        if isinstance(a, Value) and isinstance(b, Value):
            return self.phi(a, b, name)
        if any(isinstance(content, tuple) and content and isinstance(content[0], tuple) for content in (a, b)):
            return self.entries(a, b, name)
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.both(x, y, name) for x, y in zip(a, b, strict=True))
        first, second = self.stack(a, self.then, b), self.stack(b, self.orelse, a)
        if element_type(first, self.state).ndim != element_type(second, self.state).ndim:
            self.context.refuse(
                self.node, "a list that changes here holds numbers and arrays", "keep them in two lists"
            )
        buffer = self.phi(first.buffer, second.buffer, name)
        assert isinstance(buffer, Value)
        check_forms(self.context, first.form, second.form, self.node)
        return Stack(buffer, self.phi(first.length, second.length, f"{name}_length"), first.form)

    def entries(self, a: tuple[Any, ...], b: tuple[Any, ...], name: str) -> tuple[Any, ...]:
        """The entries of a dict, which has the same keys in the same order on both paths."""
        if [key for key, _ in a] != [key for key, _ in b]:
            which = f"the dict '{name}'" if name else "a dict"
            reason = f"{which} has other keys on one path that leads here than on another"
            self.context.refuse(self.node, reason, "give it the same keys in the same order on both paths")
        return tuple((key, self.both(x, y, name)) for (key, x), (_, y) in zip(a, b, strict=True))

    def stack(self, content: Any, path: Path, other: Any) -> Stack:
        with self.context.builder.into(path.statements):
            outer, self.context.state = self.context.state, path.state
            try:
                state = self.then.state if path is self.orelse else self.orelse.state
                type_, form = element_type(other, state), form_of_content(other, state) if other != () else None
                return to_stack(self.context, content, self.node, type_, form)
            finally:
                self.context.state = outer


_YES = Constant(True, BOOL)
_NO = Constant(False, BOOL)


def _flagged(binding: Binding | None) -> tuple[Any, Operand]:
    if binding is None or binding == Static(None):
        return None, _NO
    if isinstance(binding, MaybeUnset):
        return binding.binding, binding.flag
    return binding, _YES


def _may_be_none(binding: Binding | None) -> bool:
    return binding == Static(None) or (isinstance(binding, MaybeUnset) and binding.is_none)
