"""What a tape with `nan="raise"` notes: the first value, and the first adjoint, that is not finite, and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.errors import Location, NotFinite
from pullback.frontend.source.addresses import name_of
from pullback.runtime import first_not_finite, is_finite, unexplained
from pullback.tape.call_sites import expression_site
from pullback.tape.followed import Followed
from pullback.tape.record import tensors_in
from pullback.tape.variable import Variable


@dataclass(frozen=True, slots=True)
class Found:
    """A number that is not finite: of the tensor with this key, what it is, and where it was made."""

    key: int
    quantity: str
    variable: str
    site: Location
    elements: Any

    def error(self) -> NotFinite:
        elements, at = np.asarray(self.elements), self.site
        place = first_not_finite(elements)
        value = float(np.ravel(elements)[place])
        numbers = (place, *elements.shape, value) if elements.ndim else (value,)
        where = (at.file, at.line, at.column, at.end_column, at.text)
        return NotFinite(self.quantity, self.variable, *where, "", elements.ndim, *numbers)


class Notes:
    """What is noted while a tape records, and while its sweep runs."""

    __slots__ = ("adjoint", "names", "sites", "values")

    def __init__(self) -> None:
        self.sites: dict[int, Location] = {}
        self.names: dict[int, str] = {}
        self.values: list[Found] = []
        self.adjoint: Found | None = None

    def note(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """A call that is recorded: where it is, and whether its result is not finite though its operands are."""
        site = expression_site()
        results = result if isinstance(result, tuple) else (result,)
        name = _text_at(site) or name_of(function)
        for one in results:
            self.sites[one._key], self.names[one._key] = site, name
            if one._value.dtype.kind == "f" and not is_finite(one._value):
                left = one._value
                for operand in _floats_in(arguments):
                    left = unexplained(left, operand)
                if not is_finite(left):
                    self.values.append(Found(one._key, "value", name, site, left))
        if isinstance(result, tuple):
            self.sites[result[0]._key - 1], self.names[result[0]._key - 1] = site, name
        for _, tensor in tensors_in(arguments):
            if isinstance(tensor, Variable) and tensor.name != "Variable":
                self.names.setdefault(tensor._key, tensor.name)

    def look(self, key: int, inputs: Iterable[int], x_bars: Iterable[Any]) -> None:
        """The adjoints that the record of a tensor gives its inputs."""
        if self.adjoint is not None:
            return
        for x, x_bar in zip(inputs, x_bars, strict=True):
            elements = _elements(x_bar)
            if x_bar is not None and not is_finite(elements):
                site = self.sites.get(key, Location())
                self.adjoint = Found(key, "adjoint", self.names.get(x, ""), site, elements)
                return

    def check(
        self,
        members: set[int],
        targets: Iterable[Followed],
        sources: Iterable[Followed],
        seeds: Iterable[Any],
        found: dict[int, Any],
    ) -> None:
        """Raise NotFinite where a target or gradient is not finite: for the first number on the way between them."""
        adjoint, self.adjoint = self.adjoint, None
        ends = [y for y in targets if y.dtype.kind == "f"]
        gradients = {key: _elements(x_bar) for key, x_bar in found.items() if x_bar is not None}
        if all(is_finite(y._value) for y in ends) and all(map(is_finite, gradients.values())):
            return
        site = expression_site()
        for y, seed in zip(ends, seeds, strict=False):
            if not is_finite(_elements(seed)):
                raise Found(y._key, "given cotangent", self.names.get(y._key, ""), site, _elements(seed)).error()
        first = next((value for value in self.values if value.key in members), None)
        for x in sources if first is None else ():
            if not is_finite(x._value) and x._key not in self.sites:
                first = Found(x._key, "argument", self.names.get(x._key, ""), site, x._value)
        first = first or adjoint or next(iter(self.values), None)
        if first is not None:
            raise first.error()
        for y in ends:
            if not is_finite(y._value):
                at = self.sites.get(y._key, site)
                raise Found(y._key, "value", self.names.get(y._key, ""), at, y._value).error()


def _elements(x_bar: Any) -> Any:
    return x_bar._value if isinstance(x_bar, Followed) else x_bar


def _floats_in(argument: Any) -> Iterable[Any]:
    """The floats, and arrays of floats, that are in arguments."""
    if isinstance(argument, tuple | list):
        for part in argument:
            yield from _floats_in(part)
        return
    elements = _elements(argument)
    if isinstance(elements, float | np.floating) or (isinstance(elements, np.ndarray) and elements.dtype.kind == "f"):
        yield elements


def _text_at(site: Location) -> str:
    return site.text[site.column : site.end_column].strip()
