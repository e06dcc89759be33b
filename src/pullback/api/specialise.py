"""From a Python function and its arguments to the derivative that fits them, made once for each kind of call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from pullback.api.calls import Argnums
from pullback.api.kept import Reference, Stored, weakly
from pullback.api.labelled import Unlabelled, check_meaning, without_labels
from pullback.api.making import Code
from pullback.api.pickled import reduced
from pullback.compilation.options import Options
from pullback.compilation.turns import MAKING
from pullback.errors import AliasError, LanguageError, Problem, TypingError
from pullback.frontend.build import Built, build
from pullback.frontend.source.finding import Source, find_source
from pullback.frontend.source.outside import parts_of
from pullback.frontend.source.passed import captured_value
from pullback.frontend.source.plain_functions import plain_function, signature_of
from pullback.frontend.source.star_parameters import identifier_of, identifiers_of_items, spread
from pullback.frontend.values.arguments import Form, Known, Leaf, Sequence_, form_of, leaf_places, leaf_types, leaves_in
from pullback.frontend.values.context import StaticNeeded
from pullback.functions.generators import Outside
from pullback.ir import primitives
from pullback.ir.classes import obstacles_in
from pullback.ir.nodes import Effect, Function, Value, type_of_operand, walk
from pullback.ir.types import is_float

MOST_WORK = 100_000


class Engine:
    """All that is known of one function under one set of options: its normal forms, and what is made of them.

    An engine keeps its function alive unless it is `weak`, and nothing else of the user's: see `kept`.
    """

    built_for: tuple[Any, ...] | None = None
    """The parts of the function as they were when its normal forms were made."""

    def __init__(
        self, function: Callable[..., Any], options: Options, text: str | None = None, weak: bool = False
    ) -> None:
        self.options, self.text = options, text
        self.refer: Reference = weakly(function) if weak else lambda: function
        self.receiver = getattr(function, "__self__", None)
        self.built: dict[tuple[tuple[tuple[str, Form], ...], bool], Stored] = {}
        self.looking: Engine | None = None
        self.read()

    @property
    def function(self) -> Callable[..., Any]:
        """The function, method or dispatcher that the user has given."""
        function: Callable[..., Any] = self.refer()
        return function

    @property
    def source(self) -> Source:
        """The function with its text."""
        return Source(plain_function(self.function), *self.text_of_function)

    def read(self) -> None:
        """Find the source of the function as it is now."""
        source = find_source(self.function, self.text)
        self.text_of_function = (source.tree, source.file, source.lines)
        self.name = source.name
        self.parts = tuple(part.value for part in parts_of(source.function))
        self.signature = signature_of(source.function)

    def is_current(self) -> bool:
        """Whether the function is made of the same code and defaults as when it was read."""
        now = parts_of(plain_function(self.function))
        return len(now) == len(self.parts) and all(p.value is then for p, then in zip(now, self.parts, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return reduced(Engine, self.function, self.options, self.text)

    def with_nan(self, nan: str | None) -> Engine:
        """The engine of the same function where results that are not finite are an error; itself for None."""
        if nan is None or self.options.nan == nan:
            return self
        with MAKING:
            if self.looking is None:
                self.looking = self.made_with_nan(nan)
            return self.looking

    def made_with_nan(self, nan: str) -> Engine:
        """A new engine for that."""
        made: Engine = object.__new__(type(self))
        made.__dict__.update(self.__dict__, options=replace(self.options, nan=nan), built={})
        return made

    def bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        """Every parameter's argument, defaults included, arrays without labels. Raises TypeError as a call would."""
        self.refresh()
        if self.receiver is not None:
            arguments = (self.receiver, *arguments)
        bound = self.signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        return without_labels(spread(self.signature, bound.arguments))

    def refresh(self) -> None:
        """Read the function again if its code or its defaults are others."""
        if not self.is_current():
            with MAKING:
                self.read()

    def build(self, forms: dict[str, Form], numbers: bool = True) -> Built:
        """The normal form for arguments of these Forms; made anew where something outside has changed.

        numbers: those from outside are parameters, as far as they can be.
        """
        key = (tuple(forms.items()), numbers)
        with MAKING:
            if self.built_for is not self.parts:
                self.built, self.built_for = {}, self.parts
            stored = self.built.get(key)
            built = None if stored is None else stored.restored(self.source)
            if built is None or not built.holds():
                built = self.made_for(forms, numbers)
                if self.options.jit:
                    refuse_breakpoints(built.function)
                built = replace(built, code=Code(built.function, self.options))
                self.built[key] = Stored(built)
            return built

    def made_for(self, forms: dict[str, Form], numbers: bool) -> Built:
        """The normal form of a call with arguments of these Forms."""
        return build(self.source, forms, numbers=numbers)

    @property
    def made(self) -> dict[Any, Any]:
        """All that was made for calls, by the Forms of the arguments and the request."""
        stored = self.built.items()
        return {(key, request): made for key, s in stored for request, made in s.core.code.made.items()}


