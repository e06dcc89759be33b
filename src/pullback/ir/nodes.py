"""The language: frozen nodes, every statement with a Location.

    Let(value, function, operands)          value = function(*operands)
    Effect(function, operands)              print, raise, check
    If(condition, then, orelse) -> results
    For(index, start, stop, step, carried, body) -> results      in any order or at once if it is `parallel`
    While(condition, carried, body) -> results
    Call(function, operands) -> results     of another Function, by name (recursion); of one with several results

A Block is a list of statements that ends by yielding operands. A loop's body yields the next carried values and,
where `exits` is set, one flag more: true leaves the loop after this iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pullback.errors import Location
from pullback.ir.types import Scalar, Type

NOWHERE = Location()

_PLACEHOLDERS = frozenset({"", "partial", "saved", "t_columns", "t_count", "t_rows", "t_saved", "t_size", "t_stack"})
"""What values are called that neither the user nor a rule has named."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One value, assigned once. `name` is what the user calls it, or '' for an intermediate result.

    of: what the text may name it after: (x, "_bar") for the adjoint of x, (x, "_saved") for the array that keeps x in
        each iteration, (x, "") for x that is read or computed again.
    """

    name: str
    type: Type
    of: tuple[Value, str] | None = None

    @property
    def is_named(self) -> bool:
        """Whether the user, or the rule of a derivative, has a name for it or for what it belongs to."""
        return self.name not in _PLACEHOLDERS

    def called(self, name: str, of: tuple[Value, str] | None = None) -> Value:
        """The value itself, under this name if it had none: naming is the one change that a value can see."""
        if not self.name:
            object.__setattr__(self, "name", name)
        if self.of is None:
            object.__setattr__(self, "of", of)
        return self

    def returned_as(self, name: str, of: tuple[Value, str]) -> Value:
        """The value itself, which a function returns under this name, if the user has none for what it belongs to."""
        if self.of is not None and (self.of[0] is of[0] or not self.of[0].is_named):
            object.__setattr__(self, "name", name)
            object.__setattr__(self, "of", of)
        return self

    def of_it(self, suffix: str) -> tuple[str, tuple[Value, str]]:
        """What a value is called that belongs to this one, and what it is named after."""
        return f"{self.name if self.is_named else 't'}{suffix}", (self, suffix)

    def __repr__(self) -> str:
        return f"{self.name or '_'}: {self.type}"


class _Undefined:
    """The value of a variable on a path that does not assign it; never read."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = _Undefined()


@dataclass(frozen=True, slots=True)
class Constant:
    """A value known before the run: a number with its type, or None, a string, a dtype, an exception class."""

    value: Any
    type: Type | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Constant)
            and type(self.value) is type(other.value)
            and repr(self.value) == repr(other.value)
            and self.type == other.type
        )

    def __hash__(self) -> int:
        return hash((type(self.value), repr(self.value), self.type))


@dataclass(frozen=True, slots=True)
class Slice:
    """`start:stop:step` in an index; None where the user wrote nothing."""

    start: Operand | None
    stop: Operand | None
    step: Operand | None


@dataclass(frozen=True, slots=True)
class Index:
    """A step of a path: `[items]`, each an operand, a Slice, or a Constant (None, Ellipsis)."""

    items: tuple[Operand | Slice, ...]


@dataclass(frozen=True, slots=True)
class Permute:
    """A step of a path: a transposition with these axes."""

    axes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reshape:
    """A step of a path: the same elements under another shape (of a contiguous array)."""

    shape: tuple[Operand, ...]


Step = Index | Permute | Reshape
Operand = Any  # Value | Constant | Slice | Step | tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Let:
    """by: what computes the value in exact code, where the function does not (`frontend/calls/exact_libraries.py`)."""

    value: Value
    function: Callable[..., Any]
    operands: tuple[Operand, ...]
    keywords: tuple[str, ...] = ()
    location: Location = NOWHERE
    by: str = ""


@dataclass(frozen=True, slots=True)
class Effect:
    function: Callable[..., Any]
    operands: tuple[Operand, ...]
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Carried:
    """A value that a loop carries from iteration to iteration: `parameter` inside, `initial` on entry.

    private: an array that is carried for its memory alone; no iteration reads what another one wrote.
    """

    parameter: Value
    initial: Operand
    private: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    yields: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class If:
    condition: Operand
    then: Block
    orelse: Block
    results: tuple[Value, ...]
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class For:
    """parallel: the iterations are independent, and machine code may run them at the same time.

    catches_errors: of a parallel loop, an iteration that raises an error ends there, and the others do not.

    checkpoints: of a loop that is to run in segments, the bytes that their checkpoints may take, or None as a constant.
    """

    index: Value
    start: Operand
    stop: Operand
    step: Operand
    carried: tuple[Carried, ...]
    body: Block
    results: tuple[Value, ...]
    exits: bool = False
    reverse: bool = False
    location: Location = NOWHERE
    parallel: bool = False
    catches_errors: bool = False
    checkpoints: Operand | None = None


@dataclass(frozen=True, slots=True)
class While:
    condition: Block
    carried: tuple[Carried, ...]
    body: Block
    results: tuple[Value, ...]
    exits: bool = False
    location: Location = NOWHERE


@dataclass(frozen=True, slots=True)
class Call:
    """function: the name of a callee of the function, or a function of NumPy that returns a tuple."""

    function: str | Callable[..., Any]
    operands: tuple[Operand, ...]
    results: tuple[Value, ...]
    location: Location = NOWHERE
    keywords: tuple[str, ...] = ()


