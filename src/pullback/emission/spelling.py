"""How each operation is written: as NumPy code to read, and as what Numba compiles to the same values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from pullback.frontend.calls.apply import labels_of, parameter_names
from pullback.frontend.calls.exact_libraries import ALIKE, FLOAT_POWER, POWER_TO, is_of_math
from pullback.frontend.source.addresses import address_of
from pullback.functions import RECORDS, Helper, is_elementwise, record_of
from pullback.ir.nodes import Constant, Let, Operand, Value, is_scalar
from pullback.ir.types import is_real_float, is_wide

PARALLEL_RANGE = "prange"
"""What Numba calls a range whose iterations may run at the same time."""

_OPERATORS: dict[Any, type] = {
    record.function: getattr(gast, record.operator) for record in RECORDS.values() if record.operator
}
BINARY = {function: node for function, node in _OPERATORS.items() if issubclass(node, gast.operator)}
COMPARISONS = {function: node for function, node in _OPERATORS.items() if issubclass(node, gast.cmpop)}
UNARY = {np.negative: gast.USub, np.invert: gast.Invert}


def name(text: str) -> Any:
    return gast.Name(text, gast.Load(), None, None)


def attribute(value: Any, attr: str) -> Any:
    return gast.Attribute(value, attr, gast.Load())


def call(function: Any, *arguments: Any, **keywords: Any) -> Any:
    return gast.Call(function, list(arguments), [gast.keyword(k, v) for k, v in keywords.items()])


def constant(value: Any) -> Any:
    return gast.Constant(value, None)


def tuple_(items: list[Any]) -> Any:
    return gast.Tuple(items, gast.Load())


def target_named(text: str) -> Any:
    """A variable that is assigned."""
    return gast.Name(text, gast.Store(), None, None)


def negated(condition: Any) -> Any:
    """`not condition`, with the opposite operator where that is plain."""
    if isinstance(condition, gast.UnaryOp) and isinstance(condition.op, gast.Not):
        return condition.operand
    match condition:
        case gast.Compare(left=left, ops=[gast.Eq()], comparators=right):
            return gast.Compare(left, [gast.NotEq()], right)
        case gast.Compare(left=left, ops=[gast.NotEq()], comparators=right):
            return gast.Compare(left, [gast.Eq()], right)
    return gast.UnaryOp(gast.Not(), condition)


def public_name(function: Any) -> tuple[str, Any]:
    """The public module of a function, and how the function is written there: `np.linalg.inv`, `scipy.special.j0`."""
    address = address_of(function)
    assert address is not None, f"{function!r} has no public name"
    module, own = address
    first, *others = module.split(".")
    owner = name("np" if first == "numpy" else first)
    for part in (*others, own):
        owner = attribute(owner, part)
    return module, owner


def number(value: Any, dtype: str) -> Any:
    """A number as source text."""
    if isinstance(value, complex) and not _is_written_exactly(value):
        if _is_written_exactly(-value):
            return gast.UnaryOp(gast.USub(), constant(-value))
        return call(name("complex"), number(value.real, dtype), number(value.imag, dtype))
    if isinstance(value, float) and not math.isfinite(value):
        text = attribute(name("np"), "nan" if math.isnan(value) else "inf")
        return text if not value < 0 else gast.UnaryOp(gast.USub(), text)
    return constant(value)


def _is_written_exactly(value: complex) -> bool:
    """Whether the text of a complex number means the same number: zeros lose their sign in it."""
    parts = (value.real, value.imag)
    return all(map(math.isfinite, parts)) and not any(part == 0 and math.copysign(1, part) < 0 for part in parts)


def widening_numbers(statement: Let) -> tuple[bool, ...]:
    """Which operands are numbers that make an elementwise function compute with more bits than the others have."""
    operands = statement.operands
    elementwise = isinstance(statement.function, np.ufunc) or statement.function is np.where
    others = [o.type for o in operands if isinstance(o, Value) and not (is_scalar(o) and is_wide(o.type.dtype))]
    if not elementwise or not others or any(is_wide(type_.dtype) for type_ in others):
        return (False,) * len(operands)
    if statement.value.type.dtype == "bool":
        return tuple(is_scalar(o) and is_wide(o.type.dtype) and not o.type.weak for o in operands)
    return tuple(is_scalar(o) and is_wide(o.type.dtype) and is_wide(statement.value.type.dtype) for o in operands)


def typed_number(operand: Constant) -> Any:
    """A number of a dtype that is not Python's own."""
    assert operand.type is not None, "a number has a type"
    plain = number(operand.value, operand.type.dtype)
    if operand.type.dtype in ("float64", "int64", "bool", "complex128"):
        return plain
    return call(attribute(name("np"), operand.type.dtype), plain)


def has_vector(function: Any, operands: tuple[Operand, ...]) -> bool:
    """Whether the vector math library has a function of floats, under its own name."""
    has = record_of(function).vector
    if not has or any(operand.type.dtype not in ("float32", "float64") for operand in operands):
        return False
    return has is True or has(*operands)


def is_of_special(function: Any) -> bool:
    """Whether this is an elementwise function of `scipy.special`, which compiled code has under the same name."""
    return is_elementwise(function) and (address_of(function) or ("",))[0] == "scipy.special"


def library_for(statement: Let, compiled: bool, exact: bool) -> str:
    """The function that stands for what the user called, where its library matters: `libm.exp`, `ufuncs.exp`; or "".

    In text that is not compiled, functions of `math` give Python's numbers, and have no exceptions.
    """
    by = statement.by
    if not compiled and is_of_math(by):
        return by
    if not exact or not is_real_float(statement.value.type) or by in ALIKE:
        return ""
    if compiled:
        return by or (f"ufuncs.{statement.function.__name__}" if record_of(statement.function).loop else "")
    # `x ** y` is the C library's for numbers, which elements of arrays may have become.
    is_apart = by == FLOAT_POWER or (by == POWER_TO and all(map(is_scalar, statement.operands)))
    return by if is_apart else ""


def runtime_for(
    function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]
) -> tuple[Callable[..., Any], list[Operand]] | None:
    """The helper that stands for a function in compiled code, with its operands in order; None where Numba has it."""
    for helper in record_of(function).compiled:
        arranged = _arranged(helper, function, operands, keywords)
        if arranged is not None and (helper.when is None or helper.when(*arranged)):
            return helper.function, arranged
    return None


def _arranged(
    helper: Helper, function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]
) -> list[Operand] | None:
    """The operands in the order of a helper's parameters; None where the call says what it does not take."""
    if not helper.settings:
        return _by_position(function, _bound(function, operands, keywords)) if keywords else list(operands)
    given = _bound(function, operands, keywords)
    count = len(parameter_names(helper.function)) - len(helper.settings)
    first = parameter_names(function)[:count]
    if not given.keys() <= {*first, *helper.settings}:
        return None
    settings = {name: given.get(name, Constant(usual)) for name, usual in helper.settings.items()}
    return [given[name] for name in first] + [
        Constant(repr(value.value)) if name in helper.as_text and isinstance(value.value, float) else value
        for name, value in settings.items()
    ]


def _by_position(function: Any, given: dict[str, Operand]) -> list[Operand] | None:
    """The operands in the order of the parameters; None where there are others between or besides them."""
    names = parameter_names(function)[: len(given)]
    return [given[name] for name in names] if given.keys() == set(names) else None


def _bound(function: Any, operands: tuple[Operand, ...], keywords: tuple[str, ...]) -> dict[str, Operand]:
    return dict(zip(labels_of(function, len(operands), keywords), operands, strict=True))
