"""Destination passing: a result is written into an array of the caller's, which becomes a parameter that the function
changes.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def first(x):
...     y = np.zeros(x.shape[0])
...     y[0] = x[1]
...     return y
>>> function = normal_form(first, np.ones(3))
>>> print(show(pass_destinations(function, {0: function.parameters[0]})))
first(x: float64[:], x_bar: float64[:]):
    x_bar.1: float64[:] = shaped_like(x_bar, x)
    t.0: int64* = dim(x, 0)
    y: float64[:] = store(x_bar.1, ([...]), 0.0)
    t.1: float64 = load(x, ([1]))
    y.1: float64[:] = store(y, ([0]), t.1)
    return y.1

A result that became what it is by writes into one array, which the function made, is made in the caller's array
instead. Any other is copied into it at the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import root_of
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    Effect,
    Function,
    Index,
    Let,
    Operand,
    Statement,
    Value,
    results_of,
    walk,
)
from pullback.ir.rewrite import substituted
from pullback.ir.types import Array

WHOLE = (Index((Constant(Ellipsis),)),)


def pass_destinations(function: Function, sources: Mapping[int, Value]) -> Function:
    """The function with a parameter more for each of these results, which it writes there and does not return.

    sources: for the number of a result, the parameter whose shape and dtype it has.
    """
    for moved, k in enumerate(sorted(sources)):
        function = _with_destination(function, k - moved, sources[k])
    return function


def _with_destination(function: Function, k: int, source: Value) -> Function:
    """The function with one result moved."""
    out, memory = (Value(f"{source.name}_bar", source.type) for _ in range(2))
    others = [p for p in function.parameters if isinstance(p.type, Array) and p is not source]
    location = function.location
    start = [Effect(runtime.check_apart, (out, other), location) for other in others]
    shaped = Let(memory, primitives.shaped_like, (out, source), location=location)
    result = function.results[k]
    body, last = _made_in(function.body, result, memory) or _copied_into(function.body, result, memory)
    yields = (*body.yields[:k], *body.yields[k + 1 :], last)
    return replace(
        function,
        parameters=(*function.parameters, out),
        body=Block((*start, shaped, *body.statements), yields),
        mutated=(*function.mutated, len(function.parameters)),
    )


def _made_in(body: Block, result: Operand, memory: Value) -> tuple[Block, Operand] | None:
    """The body with a result that is made in this memory from the start; None where it is not one array's."""
    definitions: dict[Value, Statement] = {r: s for s in walk(body) for r in results_of(s)}
    root = root_of(result, definitions)
    made = definitions.get(root) if root is not None else None
    if not isinstance(made, Let) or made not in body.statements or made.value.type != memory.type:
        return None
    if made.function is np.empty:
        kept = tuple(s for s in body.statements if s is not made)
        changed = substituted(Block(kept, (*body.yields, result)), {made.value: memory})
        return Block(changed.statements, changed.yields[:-1]), changed.yields[-1]
    k = body.statements.index(made)
    return Block((*body.statements[:k], *_stores_of(made, memory), *body.statements[k + 1 :]), body.yields), result


def _stores_of(made: Let, memory: Value) -> tuple[Let, ...]:
    """The statements that give this memory the elements of a new array."""
    value: Operand
    before: tuple[Let, ...] = ()
    match made.function:
        case primitives.zeros_like | np.zeros:
            value = constant(0.0)
        case np.full:
            value = made.operands[1]
        case primitives.copy:
            value = made.operands[0]
        case _:
            value = Value("", made.value.type)
            before = (replace(made, value=value),)
    return (*before, Let(made.value, primitives.store, (memory, WHOLE, value), location=made.location))


def _copied_into(body: Block, result: Operand, memory: Value) -> tuple[Block, Operand]:
    last = Value(memory.name, memory.type)
    return Block((*body.statements, Let(last, primitives.store, (memory, WHOLE, result))), body.yields), last
