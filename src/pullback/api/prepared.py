"""One kind of call that has been read: what is compiled for it, and the shorter ways to that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from pullback.api.known import KnownCalls
from pullback.api.specialise import Engine
from pullback.compilation.cache import descriptions
from pullback.compilation.cache.known_calls import KnownCall
from pullback.compilation.entrance import MOST_ARGUMENTS, Entrance, checks_of, entry_is_at_hand
from pullback.compilation.explained import explained
from pullback.compilation.functions import Compiled
from pullback.compilation.layout import in_order
from pullback.compilation.shortcut import MISS, Shortcut, Writer, never
from pullback.compilation.turns import collected_later, interrupts_end_it
from pullback.frontend.build import Built
from pullback.frontend.source.outside import Dependency, parts_of
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import Form, Known, Leaf, leaf_count, leaves_in
from pullback.ir.types import Type


class Prepared:
    """One kind of call: the Forms of its arguments, and the normal form of the function for them."""

    def __init__(self, entrance: Entrance, engine: Engine, forms: dict[str, Form], built: Built) -> None:
        self.entrance, self.engine, self.forms, self.built = entrance, engine, forms, built
        self.rest: list[Any] = []
        """What is passed after the arguments: the defaults of the parameters that were not given."""
        self.shortcut: Shortcut = never
        self.repeated = False
        """Whether there has been such a call."""

    def code(self) -> Compiled:
        """What is compiled for the call."""
        raise NotImplementedError

    def returned(self) -> str | None:
        """The expression of what the user gets, of the results `r0`, `r1`, …; None where there is no short way."""
        raise NotImplementedError

    def boxed(self) -> Sequence[Type] | None:
        """The types of what the user gets, where machine code can return it; None for other structures."""
        raise NotImplementedError

    def called(self, leaves: list[Any]) -> Any:
        """The call with the leaves of the arguments, the long way."""
        raise NotImplementedError

    def called_simply(
        self, arguments: tuple[Any, ...], leaves: list[Any], known: KnownCalls | None
    ) -> tuple[Any, Shortcut]:
        """The call with numbers and arrays, and the shortcut for those after it.

        A process writes the first only at the second such call: what it needs takes a third of a second to compile.
        known: what other processes know of such calls; they are told of this one.
        """
        result = self.shortcut(in_order(arguments))
        if result is not MISS:
            return result, self.shortcut
        if self.shortcut is not never:
            return self.called(leaves), self.shortcut
        with interrupts_end_it(), collected_later():
            result = self.called(leaves)
            if known is not None and not self.repeated:
                known.learn(arguments, self.described)
            self.shortcut = self.write(arguments) if self.repeated or entry_is_at_hand() else never
            self.repeated = True
        return result, self.shortcut

    @property
    def has_short_way(self) -> bool:
        """Whether a call needs no more than machine code, and what stands outside as it was."""
        return self.returned() is not None and self.code().has_gate and not self.built.uses_tensors

    def is_plainly_served(self, arguments: tuple[Any, ...], code: Compiled) -> bool:
        """Whether a call may keep what it needs; one that runs loops in segments takes the long way."""
        captured = [captured_value(capture) for capture in self.built.captures]
        return code.memory is None or code.memory.fits(*arguments, *self.rest, *captured)

    def write(self, arguments: tuple[Any, ...]) -> Shortcut:
        """A shortcut for calls like this one, which has gone the long way."""
        returned, code = self.returned(), self.code()
        if returned is None or not self.has_short_way or not self.is_plainly_served(arguments, code):
            return never
        results = self.boxed_of(len(arguments))
        checks = None if results is None else checks_of(self.built.dependencies)
        if results is not None and checks is not None:
            self.entrance.open(code.gate(in_order(arguments)), in_order(arguments), results, checks)
        writer = Writer(code, self.built.captures, self.dependencies(len(arguments)), arguments, self.rest)
        return writer.written(returned, partial(explained, code), code.may_run_again)

    def boxed_of(self, given: int) -> Sequence[Type] | None:
        """The types of what the user gets where such calls, with so many arguments, may run without Python.

        A second run after an error must not be seen.
        """
        all_given = given == len(self.forms) <= MOST_ARGUMENTS
        return None if not all_given or self.code().prints or self.built.captures else self.boxed()

    def described(self, given: int) -> KnownCall:
        """The call for other processes. Raises Indescribable where they could not repeat it."""
        returned, code = self.returned(), self.code()
        plain = all(isinstance(leaf, int | float) for leaf in self.rest)
        if returned is None or not self.has_short_way or code.prints or not plain:
            raise descriptions.Indescribable
        module, key = code.module
        if key is None:
            raise descriptions.Indescribable
        function = self.engine.source.function
        describer = descriptions.Describer(function)
        dependencies = describer.described(self.dependencies(given))
        captures = tuple((describer.way_to(c.namespace), c.name) for c in self.built.captures)
        boxed = self.boxed_of(given)
        return KnownCall(
            name=code.name,
            module=module.__name__,
            file=module.__file__ or "",
            key=key,
            count=code.count,
            tuple_from=code.tuple_from,
            returned=returned,
            boxed=None if boxed is None else tuple(boxed),
            rest=tuple(self.rest),
            captures=captures,
            dependencies=dependencies,
        )

    def dependencies(self, given: int) -> tuple[Dependency, ...]:
        """What calls with so many arguments depend on: the defaults among it, where some are not given."""
        are_all_given = given == len(self.forms) - (self.engine.receiver is not None)
        own = () if are_all_given else parts_of(self.engine.source.function)
        return (*self.built.dependencies, *own)

    def leaves_of(self, bound: dict[str, Any]) -> list[Any]:
        return leaves_in(bound, self.forms)

    def begins_with(self, count: int, leaves: int) -> bool:
        """Whether `count` arguments are given that hold so many numbers and arrays, none of which is part of the code,
        after a receiver and before defaults that cannot change.
        """
        receiver, *forms = [Known(None)] * (self.engine.receiver is None) + [*self.forms.values()]
        given = sum(map(leaf_count, forms[:count])) == leaves
        return given and all(isinstance(form, Leaf | Known) for form in (receiver, *forms[count:]))
