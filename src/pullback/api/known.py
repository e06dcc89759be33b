"""Calls that an earlier process has made: their machine code is found on disk, and nothing is read or generated.

    arguments → kinds → the file for them, if there is one → its machine code, if all outside is as described
                                       ↑
    the long way: what it has found out about a kind of call

What is found here serves a call only if nothing is remarkable about it. Whatever else there is, such as an error,
goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import numba

from pullback.api.calls import SIMPLE, Kinds, kinds_of, sample_of_kind
from pullback.compilation.cache import known_calls
from pullback.compilation.cache.descriptions import Finder, Indescribable, Other
from pullback.compilation.cache.known_calls import KnownCall
from pullback.compilation.entrance import Entrance, checks_of, entry_is_at_hand
from pullback.compilation.gates import Gate
from pullback.compilation.layout import in_order
from pullback.compilation.options import Options
from pullback.compilation.shortcut import MISS, Shortcut, Writer, never
from pullback.compilation.turns import importing
from pullback.frontend.source.outside import GONE


@dataclass(slots=True, repr=False)
class Found:
    """A kind of call that is known, in this process: the gate to its machine code, and the short way to the gate."""

    known: KnownCall
    gate: Gate
    shortcut: Shortcut
    checks: Any
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where an array or number stands that is passed after the arguments."""

    namespace: Any
    name: Any
    changes: bool = False


class KnownCalls:
    """The calls of one callable that earlier processes have made."""

    def __init__(self, function: FunctionType, options: Options, wanted: str) -> None:
        """wanted: what a call computes, with a function of these options."""
        self.function, self.options = function, options
        self.wanted = f"{wanted} {options.__reduce__()[1]}"
        self.found: dict[Kinds, Found | None] = {}

    @staticmethod
    def of(function: Any, plain: FunctionType, options: Options, wanted: str) -> KnownCalls | None:
        """Those of a function, behind which there is a plain one; None for methods, whose object nobody else knows."""
        return None if isinstance(function, MethodType) else KnownCalls(plain, options, wanted)

    @property
    def are_kept(self) -> bool:
        """Whether anything of such functions is on disk."""
        return self.options.jit and self.options.cache and not numba.config.DISABLE_JIT

    def place_of(self, kinds: Kinds) -> tuple[str, str]:
        """The name and the key of the file for a kind of call."""
        return known_calls.place_of(self.function, self.wanted, repr(kinds))

    def called(self, entrance: Entrance, arguments: tuple[Any, ...]) -> tuple[Any, Shortcut]:
        """The result of a call, and the short way for the next ones; MISS where nothing is known of it."""
        if not self.are_kept or not all(type(a) in SIMPLE for a in arguments):
            return MISS, never
        kinds = kinds_of(arguments)
        if kinds not in self.found:
            with importing():
                self.found[kinds] = self.find(kinds, in_order(arguments))
        found = self.found[kinds]
        if found is None:
            return MISS, never
        result = found.shortcut(in_order(arguments))
        if result is MISS:
            self.found[kinds] = None
            return MISS, never
        if not found.repeated and not entry_is_at_hand():
            found.repeated = True
            return result, never
        if found.checks is not None and found.known.boxed is not None:
            entrance.open(found.gate, in_order(arguments), found.known.boxed, found.checks)
        return result, found.shortcut

    def samples(self) -> list[tuple[Any, ...]]:
        """Small arguments of each kind of call that has been served."""
        return [tuple(map(sample_of_kind, kinds)) for kinds, found in self.found.items() if found is not None]

    def find(self, kinds: Kinds, arguments: tuple[Any, ...]) -> Found | None:
        """What is on disk for calls like this one."""
        known = known_calls.load(*self.place_of(kinds))
        if known is None:
            return None
        finder = Finder(self.function)
        try:
            dependencies = finder.dependencies(known.dependencies)
            captures = [Place(finder.namespace(way), name) for way, name in known.captures]
            writer = Writer(known, captures, dependencies, arguments, known.rest)
            shortcut = writer.written(known.returned)
        except (*GONE, Other, Indescribable, LookupError):
            return None
        checks = checks_of(dependencies) if known.boxed is not None else None
        return Found(known, writer.gate, shortcut, checks)

    def learn(self, arguments: tuple[Any, ...], describe: Callable[[int], KnownCall]) -> None:
        """Keep for other processes what describes this call, if anything can."""
        if not self.are_kept:
            return
        try:
            known = describe(len(arguments))
        except Indescribable:
            return
        known_calls.save(*self.place_of(kinds_of(arguments)), known)
