"""Where two paths meet: the states after both branches become one, and what differs becomes a result of the If."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.frontend.source.desugar import RESULT
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    Cell,
    Conflict,
    ListRef,
    MaybeUnset,
    Stack,
    State,
    Static,
    TupleValue,
    mapped,
    mapped_content,
)
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir.builder import constant
from pullback.ir.infer import type_of_part
from pullback.ir.nodes import UNDEFINED, Block, Constant, If, Operand, Statement, Value, is_undefined
from pullback.ir.types import BOOL, Array, Scalar, Type, join


@dataclass(slots=True)
class Path:
    """One branch after it was read: its statements, its state, and what it will yield."""

    statements: list[Statement]
    state: State
    yields: list[Operand]


class Merge:
    """Joins two paths behind a condition; `finish` appends the If and leaves the joined state in the context."""

    def __init__(self, context: Context, condition: Operand, then: Path, orelse: Path, node: Any) -> None:
        self.context, self.condition, self.node = context, condition, node
        self.outer = context.state
        self.then, self.orelse = then, orelse
        self.results: list[Value] = []
        self.known: dict[tuple[Any, Any, bool], Value] = {}
        self.cells: dict[tuple[Cell | None, Cell | None, Any], ArrayRef] = {}
        self.state = State()

    def finish(self) -> None:
        then, orelse = self.then.state, self.orelse.state
        if then.dead or orelse.dead:
            alive = self.orelse if then.dead else self.then
            self.state = alive.state.copy()
            self.export(alive, inside=alive is self.then)
        else:
            self.join()
        location = self.context.location(self.node)
        branches = (
            Block(tuple(self.then.statements), tuple(self.then.yields)),
            Block(tuple(self.orelse.statements), tuple(self.orelse.yields)),
        )
        self.context.builder.add(If(self.condition, *branches, tuple(self.results), location))
        self.context.state = self.state

    def export(self, alive: Path, inside: bool) -> None:
        """Only one path goes on: what it computed inside its branch becomes results of the If."""
        before = self.outer
        for cell, content in alive.state.cells.items():
            if before.cells.get(cell) is not content:
                self.state.cells[cell] = mapped_content(content, lambda v: self.exported(v, alive, inside))
        for key, binding in alive.state.names.items():
            if before.names.get(key) is not binding:
                self.state.names[key] = mapped(binding, lambda v: self.exported(v, alive, inside))

    def exported(self, operand: Operand, alive: Path, inside: bool) -> Operand:
        if not isinstance(operand, Value):
            return operand
        undefined = Constant(UNDEFINED, operand.type)
        return (
            self.result(operand, undefined, operand.type, operand.name)
            if inside
            else self.result(undefined, operand, operand.type, operand.name)
        )

    def join(self) -> None:
        then, orelse = self.then.state, self.orelse.state
        for states in (then.linked, orelse.linked):
            for cell, others in states.items():
                self.state.linked[cell] = self.state.linked.get(cell, frozenset()) | others
        self.state.stale = {**then.stale, **orelse.stale}
        self.state.arguments = then.arguments
        self.state.spent = then.spent | orelse.spent
        for cell in [cell for cell in then.cells if cell in orelse.cells]:
            self.state.cells[cell] = self.content(then.cells[cell], orelse.cells[cell], cell.name)
        for key in dict.fromkeys([*then.names, *orelse.names]):
            merged = self.binding(then.names.get(key), orelse.names.get(key), key[1])
            if merged is not None:
                self.state.names[key] = merged

    # Results of the If

    def result(self, a: Operand, b: Operand, type_: Type, name: str) -> Value:
        known = (_identity(a), _identity(b), False)
        if known not in self.known:
            value = Value(name, type_)
            self.known[known] = value
            self.results.append(value)
            self.then.yields.append(a)
            self.orelse.yields.append(b)
        return self.known[known]

    def phi(self, a: Operand, b: Operand, name: str) -> Operand | None:
        """One value for two; None where their types have nothing in common."""
        if a is b or (isinstance(a, Constant) and a == b):
            return a
        type_ = join(a.type, b.type)
        if type_ is None:
            return None
        return self.result(self.cast(a, type_, self.then), self.cast(b, type_, self.orelse), type_, name)

    def cast(self, operand: Operand, type_: Type, path: Path) -> Operand:
        with self.context.builder.into(path.statements):
            return cast_to(self.context, operand, type_)

    # Bindings

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
        merged = self.both(inner_a, inner_b, name) if inner_a and inner_b else self.one(inner_a, inner_b, name)
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
                if binding.cell in self.state.cells:
                    return binding
                ref = self.fresh(leaf(self.read(binding, path)), name)
                self.state.descend(ref.cell, binding.cell)
                ref.cell.outside = binding.cell.outside
                return ref
            case TupleValue():
                items = tuple(self.rebuilt(item, path, leaf, name) for item in binding.items)
                return TupleValue(items, binding.kind, binding.fields)
            case ListRef() if binding.cell not in self.state.cells and binding.cell in path.state.cells:
                content = path.state.cells[binding.cell]
                if isinstance(content, tuple):
                    self.state.cells[binding.cell] = tuple(self.rebuilt(i, path, leaf, name) for i in content)
                else:
                    self.state.cells[binding.cell] = Stack(leaf(content.buffer), leaf(content.length))
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
        if isinstance(a, TupleValue) and isinstance(b, TupleValue) and len(a.items) == len(b.items):
            items = tuple(self.both(x, y, name) for x, y in zip(a.items, b.items, strict=True))
            return TupleValue(items, a.kind, a.fields)
        if isinstance(a, ListRef) and isinstance(b, ListRef):
            return self.lists(a, b, name)
        return self.conflict(a, b, name)

    def conflict(self, a: Binding, b: Binding, name: str) -> Conflict:
        return _conflict(name, described(a, self.then.state), described(b, self.orelse.state))

    def arrays(self, a: ArrayRef, b: ArrayRef, name: str) -> Binding:
        """A new cell for an array that is one of two; it may share memory with those that others still have."""
        key = (a.cell, b.cell, (a.path, b.path))
        if key not in self.cells:
            first, second = self.read(a, self.then), self.read(b, self.orelse)
            merged = self.phi(first, second, plain_name(name))
            if merged is None:
                return self.conflict(a, b, name)
            ref = self.fresh(merged, name)
            for source in (a.cell, b.cell):
                self.state.descend(ref.cell, source)
                if source.outside or self.is_shared(source):
                    ref.cell.outside = source.outside or (
                        f"'{name}' is one of several arrays here, chosen by a branch, and cannot be written"
                    )
            self.cells[key] = ref
        return self.cells[key]

    def is_shared(self, cell: Cell) -> bool:
        """Whether the caller or anything besides the name at hand still has an array from before the branches."""
        if cell not in self.state.cells:
            return False
        return self.state.is_given(cell) or any(path.state.references(cell) > 1 for path in (self.then, self.orelse))

    def lists(self, a: ListRef, b: ListRef, name: str) -> Binding:
        fresh = a.cell not in self.orelse.state.cells and b.cell not in self.then.state.cells
        if not fresh:
            return Conflict(f"'{name}' is one of several lists here", "use one list, and fill it in the branches")
        cell = Cell(name)
        self.state.cells[cell] = self.content(self.then.state.cells[a.cell], self.orelse.state.cells[b.cell], name)
        return ListRef(cell)

    def content(self, a: Any, b: Any, name: str) -> Any:
        """The content of a cell after both paths: an array's version, or a list's items."""
        if a is b:
            return a
        if isinstance(a, Value) and isinstance(b, Value):
            return self.phi(a, b, name)
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.item(x, y, name) for x, y in zip(a, b, strict=True))
        first, second = self.stack(a, self.then, b), self.stack(b, self.orelse, a)
        if element_type(first, self.state).ndim != element_type(second, self.state).ndim:
            self.context.refuse(
                self.node, "a list that changes here holds numbers and arrays", "keep them in two lists"
            )
        buffer = self.phi(first.buffer, second.buffer, name)
        assert isinstance(buffer, Value)
        return Stack(buffer, self.phi(first.length, second.length, f"{name}_length"))

    def item(self, a: Any, b: Any, name: str) -> Any:
        if isinstance(a, tuple) and isinstance(b, tuple):  # an entry of a dict
            return (a[0], self.both(a[1], b[1], name))
        return self.both(a, b, name)

    def stack(self, content: Any, path: Path, other: Any) -> Stack:
        with self.context.builder.into(path.statements):
            outer, self.context.state = self.context.state, path.state
            try:
                return to_stack(
                    self.context,
                    content,
                    self.node,
                    element_type(other, self.then.state if path is self.orelse else self.orelse.state),
                )
            finally:
                self.context.state = outer

    def read(self, ref: ArrayRef, path: Path) -> Value:
        with self.context.builder.into(path.statements):
            outer, self.context.state = self.context.state, path.state
            try:
                return self.context.read(ref, self.node)
            finally:
                self.context.state = outer

    def fresh(self, value: Operand, name: str) -> ArrayRef:
        cell = Cell(plain_name(name))
        self.state.cells[cell] = value
        return ArrayRef(cell)


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


def _identity(operand: Operand) -> Any:
    return operand if isinstance(operand, Constant) else id(operand)


def name_of_variable(name: str) -> str:
    """What a message calls a variable."""
    return f"'{name}'" if not name.startswith("<") else "what is returned" if name == RESULT else "a value"


def plain_name(name: str) -> str:
    """The name that a value gets: `<result>` becomes `result`."""
    return name.strip("<>").split(" ")[0]


def _conflict(name: str, a: str, b: str) -> Conflict:
    first, then = ("one", "another") if a == b else (a, b)
    what = f"'{plain_name(name)}'" if not name.startswith("<") else "this"
    remedy = "use two names, or the same number of axes on every path"
    return Conflict(f"{what} is {first} on one path that leads here, and {then} on another", remedy)


def cast_to(context: Context, operand: Operand, type_: Type) -> Operand:
    """The operand with another scalar or element type."""
    if type_.dtype == "bool" and isinstance(operand.type, Scalar) and operand.type != type_:
        context.mixes_truth_values = True
    if operand.type == type_ or is_undefined(operand):
        return operand if operand.type == type_ else Constant(UNDEFINED, type_)
    if isinstance(operand, Constant) and isinstance(operand.value, int | float):
        return Constant({"float64": float, "int64": int}.get(type_.dtype, lambda v: v)(operand.value), type_)
    weak = "*" if not isinstance(type_, Array) and type_.weak else ""
    return context.builder.cast(operand, type_.dtype + weak)


def element_type(content: Any, state: State) -> Array:
    """The type of the buffer for the numbers or arrays in a list's content: wide enough for all of them."""
    if isinstance(content, Stack):
        assert isinstance(content.buffer.type, Array), "the buffer of a list is an array"
        return content.buffer.type
    common: Array | None = None
    for type_ in (_row_type(item, state) for item in content):
        if type_ is not None:
            wider = type_ if common is None else join(common, type_)
            common = wider if isinstance(wider, Array) else common
    return common or Array("float64", 1)


