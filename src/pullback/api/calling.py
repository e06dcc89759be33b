"""Calls of generated functions: from the user's arguments to results of the right types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.api.specialise import Engine, SplitPair, check_overlap, check_own_overlap
from pullback.compile.c_entry import MOST_ARGUMENTS, Entrance, checks_of, entry_is_at_hand
from pullback.compile.functions import Compiled
from pullback.compile.layout import in_order, memory_of, ready
from pullback.compile.shortcut import MISS, Shortcut, never
from pullback.compile.turns import collected_later, interrupts_end_it
from pullback.errors import TypingError
from pullback.frontend.build import Built
from pullback.frontend.source.outside import Dependency, parts_of
from pullback.frontend.tapes.captured import captured_value, give_back
from pullback.frontend.values.arguments import Form, Known, Leaf, Sequence_, leaves_in
from pullback.ir.types import Array, Type, is_float
from pullback.runtime import SizesDiffer

Kinds = tuple[Any, ...]
_SIMPLE = (float, int, bool, np.float64, np.float32, np.int64, np.bool_, np.ndarray)


class Prepared:
    """One kind of call: the Forms of its arguments, and the normal form of the function for them."""

    def __init__(self, owner: Entrance, engine: Engine, forms: dict[str, Form], built: Built) -> None:
        self.entrance, self.engine, self.forms, self.built = owner, engine, forms, built
        self.rest: list[Any] = []
        """What is passed after the arguments: the defaults of the parameters that were not given."""
        self.shortcut: Shortcut = never
        self.repeated = False
        """Whether there has been such a call."""

    def called(self, leaves: list[Any]) -> Any:
        """The call with the leaves of the arguments, the long way."""
        raise NotImplementedError

    def write(self, arguments: tuple[Any, ...]) -> Shortcut:
        """A shortcut for calls like this one, which has gone the long way."""
        raise NotImplementedError

    def called_simply(self, arguments: tuple[Any, ...], leaves: list[Any]) -> tuple[Any, Shortcut]:
        """The call with numbers and arrays, and the shortcut for those after it.

        A process writes the first only at the second such call: what it needs takes a third of a second to compile.
        """
        result = self.shortcut(in_order(arguments))
        if result is not MISS:
            return result, self.shortcut
        if self.shortcut is not never:
            return self.called(leaves), self.shortcut
        with interrupts_end_it(), collected_later():
            result = self.called(leaves)
            self.shortcut = self.write(arguments) if self.repeated or entry_is_at_hand() else never
            self.repeated = True
        return result, self.shortcut

    def open(self, compiled: Compiled, arguments: tuple[Any, ...], results: Sequence[Type]) -> None:
        """Let calls like this one run without Python, if they need nothing but the types of their arguments looked at.

        A second run after an error must not be seen.
        """
        needs = compiled.has_gate and not compiled.prints and not self.built.captures
        given = len(arguments) == len(self.forms) <= MOST_ARGUMENTS
        checks = checks_of(self.built.dependencies) if needs and given else None
        if checks is not None:
            self.entrance.open(compiled, in_order(arguments), results, checks)

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        """What calls that are prepared in this way depend on: the defaults among them, if they are passed."""
        own = parts_of(self.engine.source.function) if self.rest else ()
        return (*self.built.dependencies, *own)

    def leaves_of(self, bound: dict[str, Any]) -> list[Any]:
        return leaves_in(bound, self.forms)

    def begins_with(self, count: int) -> bool:
        """Whether `count` numbers and arrays are given, after a receiver and before defaults that cannot change."""
        receiver, *forms = [Known(None)] * (self.engine.receiver is None) + [*self.forms.values()]
        given = all(isinstance(form, Leaf) for form in forms[:count])
        return given and all(isinstance(form, Leaf | Known) for form in (receiver, *forms[count:]))


class Calls:
    """The kinds of calls that there have been of one function, for those that their arguments' kinds tell apart."""

    def __init__(self, prepare: Callable[[dict[str, Any]], Any]) -> None:
        self.prepare = prepare
        self.known: dict[Kinds, Any] = {}

    def find(self, engine: Engine, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, list[Any], bool]:
        """What is prepared for a call, the leaves of its arguments, and whether it may take a shortcut next time."""
        kinds = kinds_of(arguments)
        prepared = self.known.get(kinds) if not keywords else None
        if prepared is not None and engine.is_current() and prepared.built.holds():
            return prepared, [*arguments, *prepared.rest], True
        bound = engine.bind(arguments, keywords)
        prepared = self.prepare(bound)
        leaves = prepared.leaves_of(bound)
        simple = not keywords and all(type(a) in _SIMPLE for a in arguments) and prepared.begins_with(len(arguments))
        if simple:
            prepared.rest = leaves[len(arguments) :]
            self.known[kinds] = prepared
        return prepared, leaves, simple


