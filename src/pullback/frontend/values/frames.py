"""Functions that are being read: each has a frame, with names of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gast

from pullback.frontend.source.names import Loads
from pullback.frontend.values.bindings import Key


@dataclass(slots=True)
class Frame:
    """A function being read: its source, its local names, and where its other names are looked up.

    of_structure: it was given a tuple, list, dict or function of the text; calls of itself are read in place.
    """

    number: int
    source: Any
    node: Any
    body: list[Any]
    locals: frozenset[str]
    parent: Frame | None = None
    function: Callable[..., Any] | None = None
    known_loads: Loads | None = None
    of_structure: bool = False

    @property
    def outer_names(self) -> frozenset[str]:
        """The names that the body declares as those of a function around it."""
        declared = (node.names for node in self.body if isinstance(node, gast.Nonlocal))
        return frozenset(name for names in declared for name in names)

    def key_of(self, name: str) -> Key:
        """The key of a name that the body assigns, here or in the function around it that has the name."""
        frame: Frame | None = self
        while frame is not None and name in frame.outer_names:
            frame = frame.parent
            while frame is not None and name not in frame.locals and name not in frame.outer_names:
                frame = frame.parent
        return ((self if frame is None else frame).number, name)

    def key_around(self, name: str, known: Mapping[Key, Any]) -> Key:
        """The key of a name here, or in the next function around that has a value for it."""
        frame: Frame | None = self
        while frame is not None and (frame.number, name) not in known and name not in frame.locals:
            frame = frame.parent
        return ((self if frame is None else frame).number, name)

    @property
    def defines(self) -> bool:
        """Whether the body defines functions."""
        nested = gast.FunctionDef | gast.Lambda
        return any(isinstance(node, nested) for statement in self.body for node in gast.walk(statement))

    @property
    def loads(self) -> Loads:
        """What the body reads."""
        if self.known_loads is None:
            self.known_loads = Loads(self.body)
        return self.known_loads
