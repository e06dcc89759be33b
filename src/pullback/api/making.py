"""What is made of one normal form: the function itself and its derivatives, each when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from pullback.analysis.sizes import is_guard
from pullback.compilation.functions import Compiled
from pullback.compilation.memory import Made, Memory, within
from pullback.compilation.options import Options
from pullback.compilation.turns import MAKING
from pullback.emission.names import Forward
from pullback.ir.builder import constant
from pullback.ir.nodes import Function, Value, lets_in
from pullback.ir.rewrite import substituted
from pullback.passes.entries import Settings
from pullback.passes.lowering.constant_sizes import ConstantSizes, constant_sizes
from pullback.passes.memory.destination_passing import pass_destinations
from pullback.transform.derivative import Pair, alone, find_kept, joint, prepared, split, with_marked_private_arrays
from pullback.transform.forward.pushforward import pushed
from pullback.transform.not_finite import with_checked_results, with_checked_values
from pullback.transform.requests.resolving import has_requests, pulled, resolved
from pullback.transform.rules_of_users import with_rules
from pullback.transform.sweeps import NONE, Kept

FormOf = Literal["constant sizes", "loops", "arrays", "general"]
Looks = Literal["", "results", "values"]
TRACED = frozenset({"activity", "residuals"})
"""The optimisations of a function that looks at all its values: its statements run in the order of the text."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which function is wanted of those that are made from one normal form.

    kind: 'primal', 'grad', 'value_and_grad' (Compiled) or 'split' (SplitPair).
    into: which of the gradients, counted in `wrt`, are written into arrays of the caller's.
    form: with loops or with array statements, which both assume that sizes agree where arrays of arguments meet; with
        loops, for some sizes of the first call alone, too; or the general form, with array statements for arguments of
        any sizes.
    tuple_from: the number of the first result of those that are returned in a tuple of their own.
    checkpointed: the numbers of the loops that run in segments; None for none of them, as long as a call keeps no more
        than it may.
    nan: what is looked at for numbers that are not finite: nothing, the results, or all values; see
        `transform/not_finite.py`.
    """

    kind: str
    wrt: tuple[int, ...]
    into: tuple[int, ...]
    form: FormOf
    tuple_from: int | None
    checkpointed: frozenset[int] | None = None
    nan: Looks = ""


@dataclass(frozen=True, slots=True)
class SplitPair:
    """A compiled forward function and the backward function for its residuals.

    general, plain: give the pair for arguments of other sizes, and the one that looks at no results. traced: gives the
    function itself as it looks at all its values.
    """

    pair: Pair
    forward: Compiled
    backward: Compiled
    general: Callable[[], SplitPair]
    memory: Memory | None
    plain: Callable[[], SplitPair]
    traced: Callable[[], Compiled]

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


class Code:
    """What is made of one normal form: derivatives, and what compiles them."""

    def __init__(self, function: Function, options: Options) -> None:
        self.function, self.options = function, options
        self.made: dict[Request, Any] = {}
        self.pulled: dict[tuple[int, ...], tuple[Function, Code]] = {}
        self.pushed: dict[tuple[int, ...], Code] = {}
        self.in_njit: dict[tuple[int, ...], Code] = {}
        self.sizes: ConstantSizes | None = None

    def derivative(
        self,
        kind: str,
        wrt: tuple[int, ...],
        into: tuple[int, ...] = (),
        arrays: bool = False,
        tuple_from: int | None = None,
        looks: bool = True,
        constant_sizes: bool = True,
    ) -> Any:
        """The compiled function of a kind, as fast as there is one, or with array statements; see `Request`.

        looks: it looks at its results, if that is among the options. constant_sizes: it may be for the sizes of the
        first call alone.
        """
        is_constant = constant_sizes and self.sizes
        form: FormOf = "arrays" if arrays or not self.options.lowers else "constant sizes" if is_constant else "loops"
        nan: Looks = "results" if self.options.nan and looks else ""
        return self.requested(Request(kind, wrt, into, form, tuple_from, nan=nan))

    def specialise(self, arguments: Sequence[Any], captured: Sequence[Any]) -> None:
        """Take in the sizes of the first call that the function is specialised to, and the integers from outside."""
        with MAKING:
            if self.sizes is None:
                specialises = self.options.lowers and "constant_sizes" in self.options.chosen
                values = zip(self.function.parameters, (*arguments, *captured), strict=True)
                arrays = {p: np.shape(a) for p, a in values if np.ndim(a)}
                outside = zip(self.function.parameters[len(arguments) :], captured, strict=True)
                numbers = {p: n for p, n in outside if type(n) is int}
                self.sizes = constant_sizes(self.function, arrays, numbers) if specialises else ()

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
                function = with_rules(function, sources, partial(resolved, settings=settings))
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

    def settings_for(self, request: Request) -> Settings:
        """What chooses the passes for a request."""
        any_sizes = request.form == "general" or request.kind == "primal"
        settings = self.options.settings(request.form in ("constant sizes", "loops"), any_sizes)
        if request.form == "constant sizes":
            settings = replace(settings, sizes=self.sizes or ())
        if request.nan != "values":
            return settings
        return replace(settings, optimisations=settings.optimisations & TRACED)

    def make(self, request: Request) -> Any:
        settings = self.settings_for(request)
        lowered, into = settings.lowered, request.into
        forms = None if settings.any_sizes and not lowered else partial(self.in_form, request)
        function = prepared(self.function, settings, request.wrt)
        if request.kind == "split":
            return self.made_pair(request, function, settings)
        traced = partial(self.traced, request)
        if request.kind == "primal":
            function = alone(function, settings, has_requests(self.function))
            function = with_marked_private_arrays(function, settings) if self.options.parallel else function
            function = self.looking(request.nan, function, function)
            return Compiled(function, self.options, 0, forms, lowered=lowered, traced=traced)
        with_results = request.kind == "value_and_grad" or request.nan != ""
        both = partial(joint, function, request.wrt, with_results=with_results, settings=settings)
        made, memory = self.divided(request, function, partial(both, seeded=request.nan == "values"))
        made = self.looking(request.nan, made, function)
        if request.kind == "grad" and request.nan:
            made = without_results(made, len(function.results))
        first = len(made.results) - len(request.wrt)
        made = pass_destinations(made, {first + k: made.parameters[request.wrt[k]] for k in into})
        return Compiled(
            made, self.options, len(into), forms, request.tuple_from, memory, lowered=lowered, traced=traced
        )

    def made_pair(self, request: Request, function: Function, settings: Settings) -> SplitPair:
        """The forward and the backward function of a prepared function."""
        pair, memory = self.divided(request, function, partial(split, function, request.wrt, settings=settings))
        forward = Compiled(self.looking(request.nan, pair.forward, function), self.options)
        given = Forward(forward.function, len(pair.residuals))

        def traced() -> Compiled:
            seeds = dict.fromkeys(pair.backward.parameters[len(pair.residuals) :], "given cotangent")
            origins = lets_in(pair.forward.body)
            return Compiled(with_checked_values(pair.backward, origins, False, seeds), self.options)

        backward = self.looking(request.nan, pair.backward, pair.forward)
        backwards = Compiled(backward, self.options, forward=given, traced=traced)
        general = partial(self.in_form, request, "other sizes")
        plain = partial(self.requested, replace(request, nan=""))
        trace = partial(self.traced, replace(request, kind="primal"))
        return SplitPair(pair, forward, backwards, general, memory, plain, trace)

    # Numbers that are not finite

    def looking(
        self, looks: Looks, made: Function, function: Function, given: Mapping[Value, str] | None = None
    ) -> Function:
        """What was made of a function, which raises where results, or all values, are not finite.

        given: what its parameters are that may be the reason.
        """
        if not looks:
            return made
        if looks == "results":
            return with_checked_results(made)
        given = {parameter: _kind_of(parameter, made) for parameter in made.parameters} if given is None else given
        return with_checked_values(made, lets_in(function.body), True, given)

    def traced(self, request: Request) -> Any:
        """The form of what is made for a request that looks at all values."""
        return self.requested(replace(request, form="general", checkpointed=None, nan="values"))

    def in_form(self, request: Request, form: FormOf | Literal["other sizes"]) -> Any:
        """What is made for a request, in another form; once there are calls of other sizes, none is constant."""
        if form == "other sizes":
            form = "general"
            if request.form == "constant sizes":
                self.sizes, form = (), "loops"
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
            settings = self.settings_for(replace(request, form="general")) if request.nan else self.options.settings()
            return find_kept(function, request.wrt, settings, together=request.kind != "split", checkpointed=chosen)

        def make(chosen: frozenset[int]) -> Any:
            return self.requested(replace(request, checkpointed=chosen))

        return within(self.options.max_residual_bytes, function, find, make, differentiate)


def without_results(function: Function, count: int) -> Function:
    """The function, which does not return the first `count` of its results."""
    return replace(function, body=replace(function.body, yields=function.body.yields[count:]))


def _kind_of(parameter: Value, function: Function) -> str:
    """What a parameter of a function is called."""
    if parameter.of is not None and parameter.of[1] == "_dot":
        return "given tangent"
    of_pullback = function.name.endswith("_pullback") and parameter.name.endswith("_bar")
    return "given cotangent" if of_pullback else "argument"
