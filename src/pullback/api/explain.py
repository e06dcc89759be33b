"""What a gradient keeps and how its loops run, in words and in bytes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pullback.api.calling import check_is_number
from pullback.api.calls import Argnums
from pullback.api.changes import changes_of_gradient, checked_names, describe_changes
from pullback.api.differentiable import engine_of
from pullback.api.kept_sizes import KeptSizes, Unknown
from pullback.api.specialise import Engine, build_for, wrt_leaves
from pullback.api.view import float_arguments
from pullback.compilation.functions import Compiled
from pullback.compilation.memory import Memory
from pullback.compilation.vectorised import vectorised_loops
from pullback.errors import Location, ShapeError
from pullback.frontend.build import Built
from pullback.frontend.source.passed import captured_value
from pullback.frontend.values.arguments import Form, Sequence_, leaves_of
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    For,
    Function,
    Let,
    Statement,
    Value,
    While,
    blocks_of,
    lets_in,
    values_in,
    walk,
)
from pullback.ir.primitives import load
from pullback.ir.types import Array
from pullback.passes.running import run
from pullback.passes.vector.strips import WIDE, WIDTH
from pullback.transform.checkpointing.binomial import BinomialSegments
from pullback.transform.checkpointing.segmentation import CountedSegments, GrowingSegments, Segments
from pullback.transform.derivative import find_kept, joint, prepared
from pullback.transform.min_cut import CHEAP
from pullback.transform.residual_plan import ResidualArray
from pullback.transform.sweeps import NONE


def residual_bytes(
    function: Callable[..., Any], *arguments: Any, argnums: Argnums | None = None, **keywords: Any
) -> int:
    """The bytes that the loops of `grad` keep for the backward sweep of such a call, found without running it.

    function, arguments, keywords: as in the call. argnums: which arguments to differentiate (default: all that are made
    of floats). Raises ShapeError (a ValueError) with a place where a loop runs as long as its condition holds, so that
    nobody knows before.

    >>> import numpy as np, pullback as pb
    >>> def last(x, n):
    ...     for _ in range(n):
    ...         x = np.sin(x)
    ...     return x
    >>> pb.residual_bytes(last, 0.5, 1000)
    8000
    """
    call = _Call(function, arguments, keywords, argnums)
    return sum(map(call.bytes_of, call.arrays))


def explain(
    function: Callable[..., Any],
    *arguments: Any,
    argnums: Argnums | None = None,
    passes: bool | Collection[str] = False,
    **keywords: Any,
) -> str:
    """What the gradient of such a call keeps, why and how many bytes, and how each of its loops runs.

    The gradient is compiled for that, once more: the machine code tells which loops are vectorised.
    function, arguments, keywords: as in the call. argnums: which arguments to differentiate (default: all that are made
    of floats).
    passes: True for what each pass changes instead, in the order in which they run; or the names of some of them, as
    they stand in `pullback/passes/pipeline.py`. Raises ValueError for other names.

    >>> import numpy as np, pullback as pb
    >>> def last(x, n):
    ...     for _ in range(n):
    ...         x = np.sin(x)
    ...     return x
    >>> print(pb.explain(last, 0.5, 1000).replace("<doctest pullback.api.explain.explain[1]>", "last.py"))
    last.py:2: for _ in range(n):
      runs twice, forwards and backwards
      keeps x, 8000 bytes: the loop carries it from iteration to iteration
    >>> print(pb.explain(last, 0.5, 1000, passes=["simplification"]))
    lowering: simplification, algebraic identities, constant folding, common subexpressions
      ...
       last(x: float64*, n: int64*):
      -    t.0: float64 = cast(x, 'float64')
      -    x.3 = for _ in range(0, n, 1) with (x.1: float64 = t.0):
      +    x.3 = for _ in range(0, n, 1) with (x.1: float64 = x):
               x.2: float64 = sin(x.1)
    """
    if passes:
        return _explain_passes(function, arguments, keywords, argnums, passes)
    call = _Call(function, arguments, keywords, argnums)
    lines: dict[tuple[str, int], list[str]] = {}
    for where, line in [*call.loops(), *map(call.kept, call.arrays)]:
        lines.setdefault((where.file, where.line), [described(where)]).append(f"  {line}")
    return "\n".join(line for place in sorted(lines) for line in lines[place])


def _explain_passes(
    function: Callable[..., Any], arguments: Any, keywords: Any, argnums: Argnums | None, passes: bool | Collection[str]
) -> str:
    names = None if isinstance(passes, bool) else checked_names(passes)
    asked = _Asked.of(function, arguments, keywords, argnums)
    options, code = asked.engine.options, asked.built.code
    settings = replace(options.settings(options.lowers), sizes=code.sizes or ())
    changes = changes_of_gradient(asked.built.function, asked.wrt, settings, options.jit)
    return describe_changes(changes, names)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A function, read for such arguments; wrt: the numbers of the leaves that its gradient is by."""

    engine: Engine
    bound: Mapping[str, Any]
    forms: Mapping[str, Form]
    built: Built
    wrt: tuple[int, ...]

    @classmethod
    def of(
        cls, function: Callable[..., Any], arguments: Any, keywords: Mapping[str, Any], argnums: Argnums | None
    ) -> _Asked:
        engine: Engine = engine_of(function)
        bound = engine.bind(tuple(arguments), dict(keywords))
        forms, built = build_for(engine, bound)
        form = built.result
        check_is_number(engine, form.items[0] if isinstance(form, Sequence_) and form.items else form)
        chosen = float_arguments(engine, bound) if argnums is None else argnums
        return cls(engine, bound, forms, built, wrt_leaves(engine, forms, chosen)[0])


