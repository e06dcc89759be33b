"""From a Python function and its arguments to the derivative that fits them, made once for each kind of call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any, Literal

import numpy as np

from pullback.analysis.sizes import is_guard
from pullback.api.calls import Argnums
from pullback.api.kept import Reference, Stored, weakly
from pullback.api.pickled import reduced
from pullback.compilation.functions import Compiled
from pullback.compilation.memory import Made, Memory, within
from pullback.compilation.options import Options
from pullback.compilation.turns import MAKING
from pullback.emission.names import Forward
from pullback.errors import AliasError, LanguageError, Problem, TypingError
from pullback.frontend.build import Built, build
from pullback.frontend.source.finding import Source, find_source
from pullback.frontend.source.outside import parts_of
from pullback.frontend.source.plain_functions import plain_function, signature_of
from pullback.frontend.values.arguments import Form, Known, Leaf, Sequence_, form_of, leaf_types
from pullback.frontend.values.context import StaticNeeded
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.classes import obstacles_in
from pullback.ir.nodes import Effect, Function, type_of_operand, walk
from pullback.ir.rewrite import substituted
from pullback.ir.types import is_float
from pullback.passes.memory.destination_passing import pass_destinations
from pullback.transform.derivative import Pair, alone, find_kept, joint, prepared, split, with_marked_private_arrays
from pullback.transform.forward.pushforward import pushed
from pullback.transform.requests.resolving import has_requests, pulled, resolved
from pullback.transform.rules_of_users import with_rules
from pullback.transform.sweeps import NONE, Kept

MOST_WORK = 100_000
FormOf = Literal["loops", "arrays", "general"]


class Engine:
    """All that is known of one function under one set of options: its normal forms, and what is made of them.

    An engine keeps its function alive unless it is `weak`, and nothing else of the user's: see `kept`.
    """

    def __init__(
        self, function: Callable[..., Any], options: Options, text: str | None = None, weak: bool = False
    ) -> None:
        self.options, self.text = options, text
        self.refer: Reference = weakly(function) if weak else lambda: function
        self.receiver = getattr(function, "__self__", None)
        self.built: dict[tuple[tuple[Form, ...], bool], Stored] = {}
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

    def bind(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
        """Every parameter's argument, defaults included. Raises TypeError as a call would."""
        if not self.is_current():
            with MAKING:
                self.read()
                self.built = {}
        if self.receiver is not None:
            arguments = (self.receiver, *arguments)
        bound = self.signature.bind(*arguments, **keywords)
        bound.apply_defaults()
        return dict(bound.arguments)

    def build(self, forms: dict[str, Form], numbers: bool = True) -> Built:
        """The normal form for arguments of these Forms; made anew where something outside has changed.

        numbers: those from outside are parameters, as far as they can be.
        """
        key = (tuple(forms.values()), numbers)
        with MAKING:
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


