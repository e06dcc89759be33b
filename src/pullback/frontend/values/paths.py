"""Two paths behind a condition, and the results of the If that they become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pullback.frontend.source.desugar import RESULT
from pullback.frontend.values.bindings import ArrayRef, Binding, Cell, Conflict
from pullback.frontend.values.choosing import read_if
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import TWO_NAMES, described
from pullback.frontend.values.stacks import cast_to
from pullback.frontend.values.state import State
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Constant,
    Operand,
    Statement,
    Value,
    results_of,
    walk,
)
from pullback.ir.types import Type, join


@dataclass(slots=True)
class Path:
    """One branch after it was read: its statements, its state, and what it will yield."""

    statements: list[Statement]
    state: State
    yields: list[Operand]

    def made(self) -> set[Value]:
        """The values that the branch defines."""
        return {value for statement in walk(Block(tuple(self.statements), ())) for value in results_of(statement)}


class Paths:
    """Both branches of a condition. `results` grows with what differs between them; `state` is that after both.

    joined: the lists and dicts that stand for one of two. is_set: by the id of a path, whether the name at hand has a
    value after it.
    """

    def __init__(self, context: Context, condition: Operand, then: Path, orelse: Path, node: Any) -> None:
        self.context, self.condition, self.node = context, condition, node
        self.outer = context.state
        self.then, self.orelse = then, orelse
        self.results: list[Value] = []
        self.known: dict[tuple[Any, Any, bool], Value] = {}
        self.cells: dict[tuple[Cell | None, Cell | None, Any], ArrayRef] = {}
        self.joined: dict[tuple[Cell, Cell], Cell] = {}
        self.state = State()
        self.is_set: dict[int, Operand] = {}

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

    def exported(self, operand: Operand, path: Path) -> Operand:
        """What one path made, as a result of the If; undefined after the other path."""
        if not isinstance(operand, Value):
            return operand
        undefined = Constant(UNDEFINED, operand.type)
        yields = (operand, undefined) if path is self.then else (undefined, operand)
        return self.result(yields[0], yields[1], operand.type, operand.name)

    def read(self, ref: ArrayRef, path: Path) -> Value:
        with self.context.builder.into(path.statements):
            outer, self.context.state = self.context.state, path.state
            try:
                return read_if(self.context, ref, self.is_set.get(id(path)), self.node)
            finally:
                self.context.state = outer

    def conflict(self, a: Binding, b: Binding, name: str) -> Conflict:
        """What a name stands for that is two different things."""
        return _conflict(name, described(a, self.then.state), described(b, self.orelse.state))

    def fresh(self, value: Operand, name: str) -> ArrayRef:
        cell = Cell(plain_name(name))
        self.state.cells[cell] = value
        return ArrayRef(cell)


def _identity(operand: Operand) -> Any:
    return operand if isinstance(operand, Constant) else id(operand)


def plain_name(name: str) -> str:
    """The name that a value gets: `<result>` becomes `result`."""
    return name.strip("<>").split(" ")[0]


def name_of_variable(name: str) -> str:
    """What a message calls a variable."""
    return f"'{name}'" if not name.startswith("<") else "what is returned" if name == RESULT else "a value"


def _conflict(name: str, a: str, b: str) -> Conflict:
    first, then = (a, "another one") if a == b else (a, b)
    what = f"'{plain_name(name)}'" if not name.startswith("<") else "this"
    are_arrays = all(thing.startswith(("an array", "a number")) for thing in (a, b))
    remedy = f"{TWO_NAMES}, or the same number of axes on every path" if are_arrays else TWO_NAMES
    return Conflict(f"{what} is {first} on one path that leads here, and {then} on another", remedy)