def refuse_breakpoints(function: Function) -> None:
    """Raises LanguageError where a function that is to be compiled stops for a debugger."""
    bodies = [function.body, *(callee.body for callee in function.callees)]
    effects = (s for body in bodies for s in walk(body) if isinstance(s, Effect))
    stops = [s.location for s in effects if s.function is primitives.breakpoint_]
    if stops:
        reason, remedy = "a debugger cannot stop in compiled code", "use pb.differentiable(jit=False)"
        raise LanguageError([Problem(location, reason, remedy) for location in stops])


class PullbackEngine(Engine):
    """The engine of a function that another one's derivative is: see `transform.requests.resolving.pulled`.

    Its arguments are those of the other, and the cotangents of the float results; its result is a tuple. It belongs to
    a call that has been made: what the other function uses from outside is what it was then.
    """

    def __init__(self, engine: Engine, built: Built, forms: dict[str, Form], wrt: tuple[int, ...]) -> None:
        function = engine.function
        self.options, self.text, self.refer = engine.options, engine.text, lambda: function
        self.text_of_function, self.name, self.parts = engine.text_of_function, engine.name, engine.parts
        self.signature, self.receiver = engine.signature, engine.receiver
        floats = [type_ for type_ in leaf_types(built.result) if is_float(type_)]
        self.forms = {**forms, **{f"cotangent {k}": Leaf(type_) for k, type_ in enumerate(floats)}}
        pullback, code = built.code.pullback(len(built.captures), wrt)
        result = Sequence_(tuple, tuple(Leaf(type_of_operand(y)) for y in pullback.results))
        self.only = replace(built, function=pullback, result=result, code=code)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("cannot pickle the pullback of a call")

    def build(self, forms: dict[str, Form], numbers: bool = True) -> Built:
        """The one normal form that it has."""
        return self.only


def forms_of(bound: dict[str, Any], static: frozenset[str]) -> dict[str, Form]:
    """The Forms of the arguments; those in `static` are part of the specialisation."""
    for name, value in bound.items():
        for path, found in obstacles_in(value, name):
            raise TypingError(f"the argument '{path}' {found.reason}", None, found.remedy.format(path))
    return {name: _known_form(value) if name in static else form_of(value) for name, value in bound.items()}


def _known_form(value: Any) -> Form:
    """A number, or a tuple of numbers, that is part of the code."""
    return Sequence_(tuple, tuple(map(_known_form, value))) if isinstance(value, tuple) else Known(value)


def _is_needed(needed: Value, name: str, value: Any) -> bool:
    """Whether a number that is needed beforehand is an argument, or an item of one that is a tuple of numbers."""
    if type(value) is tuple:
        return all(map(_is_number, value)) and needed.name in identifiers_of_items(name, len(value))
    return _is_number(value) and needed.name == identifier_of(name)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number)


def build_for(engine: Engine, bound: dict[str, Any]) -> tuple[dict[str, Form], Built]:
    """The Forms and the normal form of a call; numbers that are needed beforehand become part of it."""
    static: frozenset[str] = frozenset()
    while True:
        forms = forms_of(bound, static)
        try:
            built = engine.build(forms)
        except StaticNeeded as needed:
            name = next((name for name, value in bound.items() if _is_needed(needed.value, name, value)), "")
            if not name or name in static:
                raise needed.error from None
            static |= {name}
            continue
        if isinstance(bound, Unlabelled):
            check_meaning(bound.given, built)
        if engine.options.jit and built.code.sizes is None:
            captured = [captured_value(capture) for capture in built.captures]
            built.code.specialise(list(leaves_in(bound, forms)), captured)
        return forms, built


