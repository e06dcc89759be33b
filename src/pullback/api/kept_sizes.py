"""How many elements residual arrays have in one call: computed from its arguments, without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.analysis.most_iterations import Room
from pullback.analysis.sizes import Form, SliceSize
from pullback.ir.nodes import Constant, Index, Let, Operand, Reshape, Slice, Value, map_values
from pullback.ir.primitives import CONSUMING, WRITES
from pullback.transform.residual_places import places_beside, starts_at_zero
from pullback.transform.residual_plan import ResidualArray


@dataclass(frozen=True, slots=True)
class Unknown(Exception):
    """A value that only the run will tell."""

    value: Operand


class KeptSizes:
    """The sizes of residual arrays. known: the values of the arguments, and what was computed of them.

    definitions: the statements that stand in no branch.
    """

    def __init__(self, known: dict[Value, Any], definitions: Mapping[Value, Let]) -> None:
        self.known, self.definitions = known, definitions

    def of(self, array: ResidualArray) -> int:
        """The number of elements."""
        if array.sizes is None:
            raise Unknown(array.value)
        stops = array.stops or [loop.stop for loop in array.loops]
        iterations = [self.room_for(loop, stop) for loop, stop in zip(array.loops, stops, strict=True)]
        iterations[-1] += places_beside(array)
        return int(np.prod([*iterations, *(self.evaluate_size(size) for size in array.sizes)], dtype=object))

    def room_for(self, loop: Any, stop: Operand | Room) -> int:
        """How many elements the iterations of a loop take at most, as `residual_places.room_for` has it."""
        if isinstance(stop, Room):
            return len(range(0, min(map(self.evaluate_size, stop.forms)), stop.step))
        if starts_at_zero(loop):
            return max(0, int(self.evaluate(stop)))
        return len(range(*map(self.evaluate, (loop.start, stop, loop.step))))

    def evaluate_size(self, size: Any) -> int:
        """A size of an array."""
        if isinstance(size, int):
            return size
        if isinstance(size, Form):
            return size.constant + sum(by * self.evaluate_size(term) for term, by in size.terms)
        if isinstance(size, SliceSize):
            return max(self.evaluate_size(size.size) - size.leaves_off, 0)
        if not isinstance(size, tuple):
            return int(self.evaluate(size))
        array, axis = size
        while (made := self.definitions.get(array)) is not None and made.function in WRITES:
            array = made.operands[0]
        return int(np.shape(self.evaluate(array))[axis])

    def evaluate(self, operand: Operand) -> Any:
        """A value that is the same in all iterations of all loops, computed from the arguments."""
        if isinstance(operand, Constant):
            return operand.value
        if operand in self.known:
            return self.known[operand]
        made = self.definitions.get(operand)
        if made is None or made.function in CONSUMING:
            raise Unknown(operand)
        self.known[operand] = self.computed(made)
        return self.known[operand]

    def computed(self, made: Let) -> Any:
        """What a statement gives."""
        operands = [_plain(operand) for operand in map_values(made.operands, self.evaluate)]
        split = len(operands) - len(made.keywords)
        return made.function(*operands[:split], **dict(zip(made.keywords, operands[split:], strict=True)))


def _plain(operand: Any) -> Any:
    """An operand with plain numbers for the constants in it."""
    match operand:
        case Constant():
            return operand.value
        case tuple():
            return tuple(map(_plain, operand))
        case Index(items):
            return Index(_plain(items))
        case Reshape(shape):
            return Reshape(_plain(shape))
        case Slice(start, stop, step):
            return Slice(_plain(start), _plain(stop), _plain(step))
    return operand
