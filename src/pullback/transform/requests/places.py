"""Where requests stand, and which statements they are about: those before them, in the block that defines the sources.

a = …
x.1 = watched(x, 1)      ┐
y = sin(x.1)             │ the region of the request
…                        ┘
g = gradient(x.1, (y), (None), 2)

>>> import numpy as np, pullback as pb
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir import primitives
>>> def f(x):
...     a = 2.0 * x
...     return pb.grad(np.sin)(a)
>>> function = normal_form(f, 0.5)
>>> first = next(s for s in function.body.statements if s.function is primitives.gradient)
>>> [s.function.__name__ for s in place_of(function, first, first.operands[0], slice(1, None)).region]
['multiply', 'watched', 'sin']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pullback.ir.nodes import (
    Block,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    blocks_in,
    blocks_of,
    free_in,
    read_in,
    results_of,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted, with_blocks


@dataclass(frozen=True, slots=True)
class Place:
    """A request with those at the same place: one statement for each derivative that is asked for.

    function: that in which they stand. home: the block that defines the sources. region: its statements up to the
    requests, with the one in which they are.
    """

    function: Function
    requests: tuple[Let, ...]
    home: Block
    region: tuple[Statement, ...]

    @property
    def is_in_home(self) -> bool:
        """Whether the requests stand in the block itself, not in one inside."""
        return any(statement is self.requests[0] for statement in self.home.statements)

    def rest(self) -> tuple[Statement, ...]:
        """The statements of the block behind the region, without requests that are answered."""
        behind = self.home.statements[len(self.region) :]
        return tuple(s for s in behind if not any(s is request for request in self.requests))

    def part(self, targets: tuple[Operand, ...], given: tuple[Operand, ...] = ()) -> Function:
        """The region as a function of what it reads and what is `given`; it yields targets, then what is read later."""
        function = self.function
        behind = Block(self.home.statements[len(self.region) :], self.home.yields)
        live = set(read_in(exchanged(function.body, self.home, behind)))
        made = [value for statement in self.region for value in results_of(statement) if value in live]
        body = Block(self.region, (*targets, *made))
        parameters = dict.fromkeys([*free_in(body), *(value for value in given if isinstance(value, Value))])
        return Function(function.name, tuple(parameters), body, (), function.location, function.callees)

    def answered(self, statements: tuple[Statement, ...], terms: Mapping[Value, Operand]) -> Block:
        """The function's body with these statements of the block, and terms in place of what was asked for."""
        block = Block((*statements, *self.rest()), self.home.yields)
        return substituted(exchanged(self.function.body, self.home, block), terms)


def place_of(function: Function, first: Let, source: Value, alike: slice) -> Place:
    """The place of a request, with others that agree with it in these operands and ask about what is made before it."""
    block = next(block for block in blocks_in(function.body) if any(s is first for s in block.statements))
    k = next(k for k, s in enumerate(block.statements) if s is first)
    later = {value for s in block.statements[k:] for value in results_of(s)}
    lets = [s for s in block.statements if isinstance(s, Let) and s.function is first.function]
    agreeing = (s for s in lets if s.operands[alike] == first.operands[alike])
    requests = tuple(s for s in agreeing if later.isdisjoint(values_in(s.operands)))
    home = next(block for block in blocks_in(function.body) if _defines(block, source))
    return Place(function, requests, home, _region(home, first))


def _defines(block: Block, value: Value) -> bool:
    return any(value in results_of(statement) for statement in block.statements)


def _region(home: Block, request: Let) -> tuple[Statement, ...]:
    region: list[Statement] = []
    for statement in home.statements:
        if statement is request:
            break
        region.append(statement)
        if any(inner is request for block in blocks_of(statement) for inner in walk(block)):
            break
    return tuple(region)


def exchanged(block: Block, old: Block, new: Block) -> Block:
    """A block with another one in the place of one inside, or of itself."""
    if block is old:
        return new
    statements = tuple(with_blocks(s, lambda inner: exchanged(inner, old, new)) for s in block.statements)
    return Block(statements, block.yields)
