"""Applying a NumPy function to bindings: operands are read, Python's numbers take the dtype of what they meet."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.calls.exact_libraries import by_operands, by_operator, is_of_math
from pullback.frontend.calls.keywords import checked_keywords, in_dtype_asked_for
from pullback.frontend.calls.list_operands import check_operands
from pullback.frontend.calls.truth_values import truths_of_python
from pullback.frontend.source.addresses import is_numpy, name_of
from pullback.frontend.values.bindings import (
    ArrayRef,
    Binding,
    ListRef,
    MaybeUnset,
    Range,
    Static,
    Text,
    TupleValue,
    cells_in,
)
from pullback.frontend.values.context import Context, StaticNeeded
from pullback.frontend.values.described import described
from pullback.frontend.values.stored_integers import check_within
from pullback.functions import is_elementwise, record_of, rule_of
from pullback.ir.infer import SeveralResults, infer, may_be_view, several_results
from pullback.ir.nodes import Call, Constant, Operand, Value, is_scalar, values_in
from pullback.ir.types import FLOAT, INT, Scalar, Type, is_float, sample_of, type_of, within

STATIC = {
    *("axis", "axes", "keepdims", "ddof", "dtype", "ord", "axis1", "axis2", "source", "destination", "order", "k"),
    *("l_and_u", "trans"),
}
"""Parameters whose value decides the type of the result: they must be known before the run."""

TUPLES = {"shape", "newshape", "axis", "axes", "reps", "shift", "source", "destination", "size"}
"""Parameters that take a tuple as it is, where others make an array of it."""

SEQUENCES = {"arrays", "tup"}
"""Parameters that take several arrays, each of which may be a list of its numbers."""

_WITHOUT_DERIVATIVES = (np.float16, np.longdouble, np.clongdouble)
_WIDE = ("float64", "complex128")
_NARROW = {"float32": "float64", "complex64": "complex128"}
"""Dtypes of half the bits, with those that have all."""


def apply(
    context: Context,
    function: Callable[..., Any],
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
    by: str = "",
) -> Binding:
    """`function(*arguments, **keywords)` as a statement of the open block; by: see `ir.nodes.Let`."""
    names = parameter_names(function)
    keywords = checked_keywords(context, function, names, arguments, keywords, node)
    if len(arguments) > len(names) and names:
        context.mistyped(node, f"{name_of(function)} takes {len(names)} arguments, but {len(arguments)} were given")
    given = [*arguments, *keywords.values()]
    labels = labels_of(function, len(given), tuple(keywords))
    operands = tuple(as_operand(context, b, label, node) for b, label in zip(given, labels, strict=True))
    left = tuple(keywords)
    if "dtype" in labels:
        operands, left = in_dtype_asked_for(context, function, labels, operands, left, node)
    strings = [o for o in operands if isinstance(o, Constant) and isinstance(o.value, str)]
    if isinstance(function, np.ufunc) and strings:
        context.mistyped(node, f"{name_of(function)}: the string {strings[0].value!r} is not a number or an array")
    several = several_results(function, operands, left)
    if several is not None and rule_of(function) is not None:
        return _called_for_several(context, function, operands, left, several, node)
    result = context.bind(computed(context, function, operands, left, node, by))
    makes_anew = isinstance(function, np.ufunc) or not is_numpy(function)
    if isinstance(result, ArrayRef) and not makes_anew and may_be_view(function, operands, left):
        result.cell.outside = f"the result of {name_of(function)} may or may not share memory with its argument"
        for cell in {cell for binding in given for cell in cells_in(binding)}:
            context.state.descend(result.cell, cell)
    return result


def _called_for_several(
    context: Context,
    function: Callable[..., Any],
    operands: tuple[Operand, ...],
    keywords: tuple[str, ...],
    several: SeveralResults,
    node: Any,
) -> Binding:
    """A call whose results are the items of a tuple."""
    results = tuple(Value("", type_) for type_ in several.types)
    context.builder.add(Call(function, operands, results, context.location(node), keywords))
    return TupleValue(tuple(map(context.bind, results)), several.kind, several.fields)


def as_of_numpy(context: Context, result: Binding, node: Any) -> Binding:
    """What a function of NumPy returns: never a number of Python's, also of such ones."""
    if not isinstance(result, Value) or not isinstance(result.type, Scalar) or not result.type.weak:
        return result
    with context.builder.at(context.location(node)):
        return context.builder.cast(result, result.type.dtype)


