"""The vjp of a function is linear in the cotangents of its results: its transpose takes tangents to tangents.

    x̄ = V ȳ    →    ẏ = Vᵀ ẋ

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.passes.running import finished
>>> from pullback.transform.forward.pushforward import pushed
>>> def f(a):
...     return np.linalg.inv(a)
>>> print(show(finished(pushed(normal_form(f, np.eye(2)), (0,), 0, ALL), ALL)))
f_jvp(a: float64[:, :], a_dot: float64[:, :]):
    t.0: float64[:, :] = inv(a)
    t.1: float64[:, :] = negative(a_dot)
    t.2: float64[:, :] = matmul(t.1, t.0)
    t.3: float64[:, :] = matmul(t.0, t.2)
    return t.0, t.3
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from pullback.analysis.sizes import Size
from pullback.ir.nodes import Block, Call, Constant, Function, Let, Operand, Value, free_in, results_of
from pullback.ir.rewrite import copied, like
from pullback.ir.types import is_complex
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.simplify import simplify
from pullback.transform.forward.tangents import Tangents
from pullback.transform.inlining import by_operand, inlined
from pullback.transform.sweeps import sweeps


def push_by_vjp(tangents: Tangents, statement: Let | Call, body: Callable[..., Any]) -> None:
    """Set the tangents of a statement's results by the body of a vjp.

    What stands for the cotangents in the statements of the vjp does not matter: the results themselves do.
    """
    results = results_of(statement)
    bars = {result: like(result) for result in results if result in tangents.active}
    made, dots = _transposed(tangents, statement, body, bars)
    terms: dict[Value, Operand] = {bar: result for result, bar in bars.items()}

    def dotted(value: Value) -> Value:
        """A value for the adjoint of one that is in the vjp: a tangent."""
        name = f"{value.name.removesuffix('_bar')}_dot" if value.name.endswith("_bar") else value.name
        if value.of is None or value.of[1] != "_bar":
            return Value(name, value.type, value.of)
        base = terms.get(value.of[0], value.of[0])
        return Value(f"{base.name}_dot" if base.name else "", value.type, (base, "_dot"))

    live = remove_dead(Function("transpose", (), Block(tuple(made), dots)))
    live = simplify(live) if tangents.settings.optimisations else live
    whole = copied(live.body, terms, dotted)
    for part in whole.statements:
        tangents.builder.add(part)
    for result, dot in zip(bars, whole.yields, strict=True):
        tangents.set(result, dot)


def _transposed(
    tangents: Tangents, statement: Let | Call, body: Callable[..., Any], bars: dict[Value, Value]
) -> tuple[list[Any], tuple[Operand, ...]]:
    """The statements that make tangents of the results of those of the operands, and these."""
    given = tuple(bars.get(result, Constant(None)) for result in results_of(statement))
    supplied: dict[str, Operand] = {"y": results_of(statement), "y_bar": given}
    if isinstance(statement, Let):
        supplied = {"y": statement.value, "y_bar": given[0]}
    with tangents.builder.block() as statements:
        cotangents = inlined(tangents.inliner, body, statement, supplied, statement.location.along_tangents())
    pairs = list(_pairs(tangents, by_operand(body, statement, cotangents, tangents.active)))
    seeds = {cotangent: like(cotangent) for cotangent, _ in pairs}
    part = Function("vjp", (), Block(tuple(statements), tuple(seeds)))
    part = replace(part, parameters=tuple(dict.fromkeys((*bars.values(), *free_in(part.body)))))
    equal = _sizes(tangents, part, {bar: result for result, bar in bars.items()})
    sources, targets = [*bars.values()], [*seeds.items()]
    forward, backward = sweeps(part, sources, targets, tangents.settings, True, equal=equal, masked=False)
    with tangents.builder.block() as fitting:
        terms = {seeds[cotangent]: _fitted(tangents, cotangent, dot) for cotangent, dot in pairs}
    pulled = copied(backward, terms)
    return [*forward, *fitting, *pulled.statements], pulled.yields


def _sizes(tangents: Tangents, part: Function, results: dict[Value, Value]) -> dict[Size, Size]:
    """What is known of the sizes of what a part of a function reads; a cotangent has those of its result."""
    equal: dict[Size, Size] = {}
    for parameter in part.parameters:
        known = tangents.shapes.of(results.get(parameter, parameter))
        for axis, size in enumerate(known):
            if size != (parameter, axis):
                equal[(parameter, axis)] = size
    return equal


def _pairs(tangents: Tangents, given: Iterable[tuple[Operand, Any]]) -> Iterator[tuple[Value, Operand]]:
    """What the vjp gives for each operand, with the tangent of that, where both are there."""
    for operand, cotangent in given:
        if isinstance(operand, tuple) and cotangent is not None:
            yield from _pairs(tangents, zip(operand, cotangent, strict=True))
        else:
            dot = tangents.of(operand)
            if dot is not None and isinstance(cotangent, Value):
                yield cotangent, dot


def _fitted(tangents: Tangents, cotangent: Value, dot: Operand) -> Operand:
    """A tangent in the shape of the cotangent that a rule gives, before broadcasting and an imaginary part are left."""
    if is_complex(cotangent.type) and not is_complex(dot.type):
        dot = tangents.builder.cast(dot, cotangent.type.dtype)
    rank, own_rank = (getattr(v.type, "ndim", 0) for v in (cotangent, dot))
    if rank == own_rank <= 2:
        return dot
    if rank < own_rank:
        return tangents.builder.let(np.sum, dot)
    return tangents.spread(cotangent, dot, len(tangents.builder.statements))
