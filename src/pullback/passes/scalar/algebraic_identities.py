"""Algebraic identities: what stands for the result of a function, where that is known from its operands.

>>> from types import SimpleNamespace
>>> x = Value("x", Scalar("float64"))
>>> IDENTITIES[np.multiply](SimpleNamespace(definitions={}), Constant(1, INT), x) is x
True

Each takes what the operands were made by, then the operands; None where nothing simpler is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from pullback import runtime
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.nodes import Constant, Index, Let, Operand, Value
from pullback.ir.types import BOOL, INT, Array, Scalar, is_complex


class Definitions(Protocol):
    """The statements that made the values which are known so far."""

    definitions: dict[Value, Let]


def is_number(operand: Operand, number: float) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.value, int | float) and operand.value == number


def _multiply(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    if is_number(a, 1) or (is_complex(b.type) and _is_complex_one(a)):
        return b
    return a if is_number(b, 1) or (is_complex(a.type) and _is_complex_one(b)) else None


def _is_complex_one(operand: Operand) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.value, complex) and operand.value == 1


def _add(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    if is_number(a, 0):
        return b
    return a if is_number(b, 0) else None


def _subtract(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    return a if is_number(b, 0) else None


def _divide(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    return a if is_number(b, 1) else None


def _power(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    return a if is_number(b, 1) else None


def _negative(simplifier: Definitions, a: Operand) -> Operand | None:
    if isinstance(a, Constant) and isinstance(a.value, int | float | complex):
        return Constant(-a.value, a.type)
    definition = simplifier.definitions.get(a)
    return definition.operands[0] if definition is not None and definition.function is np.negative else None


def _cast(simplifier: Definitions, a: Operand, dtype: Constant) -> Operand | None:
    """A cast that changes nothing, and the cast of a number known beforehand."""
    if isinstance(a.type, Scalar) and a.type.dtype == dtype.value.rstrip("*"):
        # NumPy's integers wrap around, Python's do not.
        return a if a.type.dtype != "int64" or a.type.weak == dtype.value.endswith("*") else None
    if isinstance(a, Constant) and isinstance(a.value, int | float) and dtype.value.startswith(("float", "complex")):
        python = float if dtype.value.startswith("float") else complex
        return Constant(python(a.value), Scalar(dtype.value.rstrip("*"), dtype.value.endswith("*")))
    return None


def _where(simplifier: Definitions, condition: Operand, a: Operand, b: Operand) -> Operand | None:
    """The one that a known condition chooses, unless it may be spread over axes of the other one."""
    if not isinstance(condition, Constant):
        return None
    chosen, other = (a, b) if condition.value else (b, a)
    return chosen if _is_within(simplifier, other, chosen) else None


def _is_within(simplifier: Definitions, operand: Operand, array: Operand) -> bool:
    """Whether an operand is made of the elements of an array and of numbers alone, so that it has no other axes."""
    open_, seen = [operand], {array}
    while open_:
        value = open_.pop()
        if value in seen or isinstance(value.type, Scalar):
            continue
        seen.add(value)
        made = simplifier.definitions.get(value)
        if made is None or not is_elementwise(made.function):
            return False
        open_ += made.operands
    return True


def _maximum(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    """A size is never negative."""
    definition = simplifier.definitions.get(a) if isinstance(a, Value) else None
    return a if definition is not None and definition.function is primitives.dim and is_number(b, 0) else None


def extremum_of(comparison: Let | None, then: Operand, orelse: Operand) -> Callable[..., Any] | None:
    """The larger or the smaller of two integers of one type, if it is what a branch on their comparison chooses."""
    if comparison is None or comparison.function not in _ORDERS or any(o.type != INT for o in comparison.operands):
        return None
    if comparison.operands == (then, orelse):
        return _ORDERS[comparison.function]
    if comparison.operands == (orelse, then):
        return max if _ORDERS[comparison.function] is min else min
    return None


_ORDERS = {np.less: min, np.less_equal: min, np.greater: max, np.greater_equal: max}
"""What the first operand is where the comparison holds."""


def _equal(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    """An integer is equal to itself."""
    return Constant(True, BOOL) if a is b and isinstance(a, Value) and a.type == INT else None


def _positive(simplifier: Definitions, a: Operand) -> Operand | None:
    return a if isinstance(a.type, Scalar) else None


def _load(simplifier: Definitions, array: Operand, path: Operand) -> Operand | None:
    """What was just stored there, or made an array without axes; of what is undefined, what is undefined."""
    definition = simplifier.definitions.get(array) if isinstance(array, Value) else None
    if definition is None:
        return None
    if definition.function is np.reshape and definition.operands[1] == () and path == (Index(()),):
        stored = definition.operands[0]
    elif definition.function is primitives.store and definition.operands[1] == path:
        stored = definition.operands[2]
    else:
        return None
    return stored if isinstance(stored, Value | Constant) and isinstance(stored.type, Scalar) else None


def _store(simplifier: Definitions, array: Operand, path: Operand, value: Operand) -> Operand | None:
    """What holds the value there already."""
    definition = simplifier.definitions.get(array) if isinstance(array, Value) else None
    if definition is None or definition.function is not primitives.store:
        return None
    return array if definition.operands[1:] == (path, value) else None


def _transpose(simplifier: Definitions, array: Operand, axes: Operand = ()) -> Operand | None:
    """What was transposed, where this puts its axes back."""
    definition = simplifier.definitions.get(array) if isinstance(array, Value) else None
    if definition is None or definition.function is not np.transpose:
        return None
    original, *given = definition.operands
    first, second = (_order(axes, array.type.ndim) for axes in ((given or [()])[0], axes))
    return original if [first[axis] for axis in second] == [*range(len(second))] else None


def _reshape(simplifier: Definitions, array: Operand, shape: Operand, *others: Operand) -> Operand | None:
    """An array of one axis is flat."""
    sizes = shape if isinstance(shape, tuple) else (shape,)
    is_flat = not others and isinstance(array.type, Array) and array.type.ndim == 1
    return array if is_flat and len(sizes) == 1 and is_number(sizes[0], -1) else None


def _both(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    """True leaves the other truth value as it is, and False leaves False.

    >>> a, true, false = Value("a", BOOL), Constant(True, BOOL), Constant(False, BOOL)
    >>> _both(None, true, a) is a, _both(None, a, false) is false, _either(None, a, true) is true, _both(None, a, a)
    (True, True, True, None)
    """
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant) and one.type == other.type == BOOL:
            return other if one.value else one
    return None


def _either(simplifier: Definitions, a: Operand, b: Operand) -> Operand | None:
    """False leaves the other truth value as it is, and True leaves True."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant) and one.type == other.type == BOOL:
            return one if one.value else other
    return None


def _order(axes: Any, ndim: int) -> list[int]:
    """The axes of an array in the order in which np.transpose arranges them; reversed where none are given."""
    return [axis.value % ndim for axis in axes] if axes else [*range(ndim)][::-1]


IDENTITIES: dict[Callable[..., Any], Callable[..., Operand | None]] = {
    np.multiply: _multiply,
    np.add: _add,
    np.subtract: _subtract,
    np.true_divide: _divide,
    np.power: _power,
    np.negative: _negative,
    np.positive: _positive,
    np.transpose: _transpose,
    np.reshape: _reshape,
    primitives.cast: _cast,
    primitives.load: _load,
    primitives.store: _store,
    max: _maximum,
    np.equal: _equal,
    np.logical_and: _both,
    np.logical_or: _either,
    np.where: _where,
    runtime.where: _where,
}
