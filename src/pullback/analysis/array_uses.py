"""Uses of an array: the versions that writes in place make of it, through loops and branches, and what reads them.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import values_by_name
>>> def f(x):
...     y = np.zeros(3)
...     for i in range(3):
...         if x[i] > 0.0:
...             y[i] = x[i]
...     return y[1]
>>> function = normal_form(f, np.ones(3))
>>> uses = uses_of(values_by_name(function)["y"], function.body)
>>> len(uses.versions), [statement.function.__name__ for statement in uses.statements]
(5, ['store', 'load'])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pullback.analysis.aliases import consumes
from pullback.ir.nodes import Block, For, If, Let, Operand, Value, While, blocks_of, operands_of, values_in, walk


@dataclass(frozen=True, slots=True)
class Uses:
    """The versions of an array, and the statements that read or write one."""

    versions: frozenset[Value]
    statements: tuple[Let, ...]


def uses_of(array: Value, block: Block) -> Uses | None:
    """How a block uses an array; None where another array may take its place, or where that is not followed."""
    versions = _versions_of(array, block)
    if any((one in versions) != (other in versions) for one, other in _handed_on(block)):
        return None
    reading = [s for s in walk(block) if not blocks_of(s) and not versions.isdisjoint(values_in(operands_of(s)))]
    lets = tuple(statement for statement in reading if isinstance(statement, Let))
    return Uses(frozenset(versions), lets) if len(lets) == len(reading) else None


def _versions_of(array: Value, block: Block) -> set[Value]:
    versions, before = {array}, 0
    while before != len(versions):
        before = len(versions)
        for statement in walk(block):
            match statement:
                case Let() if consumes(statement) and statement.operands[0] in versions:
                    versions.add(statement.value)
                case For() | While():
                    for carried, result in zip(statement.carried, statement.results, strict=True):
                        versions |= {carried.parameter, result} if carried.initial in versions else set()
                case If():
                    sides = zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True)
                    versions |= {result for result, *both in sides if all(y in versions for y in both)}
    return versions


def _handed_on(block: Block) -> Iterator[tuple[Value, Operand]]:
    """What the loops and branches of a block hand on, and as what: both are versions of the same array, or neither."""
    for statement in walk(block):
        match statement:
            case For() | While():
                for carried, after in zip(statement.carried, statement.body.yields, strict=False):
                    yield from ((carried.parameter, carried.initial), (carried.parameter, after))
            case If():
                for side in (statement.then, statement.orelse):
                    yield from zip(statement.results, side.yields, strict=True)
