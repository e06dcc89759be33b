"""What names stand for while a function is read: numbers, references to arrays, and what is known beforehand.

Names bind to cells and views of cells; a cell is one piece of array memory, and the State knows its present version.
So a write through any alias or view becomes a store on the one cell, and every name sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import MethodType
from typing import Any

import numpy as np

from pullback.errors import Location
from pullback.frontend.source.outside import comes_from
from pullback.ir.nodes import NOWHERE, Constant, Operand, Permute, Step, Value

Key = tuple[Any, Any]  # frame and name; or, for an item of a list or dict, its cell and the number of the item


@dataclass(eq=False, slots=True)
class Cell:
    """One piece of memory. `outside` is why it must not be taken over by another name, if it must not.

    contiguous: its elements surely lie one behind the other. strided: they may lie apart, whatever the rank.
    """

    name: str
    location: Location = NOWHERE
    outside: str = ""
    constant: str = ""
    contiguous: bool = False
    strided: bool = False


@dataclass(frozen=True, slots=True)
class ArrayRef:
    """A view of a cell: the whole of it where the path is empty."""

    cell: Cell
    path: tuple[Step, ...] = ()


def joined(path: tuple[Step, ...], more: tuple[Step, ...]) -> tuple[Step, ...]:
    """A path that goes on; two transpositions in a row are one, or none."""
    if not path or not more or not isinstance(path[-1], Permute) or not isinstance(more[0], Permute):
        return (*path, *more)
    axes = tuple(path[-1].axes[k] for k in more[0].axes)
    between = () if axes == tuple(range(len(axes))) else (Permute(axes),)
    return joined(path[:-1], (*between, *more[1:])) if not between else (*path[:-1], *between, *more[1:])


@dataclass(frozen=True, slots=True)
class Alias:
    """That a cell is the memory which `ref` views, in the runs in which `holds` is true."""

    holds: Operand
    ref: ArrayRef


@dataclass(frozen=True, slots=True)
class PointsTo:
    """Whose memory a cell is: that of the first alias that holds, else its own, of which `own` is the version.

    moved: the cell was written, or one that it may be; its version must be made anew from what it stands for.
    """

    aliases: tuple[Alias, ...]
    own: Any = None
    moved: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Static:
    """A Python object known before the run: a function, a module, a dtype, a string, None.

    Two of them are equal if the objects are the same, or equal ones of Python's and NumPy's own classes: what users
    say of their objects is code that is read. why: for a None that is no gradient, the reason and the remedy.
    """

    value: Any
    why: tuple[str, str] = ("", "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and _are_same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


def _are_same(a: Any, b: Any) -> bool:
    if a is b or type(a) is not type(b):
        return a is b
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(_are_same, a, b))
    if type(a) is dict:
        return list(a) == list(b) and all(_are_same(a[key], b[key]) for key in a)
    if isinstance(a, MethodType):
        return a.__self__ is b.__self__ and a.__func__ is b.__func__
    return comes_from(type(a)) and not isinstance(a, np.ndarray) and bool(a == b)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a list or dict held when a loop began to go over it; a loop from its end has seen the last items first."""

    cell: Cell
    content: tuple[Any, ...]
    from_end: bool = False

    def holds(self, content: Any, iterations: int) -> bool:
        """Whether the iterations after the first ones still find what was there, and no more than that."""
        if not isinstance(content, tuple) or len(content) != len(self.content):
            return False
        first = 0 if self.from_end else iterations
        return content[first:] == self.content[first:]


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple; `kind` rebuilds a namedtuple or dataclass and gives its fields.

    It also stands for what `enumerate`, `zip`, `reversed` and the views of a dict show, which follow what they go over:
    `over` is how that was when it was read. behind: as in an ObjectRef.
    """

    items: tuple[Binding, ...]
    kind: type | None = None
    fields: tuple[str, ...] = ()
    over: tuple[Snapshot, ...] = field(default=(), compare=False)
    behind: type | None = None

    @property
    def is_sequence(self) -> bool:
        """Whether it has items for Python, as a dataclass and a slice have not."""
        return self.kind is None or issubclass(self.kind, tuple)

    def is_of_class_of(self, other: TupleValue) -> bool:
        """Whether both are tuples of one length, or records of one class."""
        return (self.kind, self.fields, len(self.items)) == (other.kind, other.fields, len(other.items))


@dataclass(frozen=True, slots=True)
class ListRef:
    """A list: the cell holds a tuple of bindings, or a Stack once its length is a matter of the run."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class DictRef:
    """A dict with keys known before the run: the cell holds a tuple of (key, binding)."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Stack:
    """A list of numbers whose length is a matter of the run: the first `length` elements of a growing buffer.

    form: of items that are lists and tuples, see `item_forms`. repeated: the number of times that a list was repeated.
    """

    buffer: Value
    length: Operand
    form: Any = None
    repeated: Value | None = field(default=None, compare=False)

    @property
    def has_rows(self) -> bool:
        """Whether its items are arrays, tuples or objects, and not numbers."""
        return self.buffer.type.ndim > 1


@dataclass(frozen=True, slots=True)
class Text:
    """A string made at run time; it can be printed and put in messages."""

    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Local:
    """A function defined inside another, or a lambda: its node, where it was defined, and its defaults."""

    source: Any
    node: Any
    frame: int
    defaults: tuple[Binding, ...] = ()
    keyword_defaults: tuple[Binding | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectRef:
    """An object that the function made of a class: its attributes are the names of its number.

    behind: for what `super()` gives, the class behind which methods are looked up.
    """

    number: int
    kind: type
    behind: type | None = None


@dataclass(frozen=True, slots=True)
class Method:
    """A method of an array or list, not called yet."""

    receiver: Binding
    name: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a record, not called yet: the function and its first argument."""

    function: Callable[..., Any]
    receiver: Binding


