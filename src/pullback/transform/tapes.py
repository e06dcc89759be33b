"""Tapes in a function: each request for a gradient is replaced by the statements that compute it.

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> def f(w, x):
...     with pb.GradientTape() as tape:
...         tape.watch(w)
...         s = np.sum(w * x)
...     return w - tape.gradient(s, w)
>>> function = normal_form(f, np.ones(3), np.ones(3))
>>> print(show(function))
f(w: float64[:], x: float64[:]):
    w.1: float64[:] = watched(w, 1)
    t.0: float64[:] = multiply(w.1, x)
    s: float64 = sum(t.0)
    t.1: float64[:] = gradient(w.1, (s), (None), 2)
    t.2: float64[:] = subtract(w, t.1)
    return t.2
>>> print(show(without_tapes(function, ALL)))
f(w: float64[:], x: float64[:]):
    t.0: float64[:] = multiply(w, x)
    t.1: int64* = dim(t.0, 0)
    t.2: float64[:] = full((t.1), 1.0)
    t.3: float64[:] = multiply(t.2, x)
    t.4: int64* = dim(w, 0)
    w_bar: float64[:] = sum_to(t.3, (t.4))
    t.5: float64[:] = subtract(w, w_bar)
    return t.5

The requests are taken in the order of the text, so that what one computes is there for the next: that is how the
second derivatives of nested tapes come about. What is differentiated are the statements before a request, in the block
that holds its target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    blocks_in,
    blocks_of,
    defined_in,
    free_in,
    read_in,
    results_of,
    type_of_operand,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.types import Scalar, is_float
from pullback.passes.entries import Settings
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.passes.scalar.simplify import simplify
from pullback.transform.sweeps import sweeps, with_derivatives


def has_tapes(function: Function) -> bool:
    """Whether a function watches something or asks for gradients."""
    marks = (primitives.watched, primitives.gradient)
    here = any(isinstance(s, Let) and s.function in marks for s in walk(function.body))
    return here or any(map(has_tapes, function.callees))


def without_tapes(function: Function, settings: Settings) -> Function:
    """The function with statements in place of all that its tapes were asked for.

    Raises MissingRuleError where there is no rule for what stands between a target and a source.
    """
    function = replace(function, callees=tuple(without_tapes(callee, settings) for callee in function.callees))
    own = set(defined_in(function.body))
    while (request := _first_request(function)) is not None:
        function = _resolved(function, request, settings)
    function = remove_dead(leave_checks(_unwatched(function), own))
    return remove_dead(simplify(function)) if settings.optimisations else function


def pulled(function: Function, captures: int, wrt: tuple[int, ...]) -> Function:
    """The function from the arguments of another one and the cotangents of its float results to those of parameters.

    It stands in terms of a tape, so that it can be differentiated as any function. captures: how many of the
    parameters, the last ones, come from outside; they stay the last ones. wrt: the parameters whose cotangents it has.
    """
    lets = [s for s in walk(function.body) if isinstance(s, Let)]
    used = [s.operands[-1].value for s in lets if s.function in (primitives.watched, primitives.gradient)]
    number = max([0, *used]) + 1
    sources = [function.parameters[k] for k in wrt]
    marks = {source: like(source) for source in sources}
    watched = [
        Let(mark, primitives.watched, (source, constant(number + k)), (), function.location)
        for k, (source, mark) in enumerate(marks.items())
    ]
    body = substituted(function.body, marks)
    targets = [y for y in body.yields[: len(function.results)] if is_float(type_of_operand(y))]
    seeds = [Value(f"{getattr(y, 'name', '') or 'y'}_bar", type_of_operand(y)) for y in targets]
    pairs = [(y, seed) for y, seed in zip(targets, seeds, strict=True) if isinstance(y, Value)]
    operands = (tuple(y for y, _ in pairs), tuple(seed for _, seed in pairs), constant(number))
    asked = [
        Let(like(source), primitives.gradient, (marks[source], *operands), (), function.location) for source in sources
    ]
    given = len(function.parameters) - captures
    parameters = (*function.parameters[:given], *seeds, *function.parameters[given:])
    statements = (*watched, *body.statements, *asked)
    results = tuple(statement.value for statement in asked)
    name = f"{function.name}_pullback"
    return Function(name, parameters, Block(statements, results), (), function.location, function.callees)


def with_marks(function: Function) -> Function:
    """The function with a mark behind each source that no tape watches, an intermediate result.

    All that reads the source reads the mark, so that what the passes make of the function still goes through it.
    """
    lets = [s for s in walk(function.body) if isinstance(s, Let)]
    watched = {s.value for s in lets if s.function is primitives.watched}
    sources = dict.fromkeys(s.operands[0] for s in lets if s.function is primitives.gradient)
    marks = {source: like(source) for source in sources if source not in watched}
    body = _marked(substituted(function.body, marks), marks) if marks else function.body
    return replace(function, body=body, callees=tuple(map(with_marks, function.callees)))


def _marked(block: Block, marks: Mapping[Value, Value]) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        statements.append(with_blocks(statement, lambda inner: _marked(inner, marks)))
        for value in results_of(statement):
            if value in marks:
                number = constant(-1 - list(marks).index(value))
                statements.append(Let(marks[value], primitives.watched, (value, number), (), statement.location))
    return Block(tuple(statements), block.yields)


@dataclass(frozen=True, slots=True)
class _Request:
    """What stands for one call of `tape.gradient`: a statement for each source."""

    statements: tuple[Let, ...]

    @property
    def sources(self) -> list[Value]:
        return [statement.operands[0] for statement in self.statements]

    @property
    def seeds(self) -> list[tuple[Operand, Operand]]:
        """The targets with their cotangents."""
        _, targets, seeds, _ = self.statements[0].operands
        ones = [Constant(1.0, Scalar(target.type.dtype)) for target in targets]
        return [
            (target, one if seed == Constant(None) else seed)
            for target, seed, one in zip(targets, seeds, ones, strict=True)
        ]

    def is_in(self, block: Block) -> bool:
        """Whether it stands in a block itself, not in one inside."""
        return any(statement is self.statements[0] for statement in block.statements)


def _first_request(function: Function) -> _Request | None:
    """The first one of the text: `walk` goes through it in this order."""
    first = next((s for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.gradient), None)
    if first is None:
        return None
    block = next(block for block in blocks_in(function.body) if any(s is first for s in block.statements))
    lets = [s for s in block.statements if isinstance(s, Let) and s.function is primitives.gradient]
    return _Request(tuple(s for s in lets if s.operands[1:] == first.operands[1:]))


def _resolved(function: Function, request: _Request, settings: Settings) -> Function:
    home = next(block for block in blocks_in(function.body) if _defines(block, request.sources[0]))
    region = _region(home, request)
    live = set(read_in(_exchanged(function.body, home, Block(home.statements[len(region) :], home.yields))))
    seeds = request.seeds
    made = [value for statement in region for value in results_of(statement) if value in live]
    body = Block(tuple(region), (*(target for target, _ in seeds), *made))
    given = dict.fromkeys([*free_in(body), *(seed for _, seed in seeds if isinstance(seed, Value))])
    part = Function(function.name, tuple(given), body, (), function.location, function.callees)
    together = request.is_in(home) and all(isinstance(seed, Constant) for _, seed in seeds)
    active = replace(settings, optimisations=settings.optimisations | {"activity"})
    forward, backward = sweeps(part, request.sources, seeds, active, together)
    changed = Block((*forward, *home.statements[len(region) :]), home.yields)
    whole = _exchanged(function.body, home, _placed(changed, request, backward))
    terms = {s.value: y for s, y in zip(request.statements, backward.yields, strict=True)}
    whole = substituted(whole, terms)
    callees = with_derivatives(part, (whole,), settings) if function.callees else ()
    return replace(function, body=whole, callees=callees)


def _defines(block: Block, value: Value) -> bool:
    return any(value in results_of(statement) for statement in block.statements)


def _region(home: Block, request: _Request) -> list[Statement]:
    """The statements of a block up to a request, with the one that it stands in."""
    region: list[Statement] = []
    for statement in home.statements:
        if statement is request.statements[0]:
            break
        region.append(statement)
        if any(inner is request.statements[0] for block in blocks_of(statement) for inner in walk(block)):
            break
    return region


def _placed(block: Block, request: _Request, backward: Block) -> Block:
    """A block with the backward statements in the place of a request."""
    first, *others = request.statements
    statements: list[Statement] = []
    for statement in block.statements:
        if statement is first:
            statements += backward.statements
        elif statement not in others:
            statements.append(with_blocks(statement, lambda inner: _placed(inner, request, backward)))
    return Block(tuple(statements), block.yields)


def _exchanged(block: Block, old: Block, new: Block) -> Block:
    """A block with another one in the place of one inside, or of itself."""
    if block is old:
        return new
    statements = tuple(with_blocks(s, lambda inner: _exchanged(inner, old, new)) for s in block.statements)
    return Block(statements, block.yields)


def _unwatched(function: Function) -> Function:
    """The function with the watched values themselves in the place of what stood for them."""
    terms: dict[Value, Operand] = {}
    for statement in walk(function.body):
        if isinstance(statement, Let) and statement.function is primitives.watched:
            operand = statement.operands[0]
            terms[statement.value] = terms.get(operand, operand)
    return replace(function, body=substituted(function.body, terms))
