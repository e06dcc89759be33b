"""The memory of a call: which loops of a derivative run in segments, so that it keeps no more than it may."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from pullback.compilation.modules import load_module
from pullback.compilation.turns import MAKING
from pullback.emission.module import emit_module
from pullback.ir.nodes import Function
from pullback.runtime.memory.free import fits_in_memory, most_bytes
from pullback.transform.checkpointing import can_be_checkpointed
from pullback.transform.footprint import Footprint, limited
from pullback.transform.sweeps import NONE, Kept


class Memory:
    """What a derivative keeps for the arguments of a call, and which of its loops run in segments then."""

    def __init__(
        self,
        most: int | None,
        function: Function,
        whole: Kept,
        find: Callable[[frozenset[int]], Kept],
        make: Callable[[frozenset[int]], Any],
    ) -> None:
        """`find` tells what is kept with the loops of these numbers in segments, `make` makes that derivative.

        most: the bytes that may be kept (None: a quarter of what is free).
        function: the prepared one; whole: what its derivative keeps with no loop in segments.
        """
        self.most, self.function, self.find, self.make = most, function, find, make
        self.whole = Footprint(function, whole)

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the loops that keep something, and may run in segments."""
        keeping = {id(array.loops[0]) for array in self.whole.arrays if not array.home}
        loops = enumerate(self.whole.kept.loops)
        return tuple(k for k, loop in loops if id(loop) in keeping and can_be_checkpointed(loop))

    @cached_property
    def measure(self) -> Function:
        """The function that gives the bytes kept where no loop runs in segments."""
        return self.whole.measure()

    @cached_property
    def bytes_of(self) -> Callable[..., int]:
        """The same as a Python function."""
        return interpreted(self.measure)

    @cached_property
    def checkpointed(self) -> dict[int, Callable[..., int]]:
        """The same with one loop in segments, for each that has no more arrays of unknown size in this way."""
        found = {k: Footprint(self.function, self.find(frozenset({k}))) for k in self.numbers}
        return {k: interpreted(f.measure()) for k, f in found.items() if f.unknown <= self.whole.unknown}

    def fits(self, *arguments: Any) -> bool:
        """Whether all loops may keep what they need for these arguments; no where that cannot be computed."""
        try:
            needed = self.bytes_of(*arguments)
        except Exception:  # the call itself will raise it, where the user wrote it
            return False
        return fits_in_memory(needed) if self.most is None else needed <= self.most

    def guarded(self, function: Function) -> Function:
        """The derivative, which raises KeepsTooMuch before all else where it would keep more than it may."""
        return limited(function, self.measure, self.most)

    def served(self, plain: Any, arguments: tuple[Any, ...]) -> Any:
        """The derivative for these arguments: the plain one, or one that keeps less and looks at no limit."""
        return plain if self.fits(*arguments) else self.make(self.choose(arguments))

    def choose(self, arguments: tuple[Any, ...]) -> frozenset[int]:
        """The numbers of the loops that run in segments: those that save most, until the rest fits."""
        try:
            needed = self.bytes_of(*arguments)
            saved = {k: needed - measure(*arguments) for k, measure in self.checkpointed.items()}
        except Exception:
            return NONE
        limit = most_bytes() if self.most is None else self.most
        chosen: list[int] = []
        for k in sorted(saved, key=lambda k: -saved[k]):
            if needed > limit and saved[k] > 0:
                chosen.append(k)
                needed -= saved[k]
        return frozenset(chosen)


def interpreted(function: Function) -> Callable[..., int]:
    """A function of the normal form as plain Python."""
    with MAKING:
        text = emit_module([function], compiled=False)
        made: Callable[..., int] = getattr(load_module(function.name, text, "bytes"), function.name)
    return made
