"""What the tapes of a text follow while it is read, and the variables from outside that they may watch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pullback.frontend.values.bindings import Cell
from pullback.ir.nodes import Value


@dataclass(slots=True)
class Watching:
    """The state of all tapes of a function.

    tapes: those whose blocks are being read. variables: the parameters of variables from outside, with their memory;
    trainable: those of them that tapes watch by themselves. assigned: the variables that the function assigns, by
    identity. present: what stands for a parameter while tapes follow it. originals: what a followed value was before.
    count: how many times something was watched or asked for.
    """

    tapes: list[Any] = field(default_factory=list)
    variables: dict[Value, Cell | None] = field(default_factory=dict)
    trainable: set[Value] = field(default_factory=set)
    assigned: set[int] = field(default_factory=set)
    present: dict[Value, Value] = field(default_factory=dict)
    originals: dict[Value, Any] = field(default_factory=dict)
    count: int = 0

    def number(self) -> int:
        """A number of its own for what is watched or asked for, so that two of them are never taken for one."""
        self.count += 1
        return self.count

    def shown(self, parameter: Value) -> Value:
        """What a parameter is for those who read it now."""
        return self.present.get(parameter, parameter)

    def history(self, value: Any) -> list[Any]:
        """A value and what it was before tapes followed it, the newest first."""
        found = [value]
        while value in self.originals:
            value = self.originals[value]
            found.append(value)
        return found
