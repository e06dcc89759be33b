"""Congruence of sizes that a loop changes: which of them are equal in every iteration.

>>> alike = Congruence()
>>> alike.add([((0, 0), "n"), ((1, 0), "n"), ((2, 0), "n"), ((3, 0), "m")])
>>> alike.representatives(1), alike.representatives(3)
([(0, 0)], [(3, 0)])
>>> alike.split({(0, 0): "n - 2", (1, 0): "n - 2", (2, 0): "n - 1", (3, 0): "m - 2"})
True
>>> alike.representatives(1), alike.representatives(2)
([(0, 0)], [(2, 0)])

Sizes that are equal before a loop are taken to be so in it, and are told apart where an iteration changes them in other
ways: Alpern, Wegman & Zadeck (1988), Detecting equality of variables in programs. A place is (number of a carried
array, axis).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Place = tuple[int, int]

NUMBER = -1
"""In place of an axis: the carried value is the size itself."""


class Congruence:
    """Classes of places with equal sizes; the first place of a class stands for all."""

    def __init__(self) -> None:
        self.classes: list[list[Place]] = []
        self.starts: dict[Place, Any] = {}

    def add(self, places: Iterable[tuple[Place, Any]]) -> None:
        """Take in places that are new, with their sizes before the loop."""
        for place, start in places:
            if place in self.starts:
                continue
            self.starts[place] = start
            alike = next((one for one in self.classes if self.starts[one[0]] == start), None)
            if alike is None:
                self.classes.append([place])
            else:
                alike.append(place)

    def split(self, sizes: Mapping[Place, Any]) -> bool:
        """Tell apart the places of a class that an iteration gives other sizes; whether there were some."""
        before = len(self.classes)
        parts: dict[tuple[int, Any], list[Place]] = {}
        for number, places in enumerate(self.classes):
            for place in places:
                parts.setdefault((number, sizes[place]), []).append(place)
        self.classes = list(parts.values())
        return len(self.classes) > before

    def arrays(self) -> set[int]:
        """The numbers of the arrays whose sizes a loop changes."""
        return {array for array, axis in self.starts if axis != NUMBER}

    def representatives(self, array: int) -> list[Place]:
        """For each axis of an array, the place that stands for it."""
        first = {place: places[0] for places in self.classes for place in places}
        return [first[place] for place in sorted(first) if place[0] == array]
