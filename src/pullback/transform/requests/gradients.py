"""A request for gradients becomes the backward statements of its region, in the place of the request.

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.pipeline import ALL
>>> from pullback.transform.requests.resolving import resolved
>>> def f(x):
...     return pb.value_and_grad(lambda y: y * np.sin(y))(x)[1] + x
>>> print(show(resolved(normal_form(f, 0.5), ALL)))
f(x: float64*):
    t.0: float64 = sin(x)
    t.1: float64 = cos(x)
    t.2: float64 = multiply(x, t.1)
    x_bar: float64 = add(t.0, t.2)
    t.3: float64* = add(x_bar, x)
    return t.3
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pullback.ir.nodes import Block, Constant, Function, Let, Operand, Statement, Value
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Scalar
from pullback.passes.entries import Settings
from pullback.transform.checkpointing.divisible_loops import divisible, gains
from pullback.transform.footprint import Footprint
from pullback.transform.requests.places import Place, exchanged, place_of
from pullback.transform.reverse.public_cotangents import conjugated, conjugates
from pullback.transform.sweeps import NONE, Kept, sweeps, with_derivatives


def resolve_gradients(function: Function, first: Let, settings: Settings) -> Function:
    """The function with statements in place of a request, and of those by other sources at the same place."""
    place = place_of(function, first, first.operands[0], slice(1, None))
    sources = [request.operands[0] for request in place.requests]
    given = _seeds(first)
    way_back = first.location.on_the_way_back()
    turned, cotangents = conjugates((seed for _, seed in given), way_back)
    seeds = [(target, cotangent) for (target, _), cotangent in zip(given, cotangents, strict=True)]
    part = place.part(tuple(target for target, _ in seeds), tuple(seed for _, seed in seeds))
    together = place.is_in_home and all(isinstance(seed, Constant) for _, seed in seeds)
    forward, backward = swept(part, sources, seeds, settings, together)
    backward = conjugated(replace(backward, statements=(*turned, *backward.statements)), way_back)
    changed = Block((*forward, *place.home.statements[len(place.region) :]), place.home.yields)
    whole = exchanged(function.body, place.home, _placed(changed, place, backward))
    terms = {s.value: y for s, y in zip(place.requests, backward.yields, strict=True)}
    whole = substituted(whole, terms)
    callees = with_derivatives(part, (whole,), settings) if function.callees else ()
    return replace(function, body=whole, callees=callees)


def swept(
    part: Function,
    sources: list[Value],
    seeds: list[tuple[Operand, Operand]],
    settings: Settings,
    together: bool = False,
) -> tuple[list[Statement], Block]:
    """Both sweeps of a region; see `sweeps`."""
    both = partial(sweeps, part, sources, seeds, differentiated(settings), together)

    def find(chosen: frozenset[int]) -> Kept:
        kept = Kept()
        both(kept, chosen)
        return kept

    if not settings.in_segments:
        return both()
    whole = Footprint(part, find(NONE))
    return both(checkpointed=frozenset(k for k in divisible(whole) if gains(whole, k, find)))


def differentiated(settings: Settings) -> Settings:
    """The settings for what is differentiated in a region: not all that it reads has a derivative to be found."""
    return replace(settings, optimisations=settings.optimisations | {"activity"})


def _seeds(request: Let) -> list[tuple[Operand, Operand]]:
    """The targets with their cotangents."""
    _, targets, seeds, _ = request.operands
    ones = [Constant(1.0, Scalar(target.type.dtype)) for target in targets]
    return [
        (target, one if seed == Constant(None) else seed)
        for target, seed, one in zip(targets, seeds, ones, strict=True)
    ]


def _placed(block: Block, place: Place, backward: Block) -> Block:
    """A block with the backward statements in the place of a request."""
    first, *others = place.requests
    statements: list[Statement] = []
    for statement in block.statements:
        if statement is first:
            statements += backward.statements
        elif statement not in others:
            statements.append(with_blocks(statement, lambda inner: _placed(inner, place, backward)))
    return Block(tuple(statements), block.yields)
