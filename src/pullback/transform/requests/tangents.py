"""A request for tangents: the statements of its region are followed by those of their tangents.

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.transform.requests.resolving import resolved
>>> def f(x):
...     return pb.jvp(np.sin, (x,), (2.0,))[1]
>>> print(show(resolved(normal_form(f, 0.5), ALL)))
f(x: float64*):
    t.0: float64 = cos(x)
    t.1: float64 = multiply(t.0, 2.0)
    return t.1
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from pullback.analysis.activity import find_active
from pullback.analysis.aliases import consumed_in
from pullback.analysis.slice_sizes import shapes_with_slices
from pullback.functions import is_constant
from pullback.ir.nodes import Block, Function, Let, Operand, Statement, Value, lets_in, read_by, results_of
from pullback.ir.reach import reached
from pullback.passes.entries import Settings
from pullback.transform.forward.pushforward import with_pushed_callees
from pullback.transform.forward.statements import push_block
from pullback.transform.forward.tangents import Tangents
from pullback.transform.requests.places import Place, place_of


def resolve_tangents(function: Function, first: Let, settings: Settings) -> Function:
    """The function with statements in place of a request, and of those for other targets at the same place."""
    _, sources, seeds, _ = first.operands
    place = place_of(function, first, sources[0], slice(1, None))
    targets = tuple(request.operands[0] for request in place.requests)
    before, after = at_last_mark(place, sources)
    given = _statements_of(seeds, after, sources)
    before, after = (*before, *given), tuple(s for s in after if all(s is not one for one in given))
    pushed = push_region(place, after, dict(zip(sources, seeds, strict=True)), targets, settings)
    terms = {request.value: y for request, y in zip(place.requests, pushed.yields, strict=True)}
    whole = place.answered((*before, *pushed.statements), terms)
    return replace(function, body=whole, callees=with_pushed_callees(function, whole, settings))


def _statements_of(
    seeds: Collection[Operand], statements: tuple[Statement, ...], sources: Collection[Value]
) -> tuple[Statement, ...]:
    """Those of the statements behind the marks that the seeds come from; they can stand before the others."""
    wanted, found, left = set(seeds), list[Statement](), set[Value]()
    for statement in reversed(statements):
        if wanted.isdisjoint(results_of(statement)):
            left.update(read_by(statement))
        else:
            wanted.update(read_by(statement))
            found.append(statement)
    given = Block(tuple(reversed(found)))
    varying = reached(given, sources, is_constant)
    assert varying.isdisjoint(seeds), "tangents of sources are not computed from what is marked"
    assert left.isdisjoint(consumed_in(given)), "no other statement reads an array that these change"
    return given.statements


def at_last_mark(place: Place, sources: Iterable[Value]) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """The statements of a region up to the last that defines a source, and those behind it."""
    marks = set(sources)
    last = max(k for k, s in enumerate(place.region) if not marks.isdisjoint(results_of(s)))
    return place.region[: last + 1], place.region[last + 1 :]


def push_region(
    place: Place,
    statements: tuple[Statement, ...],
    seeds: Mapping[Value, Operand],
    targets: tuple[Operand, ...],
    settings: Settings,
) -> Block:
    """Statements of a region with those of the tangents; it yields the tangents of the targets.

    seeds: the tangents of the sources, each in the shape of its source.
    """
    part = place.part(targets)
    active = find_active(part, seeds, targets, is_constant)
    tangents = Tangents(active, shapes_with_slices(part), settings, lets_in(part.body))
    for source, seed in seeds.items():
        tangents.give(source, seed)
    return push_block(tangents, Block(statements), lambda: tuple(map(tangents.whole, targets)))