def _row_type(item: Any, state: State) -> Array | None:
    """The type of a buffer for items like this one; None for what is no number or array."""
    if isinstance(item, Value | Constant) and item.type is not None:
        return Array(item.type.dtype, 1)
    if isinstance(item, ArrayRef) and item.cell in state.cells:
        type_ = state.cells[item.cell].type
        part = type_of_part(type_, item.path) if item.path else type_
        return Array(type_.dtype, getattr(part, "ndim", 0) + 1)
    return None


def to_stack(context: Context, content: Any, node: Any, type_: Array) -> Stack:
    """A list's content as a growing buffer and a length; `type_` is that of the buffer of an empty one."""
    if isinstance(content, Stack):
        return content
    operands = [context.operand(item, node) for item in content]
    ranks = {getattr(operand.type, "ndim", 0) + 1 for operand in operands}
    if len(ranks) > 1:
        context.refuse(node, "a list that changes in a loop holds numbers and arrays", "keep them in two lists")
    buffer: Value
    if operands:
        buffer = context.let(node, np.array if ranks == {1} else np.stack, tuple(operands))
    else:
        sizes = (constant(0),) * type_.ndim
        buffer = context.let(node, np.empty, sizes, Constant(type_.dtype), keywords=("dtype",))
    return Stack(buffer, constant(len(operands)))