Statement = Let | Effect | If | For | While | Call


@dataclass(frozen=True, slots=True)
class Function:
    """A function: the body yields the results, then the last version of each parameter that it changes."""

    name: str
    parameters: tuple[Value, ...]
    body: Block
    mutated: tuple[int, ...] = ()
    location: Location = NOWHERE
    callees: tuple[Function, ...] = field(default=())

    @property
    def results(self) -> tuple[Operand, ...]:
        """What the function returns, without the parameters it changes."""
        return self.body.yields[: len(self.body.yields) - len(self.mutated)]


def values_in(operand: Operand) -> Iterator[Value]:
    """The values that an operand mentions, from left to right."""
    match operand:
        case Value():
            yield operand
        case tuple():
            for item in operand:
                yield from values_in(item)
        case Slice():
            yield from values_in((operand.start, operand.stop, operand.step))
        case Index():
            yield from values_in(operand.items)
        case Reshape():
            yield from values_in(operand.shape)


def map_values(operand: Operand, change: Callable[[Value], Operand]) -> Operand:
    """The operand with every value replaced by what `change` makes of it."""
    match operand:
        case Value():
            return change(operand)
        case tuple():
            return tuple(map_values(item, change) for item in operand)
        case Slice():
            return Slice(*(map_values(part, change) for part in (operand.start, operand.stop, operand.step)))
        case Index():
            return Index(map_values(operand.items, change))
        case Reshape():
            return Reshape(map_values(operand.shape, change))
    return operand


def type_of_operand(operand: Operand) -> Type:
    assert isinstance(operand, Value | Constant), f"{operand!r} has no type of its own"
    assert operand.type is not None, f"the constant {operand!r} has no type"
    return operand.type


def is_scalar(operand: Operand) -> bool:
    return isinstance(operand, Value | Constant) and isinstance(operand.type, Scalar)


def is_undefined(operand: Operand) -> bool:
    """Whether an operand stands for a variable without a value."""
    return isinstance(operand, Constant) and operand.value is UNDEFINED


def blocks_of(statement: Statement) -> tuple[Block, ...]:
    """The blocks inside a statement, in the order in which they run."""
    match statement:
        case If():
            return (statement.then, statement.orelse)
        case For():
            return (statement.body,)
        case While():
            return (statement.condition, statement.body)
    return ()


def results_of(statement: Statement) -> tuple[Value, ...]:
    """The values that a statement defines for those after it."""
    match statement:
        case Let():
            return (statement.value,)
        case Effect():
            return ()
    return statement.results


def operands_of(statement: Statement) -> tuple[Operand, ...]:
    """What a statement itself reads, without what its blocks read."""
    match statement:
        case Let() | Effect() | Call():
            return statement.operands
        case If():
            return (statement.condition,)
        case For():
            initials = tuple(carried.initial for carried in statement.carried)
            most = () if statement.checkpoints is None else (statement.checkpoints,)
            return (statement.start, statement.stop, statement.step, *initials, *most)
        case While():
            return tuple(carried.initial for carried in statement.carried)


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks inside, outer before inner."""
    for statement in block.statements:
        yield statement
        for inner in blocks_of(statement):
            yield from walk(inner)


def blocks_in(block: Block) -> Iterator[Block]:
    """A block and the blocks inside, outer before inner."""
    yield block
    for statement in walk(block):
        yield from blocks_of(statement)


def lets_in(block: Block) -> dict[Value, Let]:
    """The statements in a block and in the blocks inside that make one value each, by that value."""
    return {statement.value: statement for statement in walk(block) if isinstance(statement, Let)}


def has_effects(block: Block) -> bool:
    """Whether a block prints or raises, or calls what may."""
    return any(isinstance(statement, Effect | Call) for statement in walk(block))


def read_in(block: Block) -> Iterator[Value]:
    """Every value that a block reads, as often as it does: by its statements, those inside, and what it yields."""
    for statement in block.statements:
        yield from read_by(statement)
    yield from values_in(block.yields)


def read_by(statement: Statement) -> Iterator[Value]:
    """Every value that a statement reads, as often as it and those inside do."""
    yield from values_in(operands_of(statement))
    for inner in blocks_of(statement):
        yield from read_in(inner)


def free_in(block: Block) -> Iterator[Value]:
    """What a block reads and does not define, as often as it does."""
    indices = {statement.index for statement in walk(block) if isinstance(statement, For)}
    own = indices.union(defined_in(block))
    yield from (value for value in read_in(block) if value not in own)


def defined_in(block: Block) -> Iterator[Value]:
    """Everything that the statements of a block define, those inside too, with what loops carry but not their index."""
    for statement in walk(block):
        yield from results_of(statement)
        if isinstance(statement, For | While):
            yield from (carried.parameter for carried in statement.carried)


def has_parallel_loops(function: Function) -> bool:
    return any(isinstance(s, For) and s.parallel for s in walk(function.body))


def made_in_iterations(loop: For | While) -> set[Value]:
    """The values that every iteration of a loop makes anew: its index and parameters, and all that stands in it."""
    made = _own(loop)
    for block in blocks_of(loop):
        for statement in walk(block):
            made.update(results_of(statement))
            if isinstance(statement, For | While):
                made |= _own(statement)
    return made


def _own(loop: For | While) -> set[Value]:
    parameters = {carried.parameter for carried in loop.carried}
    return parameters | {loop.index} if isinstance(loop, For) else parameters