_OF_TRUTH_VALUES: dict[Any, Callable[..., Any]] = {np.add: np.logical_or, np.multiply: np.logical_and}
"""What functions of numbers do with truth values alone, which machine code would take for integers."""


def apply_operator(context: Context, function: Callable[..., Any], given: tuple[Binding, ...], node: Any) -> Binding:
    """An operator of the language on numbers and arrays. TypingError on lists and tuples, as Python has it."""
    check_operands(context, function, given, node)
    operands = tuple(context.operand(binding, node) for binding in given)
    folded = _folded(function, operands)
    if folded is not None:
        return folded
    operands = truths_of_python(context, function, operands, node)
    return context.bind(computed(context, function, operands, (), node, by_operator(function, given)))


def computed(
    context: Context,
    function: Callable[..., Any],
    operands: tuple[Operand, ...],
    keywords: tuple[str, ...],
    node: Any,
    by: str = "",
) -> Value:
    """The statement itself, with the casts that make weak numbers agree. TypingError with NumPy's own reason."""
    try:
        type_ = infer(function, operands, keywords)
    except Exception as error:
        name = getattr(function, "__name__", "function")
        reason = str(error).split("\n")[0]
        context.mistyped(node, f"{name_of(function)}: {reason}" if name not in reason else reason)
    if type_.dtype == "bool":
        function = _OF_TRUTH_VALUES.get(function, function)
    operands, keywords = by_position(function, operands, keywords)
    if np.dtype(type_.dtype) in _WITHOUT_DERIVATIVES:
        context.mistyped(node, f"{type_.dtype} values cannot be differentiated", "use float64 or float32")
    mixed = record_of(function).mixed
    if isinstance(function, np.ufunc) or is_elementwise(function):
        operands = _matched(context, function, operands, type_, node)
    elif mixed is not None:
        matched = _matched(context, np.add, operands[mixed], type_, node)
        operands = operands[: mixed.start] + matched + operands[mixed.stop :]
    if record_of(function).has_axis_of_number and is_scalar(operands[0]):
        operands = _without_axis(function, operands, keywords)
    if function is np.power and type_ == FLOAT and operands[0].type == INT:
        # Python computes a power that is a fraction with floats.
        operands = (as_python_float(context, operands[0], node), operands[1])
    with context.builder.at(context.location(node)):
        type_ = FLOAT if is_of_math(by) and type_.dtype == "float64" else type_
        by = by or by_operands(function, operands)
        return context.builder.let(function, *operands, keywords=keywords, type_=type_, by=by)


def as_python_float(context: Context, number: Binding, node: Any) -> Any:
    """A number as one of 64 bits, which functions of `math` compute with; anything else as it is.

    TypingError, as Python's own error is a TypeError, for a complex number.
    """
    if not is_scalar(number) or number.type.dtype == "float64":
        return number
    if number.type.dtype.startswith("complex"):
        context.mistyped(node, "must be real number, not complex", "use the function of NumPy")
    if isinstance(number, Constant):
        return Constant(float(number.value), FLOAT)
    with context.builder.at(context.location(node)):
        return context.bind(context.builder.cast(number, "float64*"))


def _without_axis(
    function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...]
) -> tuple[Operand, ...]:
    """The operands of a reduction of a number: where NumPy allows to name its axis 0, it means all there are."""
    labels = labels_of(function, len(operands), keywords)
    return tuple(Constant(None) if label == "axis" else o for o, label in zip(operands, labels, strict=True))


