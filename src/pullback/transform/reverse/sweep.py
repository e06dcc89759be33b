"""What the reverse transform gives: the backward statements and what later passes ask about them.

>>> import numpy as np
>>> from pullback.analysis.activity import all_floats
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import Constant
>>> from pullback.transform.reverse.statements import pull_back
>>> def f(x):
...     for _ in range(3):
...         x = np.sin(x)
...     return x * 2.0
>>> function = normal_form(f, 0.5)
>>> (result,) = function.results
>>> sweep = pull_back(function, all_floats(function), [(result, Constant(1.0, result.type))], Shapes(function))
>>> for statement in sweep.statements:
...     mirrored = sweep.mirror_of(statement)
...     print(statement.location.text.strip(), "|", mirrored and mirrored.location.text.strip())
return x * 2.0 | None
for _ in range(3): | for _ in range(3):
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pullback.ir.nodes import For, If, Operand, Statement, Value


class TripCounts:
    """How often loops ran that say themselves when they end, by the loop itself.

    The loops are held: another statement could else take the place of one in memory, and its number with it.
    """

    def __init__(self) -> None:
        self.noted: dict[int, tuple[Statement, Value]] = {}

    def note(self, loop: Statement, trips: Value) -> None:
        self.noted[id(loop)] = loop, trips

    def of(self, statement: Statement) -> Value | None:
        """The number of a loop; None for other statements."""
        _, trips = self.noted.get(id(statement), (None, None))
        return trips

    def pop(self, loop: Statement) -> Value | None:
        """The number of a loop, which is to have none."""
        _, trips = self.noted.pop(id(loop), (None, None))
        return trips


@dataclass(slots=True)
class Sweep:
    """The backward statements, the adjoints at their end, and which forward statement each one mirrors.

    A backward loop is known by its index, a backward branch by any of its results: both outlive other passes.
    room: the most iterations that a forward loop has whenever it runs, where it runs with several counts of them.
    """

    statements: list[Statement]
    adjoints: dict[Value, Operand]
    mirrored: dict[Value, Statement]
    trip_counts: TripCounts = field(default_factory=TripCounts)
    room: dict[int, Operand] = field(default_factory=dict)

    def mirror_of(self, statement: Statement) -> Statement | None:
        """The forward statement that a backward one mirrors; None for one of a rule's own."""
        match statement:
            case For():
                return self.mirrored.get(statement.index)
            case If():
                return next((self.mirrored[r] for r in statement.results if r in self.mirrored), None)
        return None

    def replace_mirrored(self, old: Statement, new: Statement) -> None:
        """Let a forward statement be mirrored by what mirrored another one, whose place it takes."""
        self.mirrored.update({value: new for value, mirrored in self.mirrored.items() if mirrored is old})
        trips = self.trip_counts.pop(old)
        if trips is not None:
            self.trip_counts.note(new, trips)
        if id(old) in self.room:
            self.room[id(new)] = self.room.pop(id(old))
