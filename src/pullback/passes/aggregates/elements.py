"""Elements of small arrays, as tables of operands that NumPy arranges as it does numbers.

>>> named_part(Value("rotation", Array("float64", 2)), (0, 1))
'rotation_0_1'
>>> Elements((2, 2), (1, 2, 3, 4)).table().T.tolist()
[[1, 3], [2, 4]]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.ir.arguments import arguments_of
from pullback.ir.builder import Builder
from pullback.ir.nodes import Call, Constant, Let, Operand, Value
from pullback.ir.types import Array, Scalar

FLOAT = Scalar("float64")


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of an array of a known shape, row by row."""

    shape: tuple[int, ...]
    items: tuple[Operand, ...]

    def table(self) -> Any:
        """The same as an array of operands."""
        table = np.empty(len(self.items), object)
        table[:] = self.items
        return table.reshape(self.shape)


class Whole(Protocol):
    """What knows the elements of arrays."""

    builder: Builder
    shapes: Shapes
    candidates: set[Value]
    elements: dict[Value, Elements]

    def operand(self, operand: Operand) -> Any: ...

    def parts(self, value: Operand) -> Elements | None: ...

    def shape(self, value: Operand) -> tuple[int, ...] | None: ...


def named_part(array: Value, place: tuple[int, ...]) -> str:
    """What an element of an array is called."""
    return "_".join([array.name, *map(str, place)]) if array.name else ""


def made_of(table: Any) -> Elements:
    """A table as the elements of an array."""
    return Elements(table.shape, tuple(table.ravel()))


def result_of(statement: Let, table: Any) -> Elements | Operand:
    """A table as what a statement gives: elements, or the only one of them as a number."""
    if isinstance(statement.value.type, Array):
        return made_of(table)
    item: Operand = table.ravel()[0]
    return item


def tables_of(known: Whole, operands: Sequence[Operand]) -> list[Any] | None:
    """Operands as arrays of operands; None if one is a large array, or no array of floats or truth values."""
    tables: list[Any] = []
    for operand in operands:
        if isinstance(operand, Value | Constant) and isinstance(operand.type, Scalar):
            if operand.type.dtype not in ("float64", "int64", "bool"):
                return None
            table = np.empty((), object)
            table[()] = known.operand(operand)
        else:
            found = known.parts(operand)
            if found is None:
                return None
            table = found.table()
        tables.append(table)
    return tables


def small_tables(known: Whole, statement: Let | Call, count: int) -> list[Any] | None:
    """The positional operands of a statement, if they are so many small arrays of floats."""
    operands, _ = arguments_of(statement)
    if len(operands) != count or any(known.shape(operand) is None for operand in operands):
        return None
    if any(operand.type.dtype != "float64" for operand in operands) or is_kept(known, statement):
        return None
    return tables_of(known, operands)


def is_kept(known: Whole, statement: Let | Call) -> bool:
    """Whether what a statement makes is an array that stays one."""
    return (
        isinstance(statement, Let)
        and isinstance(statement.value.type, Array)
        and statement.value not in known.candidates
    )


def number(value: float) -> Constant:
    return Constant(value, FLOAT)
