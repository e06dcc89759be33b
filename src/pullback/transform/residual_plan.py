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


@dataclass(slots=True)
class Plan:
    """What the forward sweep must keep, and what the mirror of each block does first.

    saves: the arrays to fill in a block. exports: values of a branch that become results of it. recalls: what the
    mirror of a block loads or computes again. notes: statements that compute sizes in the forward sweep, `noted` by
    array and axis; `sizes`: what stands for a size that the backward sweep asks for.
    """

    saves: dict[Path, list[ResidualArray]] = field(default_factory=dict)
    exports: dict[int, list[tuple[Value, int, Value]]] = field(default_factory=dict)
    recalls: dict[Path, list[Any]] = field(default_factory=dict)
    sizes: dict[Value, Operand] = field(default_factory=dict)
    noted: dict[tuple[Value, int], Value] = field(default_factory=dict)
    notes: dict[Path, dict[Value, list[Let]]] = field(default_factory=dict)
    counters: list[Counter] = field(default_factory=list)
