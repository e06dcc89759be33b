"""A request for all partial derivatives: a loop over unit tangents, or over unit cotangents, with what depends on them.

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.transform.requests.resolving import resolved
>>> def f(x):
...     return pb.jacfwd(np.sin)(x)
>>> print(show(resolved(normal_form(f, np.ones(2)), ALL)))
f(x: float64[:]):
    t.0: float64[:] = cos(x)
    t.1: int64* = dim(x, 0)
    jacobian: float64[:, :] = empty((t.1, t.1), dtype='float64')
    jacobian.3 = for column in range(0, t.1, 1) with (jacobian.1: float64[:, :] = jacobian):
        unit: float64[:] = zeros_like(x)
        unit.1: float64[:] = store(unit, ([column]), 1.0)
        t.2: float64[:] = multiply(t.0, unit.1)
        jacobian.2: float64[:, :] = store(jacobian.1, ([..., column]), t.2)
        yield jacobian.2
    return jacobian.3

The function itself runs once, before the loop. In forward mode, what a loop of the user's carries runs again for each
column along with its tangents.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.slice_sizes import shapes_with_slices
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.external import repeated_calls_outside
from pullback.ir.nodes import (
    Constant,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
)
from pullback.ir.rewrite import copied, like
from pullback.passes.entries import Settings
from pullback.transform.forward.pushforward import with_pushed_callees
from pullback.transform.requests.columns import columns_side_by_side
from pullback.transform.requests.element_loops import over_elements, over_sizes, stored, unit_of
from pullback.transform.requests.gradients import swept
from pullback.transform.requests.places import Place, place_of
from pullback.transform.requests.splitting import pushed_split
from pullback.transform.sizes_at_source import read_at_source
from pullback.transform.sweeps import with_derivatives


def resolve_jacobians(function: Function, first: Let, settings: Settings) -> Function:
    """The function with loops in place of a request, and of those at the same place that share its loop."""
    target, source, mode, _ = first.operands
    place = place_of(function, first, source, slice(2, None))
    if (mode.value or _mode_by_sizes(place.part((target,)), target, source)) == "forward":
        requests = tuple(r for r in place.requests if r.operands[1] is source)
        return _by_columns(function, replace(place, requests=requests), settings)
    requests = tuple(r for r in place.requests if r.operands[0] is target)
    return _by_rows(function, replace(place, requests=requests), settings)


def resolve_columns(function: Function, first: Let, settings: Settings) -> Function:
    """The function with a loop over tangents in place of a request."""
    target, source, seeds, _ = first.operands
    place = replace(place_of(function, first, source, slice(1, None)), requests=(first,))
    before, split = pushed_split(place, (target,), settings)
    builder = Builder()
    with builder.at(first.location), builder.block() as statements:
        count, type_ = builder.dim(seeds, 1), first.value.type

        def iteration(indices: tuple[Operand, ...], versions: list[Value]) -> list[Operand]:
            part = builder.load(seeds, (Index((Slice(None, None, None), *indices)),))
            (tangent,) = split.at(builder, builder.let(primitives.copy, part, name="tangent"))
            return [stored(builder, versions[0], tangent, lambda *i: Index((*i, *indices)), settings.lowered)]

        empty = builder.empty((*builder.dims(target), count), type_, "tangents")
        made = over_sizes(builder, (count,), "column", [(Value("tangents", type_), empty)], iteration)
    whole = place.answered((*before, *_with_sizes(place, (target,), statements)), {first.value: made[0]})
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


def resolve_divergence(function: Function, first: Let, settings: Settings) -> Function:
    """The function with a loop in place of a request for the sum of the partial derivatives of y[k] by x[k]."""
    target, source, _ = first.operands
    place = place_of(function, first, source, slice(1, None))
    place = replace(place, requests=(first,))
    before, split = pushed_split(place, (target,), settings)
    builder = Builder()
    with builder.at(first.location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], totals: list[Value]) -> list[Operand]:
            (tangent,) = split.at(builder, unit_of(builder, source, indices))
            diagonal = builder.load(tangent, (Index(indices),)) if isinstance(tangent, Value) else tangent
            return [builder.let(np.add, totals[0], diagonal, name="divergence")]

        zero = Constant(0.0, first.value.type)
        made = over_elements(builder, source, "k", [(Value("divergence", first.value.type), zero)], iteration)
    whole = place.answered((*before, *statements), {first.value: made[0]})
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


def _mode_by_sizes(part: Function, target: Value, source: Value) -> str:
    """The mode that takes fewer iterations, as far as sizes are known: forward mode keeps nothing of them.

    Forward mode runs loops again, and must not where they call what is not read.
    """
    if any(repeated_calls_outside(part.body.statements)):
        return "reverse"
    shapes = shapes_with_slices(part)
    rows, columns = shapes.of(target), shapes.of(source)
    if all(isinstance(size, int) for size in (*rows, *columns)):
        return "reverse" if np.prod(rows) < np.prod(columns) else "forward"
    is_short = all(isinstance(size, int) for size in rows) and np.prod(rows) <= MOST_ROWS
    return "reverse" if is_short else "forward"


MOST_ROWS = 4
"""Of so few results it is thought that arguments of unknown sizes are no fewer."""


# By columns: forward mode


def _by_columns(function: Function, place: Place, settings: Settings) -> Function:
    source = place.requests[0].operands[1]
    targets = tuple(request.operands[0] for request in place.requests)
    before, split = pushed_split(place, targets, settings)
    builder = Builder()
    with builder.at(place.requests[0].location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], jacobians: list[Value]) -> list[Operand]:
            tangents = split.at(builder, unit_of(builder, source, indices))
            pairs = zip(jacobians, tangents, strict=True)
            return [stored(builder, j, y, lambda *i: Index((*i, *indices)), settings.lowered) for j, y in pairs]

        pairs = _empty(builder, place)
        made = None
        if settings.lowered and source.type.ndim == 1:
            made = columns_side_by_side(builder, split, source, targets, pairs)
        if made is None:
            made = over_elements(builder, source, "column", pairs, iteration)
    terms = dict(zip((request.value for request in place.requests), made, strict=True))
    whole = place.answered((*before, *_with_sizes(place, targets, statements)), terms)
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


# By rows: reverse mode


def _by_rows(function: Function, place: Place, settings: Settings) -> Function:
    target = place.requests[0].operands[0]
    sources = [request.operands[1] for request in place.requests]
    unit = like(target)
    part = place.part((target,), (unit,))
    forward, backward = swept(part, sources, [(target, unit)], settings)
    builder = Builder()
    with builder.at(place.requests[0].location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], jacobians: list[Value]) -> list[Operand]:
            pulled = copied(backward, {unit: unit_of(builder, target, indices)})
            for statement in pulled.statements:
                builder.add(statement)
            pairs = zip(jacobians, pulled.yields, strict=True)
            return [stored(builder, j, x, lambda *i: Index((*indices, *i)), settings.lowered) for j, x in pairs]

        made = over_elements(builder, target, "row", _empty(builder, place), iteration)
    terms = dict(zip((request.value for request in place.requests), made, strict=True))
    whole = place.answered((*forward, *_with_sizes(place, (target,), statements)), terms)
    callees = with_derivatives(part, (whole,), settings) if function.callees else ()
    return replace(function, body=whole, callees=callees)


def _with_sizes(place: Place, targets: tuple[Operand, ...], statements: list[Statement]) -> list[Statement]:
    """The statements with sizes of what the function returns read where they come from."""
    part = place.part(targets)
    return read_at_source(statements, part, shapes_with_slices(part))


def _empty(builder: Builder, place: Place) -> list[tuple[Value, Operand]]:
    """A loop's parameter for each Jacobian of a place, and the memory that it begins with."""
    pairs: list[tuple[Value, Operand]] = []
    for request in place.requests:
        target, source = request.operands[:2]
        type_ = request.value.type
        empty = builder.empty((*builder.dims(target), *builder.dims(source)), type_, "jacobian")
        pairs.append((Value("jacobian", type_), empty))
    return pairs