class Code:
    """What is made of one normal form: derivatives, and what compiles them."""

    def __init__(self, function: Function, options: Options) -> None:
        self.function, self.options = function, options
        self.made: dict[Request, Any] = {}
        self.pulled: dict[tuple[int, ...], tuple[Function, Code]] = {}
        self.pushed: dict[tuple[int, ...], Code] = {}
        self.in_njit: dict[tuple[int, ...], Code] = {}

    def derivative(
        self,
        kind: str,
        wrt: tuple[int, ...],
        into: tuple[int, ...] = (),
        arrays: bool = False,
        tuple_from: int | None = None,
    ) -> Any:
        """The compiled function of a kind, as fast as there is one, or with array statements; see `Request`."""
        form: FormOf = "arrays" if arrays or not self.options.lowers else "loops"
        return self.requested(Request(kind, wrt, into, form, tuple_from))

    def requested(self, request: Request) -> Any:
        """The compiled function or pair for a request, made at the first one."""
        with MAKING:
            if request not in self.made:
                self.made[request] = self.make(request)
            return self.made[request]

    def pullback(self, captures: int, wrt: tuple[int, ...]) -> tuple[Function, Code]:
        """The normal form of the pullback to the parameters `wrt`, and what is made of it."""
        with MAKING:
            if wrt not in self.pulled:
                function = pulled(self.function, captures, wrt)
                self.pulled[wrt] = function, Code(function, self.options)
            return self.pulled[wrt]

    def pushforward(self, captures: int, wrt: tuple[int, ...]) -> Code:
        """What is made of the function from the arguments, and tangents of the parameters `wrt`; see `pushed`."""
        with MAKING:
            if wrt not in self.pushed:
                settings = self.options.settings(any_sizes=True)
                function = prepared(self.function, settings, wrt) if has_requests(self.function) else self.function
                sources = [function.parameters[k] for k in wrt]
                function = with_rules(function, sources, functools.partial(resolved, settings=settings))
                self.pushed[wrt] = Code(pushed(function, wrt, captures, settings), self.options)
            return self.pushed[wrt]

    def calling(self, numbers: tuple[int, ...]) -> Code:
        """What is made of the function where its last parameters are these numbers."""
        with MAKING:
            if numbers and numbers not in self.in_njit:
                given = self.function.parameters[: -len(numbers)]
                known = zip(self.function.parameters[len(given) :], map(constant, numbers), strict=True)
                body = substituted(self.function.body, dict(known))
                self.in_njit[numbers] = Code(replace(self.function, parameters=given, body=body), self.options)
            return self.in_njit[numbers] if numbers else self

    def make(self, request: Request) -> Any:
        lowered, any_sizes = request.form == "loops", request.form == "general" or request.kind == "primal"
        settings = self.options.settings(lowered, any_sizes)
        wrt = request.wrt
        forms = None if any_sizes and not lowered else functools.partial(self.in_form, request)
        function = prepared(self.function, settings, wrt)
        if request.kind == "primal":
            function = alone(function, settings, has_requests(self.function))
            function = with_marked_private_arrays(function, settings) if self.options.parallel else function
            return Compiled(function, self.options, 0, forms, lowered=lowered)
        if request.kind == "split":
            pair, memory = self.divided(request, function, functools.partial(split, function, wrt, settings=settings))
            forward = Compiled(pair.forward, self.options)
            given = Forward(forward.function, len(pair.residuals))
            backward = Compiled(pair.backward, self.options, forward=given)
            general = functools.partial(self.in_form, request, "general")
            return SplitPair(pair, forward, backward, general, memory)
        with_results = request.kind == "value_and_grad"
        both = functools.partial(joint, function, wrt, with_results=with_results, settings=settings)
        made, memory = self.divided(request, function, both)
        first = len(made.results) - len(wrt)
        made = pass_destinations(made, {first + k: made.parameters[wrt[k]] for k in request.into})
        return Compiled(made, self.options, len(request.into), forms, request.tuple_from, memory, lowered=lowered)

    def in_form(self, request: Request, form: FormOf) -> Any:
        """What is made for a request, in another form."""
        return self.requested(replace(request, form=form, checkpointed=None))

    def divided(
        self, request: Request, function: Function, differentiate: Callable[..., Made]
    ) -> tuple[Made, Memory | None]:
        """The derivative with its loops in segments as requested, and what decides about it for each call.

        Nothing does where that is decided, or no loop can run in segments.
        """
        if request.checkpointed is not None:
            return differentiate(checkpointed=request.checkpointed), None

        def find(chosen: frozenset[int]) -> Kept:
            together = request.kind != "split"
            return find_kept(function, request.wrt, self.options.settings(), together=together, checkpointed=chosen)

        def make(chosen: frozenset[int]) -> Any:
            return self.requested(replace(request, checkpointed=chosen))

        return within(self.options.max_residual_bytes, function, find, make, differentiate)


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


