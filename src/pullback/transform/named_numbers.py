"""Names of numbers for messages: what a value is, and what the user calls it.

>>> from pullback.ir.types import FLOAT
>>> x = Value("x", FLOAT)
>>> quantity_of(Value("x_bar", FLOAT, (x, "_bar"))), quantity_of(x)[0]
(('adjoint', x: float64*), 'value')
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pullback.analysis.moved_numbers import chooses
from pullback.errors import Location
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    For,
    Index,
    Let,
    Operand,
    Step,
    Value,
    While,
    blocks_of,
    is_scalar,
    operands_of,
    values_in,
    walk,
)

WORDS = {"_bar": "adjoint", "_dot": "tangent"}
"""What the values are that belong to others under these endings."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around: how it is called, where it is, and the number of the iteration.

    over_segments: its iterations are segments of the loop inside, which `transform/checkpointing/` has made.
    """

    name: str
    location: Location
    number: Callable[[Builder], Operand]
    over_segments: bool = False

    @property
    def is_of_user(self) -> bool:
        """Whether the user wrote it, and not an array statement, whose elements it goes through."""
        return mentions(self.location.text, "for") or mentions(self.location.text, "while")


@dataclass(frozen=True, slots=True)
class Named:
    """What a message calls a number."""

    quantity: str
    variable: str
    location: Location


def left_to_choices(body: Block) -> set[Value]:
    """The values of which nothing is made, element by element, but what `np.where` and its like may leave out."""
    others = {value for statement in walk(body) for block in blocks_of(statement) for value in values_in(block.yields)}
    others |= set(values_in(body.yields))
    found: set[Value] = set()
    for statement in reversed(list(walk(body))):
        if isinstance(statement, Let) and is_derived(statement.location):
            continue
        read = set(values_in(operands_of(statement)))
        made = statement.value if isinstance(statement, Let) and is_elementwise(statement.function) else None
        if isinstance(statement, Let) and (chooses(statement) or (made in found and made not in others)):
            found |= read
        else:
            others |= read
    return found - others


def written_into(body: Block) -> dict[Value, Value]:
    """The adjoints and tangents that are written into those of arrays, each with the latter."""
    lets = (s for s in walk(body) if isinstance(s, Let) and s.function in primitives.WRITES)
    return {s.operands[2]: s.value for s in lets if isinstance(s.operands[2], Value) and belongs(s.value)}


def is_derived(location: Location) -> bool:
    """Whether a statement is of the backward sweep, or of tangents."""
    return location.is_adjoint or location.is_tangent


def belongs(value: Operand) -> bool:
    """Whether a value is the adjoint or tangent of another one."""
    return isinstance(value, Value) and value.of is not None and value.of[1] in WORDS


def quantity_of(value: Value) -> tuple[str, Value]:
    """What a value is, and of which value: ('tangent of the adjoint', x)."""
    words: list[str] = []
    while value.of is not None and value.of[1] in WORDS:
        words.append(WORDS[value.of[1]])
        value = value.of[0]
    return " of the ".join(words) or "value", value


def written_part(statement: Let) -> Let:
    """What is written into an array, as the operand of a statement."""
    return replace(statement, function=np.positive, operands=statement.operands[2:])


def numbers_of(path: tuple[Step, ...]) -> tuple[Operand, ...]:
    """The index of an element, if the path leads to one."""
    items = path[0].items if len(path) == 1 and isinstance(path[0], Index) else ()
    return items if items and all(is_scalar(item) for item in items) else ()


def goes_over_segments(loop: For | While) -> bool:
    """Whether the iterations of a loop are segments of the loops inside."""
    inner = (s for s in walk(loop.body) if isinstance(s, For))
    may = isinstance(loop, While) or loop.index.name in ("segment", "step")
    return may and any(other.location == loop.location for other in inner)


def variable_of(loop: For) -> str:
    """The user's variable that has the number of the iteration; '' if there is none.

    A loop over elements has an index `k` that the user does not know, unless it is that of `enumerate`.
    """
    name, text = loop.index.name, loop.location.text.strip()
    if name != "k":
        return name if mentions(text, name) else ""
    parsed = next((tree.body[0] for end in ("", "\n    pass") if (tree := _parsed(text + end)) and tree.body), None)
    if not isinstance(parsed, ast.For) or not isinstance(parsed.iter, ast.Call):
        return ""
    called, target = getattr(parsed.iter.func, "id", ""), parsed.target
    if called == "enumerate" and len(parsed.iter.args) == 1 and not parsed.iter.keywords:
        target = target.elts[0] if isinstance(target, ast.Tuple) else target
        return target.id if isinstance(target, ast.Name) and isinstance(parsed.target, ast.Tuple) else ""
    return name if called == "range" and isinstance(target, ast.Name) and target.id == name else ""


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def mentions(text: str, name: str) -> bool:
    """Whether a text has this word in it."""
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def expression_at(location: Location) -> str:
    """The text of an expression; of one that goes on in the next line, its beginning."""
    part = location.text[location.column : location.end_column]
    return part or location.text[location.column :].strip()
