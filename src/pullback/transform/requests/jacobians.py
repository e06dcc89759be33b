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

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumed_in
from pullback.analysis.slice_sizes import shapes_with_slices
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    read_by,
    results_of,
)
from pullback.ir.rewrite import copied, like, with_blocks
from pullback.ir.types import INT, Scalar
from pullback.passes.entries import Settings
from pullback.transform.forward.pushforward import with_pushed_callees
from pullback.transform.requests.gradients import differentiated
from pullback.transform.requests.places import Place, place_of
from pullback.transform.requests.tangents import at_last_mark, push_region
from pullback.transform.sizes_at_source import read_at_source
from pullback.transform.sweeps import sweeps, with_derivatives


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
    before, split = _pushed(place, (target,), settings)
    builder = Builder()
    with builder.at(first.location), builder.block() as statements:
        count, type_ = builder.dim(seeds, 1), first.value.type

        def iteration(indices: tuple[Operand, ...], versions: list[Value]) -> list[Operand]:
            part = builder.load(seeds, (Index((Slice(None, None, None), *indices)),))
            (tangent,) = split.at(builder, builder.let(primitives.copy, part, name="tangent"))
            return [_stored(builder, versions[0], tangent, lambda *i: Index((*i, *indices)), settings.lowered)]

        sizes, dtype = (*builder.dims(target), count), Constant(type_.dtype)
        empty = builder.let(np.empty, sizes, dtype, keywords=("dtype",), name="tangents", type_=type_)
        made = _over_sizes(builder, (count,), "column", [(Value("tangents", type_), empty)], iteration)
    whole = place.answered((*before, *_with_sizes(place, (target,), statements)), {first.value: made[0]})
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


def resolve_divergence(function: Function, first: Let, settings: Settings) -> Function:
    """The function with a loop in place of a request for the sum of the partial derivatives of y[k] by x[k]."""
    target, source, _ = first.operands
    place = place_of(function, first, source, slice(1, None))
    place = replace(place, requests=(first,))
    before, split = _pushed(place, (target,), settings)
    builder = Builder()
    with builder.at(first.location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], totals: list[Value]) -> list[Operand]:
            (tangent,) = split.at(builder, _unit(builder, source, indices))
            diagonal = builder.load(tangent, (Index(indices),)) if isinstance(tangent, Value) else tangent
            return [builder.let(np.add, totals[0], diagonal, name="divergence")]

        zero = Constant(0.0, first.value.type)
        made = _over_elements(builder, source, "k", [(Value("divergence", first.value.type), zero)], iteration)
    whole = place.answered((*before, *statements), {first.value: made[0]})
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


def _mode_by_sizes(part: Function, target: Value, source: Value) -> str:
    """The mode that takes fewer iterations, as far as sizes are known: forward mode keeps nothing of them."""
    shapes = shapes_with_slices(part)
    rows, columns = shapes.of(target), shapes.of(source)
    if all(isinstance(size, int) for size in (*rows, *columns)):
        return "reverse" if np.prod(rows) < np.prod(columns) else "forward"
    is_short = all(isinstance(size, int) for size in rows) and np.prod(rows) <= MOST_ROWS
    return "reverse" if is_short else "forward"


MOST_ROWS = 4
"""Of so few results it is thought that arguments of unknown sizes are no fewer."""


# By columns: forward mode


class _Split:
    """A pushed region in two parts: what does not depend on the unit tangent, and what does.

    unit: what stands for the unit tangent. A loop that carries tangents is in both parts, without them in the first.
    """

    def __init__(self, unit: Value, originals: tuple[Statement, ...], pushed: Block) -> None:
        self.unit, self.yields = unit, pushed.yields
        known = {results_of(s)[0]: s for s in originals if results_of(s)}
        found = {unit}
        self.before: list[Statement] = []
        self.created: dict[Value, Let] = {}
        self.varying: list[tuple[Statement, tuple[Value, ...]]] = []
        for statement in pushed.statements:
            if found.isdisjoint(read_by(statement)):
                self.before.append(statement)
                if isinstance(statement, Let) and statement.function in _CREATING:
                    self.created[statement.value] = statement
                continue
            original = known.get(results_of(statement)[0])
            own = () if original is None else results_of(original)
            found.update(value for value in results_of(statement) if value not in own)
            self.before += () if original is None else (original,)
            self.varying.append((statement, own))

    def at(self, builder: Builder, tangent: Value) -> tuple[Operand, ...]:
        """The statements for a tangent of the source, and the tangents of the targets."""
        terms: dict[Value, Operand] = {self.unit: tangent}
        for statement, own in self.varying:
            for value in consumed_in(Block((statement,))):
                if value in self.created and value not in terms:
                    builder.add(copied(self.created[value], terms))
            builder.add(copied(_without_effects(statement), terms))
            for value in own:
                del terms[value]
        return tuple(terms.get(y, y) if isinstance(y, Value) else y for y in self.yields)


_CREATING = primitives.CREATING | {np.full, primitives.zeros_like, runtime.growing}


def _without_effects(statement: Statement) -> Statement:
    """A statement that has run once already: what it prints is printed, and what it checks holds."""

    def quiet(block: Block) -> Block:
        kept = (s for s in block.statements if not isinstance(s, Effect))
        return Block(tuple(_without_effects(s) for s in kept), block.yields)

    return with_blocks(statement, quiet)


def _pushed(place: Place, targets: tuple[Operand, ...], settings: Settings) -> tuple[list[Statement], _Split]:
    """What runs once, and what runs for each element of the source of a place's requests."""
    source = place.requests[0].operands[1]
    before, after = at_last_mark(place, [source, *(r.operands[1] for r in place.requests)])
    unit = like(source)
    pushed = push_region(place, after, {source: unit}, targets, settings)
    split = _Split(unit, after, pushed)
    return [*before, *split.before], split


