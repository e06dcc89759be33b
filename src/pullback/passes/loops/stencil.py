"""Additions to neighbours: which additions of a loop's iterations are to elements a fixed distance apart.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def scatter(y, x):
...     for j in range(x.shape[0]):
...         y[j] += x[j]
...         y[j + 1] += x[j]
>>> function = prepared(normal_form(scatter, np.ones(4), np.ones(3)))
>>> (loop,) = (s for s in function.body.statements if isinstance(s, For))
>>> [addition.offset for addition in added_to(loop, 0)]
[0, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from pullback.analysis.access_chains import accesses_of
from pullback.analysis.subscripts import Places, are_apart
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    made_in_iterations,
    values_in,
)
from pullback.ir.rewrite import substituted

MOST_ROWS = 9
"""How many different contributions of an iteration are stored for later at the most."""


@dataclass(frozen=True, slots=True)
class Addition:
    """An addition to an element of a row: the statement, the rest of its index, and the offset in the row."""

    statement: Let
    rest: tuple[Operand, ...]
    offset: int

    @property
    def addend(self) -> Value:
        value: Value = self.statement.operands[2]
        return value


@dataclass(frozen=True, slots=True)
class Multiple:
    """What an addition adds, as a number made in the iteration times a factor from outside; None for the number.

    negated: it is the number with the other sign.
    """

    base: Value
    factor: Operand | None
    negated: bool = False


def multiples_in(loop: For, additions: Iterable[Addition]) -> dict[Value, Multiple]:
    """The addends of a loop as multiples of fewer numbers, where there are fewer, else each of itself."""
    made = made_in_iterations(loop)
    definitions = {s.value: s for s in loop.body.statements if isinstance(s, Let)}
    addends = dict.fromkeys(a.addend for a in additions)
    for found in (_multiple, _negated):
        multiples = {addend: found(definitions.get(addend), addend, made) for addend in addends}
        if len({multiple.base for multiple in multiples.values()}) < len(addends):
            return multiples
    return numbers_alone(addends)


def numbers_alone(addends: Iterable[Value]) -> dict[Value, Multiple]:
    """Each addend as the number itself."""
    return {addend: Multiple(addend, None) for addend in addends}


def _multiple(statement: Let | None, addend: Value, made: set[Value]) -> Multiple:
    if statement is not None and statement.function is np.multiply:
        for base, factor in (statement.operands, statement.operands[::-1]):
            is_made = isinstance(base, Value) and base in made and factor not in made
            if is_made and is_scalar(base) and base.type.dtype == addend.type.dtype and is_scalar(factor):
                return Multiple(base, factor)
    return Multiple(addend, None)


def _negated(statement: Let | None, addend: Value, made: set[Value]) -> Multiple:
    if statement is not None and statement.function is np.negative:
        base = statement.operands[0]
        if isinstance(base, Value) and base in made and is_scalar(base) and base.type.dtype == addend.type.dtype:
            return Multiple(base, None, negated=True)
    return Multiple(addend, None)


def added_to(loop: For, k: int, places: Callable[[], Places] | None = None) -> list[Addition | None]:
    """An iteration's additions to a carried array, None for those of another form; empty if it does anything else.

    places: of the whole function, by which an iteration may also load and store elements that no iteration adds to.
    """
    accesses = accesses_of(loop, k) or []
    additions = [access for access in accesses if access.function is primitives.add_at]
    others = [access for access in accesses if access.function is not primitives.add_at]
    if others and (places is None or not are_apart(loop, additions, others, places())):
        return []
    definitions = {s.value: s for s in loop.body.statements if isinstance(s, Let)}
    made = made_in_iterations(loop)
    return [_addition(access, loop.index, definitions, made) for access in additions]


def _addition(statement: Let, index: Value, definitions: dict[Value, Let], made: set[Value]) -> Addition | None:
    array, path, addend = statement.operands
    items: tuple[Operand, ...] = getattr(path[0], "items", ()) if len(path) == 1 and not is_advanced(path) else ()
    if not items or len(items) != array.type.ndim or not all(map(is_scalar, items)) or not isinstance(addend, Value):
        return None
    rest, last = items[:-1], items[-1]
    offset = offset_of(last, index, definitions)
    if offset is None or addend.type.dtype != array.type.dtype or made.intersection(values_in(rest)):
        return None
    return Addition(statement, rest, offset)


def offset_of(item: Operand, index: Value, definitions: dict[Value, Let]) -> int | None:
    """By how much an index is ahead of the loop's own; None if that is not a number known beforehand."""
    if item is index:
        return 0
    made = definitions.get(item) if isinstance(item, Value) else None
    if made is None or made.function not in (np.add, np.subtract) or made.operands[0] is not index:
        return None
    step = made.operands[1]
    if not isinstance(step, Constant) or not isinstance(step.value, int):
        return None
    return step.value if made.function is np.add else -step.value


def without_additions(body: Block, additions: Iterable[Addition]) -> Block:
    """A loop's body without these additions; what read the array behind them reads it before."""
    moved = {a.statement.value: a.statement.operands[0] for a in additions}

    def before(value: Value) -> Value:
        while value in moved:
            value = moved[value]
        return value

    kept = tuple(s for s in body.statements if not (isinstance(s, Let) and s.value in moved))
    return substituted(Block(kept, body.yields), {value: before(value) for value in moved})


def giving(statements: list[Statement], result: Value) -> list[Statement]:
    """Statements of which the last, a loop over one array, gives a result."""
    *others, last = statements
    assert isinstance(last, For), "what is gathered is gathered by loops"
    return [*others, replace(last, results=(result,))]


def moved_by(builder: Builder, operand: Operand, by: int) -> Operand:
    """An index so much further."""
    if not by:
        return operand
    if isinstance(operand, Constant):
        return constant(operand.value + by)
    return builder.let(np.add if by > 0 else np.subtract, operand, constant(abs(by)))


def place_in_row(builder: Builder, loop: For, index: Operand, offset: int, span: int) -> Operand:
    """Where a row has what the iteration `index - offset` of a loop stored, behind `span` zeros."""
    by = span - offset
    if isinstance(loop.start, Constant):
        by -= loop.start.value
    else:
        index = builder.let(np.subtract, index, loop.start)
    return moved_by(builder, index, by)
