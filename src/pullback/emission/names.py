"""Names: values get the user's names back; what the user has not named is called after what makes it.

A forward and a backward function are named together: what the one returns has the same name among the parameters of
the other, and no name stands for one thing in the one and for another thing in the other.
"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import count
from typing import NamedTuple

from pullback import runtime
from pullback.emission.coalescing import coalesced, values_of
from pullback.emission.nouns import TRIPS, Nouns
from pullback.errors import Location
from pullback.ir import primitives
from pullback.ir.nodes import (
    Constant,
    Effect,
    For,
    Function,
    Let,
    Value,
    While,
    blocks_in,
    lets_in,
    read_in,
    walk,
)
from pullback.runtime import helpers

KEYWORDS = frozenset(keyword.kwlist)
RESERVED = (
    KEYWORDS
    | frozenset(dir(builtins))
    | frozenset(helpers.__all__)
    | {
        "Compiler",
        "apart",
        "catching_errors",
        "in_parallel",
        "linked_in",
        "math",
        "np",
        "njit",
        "prange",
        "scipy",
        "special",
        "stop",
        "vm",
    }
)
_IDENTIFIER = re.compile(r"(?<![.\w])[^\W\d]\w*")


def name_classes(functions: Iterable[Function]) -> dict[str, type]:
    """The exceptions that functions raise, and that are not built in, by the names that the text has for them.

    A class goes by its own name, unless that is no name in Python, or means something else already.
    """
    functions = [f for function in functions for f in (*function.callees, function)]
    used = {*RESERVED, *(function.name for function in functions)}
    constants = (
        operand.value
        for function in functions
        for statement in walk(function.body)
        if isinstance(statement, Effect)
        for operand in statement.operands
        if isinstance(operand, Constant)
    )
    kinds = dict.fromkeys(value for value in constants if isinstance(value, type))
    own = [kind for kind in kinds if getattr(builtins, kind.__name__, None) is not kind]
    return {_class_name(kind, used): kind for kind in own}


def _class_name(kind: type, used: set[str]) -> str:
    """A name for a class that is not used yet, and is from now on."""
    own = kind.__name__
    if getattr(runtime, own, None) is kind:
        return own
    name = unused(own if _is_name(own) else "Error", used)
    used.add(name)
    return name


def _is_name(text: str) -> bool:
    """Whether Python reads a text as this name; it takes some letters for others."""
    return text.isidentifier() and unicodedata.normalize("NFKC", text) == text


class Forward(NamedTuple):
    """A forward function, whose last results are the first parameters of its backward function."""

    function: Function
    residuals: int


class Names:
    """A name for every value of a function that is not written inside an expression.

    taken: names that mean something else. forward: the names of the forward function, for those of a backward one, and
    how many residuals it returns. shares: whether values that nobody has named may share a name that fits each of them.
    refused: whether a variable of the user's has not got its name, because it is taken.
    """

    def __init__(
        self,
        function: Function,
        inlined: dict[Value, Let],
        taken: frozenset[str],
        forward: tuple[Names, int] | None = None,
        shares: bool = False,
    ) -> None:
        self.taken, self.can_share, self.refused = taken, shares, False
        self.function, self.inlined = function, inlined
        self.classes = coalesced(function, inlined)
        self.definitions = lets_in(function.body)
        self.forward = forward[0] if forward is not None else None
        self.used = set(taken)
        self.nouns = Nouns(function.body, self.word)
        self.roots: dict[Value, str] = {}
        self.numbered: set[str] = set()
        self.open: set[Value] = set()
        self.read = set(read_in(function.body))
        given = forward[0].returned(forward[1]) if forward is not None else []
        for parameter, name in zip(function.parameters, given, strict=False):
            self.roots[self.classes.root(parameter)] = self.take(name) if name else ""
        for parameter in function.parameters:
            root = self.classes.root(parameter)
            if not self.roots.get(root):
                self.refused |= parameter.name in self.taken
                self.roots[root] = self.unused(self.stem(parameter) or parameter.name)
        self.of = {value: self.name(value) for value in values_of(function) if value not in inlined}

    # What a backward function asks of its forward function

    def returned(self, residuals: int) -> list[str]:
        """The names of the last results; of a copy that of what it copies, and "" where there is none of its own."""
        results = self.function.results
        found: list[str] = []
        for result in results[len(results) - residuals :]:
            value = result
            if isinstance(value, Value) and value in self.inlined:
                made = self.inlined[value]
                value = made.operands[0] if made.function is primitives.copy else value
            name = self.of.get(value, "") if isinstance(value, Value) else ""
            found.append("" if name in found else name)
        return found

    # One class of values

    def name(self, value: Value) -> str:
        """The name of the class of a value; "" while it is being looked for."""
        root = self.classes.root(value)
        if root not in self.roots and root not in self.open:
            self.open.add(root)
            name = self.chosen(self.classes.of(root))
            self.roots[self.classes.root(root)] = name
            self.open.discard(root)
        return self.roots.get(self.classes.root(root), "")

    def chosen(self, members: list[Value]) -> str:
        """The name of the same value in the forward function, the user's, or one that says what it is."""
        for member in members:
            again = self.again(member)
            if again and again not in self.used:
                return self.take(again)
        given = [member for member in members if member.is_named and not self.misleads(member)]
        same = (member.of[0].name for member in given if member.of is not None and not member.of[1])
        own = next(same, given[0].name if given else "")
        if own:
            self.refused |= own in self.taken
            is_carried = not self.definitions.keys() >= set(members)
            element = self.element(members, own) if own in self.used and not is_carried else None
            return element or self.unused("k" if own == "_" and self.read.intersection(members) else own)
        nouns: list[str] = []
        for name, is_exact in self.candidates(members):
            if not self.is_new(name, is_exact):
                continue
            if name not in self.used:
                return self.take(name)
            if is_exact and self.shares(members[0], name):
                return name
            nouns.append(name)
        if not nouns and self.indices.intersection(members):
            return self.unused("k")
        return self.unused(min(nouns, key=len) if nouns else "")

    def element(self, members: list[Value], array: str) -> str | None:
        """`scale_i` for an element `scale[i]` that is called like its array."""
        phrases = (self.nouns.phrase(member) for member in members)
        found = (phrase for phrase in phrases if phrase and phrase.startswith(f"{array.removesuffix('_bar')}_"))
        free = (phrase for phrase in found if self.is_new(phrase, True) and phrase not in self.used)
        return next(map(self.take, free), None)

    def misleads(self, value: Value) -> bool:
        """Whether a rule has named a size, or the cotangent of one of the user's variables after another one."""
        made = self.definitions.get(value)
        if made is not None and made.function is primitives.dim and made.location.is_adjoint:
            return value.name not in self.said
        if value.of is None or value.of[1] != "_bar" or not value.name.endswith("_bar"):
            return False
        own = value.of[0].name
        return value.name != f"{own}_bar" and (own in self.told or value.name.removesuffix("_bar") in self.told)

    def again(self, value: Value) -> str:
        """The forward function's name of a value that is read or computed again."""
        if self.forward is None or value.of is None or value.of[1]:
            return ""
        return self.forward.of.get(value.of[0], "")

    def candidates(self, members: list[Value]) -> Iterator[tuple[str, bool]]:
        """What unnamed values may be called, and whether that says exactly what they are."""
        for value in members:
            if value.of is not None:
                found = [*self.belonging(value, *value.of)]
                yield from found
                if found and value.of[1] != "_bar":
                    return
        for value in members:
            yield from self.described(value)
        for value in members:
            if value in self.handed_on:
                yield from self.described(self.handed_on[value])

    def belonging(self, value: Value, origin: Value, suffix: str) -> Iterator[tuple[str, bool]]:
        """What a value may be called after another one that it belongs to."""
        made = self.definitions.get(value)
        if suffix == "_bar" and made is not None and made.function is primitives.load:
            yield from self.described(value)
        yield from ((f"{text}{suffix}", is_exact) for text, is_exact in self.base(origin))

    def base(self, value: Value) -> Iterator[tuple[str, bool]]:
        """What another value is called, here or in the forward function."""
        if value.is_named:
            yield value.name, True
        if value in self.members and value not in self.inlined:
            name = self.name(value)
            yield from [(name, True)] if name else []
        elif value in self.definitions:
            yield from self.candidates([value])
        elif self.forward is not None:
            yield from self.forward.base(value)

    def described(self, value: Value) -> Iterator[tuple[str, bool]]:
        """What a value is called after the operation that makes it."""
        made = self.definitions.get(value)
        if made is not None and made.function is primitives.copy:
            yield from self.base(made.operands[0])
            return
        phrase, noun, bound = self.nouns.phrase(value), self.nouns.noun(value), self.bounds.get(value)
        if bound:
            yield bound, False
        if phrase:
            index = self.limited.get(self.definitions[value].operands[0]) if phrase == TRIPS else None
            yield from [(f"{index}_{TRIPS}", False)] if index and self.has_several_trips else []
            yield phrase, phrase != TRIPS
        if noun:
            target = self.target(value)
            yield from [(f"{target}_{noun}", False)] if target else []
            yield "total" if noun == "sum" else noun, False

    def stem(self, parameter: Value) -> str:
        """What a parameter is called: a residual that the user has not named is what the forward function computes."""
        if parameter.is_named or self.forward is None:
            return parameter.name
        return next((text for text, _ in self.forward.base(parameter)), "value")

    def word(self, value: Value) -> str | None:
        """The name of an operand, for a phrase; None if it says nothing."""
        if value in self.inlined:
            return self.nouns.phrase(value)
        own = value.is_named or value not in self.members
        name = value.name if own else self.name(value)
        return name if name and name not in self.numbered and name != "_" else None

    def target(self, value: Value) -> str:
        """The variable that the user's statement assigns, of which a value is part."""
        return self.targets.get(value, "")

    @cached_property
    def members(self) -> set[Value]:
        return set(values_of(self.function))

    @cached_property
    def indices(self) -> set[Value]:
        return {s.index for s in walk(self.function.body) if isinstance(s, For)}

    @cached_property
    def bounds(self) -> dict[Value, str]:
        """Computed integers that bound the range of a loop: `i_start` and `i_end` for that of `i`."""
        found: dict[Value, str] = {}
        for loop in self.ranges:
            for bound, what in ((loop.start, "start"), (loop.stop, "end")):
                made = self.definitions.get(bound) if isinstance(bound, Value) else None
                if made is not None and made.function is not primitives.dim:
                    found.setdefault(made.value, f"{loop.index.name}_{what}")
        return found

    @cached_property
    def ranges(self) -> list[For]:
        """The loops whose index has a name."""
        return [s for s in walk(self.function.body) if isinstance(s, For) and s.index.name not in ("", "_")]

    @cached_property
    def has_several_trips(self) -> bool:
        """Whether more than one number of iterations is computed and has a name."""
        made = (s for s in self.definitions.values() if s.function is max and s.value not in self.inlined)
        return sum(1 for s in made if self.nouns.phrase(s.value) == TRIPS) > 1

    @cached_property
    def limited(self) -> dict[Value, str]:
        """The index of the loop that a value is the end of."""
        found: dict[Value, str] = {}
        for loop in self.ranges:
            if isinstance(loop.stop, Value):
                found.setdefault(loop.stop, loop.index.name)
        return found

    @cached_property
    def handed_on(self) -> dict[Value, Value]:
        """What an iteration hands to the next one, by the parameter that takes it."""
        loops = (s for s in walk(self.function.body) if isinstance(s, For | While))
        pairs = ((c.parameter, y) for loop in loops for c, y in zip(loop.carried, loop.body.yields, strict=False))
        return {parameter: y for parameter, y in pairs if isinstance(y, Value) and y in self.definitions}

    @cached_property
    def targets(self) -> dict[Value, str]:
        """For each unnamed part of the user's statements, the variable that the statement assigns."""
        found: dict[Value, str] = {}
        for block in blocks_in(self.function.body):
            assigned: dict[tuple[str, int], str] = {}
            for statement in reversed(block.statements):
                if not isinstance(statement, Let) or statement.location.is_adjoint:
                    continue
                if not statement.value.is_named:
                    found[statement.value] = assigned.get(_line(statement.location), "")
                elif statement.value.name in self.said:
                    assigned[_line(statement.location)] = statement.value.name
        return found

    @cached_property
    def said(self) -> set[str]:
        """The names in the user's own lines."""
        lines = {s.location.text for s in walk(self.function.body)}
        return {name for line in lines for name in _IDENTIFIER.findall(line)}

    @cached_property
    def told(self) -> set[str]:
        """The same, with all variables that have a name."""
        names = self.said | {value.name for value in self.members if value.is_named}
        return names | (self.forward.told if self.forward is not None else set())

    # Which names are free

    def is_new(self, name: str, is_exact: bool) -> bool:
        """Whether a name may be given to what the user has not named."""
        if name in RESERVED or name in self.told or not name.isidentifier():
            return False
        return is_exact or self.forward is None or name not in self.forward.used

    def shares(self, value: Value, name: str) -> bool:
        """Whether a value could join the class that has its name already; then it does."""
        for root, other in [*self.roots.items()] if self.can_share else []:
            if other == name:
                self.classes.join(root, value)
                return self.classes.root(value) is self.classes.root(root)
        return False

    def take(self, name: str) -> str:
        self.used.add(name)
        return name

    def unused(self, stem: str) -> str:
        """The name itself, or with the first number that makes it new."""
        stem = stem if not stem or stem.isidentifier() else "value"
        elsewhere = self.forward.used if self.forward is not None else set()
        if stem and stem not in self.used and (stem not in elsewhere or stem in self.told):
            return self.take(stem)
        name = unused(stem, self.used | elsewhere)
        self.numbered.add(name)
        return self.take(name)


def _line(location: Location) -> tuple[str, int]:
    return location.file, location.line


def unused(stem: str, used: Set[str]) -> str:
    """The name itself, or with the first number that makes it new; temporaries, without one, are t1, t2, …"""
    if stem and stem not in used:
        return stem
    joint = "_" if stem and stem[-1].isdigit() else ""
    numbers = count(2 if stem else 1)
    return next(name for name in (f"{stem or 't'}{joint}{number}" for number in numbers) if name not in used)