def _matched(
    context: Context, function: Callable[..., Any], operands: tuple[Operand, ...], type_: Type, node: Any
) -> tuple[Operand, ...]:
    """Weak numbers in the dtype that NumPy computes with, where Numba would choose another."""
    chosen = record_of(function).chosen
    if chosen is not None:
        return *operands[: chosen.start], *_matched(context, np.add, operands[chosen], type_, node)
    typed = [operand for operand in operands if isinstance(operand, Value | Constant) and operand.type is not None]
    common = np.result_type(*(sample_of(operand.type) for operand in typed if operand.type)).name
    dtypes = {operand.type.dtype for operand in typed}
    if record_of(function).has_order or (_takes_integers(function) and type_.dtype != common):
        return operands
    if not record_of(function).is_comparison and _meet_as_floats(typed):
        return tuple(_as_float(context, operand, node) for operand in operands)
    computed_wide = common in _WIDE and type_.dtype in (*_WIDE, "bool")
    if computed_wide and not dtypes.isdisjoint(_NARROW) and dtypes.isdisjoint(_WIDE):
        return tuple(_widened(context, operand, node) for operand in operands)
    exact = record_of(function).is_comparison and np.dtype(common).kind in "iu"  # NumPy compares integers of any size
    if exact or common in (*_WIDE, "int64", "bool"):
        return operands
    if function is np.clip:
        operands = tuple(_bounded(operand, common) for operand in operands)
    return tuple(_in_dtype(context, operand, common, node) for operand in operands)


def _takes_integers(function: Any) -> bool:
    """Whether a ufunc has loops for integers beside floats, as that of a Bessel function of an integer order."""
    return isinstance(function, np.ufunc) and any({"l", "d"} <= {*loop.partition("-")[0]} for loop in function.types)


def _meet_as_floats(operands: list[Value | Constant]) -> bool:
    """Whether there are unsigned integers of 64 bits and signed ones, which no dtype of integers holds."""
    dtypes = [operand.type.dtype for operand in operands if not getattr(operand.type, "weak", False)]
    return "uint64" in dtypes and any(dtype.startswith("int") for dtype in dtypes)


def _as_float(context: Context, operand: Operand, node: Any) -> Operand:
    """Integers as floats of 64 bits: Numba would convert unsigned ones as if they were signed."""
    if not isinstance(operand, Value | Constant) or operand.type is None or is_float(operand.type):
        return operand
    if isinstance(operand, Constant):
        return Constant(float(operand.value), Scalar("float64"))
    with context.builder.at(context.location(node)):
        return context.builder.cast(operand, "float64")


def _widened(context: Context, operand: Operand, node: Any) -> Operand:
    """Floats of 32 bits that meet integers in 64: Numba would compute with 32."""
    if operand.type.dtype not in _NARROW:
        return operand
    with context.builder.at(context.location(node)):
        return context.builder.cast(operand, _NARROW[operand.type.dtype])


def _bounded(operand: Operand, dtype: str) -> Operand:
    """A bound of np.clip, or the end of the range of the integers that cannot be beyond it."""
    if np.dtype(dtype).kind not in "iu" or not isinstance(operand, Constant) or not isinstance(operand.value, int):
        return operand
    return Constant(within(operand.value, dtype), operand.type)


def _in_dtype(context: Context, operand: Operand, dtype: str, node: Any) -> Operand:
    if not isinstance(operand, Value | Constant) or not isinstance(operand.type, Scalar):
        return operand
    if not operand.type.weak or operand.type.dtype in (dtype, "bool"):
        return operand
    if isinstance(operand, Constant):
        context.check_fits(operand, dtype, node)
        return Constant(operand.value, Scalar(dtype))
    with context.builder.at(context.location(node)):
        check_within(context.builder, operand, dtype)
        return context.builder.cast(operand, dtype)


def _folded(function: Callable[..., Any], operands: tuple[Operand, ...]) -> Constant | None:
    """The result where all operands are Python numbers known before the run."""
    if not all(isinstance(o, Constant) and isinstance(o.type, Scalar) and o.type.weak for o in operands):
        return None
    python = record_of(function).on_numbers
    if python is None:
        return None
    try:
        result = python(*(operand.value for operand in operands))
    except ZeroDivisionError:
        return _divided_by_zero(function, operands)
    except (ArithmeticError, TypeError, ValueError):
        return None
    type_ = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}.get(type(result))
    return None if type_ is None else Constant(result, Scalar(type_, weak=True))


def _divided_by_zero(function: Callable[..., Any], operands: tuple[Operand, ...]) -> Constant | None:
    """What NumPy has for a division by zero of floats: an infinity or NaN; None for one of integers."""
    if function is not np.true_divide and all(isinstance(operand.value, int) for operand in operands):
        return None
    with np.errstate(all="ignore"):
        return Constant(float(function(*(float(operand.value) for operand in operands))), FLOAT)


