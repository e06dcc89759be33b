"""The memory of a call: which loops of a derivative run in segments, so that it keeps no more than it may."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

from pullback.compilation.modules import load_module
from pullback.compilation.turns import MAKING
from pullback.emission.module import emit_module
from pullback.ir.nodes import Function
from pullback.runtime.memory.free import fits_in_memory, most_bytes
from pullback.transform.checkpointing.divisible_loops import divisible, gains
from pullback.transform.footprint import Footprint, limited
from pullback.transform.sweeps import NONE, Kept

Made = TypeVar("Made")


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
        self.most, self.function, self.find, self.made = most, function, find, make
        self.whole = Footprint(function, whole)
        self.measures: dict[frozenset[int], Callable[..., int] | None] = {}

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the loops that keep something, and may run in segments."""
        return divisible(self.whole)

    @cached_property
    def always(self) -> frozenset[int]:
        """The numbers of the loops that run in segments in every call: with a limit, those that keep an unknown amount.

        They are those whose segments start with no more than an iteration keeps.
        """
        if self.most is None:
            return NONE
        known, loops = {id(array) for array in self.whole.arrays}, self.whole.kept.loops
        unknown = {id(loop) for array in self.whole.kept.arrays if id(array) not in known for loop in array.loops}
        found = [k for k in self.numbers if id(loops[k]) in unknown]
        return frozenset(k for k in found if gains(self.whole, k, self.find))

    @cached_property
    def measure(self) -> Function:
        """The function that gives the bytes kept where no loop runs in segments but those that always do."""
        return self.footprint(self.always).measure()

    def footprint(self, chosen: frozenset[int]) -> Footprint:
        """What is kept with these loops in segments."""
        return Footprint(self.function, self.find(chosen)) if chosen else self.whole

    def bytes_of(self, chosen: frozenset[int]) -> Callable[..., int] | None:
        """What gives the bytes kept with these loops in segments; None if more of them than before are unknown."""
        if chosen not in self.measures:
            found = self.footprint(chosen)
            known = chosen == self.always or found.unknown <= self.footprint(self.always).unknown
            self.measures[chosen] = interpreted(found.measure()) if known else None
        return self.measures[chosen]

    def make(self, chosen: frozenset[int]) -> Any:
        """The derivative with these loops in segments, which looks at no limit."""
        return self.made(chosen | self.always)

    def fits(self, *arguments: Any) -> bool:
        """Whether all loops may keep what they need for these arguments; no where that cannot be computed."""
        try:
            needed = int(self.needed(self.always, arguments))
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
        """The numbers of the loops that run in segments: one after the other that saves most, until the rest fits."""
        limit = most_bytes() if self.most is None else self.most
        chosen = self.always
        try:
            needed = self.needed(chosen, arguments)
            while needed > limit:
                further = [chosen | {k} for k in self.numbers if k not in chosen]
                amounts = {loops: self.needed(loops, arguments) for loops in further}
                best = min(amounts, key=lambda loops: amounts[loops], default=chosen)
                if best == chosen or amounts[best] >= needed:
                    break
                chosen, needed = best, amounts[best]
        except Exception:
            return self.always
        return chosen

    def needed(self, chosen: frozenset[int], arguments: tuple[Any, ...]) -> float:
        """The bytes kept with these loops in segments; infinite where nothing tells."""
        measure = self.bytes_of(chosen)
        return math.inf if measure is None else measure(*arguments)


def within(
    most: int | None,
    function: Function,
    find: Callable[[frozenset[int]], Kept],
    make: Callable[[frozenset[int]], Any],
    differentiate: Callable[..., Made],
) -> tuple[Made, Memory | None]:
    """The derivative for most calls, and what decides for each call which loops run in segments; see `Memory`.

    It is None where no loop can.
    """
    kept = Kept()
    made = differentiate(kept=kept)
    memory = Memory(most, function, kept, find, make)
    if memory.always:
        made = differentiate(checkpointed=memory.always)
    return made, memory if memory.numbers else None


def interpreted(function: Function) -> Callable[..., int]:
    """A function of the normal form as plain Python."""
    with MAKING:
        text = emit_module([function], compiled=False)
        made: Callable[..., int] = getattr(load_module(function.name, text, "bytes"), function.name)
    return made
