"""Elements of small arrays: what a statement with whole arrays does to each element, for the functions that are known.

>>> named_part(Value("rotation", Array("float64", 2)), (0, 1))
'rotation_0_1'
>>> Elements((2, 2), (1, 2, 3, 4)).table().T.tolist()
[[1, 3], [2, 4]]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from pullback.analysis.shapes import Shapes
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Call, Constant, If, Index, Let, Operand, Value, is_scalar
from pullback.ir.types import Array, Scalar, is_integer
from pullback.passes.lowering.elimination import determinant, sign_and_logarithm, solved

MOST_ROWS = 3
"""So many rows a system may have whose elements are eliminated one by one."""


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


def elements_of(known: Whole, statement: Let) -> Elements | Operand | None:
    """The elements of an array that a statement makes, or the number; None where it takes whole arrays."""
    rule = _RULES.get(statement.function)
    if rule is None and is_elementwise(statement.function):
        rule = _elementwise
    return rule(known, statement) if rule is not None else None


def named_part(array: Value, place: tuple[int, ...]) -> str:
    """What an element of an array is called."""
    return "_".join([array.name, *map(str, place)]) if array.name else ""


def is_arithmetic(function: Any) -> bool:
    """Whether elements of the result are computed of elements of the operands."""
    return function in (np.matmul, np.dot, np.outer) or is_elementwise(function)


def _tables(known: Whole, operands: Sequence[Operand]) -> list[Any] | None:
    """Operands as arrays of operands; None if one is a large array, or no array of floats."""
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


def _made(shape: tuple[int, ...], table: Any) -> Elements:
    return Elements(shape, tuple(table.ravel()))


def _elementwise(known: Whole, statement: Let) -> Elements | None:
    shape = known.shape(statement.value)
    if shape is None or statement.keywords or statement.value not in known.candidates:
        return None
    tables = _tables(known, statement.operands)
    if tables is None:
        return None
    type_ = Scalar(statement.value.type.dtype)
    made = partial(known.builder.let, statement.function, type_=type_, by=statement.by)
    names = partial(named_part, statement.value)
    items = [made(*operands, name=names(place)) for place, operands in _side_by_side(shape, tables)]
    return Elements(shape, tuple(items))


def _side_by_side(shape: tuple[int, ...], tables: list[Any]) -> list[tuple[tuple[int, ...], list[Operand]]]:
    spread = [np.broadcast_to(table, shape) for table in tables]
    return [(place, [table[place] for table in spread]) for place in np.ndindex(shape)]


def _product(known: Whole, statement: Let) -> Elements | Operand | None:
    tables = _small_tables(known, statement, 2)
    if tables is None:
        return None
    a, b = tables
    if a.shape[-1] != b.shape[0]:
        return None
    rows, columns = a.reshape(-1, a.shape[-1]), b.reshape(b.shape[0], -1)
    items = [_sum_of_products(known, row, column) for row in rows for column in columns.T]
    return _result(statement, (*a.shape[:-1], *b.shape[1:]), items)


def _sum_of_products(known: Whole, row: Any, column: Any) -> Operand:
    total: Operand | None = None
    for a, b in zip(row, column, strict=True):
        term = known.builder.let(np.multiply, a, b)
        total = term if total is None else known.builder.let(np.add, total, term)
    return total


def _result(statement: Let, shape: tuple[int, ...], items: list[Operand]) -> Elements | Operand:
    return Elements(shape, tuple(items)) if isinstance(statement.value.type, Array) else items[0]


def _outer(known: Whole, statement: Let) -> Elements | None:
    tables = _small_tables(known, statement, 2)
    if tables is None or known.shape(statement.value) is None:
        return None
    items = [known.builder.let(np.multiply, a, b) for a in tables[0].ravel() for b in tables[1].ravel()]
    return Elements((tables[0].size, tables[1].size), tuple(items))


def _small_tables(known: Whole, statement: Let, count: int) -> list[Any] | None:
    """The operands of a statement, if they are so many small arrays."""
    if statement.keywords or len(statement.operands) != count:
        return None
    if any(known.shape(operand) is None for operand in statement.operands):
        return None
    if isinstance(statement.value.type, Array) and statement.value not in known.candidates:
        return None
    return _tables(known, statement.operands)


def _sum(known: Whole, statement: Let) -> Operand | None:
    tables = _small_tables(known, statement, 1)
    if tables is None or isinstance(statement.value.type, Array):
        return None
    first, *rest = tables[0].ravel()
    total = first
    for item in rest:
        total = known.builder.let(np.add, total, item)
    return total


def _norm(known: Whole, statement: Let) -> Operand | None:
    """The root of the sum of squares; of zeros it is 0, and so is its derivative."""
    tables = _small_tables(known, statement, 1)
    if tables is None:
        return None
    builder = known.builder
    squares = _sum_of_products(known, tables[0].ravel(), tables[0].ravel())
    zero, result = Constant(0.0, squares.type), Value(statement.value.name, squares.type)
    is_zero = builder.let(np.equal, squares, zero)
    with builder.block() as statements:
        root = builder.let(np.sqrt, squares)
    builder.add(If(is_zero, Block((), (zero,)), Block(tuple(statements), (root,)), (result,), builder.location))
    return result


def _solve(known: Whole, statement: Let) -> Elements | None:
    tables = _small_tables(known, statement, 2)
    if tables is None or known.shape(statement.value) is None:
        return None
    a, b = tables
    if a.shape != (len(b), len(b)) or len(a) > MOST_ROWS:
        return None
    table = solved(known.builder, a, b.reshape(len(b), -1))
    return _made(b.shape, table)


def _inverse(known: Whole, statement: Let) -> Elements | None:
    table = _square_table(known, statement) if statement.value in known.candidates else None
    if table is None:
        return None
    n = len(table)
    identity = np.empty((n, n), object)
    for place in np.ndindex(n, n):
        identity[place] = Constant(float(place[0] == place[1]), Scalar("float64"))
    return _made((n, n), solved(known.builder, table, identity))


def _determinant(known: Whole, statement: Let) -> Operand | None:
    table = _square_table(known, statement)
    return None if table is None else determinant(known.builder, table)


def signs_and_logarithms(known: Whole, call: Call) -> tuple[Operand, ...] | None:
    """The numbers that a call of slogdet returns; None where it, or another one, takes a whole array."""
    table = _square_table(known, call) if call.function is np.linalg.slogdet else None
    return None if table is None else sign_and_logarithm(known.builder, table)


def _square_table(known: Whole, statement: Let | Call) -> Any:
    """The elements of the one operand, a small matrix of as many rows as columns; None if it is another one."""
    tables = None if statement.keywords or len(statement.operands) != 1 else _tables(known, statement.operands)
    is_square = tables is not None and tables[0].ndim == 2 and tables[0].shape == tables[0].shape[::-1]
    return tables[0] if tables is not None and is_square and len(tables[0]) <= MOST_ROWS else None


def _transpose(known: Whole, statement: Let) -> Elements | None:
    array, *axes = statement.operands
    found = known.parts(array) if statement.value in known.candidates else None
    if found is None or statement.keywords:
        return None
    order = tuple(axis.value for axis in axes[0]) if axes else None
    table = found.table().transpose(order)
    return _made(table.shape, table)


def _reshape(known: Whole, statement: Let) -> Elements | None:
    found = known.parts(statement.operands[0]) if statement.value in known.candidates else None
    shape = known.shape(statement.value)
    if found is None or shape is None or statement.keywords or len(statement.operands) != 2:
        return None
    return Elements(shape, found.items)


def _literal(known: Whole, statement: Let) -> Elements | None:
    shape = known.shape(statement.value)
    if shape is None or statement.value not in known.candidates or len(statement.operands) != 1 or statement.keywords:
        return None
    given = statement.operands[0]
    if isinstance(given, Value):
        return known.parts(given)
    items = _leaves(known, given)
    if items is None or len(items) != int(np.prod(shape)):
        return None
    return Elements(shape, tuple(items))


def _leaves(known: Whole, operand: Operand) -> list[Operand] | None:
    if isinstance(operand, tuple):
        found = [_leaves(known, item) for item in operand]
        return None if None in found else [item for items in found if items is not None for item in items]
    if is_scalar(operand):
        number = known.operand(operand)
        return [number if operand.type == Scalar("float64") else known.builder.cast(number, "float64")]
    small = known.parts(operand)
    return None if small is None else list(small.items)


def _filled(value: Callable[[tuple[int, ...]], float]) -> Callable[[Whole, Let], Elements | None]:
    def rule(known: Whole, statement: Let) -> Elements | None:
        shape = known.shape(statement.value)
        is_shifted = statement.function is np.eye and (len(statement.operands) > 2 or "k" in statement.keywords)
        if shape is None or statement.value not in known.candidates or is_shifted:
            return None
        type_ = Scalar(statement.value.type.dtype)
        return Elements(shape, tuple(Constant(value(place), type_) for place in np.ndindex(shape)))

    return rule


def _copy(known: Whole, statement: Let) -> Elements | None:
    return known.parts(statement.operands[0]) if statement.value in known.candidates else None


def _load(known: Whole, statement: Let) -> Elements | Operand | None:
    array, path = statement.operands
    items = _indices(path)
    if items is None:
        return None
    if array in known.elements:
        table = known.elements[array].table()
        try:
            part = table[tuple(item.value for item in items)]
        except IndexError:
            return None
        return _made(part.shape, part) if isinstance(part, np.ndarray) else part
    shape = known.shape(statement.value)
    if shape is None or statement.value not in known.candidates:
        return None
    before = known.operand(items)
    parts = [
        known.builder.let(primitives.load, known.operand(array), (Index((*before, *map(constant, place))),))
        for place in np.ndindex(shape)
    ]
    return Elements(shape, tuple(parts))


def _indices(path: Any) -> tuple[Operand, ...] | None:
    """The integers that a path consists of; None for another one."""
    if len(path) != 1 or not isinstance(path[0], Index):
        return None
    items: tuple[Operand, ...] = path[0].items
    return items if all(is_scalar(item) and is_integer(item.type) for item in items) else None


def _store(known: Whole, statement: Let) -> Elements | Operand | None:
    array, path, value = statement.operands
    items = _indices(path)
    if items is None:
        return None
    if statement.value not in known.candidates:
        return _stored_one_by_one(known, statement, items)
    found = known.parts(array)
    given = _tables(known, [value])
    if found is None or given is None:
        return None
    table = found.table()
    place = tuple(item.value for item in items)
    try:
        part = np.broadcast_to(given[0], table[place].shape if isinstance(table[place], np.ndarray) else ())
    except (IndexError, ValueError):
        return None
    table[place] = part if part.shape else part[()]
    return _made(found.shape, table)


def _stored_one_by_one(known: Whole, statement: Let, items: tuple[Operand, ...]) -> Operand | None:
    """A large array with the elements of a small one in a row of the same length."""
    array, _, value = statement.operands
    found = known.elements.get(value) if isinstance(value, Value) else None
    if found is None or known.shapes.of(array)[len(items) :] != found.shape:
        return None
    before, last = known.operand(items), known.operand(array)
    for place, item in zip(np.ndindex(found.shape), found.items, strict=True):
        path = (Index((*before, *map(constant, place))),)
        last = known.builder.let(primitives.store, last, path, item, name=statement.value.name)
    return last


_RULES: dict[Any, Callable[[Any, Let], Any]] = {
    np.matmul: _product,
    np.dot: _product,
    np.outer: _outer,
    np.sum: _sum,
    np.linalg.norm: _norm,
    np.linalg.solve: _solve,
    np.linalg.inv: _inverse,
    np.linalg.det: _determinant,
    np.transpose: _transpose,
    np.reshape: _reshape,
    np.array: _literal,
    np.copy: _copy,
    primitives.copy: _copy,
    np.eye: _filled(lambda place: float(place[0] == place[-1])),
    np.zeros: _filled(lambda place: 0.0),
    np.ones: _filled(lambda place: 1.0),
    np.empty: _filled(lambda place: 0.0),
    primitives.zeros_like: _filled(lambda place: 0.0),
    primitives.load: _load,
    primitives.store: _store,
}

CREATING = {np.array, np.eye, np.zeros, np.ones}
"""What makes an array of numbers, outside of loops too."""
