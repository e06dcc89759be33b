"""Each request for a derivative is replaced by the statements that compute it, in the order of the text.

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
>>> print(show(resolved(function, ALL)))
f(w: float64[:], x: float64[:]):
    t.0: float64[:] = multiply(w, x)
    t.1: int64* = dim(t.0, 0)
    t.2: float64[:] = full((t.1), 1.0)
    t.3: float64[:] = multiply(t.2, x)
    t.4: int64* = dim(w, 0)
    w_bar: float64[:] = sum_to(t.3, (t.4))
    t.5: float64[:] = subtract(w, w_bar)
    return t.5

What one request computes is there for the next: that is how derivatives of higher order come about. What is
differentiated are the statements before a request, in the block that defines its sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Effect,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    defined_in,
    results_of,
    type_of_operand,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.types import is_float
from pullback.passes.entries import Settings
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.preserved_exceptions import leave_checks
from pullback.passes.scalar.simplify import simplify
from pullback.transform.linear_maps import without_maps
from pullback.transform.requests.gradients import resolve_gradients
from pullback.transform.requests.jacobians import resolve_columns, resolve_divergence, resolve_jacobians
from pullback.transform.requests.tangents import resolve_tangents
from pullback.transform.rules_of_users import with_active_rules

RESOLVE = {
    primitives.gradient: resolve_gradients,
    primitives.tangent: resolve_tangents,
    primitives.jacobian: resolve_jacobians,
    primitives.columns: resolve_columns,
    primitives.divergence: resolve_divergence,
}
"""What puts statements in the place of a request, and of those that belong to it."""


def has_requests(function: Function) -> bool:
    """Whether a function marks something, or asks for derivatives."""
    here = any(
        isinstance(s, Let) and (s.function is primitives.watched or s.function in RESOLVE) for s in walk(function.body)
    )
    return here or any(map(has_requests, function.callees))


def resolved(function: Function, settings: Settings) -> Function:
    """The function with statements in place of all derivatives that its text asks for.

    Raises MissingRuleError where there is no rule for what stands between a target and a source.
    """
    # What is differentiated here may be differentiated again.
    settings = replace(settings, optimisations=settings.optimisations - {"branching_rules", "preaccumulation"})
    function = replace(function, callees=tuple(resolved(callee, settings) for callee in function.callees))
    own = set(defined_in(function.body))
    while (first := _first_request(function)) is not None:
        between = _between(function, first)
        function = with_active_rules(function, *between, partial(resolved, settings=settings))
        function = without_maps(RESOLVE[first.function](function, first, settings))
    function = remove_dead(leave_checks(_unwatched(function), own))
    return remove_dead(simplify(function)) if settings.optimisations else function


def _first_request(function: Function) -> Let | None:
    """The first one of the text: `walk` goes through it in this order."""
    return next((s for s in walk(function.body) if isinstance(s, Let) and s.function in RESOLVE), None)


def _between(function: Function, first: Let) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The sources and the targets of a request and of those at the same place, which have its number."""
    lets = (s for s in walk(function.body) if isinstance(s, Let) and s.function is first.function)
    asked = [s.operands for s in lets if s.operands[-1] == first.operands[-1]]
    if first.function is primitives.gradient:
        return tuple(operands[0] for operands in asked), first.operands[1]
    if first.function is primitives.tangent:
        return first.operands[1], tuple(operands[0] for operands in asked)
    return tuple(operands[1] for operands in asked), tuple(operands[0] for operands in asked)


def pulled(function: Function, captures: int, wrt: tuple[int, ...]) -> Function:
    """The function from the arguments of another one and the cotangents of its float results to those of parameters.

    It stands in terms of a tape, so that it can be differentiated as any function. captures: how many of the
    parameters, the last ones, come from outside; they stay the last ones. wrt: the parameters whose cotangents it has.
    What the other one prints, it has printed when it was called.
    """
    callees = tuple(replace(callee, body=_silent(callee.body)) for callee in function.callees)
    function = replace(function, body=_silent(function.body), callees=callees)
    lets = [s for s in walk(function.body) if isinstance(s, Let)]
    used = [s.operands[-1].value for s in lets if s.function is primitives.watched or s.function in RESOLVE]
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


def _silent(block: Block) -> Block:
    """The block without what prints."""
    kept = [s for s in block.statements if not (isinstance(s, Effect) and s.function in primitives.PRINTING)]
    return Block(tuple(with_blocks(s, _silent) for s in kept), block.yields)


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


def _unwatched(function: Function) -> Function:
    """The function with the watched values themselves in the place of what stood for them."""
    terms: dict[Value, Operand] = {}
    for statement in walk(function.body):
        if isinstance(statement, Let) and statement.function is primitives.watched:
            operand = statement.operands[0]
            terms[statement.value] = terms.get(operand, operand)
    return replace(function, body=substituted(function.body, terms))
