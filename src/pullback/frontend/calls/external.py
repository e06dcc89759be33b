"""Calls of external functions: one statement each, which stays where it is and is not left out.

y = spline(x)       →       y = call_external(spline, '(float64*) -> float64', x)

The first operand is a number that is looked up at each call of the generated code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.derivatives.structures import whole
from pullback.frontend.source.externals import External
from pullback.frontend.tapes.captured import number_of
from pullback.frontend.values.bindings import ArrayRef, Binding, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.ir.nodes import Call, Constant, Operand, Value
from pullback.ir.types import is_complex, is_float, within
from pullback.runtime import call_address, call_external


def call_of_external(
    context: Context, external: External, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Binding:
    """What an external function returns."""
    names = [*("",) * len(arguments), *(f"{name}=" for name in keywords)]
    given = [_operand(context, external, one, node) for one in (*arguments, *keywords.values())]
    signature = _signature(external, names, given)
    if external.c is not None:
        _check_numbers(context, external, names, given, node)
        signature = external.c.signature
    function: Callable[..., Any] = call_external if external.c is None else call_address
    results = tuple(Value("", type_) for type_ in external.results)
    operands = (number_of(context, external), Constant(signature), *given)
    context.builder.add(Call(function, operands, results, context.location(node)))
    made = tuple(map(context.bind, results))
    return TupleValue(made) if external.several else made[0] if made else Static(None)


def _operand(context: Context, external: External, binding: Binding, node: Any) -> Operand:
    match binding:
        case Value() | ArrayRef():
            return whole(context, binding, node)
        case Constant(value=int() as number) if within(number, "int64") != number:
            context.mistyped(node, f"an integer of more than 64 bits is given to '{external.__name__}'")
        case Constant(type=type_) if type_ is not None:
            return binding
        case Static(value=None) | Constant(value=None):
            return Constant(None)
    reason = f"'{external.__name__}', which is called and not read, is given something else than numbers and arrays"
    context.mistyped(node, reason, "let pb.external have a lambda that takes numbers and arrays, and makes the rest")


def _signature(external: External, names: list[str], given: list[Operand]) -> str:
    types = [f"{name}{operand.type}" for name, operand in zip(names, given, strict=True)]
    results = ", ".join(map(str, external.results))
    return f"({', '.join(types)}) -> {results if len(external.results) == 1 else f'({results})'}"


def _check_numbers(context: Context, external: External, names: list[str], given: list[Operand], node: Any) -> None:
    """TypingError where a function of C does not take what it is given."""
    assert external.c is not None, "a function of C"
    taken = external.c.arguments
    if len(given) != len(taken) or any(names):
        context.mistyped(node, f"'{external.__name__}' takes {len(taken)} arguments, by position")
    for k, (operand, dtype) in enumerate(zip(given, taken, strict=True)):
        is_number = operand.type is not None and not hasattr(operand.type, "ndim")
        loses = is_complex(operand.type) or (is_float(operand.type) and not dtype.startswith("float"))
        if not is_number or loses:
            context.mistyped(node, f"argument {k} of '{external.__name__}' is {operand.type}, where C has {dtype}")
