"""Arrangements of the elements of small arrays: what transposes, joins, repeats and makes them computes nothing.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.aggregates.replacement import replace_aggregates
>>> from pullback.passes.scalar.dead_code import remove_dead
>>> def shifted(x):
...     v = np.zeros(3)
...     for t in range(x.shape[0]):
...         v = np.concatenate((v[1:], np.full(1, x[t] * v[0])))
...     return v[0] - v[2]
>>> function = remove_dead(replace_aggregates(normal_form(shifted, np.ones(3))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("    for") : text.index("    return")], end="")
    for t in range(x.shape[0]):
        v_0, v_1, v_2 = v_1, v_2, x[t] * v_0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.ir.arguments import arguments_of
from pullback.ir.nodes import Constant, Let, Operand, Value, is_scalar
from pullback.ir.types import Array, Scalar
from pullback.passes.aggregates.arithmetic import as_element, as_float
from pullback.passes.aggregates.elements import Elements, Whole, is_kept, number

LAYOUTS = {
    np.transpose, np.reshape, np.concatenate, np.stack, np.vstack, np.hstack, np.diag, np.tril, np.triu, np.roll,
    np.flip,
}  # fmt: skip
"""Functions that NumPy applies to tables of operands as it does to numbers."""


class _Unknown(Exception):
    """An operand is neither a small array nor known."""


def arranged(known: Whole, statement: Let) -> Elements | None:
    """What NumPy makes of the tables, where what it fills in are zeros."""
    shape = known.shape(statement.value)
    if shape is None or is_kept(known, statement):
        return None
    operands, given = arguments_of(statement)
    try:
        handed = [_handed(known, operand) for operand in operands]
        table = statement.function(*handed, **{name: _handed(known, operand) for name, operand in given.items()})
    except (_Unknown, ValueError, IndexError, TypeError):
        return None
    items = [item if isinstance(item, Value | Constant) else number(float(item)) for item in table.ravel()]
    return Elements(table.shape, tuple(items)) if table.shape == shape else None


def _handed(known: Whole, operand: Any) -> Any:
    if isinstance(operand, tuple):
        return tuple(_handed(known, item) for item in operand)
    if isinstance(operand, Constant):
        return operand.value
    if is_scalar(operand):
        alone = np.empty((), object)
        alone[()] = as_float(known, known.operand(operand))
        return alone
    small = known.parts(operand) if isinstance(operand.type, Array) and operand.type.dtype == "float64" else None
    if small is None:
        raise _Unknown
    return small.table()


def literal(known: Whole, statement: Let) -> Elements | None:
    shape = known.shape(statement.value)
    if shape is None or is_kept(known, statement) or len(statement.operands) != 1 or statement.keywords:
        return None
    given = statement.operands[0]
    if isinstance(given, Value):
        return known.parts(given)
    items = _leaves(known, given, statement.value.type.dtype)
    if items is None or len(items) != int(np.prod(shape)):
        return None
    return Elements(shape, tuple(items))


def _leaves(known: Whole, operand: Operand, dtype: str) -> list[Operand] | None:
    if isinstance(operand, tuple):
        found = [_leaves(known, item, dtype) for item in operand]
        return None if None in found else [item for items in found if items is not None for item in items]
    if is_scalar(operand):
        return [as_element(known, known.operand(operand), dtype)]
    small = known.parts(operand)
    return None if small is None else [as_element(known, item, dtype) for item in small.items]


def filled(value: Callable[[tuple[int, ...]], float]) -> Callable[[Whole, Let], Elements | None]:
    """The rule of what makes an array of numbers that depend on their places alone."""

    def rule(known: Whole, statement: Let) -> Elements | None:
        shape = known.shape(statement.value)
        is_shifted = statement.function is np.eye and (len(statement.operands) > 2 or "k" in statement.keywords)
        if shape is None or is_kept(known, statement) or is_shifted:
            return None
        type_ = Scalar(statement.value.type.dtype)
        kind = bool if type_.dtype == "bool" else float
        return Elements(shape, tuple(Constant(kind(value(place)), type_) for place in np.ndindex(shape)))

    return rule


def full(known: Whole, statement: Let) -> Elements | None:
    shape = known.shape(statement.value)
    operands, _ = arguments_of(statement)
    if shape is None or is_kept(known, statement) or len(operands) != 2 or not is_scalar(operands[1]):
        return None
    item = as_element(known, known.operand(operands[1]), statement.value.type.dtype)
    return Elements(shape, (item,) * int(np.prod(shape)))


def copy(known: Whole, statement: Let) -> Elements | None:
    return None if is_kept(known, statement) else known.parts(statement.operands[0])
