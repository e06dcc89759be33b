"""Branches that the backward sweep may run again: each result of one on its own, with what it takes.

>>> from pullback.frontend.build import normal_form
>>> def smaller(a, b):
...     if abs(a) < abs(b):
...         slope, rest = a, b - a
...     else:
...         slope, rest = b, a - b
...     return slope * rest
>>> *_, branch, _ = normal_form(smaller, 1.0, 2.0).body.statements
>>> [(one.results[0].name, len(one.then.statements)) for one in single_results(branch)]
[('slope', 0), ('rest', 1)]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pullback.ir.nodes import (
    Block,
    For,
    If,
    Let,
    Statement,
    is_scalar,
    is_undefined,
    read_by,
    results_of,
    values_in,
)

Repeatable = Let | If | For
"""What defines one value: a branch or a loop has one result here."""

MOST_STATEMENTS = 8
"""More than these take longer than a load, with what a machine loses where it guesses the wrong branch."""


def single_results(branch: If) -> Iterator[If]:
    """A branch for each result that is a number on both sides, with the statements that it takes."""
    for k, result in enumerate(branch.results):
        yields = branch.then.yields[k], branch.orelse.yields[k]
        if is_scalar(result) and not any(map(is_undefined, yields)):
            then, orelse = (
                live(replace(block, yields=(value,)))
                for block, value in zip((branch.then, branch.orelse), yields, strict=True)
            )
            yield replace(branch, then=then, orelse=orelse, results=(result,))


def live(block: Block) -> Block:
    """A block without the statements that what it yields does not follow from."""
    read, kept = set(values_in(block.yields)), list[Statement]()
    for statement in reversed(block.statements):
        if read & set(results_of(statement)):
            kept.append(statement)
            read |= set(read_by(statement))
    return replace(block, statements=tuple(reversed(kept)))