@dataclass(frozen=True, slots=True)
class Iteration:
    """What a `for` runs over: the number of iterations, what each binds, the arrays and lists that it follows.

    checkpoints: as in `For`. apart: the items are different things, a known number of them, and each iteration is read
    by itself.
    """

    count: Operand
    item: Callable[[Operand], Binding]
    over: tuple[ArrayRef | ListRef, ...] = ()
    checkpoints: Operand | None = None
    apart: bool = False


@dataclass(frozen=True, slots=True)
class OneTime:
    """An iterator over known items, or of an `Iteration`.

    loops: those around the place where it was made. seen: the lists and dicts that it goes over, as they were there.
    """

    cell: Cell
    over: Binding = field(compare=False)
    loops: tuple[Any, ...] = field(compare=False)
    seen: tuple[tuple[Cell, Any], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Range:
    """range(start, stop, step), perhaps reversed."""

    start: Operand
    stop: Operand
    step: Operand
    checkpoints: Operand | None = None


@dataclass(frozen=True, slots=True)
class TapeRef:
    """A tape of the text."""

    tape: Any


@dataclass(frozen=True, slots=True)
class Derived:
    """A derivative of a function, not called yet; `derivation` is a `frontend.derivatives` Derivation."""

    derivation: Any
    function: Binding


@dataclass(frozen=True, slots=True)
class Pullback:
    """What `vjp` returns beside a value, not called yet: `pull` reads its call."""

    pull: Callable[..., Binding]


@dataclass(frozen=True, slots=True)
class MaybeUnset:
    """A variable that has a value only where `flag` is true; elsewhere it has none, or is None."""

    binding: Binding
    flag: Operand
    is_none: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """A variable that cannot be read, and why."""

    reason: str
    remedy: str = ""


Binding = (
    Value | Constant | ArrayRef | Static | TupleValue | ListRef | DictRef | ObjectRef | Text | Local | Method | Bound
    | Iteration | OneTime | Range | TapeRef | Derived | Pullback | MaybeUnset | Conflict
)  # fmt: skip


def cells_in(binding: Any) -> Iterator[Cell]:
    """The cells that a binding refers to, without what lists and dicts hold."""
    match binding:
        case ArrayRef() | ListRef() | DictRef():
            yield binding.cell
        case TupleValue():
            for item in binding.items:
                yield from cells_in(item)
        case (_, item):
            yield from cells_in(item)
        case MaybeUnset():
            yield from cells_in(binding.binding)
        case Method() | Bound():
            yield from cells_in(binding.receiver)
        case Derived():
            yield from cells_in(binding.function)
        case Local():
            for default in (*binding.defaults, *binding.keyword_defaults):
                yield from cells_in(default)
        case Iteration():
            for source in binding.over:
                yield from cells_in(source)
        case OneTime():
            yield from cells_in(binding.over)
