"""The plan of residuals: where values of the forward sweep are kept, and what the mirror of each block does first.

>>> from pullback.ir.types import Array, Scalar
>>> x, saved = Value("x", Scalar("float64")), Value("x_saved", Array("float64", 1))
>>> ResidualArray(x, path=((1, 0),), home=(), loops=(), sizes=(), final=saved, counter=None).is_stack
False
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pullback.analysis.most_iterations import Room
from pullback.analysis.sizes import Size
from pullback.ir import primitives
from pullback.ir.nodes import For, Let, Operand, Value, While

Path = tuple[tuple[int, int], ...]  # (id of a structured forward statement, which of its blocks)


@dataclass(slots=True)
class ResidualArray:
    """Where one value is kept in each iteration of `loops`: an array, a stack or a growing buffer, made before them.

    path: the block that defines the value. home: the block in which the array is made. sizes: those of the value, None
    if the array grows; then `counter` is the number of elements so far, and `extents` are the sizes of a kept array.
    final: the array after the outermost loop, which the backward sweep reads. stops: where each loop stops at the
    latest, or the room for its iterations, as far as that is known before the outermost one. each: the sizes of the
    value, if those are known before the loops, whether the array grows or not.

    following: of a value that the innermost loop carries, what the next iteration has for it, if that is kept too. Both
    are in one array then, with a place for each iteration and one more.
    """

    value: Value
    path: Path
    home: Path
    loops: tuple[For | While, ...]
    sizes: tuple[Size, ...] | None
    final: Value
    counter: Counter | None
    extents: tuple[Operand, ...] = ()
    stops: tuple[Operand | Room, ...] = ()
    each: tuple[Size, ...] | None = None
    following: Value | None = None

    @property
    def saved(self) -> Value:
        """What each iteration saves: the value, or what the next iteration has for it."""
        return self.value if self.following is None else self.following

    @property
    def is_stack(self) -> bool:
        """Whether values are appended one by one, so many as only the run will tell."""
        return self.counter is not None and not self.counter.blocks and self.counter.loop is None


@dataclass(slots=True)
class Counter:
    """How many iterations of a nest of unknown trip counts have run; for kept arrays (`blocks`), how many elements.

    loop: an innermost loop whose trip count is known when it starts; the counter grows by it once.
    """

    path: Path
    home: Path
    final: Value
    blocks: bool
    loop: For | None = None


@dataclass(frozen=True, slots=True)
class Overwritten:
    """A store to one element of an array, and what loads the element before it."""

    store: Let
    element: Let


@dataclass(slots=True)
class Restoration:
    """An array that loops write in place, and that the backward sweep restores as it goes back through them.

    final: the array after the outermost loop. present: stands for the array as it is where it is loaded from.
    through: the statements in which it changes. at_begin, at_end: the stores that the mirror of a block undoes before
    all else, and after all else. versions: the version that the array is restored to where the mirror of a block
    begins, after that; None if statements of the block cannot load from it.
    """

    final: Value
    present: Value
    through: set[int] = field(default_factory=set)
    at_begin: dict[Path, list[Overwritten]] = field(default_factory=dict)
    at_end: dict[Path, list[Overwritten]] = field(default_factory=dict)
    versions: dict[Path, Value | None] = field(default_factory=dict)

    def has(self, load: Let, path: Path) -> bool:
        """Whether the mirror of a block can load what a statement of it loads."""
        nearest = next((p for k in range(len(path), 0, -1) if (p := path[:k]) in self.versions), None)
        return nearest is not None and load.function is primitives.load and self.versions[nearest] is load.operands[0]

    def overwritten(self, path: Path) -> list[Overwritten]:
        """The stores of a block, with what they overwrite."""
        return [*self.at_begin.get(path, ()), *self.at_end.get(path, ())]


@dataclass(slots=True)
class Plan:
    """What the forward sweep must keep, and what the mirror of each block does first.

    saves: the arrays to fill in a block. exports: values of a branch that become results of it. recalls: what the
    mirror of a block loads or computes again. notes: statements that compute sizes in the forward sweep, `noted` by
    array and axis; `sizes`: what stands for a size that the backward sweep asks for. restorations: the arrays that the
    backward sweep restores; `before`: what loads an element before a store to it, by the store.
    """

    saves: dict[Path, list[ResidualArray]] = field(default_factory=dict)
    exports: dict[int, list[tuple[Value, int, Value]]] = field(default_factory=dict)
    recalls: dict[Path, list[Any]] = field(default_factory=dict)
    sizes: dict[Value, Operand] = field(default_factory=dict)
    noted: dict[tuple[Value, int], Value] = field(default_factory=dict)
    notes: dict[Path, dict[Value, list[Let]]] = field(default_factory=dict)
    counters: list[Counter] = field(default_factory=list)
    restorations: list[Restoration] = field(default_factory=list)
    before: dict[int, Let] = field(default_factory=dict)
