"""What names stand for while a function is read: numbers, references to arrays, and what is known beforehand.

Names bind to cells and views of cells; a cell is one piece of array memory, and the State knows its present version.
So a write through any alias or view becomes a store on the one cell, and every name sees it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import MethodType
from typing import Any

import numpy as np

from pullback.errors import Location
from pullback.frontend.values.contents import values_in_content, with_values
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
    return type(a).__module__.partition(".")[0] in _OWN and not isinstance(a, np.ndarray) and bool(a == b)


_OWN = {*sys.stdlib_module_names, "numpy"}


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
    `over` is how that was when it was read.
    """

    items: tuple[Binding, ...]
    kind: type | None = None
    fields: tuple[str, ...] = ()
    over: tuple[Snapshot, ...] = field(default=(), compare=False)

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
    """An iterator over known items, or of an `Iteration`; loops: those around the place where it was made."""

    cell: Cell
    over: Binding = field(compare=False)
    loops: tuple[Any, ...] = field(compare=False)


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


@dataclass(slots=True)
class State:
    """What every name stands for, and the present version of every cell, at one point of the program.

    points_to: the cells of which only the run knows whose memory they are. spent: the tapes that have been asked for a
    gradient, and the iterators that have been gone over.
    """

    names: dict[Key, Binding] = field(default_factory=dict)
    cells: dict[Cell, Any] = field(default_factory=dict)
    linked: dict[Cell, frozenset[Cell]] = field(default_factory=dict)
    stale: dict[Cell, str] = field(default_factory=dict)
    points_to: dict[Cell, PointsTo] = field(default_factory=dict)
    arguments: frozenset[Cell] = frozenset()
    spent: frozenset[Any] = frozenset()
    dead: bool = False

    def copy(self) -> State:
        """A state that can go its own way."""
        return replace(
            self,
            names=dict(self.names),
            cells=dict(self.cells),
            linked=dict(self.linked),
            stale=dict(self.stale),
            points_to=dict(self.points_to),
        )

    def link(self, a: Cell, b: Cell) -> None:
        """Note that two cells may be the same memory."""
        if a is not b:
            self.linked[a] = self.linked.get(a, frozenset()) | {b}
            self.linked[b] = self.linked.get(b, frozenset()) | {a}

    def descend(self, cell: Cell, source: Cell) -> None:
        """Note that a new cell may be the memory of `source`, or whatever that may be."""
        for memory in self.memories(source):
            for other in (memory, *self.linked.get(memory, ())):
                self.link(cell, other)

    def hold(self, cell: Cell, content: Any) -> None:
        """Note that a buffer stands for a list of these items, whose arrays and lists others may write.

        Other lists that hold an array of this one are not this list: they take items of their own.
        """
        for item in content if isinstance(content, tuple) else ():
            for inner in cells_in(item):
                for memory in self.memories(inner):
                    others = self.linked.get(memory, ())
                    is_array = isinstance(self.cells.get(memory), Value)
                    for other in (memory, *(o for o in others if not (is_array and self.is_list(o)))):
                        self.link(cell, other)
                self.hold(cell, self.cells.get(inner))

    def is_list(self, cell: Cell) -> bool:
        return isinstance(self.cells.get(cell), tuple | Stack)

    def copy_items(self, cell: Cell, source: Cell) -> None:
        """Note that a new list, or an array or list in it, is what a list whose length is a matter of the run holds."""
        for other in self.linked.get(source, ()):
            if other is not cell:
                self.link(cell, other)

    def memories(self, cell: Cell) -> set[Cell]:
        """A cell, and all that it may point to."""
        points_to = self.points_to.get(cell)
        aliases = points_to.aliases if points_to is not None else ()
        return {cell}.union(*(self.memories(alias.ref.cell) for alias in aliases))

    def is_given(self, cell: Cell) -> bool:
        """Whether somebody outside has this memory: the caller, or who keeps a constant."""
        return bool(cell.constant) or cell in self.arguments

    def at(self, key: Key) -> Any:
        """What a name, or an item of a list or dict, stands for; None where there is no such name."""
        owner, place = key
        if not isinstance(owner, Cell):
            return self.names.get(key)
        return values_in_content(self.cells[owner])[place]

    def put(self, key: Key, binding: Binding) -> None:
        """Bind a name, or give a list or dict another item."""
        owner, place = key
        if not isinstance(owner, Cell):
            self.names[key] = binding
            return
        values = values_in_content(self.cells[owner])
        values[place] = binding
        self.cells[owner] = with_values(self.cells[owner], values)

    def settle(self, cell: Cell, reason: str) -> None:
        """Take a cell for the array that it is now, whosever memory that is: with the reason not to write it."""
        points_to = self.points_to.pop(cell, None)
        if points_to is not None:
            cell.outside = cell.outside or reason
            for alias in points_to.aliases:
                self.descend(cell, alias.ref.cell)

    def has_written(self, before: State) -> bool:
        """Whether any memory of an earlier state has another version now."""
        shared = {cell: points_to.own for cell, points_to in before.points_to.items() if cell in self.points_to}
        if any(self.points_to[cell].own is not own for cell, own in shared.items()):
            return True
        own = (cell for cell in before.cells if cell not in shared)
        return any(self.cells.get(cell) is not before.cells[cell] for cell in own)

    def moved(self, cell: Cell) -> None:
        """Note that a cell was written: those that may be its memory must be made anew before they are read."""
        reached, found = {cell}, True
        while found:
            found = False
            for other, points_to in self.points_to.items():
                if other not in reached and any(alias.ref.cell in reached for alias in points_to.aliases):
                    reached.add(other)
                    found = True
        for other in reached & self.points_to.keys():
            self.points_to[other] = replace(self.points_to[other], moved=True)


def name_at(key: Key) -> str:
    """The name that a key has, or that the list or dict has which it is an item of."""
    return key[0].name if isinstance(key[0], Cell) else str(key[1])


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