class _Call:
    """One call of a function whose gradient is asked about."""

    def __init__(
        self, function: Callable[..., Any], arguments: Any, keywords: Mapping[str, Any], argnums: Argnums | None
    ) -> None:
        asked = _Asked.of(function, arguments, keywords, argnums)
        built, self.wrt, self.options = asked.built, asked.wrt, asked.engine.options
        self.settings = self.options.settings(self.options.lowers)
        self.written = {s.index for s in walk(built.function.body) if isinstance(s, For)}
        self.function = prepared(built.function, self.settings, self.wrt)
        given = [leaf for name, form in asked.forms.items() for leaf in leaves_of(asked.bound[name], form)]
        given += [captured_value(capture) for capture in built.captures]
        known: dict[Value, Any] = dict(zip(self.function.parameters, given, strict=True))
        self.given = tuple(given)
        self.compiled: Compiled = built.code.derivative("value_and_grad", self.wrt)
        memory: Memory | None = self.compiled.memory
        checkpointed = memory.choose(self.given) if memory is not None else NONE
        self.keeps = find_kept(self.function, self.wrt, self.settings, checkpointed=checkpointed)
        self.arrays = self.keeps.arrays
        self.makers = lets_in(self.function.body) | self.keeps.overwritten
        self.segments = {id(loop) for s in self.keeps.segments.values() for loop in (s.outer, s.kept_over)}
        known.update(dict.fromkeys(self.keeps.segments, 0))  # the first segment is the longest
        statements = list(_unconditional(self.keeps.statements))
        loops = [s for s in statements if isinstance(s, For)]
        known.update({loop.index: 0 for loop in loops if self.lanes_of(loop)})  # the first strip is the widest
        again = [loop for loop in loops if loop.index in self.keeps.segments]
        self.repeated = {s.value for loop in again for s in loop.body.statements if isinstance(s, Let)}
        self.sizes = KeptSizes(known, {s.value: s for s in statements if isinstance(s, Let)})

    # Bytes

    def bytes_of(self, array: ResidualArray) -> int:
        """The memory of what is kept; ShapeError where only the run will tell."""
        try:
            return self.sizes.of(array) * np.dtype(array.value.type.dtype).itemsize
        except Unknown:
            raise ShapeError(*self.unknown_in(array)) from None

    def unknown_in(self, array: ResidualArray) -> tuple[str, Location, str]:
        """Why nobody knows before the call how much an array takes: the reason, the place, and what to do."""
        for loop in array.loops:
            if isinstance(loop, While) or loop.exits:
                reason = "how much this loop keeps is not known before the call: it ends when the run says so"
                return (
                    reason,
                    loop.location,
                    "count its iterations with `for`, over a range that is known when it starts",
                )
            try:
                self.sizes.room_for(loop, loop.stop)
            except Unknown:
                reason = "how much this loop keeps is not known before the call: the loops around it decide its bounds"
                return reason, loop.location, "let its bounds follow from arguments and sizes alone"
        made = self.makers.get(array.value)
        name = f"'{array.value.name}'" if array.value.name else "what is kept here"
        reason = f"how much is kept of {name} is not known before the call: its size, or how often it is computed"
        where = made.location if made is not None else array.loops[-1].location
        return reason, where, "compute it in every iteration, and with the same size"

    # Words

    def kept(self, array: ResidualArray) -> tuple[Location, str]:
        """The place of one value that a loop keeps, and the line about it."""
        made = self.makers.get(array.value)
        where = made.location if made is not None else array.loops[-1].location
        overwritten = array.value in self.keeps.overwritten
        name = array.value.name or ("what it overwrites" if overwritten else "what it computes")
        try:
            amount = f"{self.bytes_of(array)} bytes"
        except ShapeError:
            amount = f"{np.dtype(array.value.type.dtype).itemsize} bytes an iteration"
        if id(array.loops[-1]) in self.segments:
            amount = amount.replace("an iteration", "a segment")
            return where, f"keeps {name}, {amount}: each segment {'ends' if self.is_end(array) else 'starts'} with it"
        if self.is_in_segment(array):
            amount += " for one segment" if "iteration" not in amount else ", for one segment"
        why = "the array is restored on the way back" if overwritten else reason(array.value, made)
        return where, f"keeps {name}, {amount}: {why}"

    def is_end(self, array: ResidualArray) -> bool:
        """Whether an array keeps how many iterations there were at the end of each segment."""
        return any(isinstance(s, GrowingSegments) and array.value is s.end for s in self.keeps.segments.values())

    def is_in_segment(self, array: ResidualArray) -> bool:
        """Whether each segment of a loop uses the same memory for what is kept."""
        loop = array.loops[0]
        return isinstance(loop, For) and not self.repeated.isdisjoint(values_in((loop.start, loop.stop)))

    def loops(self) -> list[tuple[Location, str]]:
        """The places of the function's loops, and the lines about them."""
        whole = joint(self.function, self.wrt, with_results=True, settings=self.settings)
        last = run(whole, self.settings, "copies", "arrangement")
        divided = {s.location for s in walk(self.compiled.machine_function.body) if isinstance(s, For) and s.parallel}
        on_vectors = vectorised_loops(self.compiled.within_limit(self.given), self.given)
        lines: dict[Location, str] = {}
        for loop in walk(self.function.body):
            if isinstance(loop, For | While) and loop.location.line:
                parallel = "; in parallel where it is long" if loop.location in divided else ""
                vectorised = "; vectorised" if place_of(loop.location) in on_vectors else ""
                lines.setdefault(loop.location, self.loop(loop.location, whole, last) + vectorised + parallel)
        for segments in self.keeps.segments.values():
            lines[segments.outer.location] = self.divided(segments)
        return list(lines.items())

    def divided(self, segments: Segments) -> str:
        """How a loop runs in segments."""
        match segments:
            case BinomialSegments():
                most = self.sizes.evaluate(segments.most)
                return f"runs between {most} checkpoints, and the backward sweep runs again from the last of them"
            case CountedSegments():
                how = f"{self.sizes.evaluate(segments.count)} segments"
            case _:
                how = "segments of 1, 2, 3, … iterations"
        return f"runs in {how}, and the backward sweep runs each of them once more"

    def loop(self, where: Location, whole: Function, last: Function) -> str:
        """How often the loops of one line run, compared with the function as it was."""
        own, made, compiled = (_loops_at(where, f) for f in (self.function, whole, last))
        if not made:
            return "does not run: nothing needs it"
        lanes = self.lanes_of(own[0])
        side_by_side = f"{lanes} iterations side by side; " if lanes else ""
        statements = 0 if lanes else self.statements_in(own)
        fused = f"a loop over the elements of {statements} array operations; " if statements else ""
        gathered = "; neighbours are added up row by row" if len(compiled) > len(made) else ""
        return fused + side_by_side + sweeps(_outermost(own), _outermost(made)) + gathered

    def lanes_of(self, loop: For | While) -> int:
        """How many iterations of the user's an iteration of a loop takes side by side; 0 for loops over no strips."""
        if isinstance(loop, While) or loop.index in self.written:
            return 0
        products = [s.operands for s in lets_in(loop.body).values() if s.function is np.multiply]
        return next((w for w in (WIDTH, WIDE) if any({loop.index, constant(w)} == {*p} for p in products)), 0)

    def statements_in(self, own: list[For | While]) -> int:
        """How many array operations a loop stands for; 0 for a loop of the user's."""
        if any(loop.index in self.written for loop in own if isinstance(loop, For)) or isinstance(own[0], While):
            return 0
        return len({s.location for s in walk(own[0].body) if isinstance(s, Let)})