def _by_columns(function: Function, place: Place, settings: Settings) -> Function:
    source = place.requests[0].operands[1]
    targets = tuple(request.operands[0] for request in place.requests)
    before, split = _pushed(place, targets, settings)
    builder = Builder()
    with builder.at(place.requests[0].location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], jacobians: list[Value]) -> list[Operand]:
            tangents = split.at(builder, _unit(builder, source, indices))
            pairs = zip(jacobians, tangents, strict=True)
            return [_stored(builder, j, y, lambda *i: Index((*i, *indices)), settings.lowered) for j, y in pairs]

        made = _over_elements(builder, source, "column", _empty(builder, place), iteration)
    terms = dict(zip((request.value for request in place.requests), made, strict=True))
    whole = place.answered((*before, *_with_sizes(place, targets, statements)), terms)
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


# By rows: reverse mode


def _by_rows(function: Function, place: Place, settings: Settings) -> Function:
    target = place.requests[0].operands[0]
    sources = [request.operands[1] for request in place.requests]
    unit = like(target)
    part = place.part((target,), (unit,))
    forward, backward = sweeps(part, sources, [(target, unit)], differentiated(settings))
    builder = Builder()
    with builder.at(place.requests[0].location), builder.block() as statements:

        def iteration(indices: tuple[Operand, ...], jacobians: list[Value]) -> list[Operand]:
            pulled = copied(backward, {unit: _unit(builder, target, indices)})
            for statement in pulled.statements:
                builder.add(statement)
            pairs = zip(jacobians, pulled.yields, strict=True)
            return [_stored(builder, j, x, lambda *i: Index((*indices, *i)), settings.lowered) for j, x in pairs]

        made = _over_elements(builder, target, "row", _empty(builder, place), iteration)
    terms = dict(zip((request.value for request in place.requests), made, strict=True))
    whole = place.answered((*forward, *_with_sizes(place, (target,), statements)), terms)
    callees = with_derivatives(part, (whole,), settings) if function.callees else ()
    return replace(function, body=whole, callees=callees)


# Loops over elements


def _unit(builder: Builder, like: Value, indices: tuple[Operand, ...]) -> Value:
    """Zeros in the shape of an array, with a 1 at a place."""
    zeros = builder.let(primitives.zeros_like, like, name="unit")
    one = Constant(1.0, Scalar(like.type.dtype))
    return builder.let(primitives.store, zeros, (Index(indices),), one, name="unit")


def _stored(builder: Builder, jacobian: Value, part: Operand, place: Callable[..., Index], lowered: bool) -> Value:
    """A Jacobian with a part of it stored; `place` makes an index of that of an element of the part."""
    rank = getattr(part.type, "ndim", 0)
    if not rank or not lowered:
        path = (place(Constant(Ellipsis)) if rank else place(),)
        return builder.let(primitives.store, jacobian, path, part, name=jacobian.name)

    def iteration(indices: tuple[Operand, ...], versions: list[Value]) -> list[Operand]:
        element = builder.load(part, (Index(indices),))
        return [builder.let(primitives.store, versions[0], (place(*indices),), element, name=jacobian.name)]

    (stored,) = _over_elements(builder, part, "i", [(like(jacobian), jacobian)], iteration)
    return stored


def _with_sizes(place: Place, targets: tuple[Operand, ...], statements: list[Statement]) -> list[Statement]:
    """The statements with sizes of what the function returns read where they come from."""
    part = place.part(targets)
    return read_at_source(statements, part, shapes_with_slices(part))


def _empty(builder: Builder, place: Place) -> list[tuple[Value, Operand]]:
    """A loop's parameter for each Jacobian of a place, and the memory that it begins with."""
    pairs: list[tuple[Value, Operand]] = []
    for request in place.requests:
        target, source = request.operands[:2]
        sizes, dtype = (*builder.dims(target), *builder.dims(source)), Constant(request.value.type.dtype)
        type_ = request.value.type
        empty = builder.let(np.empty, sizes, dtype, keywords=("dtype",), name="jacobian", type_=type_)
        pairs.append((Value("jacobian", type_), empty))
    return pairs


def _over_elements(
    builder: Builder,
    array: Value,
    name: str,
    carried: list[tuple[Value, Operand]],
    iteration: Callable[[tuple[Operand, ...], list[Value]], list[Operand]],
) -> list[Value]:
    """Loops over the elements of an array, around an iteration from indices and what is carried to the next of that."""
    return _over_sizes(builder, builder.dims(array), name, carried, iteration)


def _over_sizes(
    builder: Builder,
    sizes: tuple[Operand, ...],
    name: str,
    carried: list[tuple[Value, Operand]],
    iteration: Callable[[tuple[Operand, ...], list[Value]], list[Operand]],
) -> list[Value]:
    """Loops with these numbers of iterations, in one another."""

    def level(indices: tuple[Operand, ...], pairs: list[tuple[Value, Operand]]) -> list[Any]:
        depth = len(indices)
        index, parameters = Value(name, INT), [parameter for parameter, _ in pairs]
        with builder.block() as statements:
            if depth + 1 == len(sizes):
                made = iteration((*indices, index), parameters)
            else:
                made = level((*indices, index), [(like(parameter), parameter) for parameter in parameters])
        results = tuple(map(like, parameters))
        entries = tuple(Carried(parameter, initial) for parameter, initial in pairs)
        zero, one = Constant(0, INT), Constant(1, INT)
        body = Block(tuple(statements), tuple(made))
        builder.add(For(index, zero, sizes[depth], one, entries, body, results, location=builder.location))
        return list(results)

    return level((), carried)