def kinds_of(arguments: tuple[Any, ...]) -> Kinds:
    """What of numbers and arrays decides which compiled function serves them."""
    return tuple([(a.dtype, a.ndim) if type(a) is np.ndarray else type(a) for a in arguments])


def strong(value: Any, type_: Type) -> Any:
    """A result in its own type; Numba hands out Python numbers."""
    if isinstance(type_, Array):
        return value if isinstance(value, np.ndarray) else np.array(value, type_.dtype)
    if type_.dtype == "float64":
        return float(value)
    return value if type_.weak else np.dtype(type_.dtype).type(value)


def converted(name: str, type_: Type) -> str:
    """The expression for a result of compiled code in its own type; see `strong`."""
    if isinstance(type_, Array):
        return name if type_.ndim else f"np.asarray({name}, np.{type_.dtype})"
    return name if type_.weak or type_.dtype == "float64" else f"np.{type_.dtype}({name})"


def describe_form(form: Form) -> str:
    """A result in words."""
    match form:
        case Leaf(type=Array() as type_):
            return f"an array of {type_.dtype} with {type_.ndim} dimensions"
        case Leaf(type=type_):
            return f"a number of dtype {type_.dtype}"
        case Known(value=None):
            return "None"
        case Known():
            return f"a {type(form.value).__name__}"
        case Sequence_():
            return f"a {form.kind.__name__} of {len(form.items)}"
    return "a dict"


def call_forward(
    pair: SplitPair, built: Built, leaves: list[Any], captured: list[Any] | None = None
) -> tuple[SplitPair, tuple[Any, ...]]:
    """The pair that serves these arguments, and the results and residuals of its forward function."""
    captured = [*map(captured_value, built.captures)] if captured is None else captured
    pair = pair.within_limit((*leaves, *captured))
    try:
        return pair, call_entry(pair.forward, built, leaves, captured=captured)
    except SizesDiffer:
        pair = pair.general().within_limit((*leaves, *captured))
        return pair, call_entry(pair.forward, built, leaves, captured=captured)


def call_entry(
    compiled: Compiled,
    built: Built,
    leaves: list[Any],
    outs: Sequence[Any] = (),
    captured: list[Any] | None = None,
) -> tuple[Any, ...]:
    """The results of a generated function; arguments that it changes are changed as a plain call would.

    outs: arrays that some of the results are written into. captured: what is passed for what stands outside, if it is
    not what stands there now.
    """
    given = [*leaves, *([*map(captured_value, built.captures)] if captured is None else captured)]
    prepared = [ready(leaf) for leaf in given]
    memory = [memory_of(out) for out in outs]
    compiled = compiled.within_limit((*prepared, *memory))
    mutated = compiled.mutated
    if mutated:
        check_overlap(given, mutated, [parameter.name for parameter in compiled.function.parameters])
        for k in mutated:
            if not given[k].flags.writeable:
                raise ValueError(f"the argument '{compiled.function.parameters[k].name}' is written and is read-only")
            check_own_overlap(given[k], compiled.function.parameters[k].name)
    try:
        result = compiled.call(*prepared, *memory)
    except Exception as error:
        result = compiled.recover(error, (*prepared, *memory))
    for k in mutated:
        if prepared[k] is not given[k]:
            given[k][...] = prepared[k]
        if k >= len(leaves):
            give_back(built.captures[k - len(leaves)], given[k])
    for out, made in zip(outs, memory, strict=True):
        if not np.may_share_memory(out, made):
            out[...] = made
    return compiled.results_of(result)


def check_is_number(engine: Engine, form: Form) -> None:
    """TypingError where a function returns something else than a float number."""
    type_ = form.type if isinstance(form, Leaf) else None
    if type_ is not None and is_float(type_) and getattr(type_, "ndim", 0) == 0:
        return
    source = engine.source
    raise TypingError(
        f"'{source.name}' does not return a float number, but {describe_form(form)}",
        source.location(source.tree),
        "return a number, as np.sum does, or use pb.vjp with a cotangent for the result",
    )
