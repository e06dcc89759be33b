"""Accesses to small arrays by constants: what parts of them are, and what they are after a part was written.

>>> from pullback.ir.builder import constant
>>> table = np.arange(6).reshape(2, 3)
>>> row = Index((constant(1), Slice(None, None, constant(-1))))
>>> is_constant((row,)), part_of(table, (row, Index((constant(0),)))).item()
(True, 5)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Index, Let, Operand, Permute, Slice, Value
from pullback.ir.types import Array, Scalar, is_integer
from pullback.passes.aggregates.arithmetic import as_element
from pullback.passes.aggregates.elements import Elements, Whole, is_kept, made_of, tables_of

_WHOLE = Slice(None, None, None)


def is_constant(path: tuple[Any, ...]) -> bool:
    """Whether a path names its elements by constants."""
    return all(
        isinstance(step, Permute) or (isinstance(step, Index) and all(map(_is_constant_item, step.items)))
        for step in path
    )


def _is_constant_item(item: Any) -> bool:
    if isinstance(item, Slice):
        bounds = (item.start, item.stop, item.step)
        return all(bound is None or _is_constant_item(bound) for bound in bounds)
    return isinstance(item, Constant) and (item.value is None or item.value is Ellipsis or type(item.value) is int)


def _key(step: Index) -> tuple[Any, ...]:
    """What NumPy is handed for a step of constants."""
    return tuple(
        slice(*(None if bound is None else bound.value for bound in (item.start, item.stop, item.step)))
        if isinstance(item, Slice)
        else item.value
        for item in step.items
    )


def part_of(table: Any, path: tuple[Any, ...]) -> Any:
    """The part of a table that a path of constants leads to, a view or an item. Raises IndexError if there is none."""
    for step in path:
        if isinstance(step, Permute):
            table = table.transpose(step.axes)
        elif isinstance(table, np.ndarray):
            table = table[_key(step)]
    return table


def loaded(known: Whole, statement: Let) -> Elements | Operand | None:
    array, path = statement.operands
    if array in known.elements:
        return _part(known, statement) if is_constant(path) else None
    shape = known.shape(statement.value)
    items = _items(array, path)
    if shape is None or items is None or is_kept(known, statement):
        return None
    made, items = known.operand(array), [known.operand(item) for item in items]
    parts = [known.builder.let(primitives.load, made, (Index(_place(items, place)),)) for place in np.ndindex(shape)]
    return Elements(shape, tuple(parts))


def _part(known: Whole, statement: Let) -> Elements | Operand | None:
    array, path = statement.operands
    try:
        part = part_of(known.elements[array].table(), path)
    except IndexError:
        return None
    if not isinstance(statement.value.type, Array):
        return part[()] if isinstance(part, np.ndarray) else part
    if isinstance(part, np.ndarray):
        return made_of(part)
    return Elements((), (part,))


def _items(array: Value, path: tuple[Any, ...]) -> list[Any] | None:
    """The items of a path, one for each axis or new axis: an integer, a Constant None, or a slice with a known start.

    None if it is made of anything else.
    """
    if len(path) != 1 or not isinstance(path[0], Index):
        return None
    items: list[Any] = []
    for item in path[0].items:
        if item == Constant(Ellipsis):
            used = sum(other not in (Constant(Ellipsis), Constant(None)) for other in path[0].items)
            items += [_WHOLE] * (_ndim(array) - used)
        elif item == Constant(None) or _is_integer(item) or _begins(item) is not None:
            items.append(item)
        else:
            return None
    return items


def _ndim(array: Value) -> int:
    return array.type.ndim if isinstance(array.type, Array) else 0


def _is_integer(item: Any) -> bool:
    return isinstance(item, Value | Constant) and isinstance(item.type, Scalar) and is_integer(item.type)


def _begins(item: Any) -> int | None:
    """Where a slice of neighbours begins, counted from the first element; None if that is not known."""
    if not isinstance(item, Slice) or item.step not in (None, constant(1)):
        return None
    start = constant(0) if item.start is None else item.start
    return start.value if isinstance(start, Constant) and type(start.value) is int and start.value >= 0 else None


def _place(items: list[Any], place: tuple[int, ...]) -> tuple[Operand, ...]:
    """The indices of an element of a part, whose place in the part this is."""
    inside = iter(place)
    given: list[Operand] = []
    for item in items:
        begins = _begins(item)
        if begins is not None:
            given.append(constant(begins + next(inside)))
        elif item == Constant(None):
            next(inside)
        else:
            given.append(item)
    return (*given, *map(constant, inside))


def stored(known: Whole, statement: Let) -> Elements | Operand | None:
    return _written(known, statement, lambda before, item: item)


def added(known: Whole, statement: Let) -> Elements | Operand | None:
    """Numbers added to elements."""
    return _written(known, statement, lambda before, item: known.builder.let(np.add, before, item))


def _written(known: Whole, statement: Let, change: Any) -> Elements | Operand | None:
    array, path, value = statement.operands
    if is_kept(known, statement):
        return _stored_one_by_one(known, statement) if statement.function is primitives.store else None
    found, given = known.parts(array), tables_of(known, [value])
    if found is None or given is None or not is_constant(path):
        return None
    if statement.function is primitives.add_at and array.type.dtype == "bool":
        return None
    try:
        places = np.asarray(part_of(np.arange(len(found.items)).reshape(found.shape), path))
        items = np.broadcast_to(given[0], places.shape)
    except (IndexError, ValueError):
        return None
    flat = list(found.items)
    for place in np.ndindex(places.shape):
        flat[places[place]] = change(flat[places[place]], as_element(known, items[place], array.type.dtype))
    return Elements(found.shape, tuple(flat))


def _stored_one_by_one(known: Whole, statement: Let) -> Operand | None:
    """A large array with the elements of a small one in a row of the same length."""
    array, path, value = statement.operands
    found = known.elements.get(value) if isinstance(value, Value) else None
    items = _items(array, path)
    if found is None or items is None or not all(map(_is_integer, items)):
        return None
    if known.shapes.of(array)[len(items) :] != found.shape:
        return None
    before, last = known.operand(tuple(items)), known.operand(array)
    for place, item in zip(np.ndindex(found.shape), found.items, strict=True):
        there = (Index((*before, *map(constant, place))),)
        last = known.builder.let(primitives.store, last, there, item, name=statement.value.name)
    return last
