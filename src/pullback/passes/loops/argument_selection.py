"""Argument selection: a loop that takes the last of the numbers that fulfil a condition, such as the largest, remembers
the iteration that had it, and the number is computed again after the loop.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def largest(x):
...     top = x[0]
...     for j in range(1, x.shape[0]):
...         if x[j] > top:
...             top = x[j]
...     return top
>>> function = prepared(normal_form(largest, np.ones(3)))
>>> selected = select_arguments(function, active=frozenset(function.results))
>>> text = emit_module([selected], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def largest(x):
    top = x[0]
    top2 = top
    last = -1
    for j in range(1, x.shape[0]):
        x_j = x[j]
        if x_j > top2:
            top2 = x_j
            last = j
    if last >= 0:
        top = x[last]
    return top

No gradient flows through such a loop then: the backward sweep has no loop for it and keeps no conditions. It is legal
where the number is computed from the index and from values outside of the loop, and the loop does nothing with it but
compare it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from pullback.functions import record_of
from pullback.ir.builder import Builder, constant
from pullback.ir.identities import Identity
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    read_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import like, substituted, with_blocks
from pullback.ir.trip_counts import least_index
from pullback.ir.types import BOOL, INT

_NO_ITERATION = -1


def select_arguments(function: Function, active: frozenset[Value]) -> Function:
    """The same function, where the active numbers that loops select are computed again after the loops."""
    return replace(function, body=_block(function.body, active))


def _block(block: Block, active: frozenset[Value]) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        changed = with_blocks(statement, lambda inner: _block(inner, active))
        statements += _with_selections(changed, active) if isinstance(changed, For) else [changed]
    return Block(tuple(statements), block.yields)


@dataclass(frozen=True, slots=True)
class _Selection:
    """Carried number k is what the statements give where one side of an `If` is taken, else unchanged."""

    k: int
    branch: If
    taken: bool
    number: Operand
    statements: tuple[Let, ...]


def _with_selections(loop: For, active: frozenset[Value]) -> list[Statement]:
    least = least_index(loop)
    if least is None or least < 0:
        return [loop]
    after: list[Statement] = []
    while selections := list(_selections(loop, active)):
        first = selections[0]
        loop, made = _with_last(loop, [p for p in selections if p.branch is first.branch and p.taken == first.taken])
        after += made
    return [loop, *after]


def _selections(loop: For, active: frozenset[Value]) -> Iterator[_Selection]:
    """The active numbers that a loop selects."""
    for k, result in enumerate(loop.results):
        selection = _selection(loop, k) if result in active else None
        if selection is not None:
            yield selection


def _selection(loop: For, k: int) -> _Selection | None:
    parameter, last = loop.carried[k].parameter, loop.body.yields[k]
    if not is_scalar(parameter) or not is_scalar(loop.carried[k].initial):
        return None
    for statement in loop.body.statements:
        if isinstance(statement, If) and last in statement.results:
            result = statement.results.index(last)
            sides = statement.then.yields[result], statement.orelse.yields[result]
            if parameter not in sides or not _only_compared(loop, parameter):
                return None
            taken = sides[1] is parameter
            side = statement.then if taken else statement.orelse
            number = sides[0] if taken else sides[1]
            made = _slice(loop, (*loop.body.statements, *side.statements), number)
            return None if made is None else _Selection(k, statement, taken, number, made)
    return None


def _only_compared(loop: For, parameter: Value) -> bool:
    """Whether a number is read by nothing but comparisons, and passed on once."""
    compared = (s for s in walk(loop.body) if isinstance(s, Let) and record_of(s.function).is_comparison)
    reads = sum(value is parameter for statement in compared for value in values_in(statement.operands))
    return Counter(read_in(loop.body))[parameter] == reads + 1


def _slice(loop: For, statements: tuple[Statement, ...], number: Operand) -> tuple[Let, ...] | None:
    """The statements that make a number of an iteration, if they read nothing of the loop but its index."""
    varying = made_in_iterations(loop)
    needed = {value for value in values_in(number) if value in varying}
    found: list[Let] = []
    for statement in reversed(statements):
        if isinstance(statement, Let) and statement.value in needed:
            if not is_scalar(statement.value) or isinstance(statement.function, Identity):
                return None
            found.append(statement)
            needed.remove(statement.value)
            needed.update(value for value in values_in(statement.operands) if value in varying)
    return None if needed - {loop.index} else tuple(reversed(found))


def _with_last(loop: For, selections: list[_Selection]) -> tuple[For, list[Statement]]:
    """The loop, which also finds the last iteration where a branch was taken, and the numbers selected there."""
    branch, taken = selections[0].branch, selections[0].taken
    before, chosen, after = (Value("last", INT) for _ in range(3))
    then, orelse = (loop.index, before) if taken else (before, loop.index)
    changed = replace(
        branch,
        then=replace(branch.then, yields=(*branch.then.yields, then)),
        orelse=replace(branch.orelse, yields=(*branch.orelse.yields, orelse)),
        results=(*branch.results, chosen),
    )
    body = tuple(changed if s is branch else s for s in loop.body.statements)
    count, yields = len(loop.carried), loop.body.yields
    renamed = {s.k: like(loop.results[s.k]) for s in selections}
    made = replace(
        loop,
        carried=(*loop.carried, Carried(before, constant(_NO_ITERATION))),
        body=Block(body, (*yields[:count], chosen, *yields[count:])),
        results=(*(renamed.get(k, result) for k, result in enumerate(loop.results)), after),
    )
    return made, _selected(loop, selections, after)


def _selected(loop: For, selections: list[_Selection], last: Value) -> list[Statement]:
    builder = Builder()
    builder.location = selections[0].branch.location
    found = builder.let(np.greater_equal, last, constant(0), type_=BOOL)
    terms: dict[Value, Operand] = {loop.index: last}
    with builder.block() as statements:
        for made in dict.fromkeys(made for selection in selections for made in selection.statements):
            copy = replace(substituted(made, terms), value=Value("", made.value.type))
            terms[made.value] = copy.value
            builder.add(copy)
    numbers = tuple(terms.get(selection.number, selection.number) for selection in selections)
    initials = tuple(loop.carried[selection.k].initial for selection in selections)
    results = tuple(loop.results[selection.k] for selection in selections)
    then = Block(tuple(statements), numbers)
    builder.add(If(found, then, Block((), initials), results, builder.location))
    return builder.statements
