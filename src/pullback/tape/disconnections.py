"""Disconnections, where what a tape follows comes to an end: noted while it records, and read by `explain`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pullback.errors import Location
from pullback.frontend.source.addresses import name_of
from pullback.runtime import cast
from pullback.tape.call_sites import call_site
from pullback.tape.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Disconnection:
    """A call site where tensors that a tape follows became something that it does not follow.

    what: what was done there. inputs: the numbers of those tensors. result: that of the tensor that came of it, or
    None where a plain number or array did. is_test: a comparison, which mostly decides where the program goes.
    """

    what: str
    site: Location
    inputs: tuple[int, ...]
    result: int | None
    is_test: bool = False


class Disconnections:
    """One disconnection for each line and kind, the last: a loop does not make the memory grow."""

    __slots__ = ("by_site",)

    def __init__(self) -> None:
        self.by_site: dict[tuple[str, str, int], Disconnection] = {}

    def add_operation(self, function: Any, inputs: list[Tensor], result: Tensor) -> None:
        """An operation whose result has no derivative: it is made of integers, or constant between jumps."""
        name = name_of(function)
        if function is cast:
            name = f"the cast to {result.dtype}"
        self._add(name, inputs, result._key, result.dtype == bool)

    def add_escape(self, tensor: Tensor, how: str) -> None:
        """A tensor whose elements escaped."""
        self._add(how, [tensor], None)

    def _add(self, what: str, inputs: list[Tensor], result: int | None, is_test: bool = False) -> None:
        site = call_site()
        found = Disconnection(what, site, tuple(x._key for x in inputs), result, is_test)
        self.by_site[what, site.file, site.line] = found

    def __iter__(self) -> Iterator[Disconnection]:
        return iter(self.by_site.values())