def wrt_leaves(engine: Engine, forms: dict[str, Form], argnums: Argnums) -> tuple[tuple[int, ...], tuple[Form, ...]]:
    """The parameter numbers of the leaves to differentiate, and the Forms of their arguments.

    Raises TypingError for an argument that is not a float or made of floats.
    """
    names, starts = names_of(engine, forms), starts_of(forms)
    chosen = chosen_names(names, argnums)
    numbers: list[int] = []
    for name in chosen:
        types = leaf_types(forms[name])
        _check_floats(engine, name, forms[name], types)
        numbers += range(starts[name], starts[name] + len(types))
    return tuple(numbers), tuple(forms[name] for name in chosen)


def names_of(engine: Engine, forms: dict[str, Form]) -> list[str]:
    """The names of the arguments, without a receiver."""
    return list(forms)[engine.receiver is not None :]


def chosen_names(names: list[str], argnums: Argnums) -> list[str]:
    """The names of the arguments to differentiate, of all these."""
    return [_name_of(names, argnum) for argnum in (argnums if isinstance(argnums, tuple) else (argnums,))]


def starts_of(forms: dict[str, Form]) -> dict[str, int]:
    """The number of the first leaf of each argument."""
    counts = [len(leaf_types(form)) for form in forms.values()]
    return dict(zip(forms, accumulate(counts, initial=0), strict=False))


def _name_of(names: list[str], argnum: int | str) -> str:
    if isinstance(argnum, str):
        if argnum in names:
            return argnum
        raise TypingError(f"there is no argument '{argnum}'", None, f"the arguments are {', '.join(names)}")
    if not hasattr(argnum, "__index__"):
        remedy = f"give a number, a name, or a tuple of them; the arguments are {', '.join(names)}"
        raise TypingError(f"there is no argument {argnum!r}", None, remedy)
    if not -len(names) <= argnum < len(names):
        raise TypingError(f"argument number {argnum} does not exist", None, f"there are {len(names)} arguments")
    return names[argnum]


def _check_floats(engine: Engine, name: str, form: Form, types: list[Any]) -> None:
    bad = [k for k, type_ in enumerate(types) if not is_float(type_)]
    if bad or not types:
        is_generator = isinstance(form, Sequence_) and form.kind is Outside
        place = list(leaf_places(form, name))[bad[0]] if bad and not is_generator else name
        what = f"is of dtype {types[bad[0]].dtype}" if bad else "has no numbers"
        remedy = "pass a float, as in 2.0 or x.astype(float), or leave it out of argnums"
        if place != name:
            remedy = f"make it a float, or pass it outside of '{name}', as an argument that is not differentiated"
        raise TypingError(
            f"'{engine.name}' cannot be differentiated with respect to '{place}', which {what}",
            engine.source.location(engine.source.tree),
            remedy,
        )


def may_overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays share an element; True where finding out would take too long."""
    try:
        return bool(np.shares_memory(a, b, max_work=MOST_WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def check_overlap(leaves: list[Any], mutated: tuple[int, ...], names: list[str]) -> None:
    """AliasError where an argument that is written shares memory with another one."""
    for k in mutated:
        for j, other in enumerate(leaves):
            if j != k and isinstance(other, np.ndarray) and may_overlap(leaves[k], other):
                raise AliasError(
                    f"the argument '{names[k]}' is written and shares memory with '{names[j]}'",
                    None,
                    "pass a copy of one of them",
                )


def check_own_overlap(array: np.ndarray, name: str) -> None:
    """AliasError where elements of an array that is written may share memory with one another, as in windows of it."""
    reach = array.itemsize
    for stride, extent in sorted(
        (abs(stride), extent) for stride, extent in zip(array.strides, array.shape, strict=True) if extent > 1
    ):
        if stride < reach and array.size:
            raise AliasError(
                f"the argument '{name}' is written and has elements that share memory with one another",
                None,
                "pass a copy of it",
            )
        reach += stride * (extent - 1)