def as_operand(context: Context, binding: Binding, label: str, node: Any) -> Operand:
    """A binding as the operand for the parameter `label`."""
    if label in STATIC:
        return static_operand(context, binding, label, node)
    match binding:
        case MaybeUnset():
            return as_operand(context, context.settled(binding, node), label, node)
        case Static(value=value):
            return Constant(value)
        case TupleValue() | ListRef() if label in TUPLES:
            return tuple(as_operand(context, item, label, node) for item in context.items(binding, node))
        case TupleValue() | ListRef() if label in SEQUENCES:
            return tuple(context.operand(item, node) for item in context.items(binding, node))
        case Text():
            context.mistyped(node, "a string made at run time cannot be passed here")
        case ArrayRef() | TupleValue() | ListRef() | Range() | Value() | Constant():
            return context.operand(binding, node)
    context.mistyped(node, f"{described(binding)} cannot be passed here")


def static_operand(context: Context, binding: Binding, label: str, node: Any) -> Operand:
    """A parameter that decides types: known before the run, or asked for."""
    match binding:
        case Static(value=np.integer() as value) | Constant(value=np.integer() as value):
            return Constant(int(value))
        case Static(value=value):
            return Constant(value)
        case Constant():
            return binding
        case TupleValue() | ListRef():
            return tuple(static_operand(context, item, label, node) for item in context.items(binding, node))
        case Value():
            needs_static(context, binding, f"'{label}'", node)
    context.mistyped(node, f"'{label}' must be known before the run", "write the number itself")


def needs_static(
    context: Context, value: Value, what: str, node: Any, remedy: str = "write the number itself, or pass it directly"
) -> Any:
    """Ask for this number before the run; the reader starts again if it is an argument."""
    try:
        context.mistyped(node, f"{what} must be known before the run", remedy)
    except TypingError as error:
        raise StaticNeeded(value, error) from None


@cache
def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that a NumPy function takes by position; () where they are not known or many."""
    if isinstance(function, np.ufunc):
        return tuple(f"x{k + 1}" for k in range(function.nin))
    names = record_of(function).parameters
    if names:
        return names
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    return () if any(p.kind is p.VAR_POSITIONAL for p in positional) else tuple(p.name for p in positional)


def by_position(
    function: Callable[..., Any], operands: tuple[Operand, ...], keywords: tuple[str, ...]
) -> tuple[tuple[Operand, ...], tuple[str, ...]]:
    """A call that NumPy accepts, with what is computed at its place, as all that is known of functions takes it.

        np.clip(x, a_min=None, a_max=limit)    →    np.clip(x, None, limit)
        np.sum(x, axis=0)                      →    the same

    A parameter before it that is not given gets the value that it has then.
    """
    names, positional = parameter_names(function), len(operands) - len(keywords)
    named = dict(zip(keywords, operands[positional:], strict=True))
    places = [names.index(name) for name, o in named.items() if name in names and any(values_in(o))]
    if not places:
        return operands, keywords
    moved = names[positional : max(places) + 1]
    defaults = {} if named.keys() >= set(moved) else _defaults_of(function)
    if not all(name in named or name in defaults for name in moved):
        return operands, keywords
    given = [named[name] if name in named else defaults[name] for name in moved]
    left = {name: operand for name, operand in named.items() if name not in moved}
    return (*operands[:positional], *given, *left.values()), tuple(left)


@cache
def _defaults_of(function: Callable[..., Any]) -> dict[str, Constant]:
    """The values of parameters that are not given, where those are numbers or None."""
    parameters = inspect.signature(function).parameters.values()
    plain = {p.name: p.default for p in parameters if isinstance(p.default, bool | int | float | None)}
    return {name: Constant(value, type_of(value)) for name, value in plain.items()}


def labels_of(function: Callable[..., Any], count: int, keywords: tuple[str, ...]) -> list[str]:
    """The parameter for each of so many operands, of which those of the keywords stand last; "" where not known."""
    names, positional = parameter_names(function), count - len(keywords)
    return [*names[:positional], *[""] * (positional - len(names)), *keywords]