@dataclass(frozen=True, slots=True)
class Request:
    """Which function is wanted of those that are made from one normal form.

    kind: 'primal', 'grad', 'value_and_grad' (Compiled) or 'split' (SplitPair).
    into: which of the gradients, counted in `wrt`, are written into arrays of the caller's.
    form: with loops or with array statements, which both assume that sizes agree where arrays of arguments meet; or
        the general form, with array statements for arguments of any sizes.
    tuple_from: the number of the first result of those that are returned in a tuple of their own.
    checkpointed: the numbers of the loops that run in segments; None for none of them, as long as a call keeps no more
        than it may.
    """

    kind: str
    wrt: tuple[int, ...]
    into: tuple[int, ...]
    form: FormOf
    tuple_from: int | None
    checkpointed: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class SplitPair:
    """A compiled forward function and the backward function for its residuals."""

    pair: Pair
    forward: Compiled
    backward: Compiled
    general: Callable[[], SplitPair]
    memory: Memory | None

    @property
    def unguarded(self) -> SplitPair:
        """The pair that serves all arguments: this one, unless it begins with checks of sizes or of memory."""
        pair = self.general() if any(map(is_guard, self.forward.function.body.statements)) else self
        return pair if pair.memory is None else pair.memory.make(NONE)

    def within_limit(self, arguments: tuple[Any, ...]) -> SplitPair:
        """The pair that keeps as much for these arguments as it may: this one, or one with loops in segments."""
        if self.memory is None:
            return self
        made: SplitPair = self.memory.served(self, arguments)
        return made


def forms_of(bound: dict[str, Any], static: frozenset[str]) -> dict[str, Form]:
    """The Forms of the arguments; those in `static` are part of the specialisation."""
    for name, value in bound.items():
        for path, found in obstacles_in(value, name):
            raise TypingError(f"the argument '{path}' {found.reason}", None, found.remedy.format(path))
    return {name: Known(value) if name in static else form_of(value) for name, value in bound.items()}


def build_for(engine: Engine, bound: dict[str, Any]) -> tuple[dict[str, Form], Built]:
    """The Forms and the normal form of a call; numbers that are needed beforehand become part of it."""
    static: frozenset[str] = frozenset()
    while True:
        forms = forms_of(bound, static)
        try:
            return forms, engine.build(forms)
        except StaticNeeded as needed:
            name = needed.value.name
            if name not in bound or name in static or not isinstance(bound[name], int | float | np.number):
                raise needed.error from None
            static |= {name}


def wrt_leaves(engine: Engine, forms: dict[str, Form], argnums: Argnums) -> tuple[tuple[int, ...], tuple[Form, ...]]:
    """The parameter numbers of the leaves to differentiate, and the Forms of their arguments.

    Raises TypingError for an argument that is not a float or made of floats.
    """
    names, starts = names_of(engine, forms), starts_of(forms)
    chosen = [_name_of(names, argnum) for argnum in (argnums if isinstance(argnums, tuple) else (argnums,))]
    numbers: list[int] = []
    for name in chosen:
        types = leaf_types(forms[name])
        _check_floats(engine, name, forms[name], types)
        numbers += range(starts[name], starts[name] + len(types))
    return tuple(numbers), tuple(forms[name] for name in chosen)


def names_of(engine: Engine, forms: dict[str, Form]) -> list[str]:
    """The names of the arguments, without a receiver."""
    return list(forms)[engine.receiver is not None :]


def starts_of(forms: dict[str, Form]) -> dict[str, int]:
    """The number of the first leaf of each argument."""
    counts = [len(leaf_types(form)) for form in forms.values()]
    return dict(zip(forms, accumulate(counts, initial=0), strict=False))


def _name_of(names: list[str], argnum: int | str) -> str:
    if isinstance(argnum, str):
        if argnum in names:
            return argnum
        raise TypingError(f"there is no argument '{argnum}'", None, f"the arguments are {', '.join(names)}")
    if not -len(names) <= argnum < len(names):
        raise TypingError(f"argument number {argnum} does not exist", None, f"there are {len(names)} arguments")
    return names[argnum]


def _check_floats(engine: Engine, name: str, form: Form, types: list[Any]) -> None:
    bad = [type_ for type_ in types if not is_float(type_)]
    if bad or not types:
        what = f"is of dtype {bad[0].dtype}" if bad else "has no numbers"
        raise TypingError(
            f"'{engine.name}' cannot be differentiated with respect to '{name}', which {what}",
            engine.source.location(engine.source.tree),
            "pass a float, as in 2.0 or x.astype(float), or leave it out of argnums",
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