def sweeps(own: list[For | While], made: list[For | While]) -> str:
    """How often a loop runs in the derivative, and in which order."""
    if len(made) <= len(own):
        return "runs once: each iteration adds its part of the gradient"
    backwards = any(isinstance(loop, For) and loop.reverse for loop in made)
    return f"runs twice, {'forwards and backwards' if backwards else 'forwards both times'}"


def _unconditional(statements: Iterable[Statement]) -> Iterator[Statement]:
    """The statements that stand in no branch."""
    for statement in statements:
        yield statement
        if isinstance(statement, For):
            yield from _unconditional(statement.body.statements)


def _loops_at(where: Location, function: Function) -> list[For | While]:
    return [s for s in walk(function.body) if isinstance(s, For | While) and s.location == where]


def _outermost(loops: list[For | While]) -> list[For | While]:
    """Those that stand in none of the others."""
    inner = {id(s) for loop in loops for block in blocks_of(loop) for s in walk(block)}
    return [loop for loop in loops if id(loop) not in inner]


def place_of(where: Location) -> str:
    return f"{where.file.rsplit('/', 1)[-1]}:{where.line}"


def described(where: Location) -> str:
    """A place with its text, as in the comments of generated code."""
    return f"{place_of(where)}: {where.text.strip()}"


def reason(value: Value, made: Let | None) -> str:
    """Why a value is kept and not computed again."""
    if made is None and isinstance(value.type, Array):
        return "the array is overwritten afterwards"
    if made is None:
        return "the loop carries it from iteration to iteration"
    if made.function is load:
        return "the array is overwritten afterwards"
    if made.function in CHEAP:
        return "what it is computed from would take as much"
    return "computing it again takes longer than keeping it"
