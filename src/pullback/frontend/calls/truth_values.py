"""Truth values of Python's as operands: Python computes with them as with 0 and 1, and NumPy as with its own."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context
from pullback.functions import record_of
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import BOOL, Scalar

_DIVIDING = {np.floor_divide, np.remainder, np.power}
"""These raise, or give a fraction, for some integers: False is the 0 that they ask about."""


def truths_of_python(
    context: Context, function: Callable[..., Any], operands: tuple[Operand, ...], node: Any
) -> tuple[Operand, ...]:
    """The operands of an operator, truth values as integers where Python makes a number of them."""
    divides = function in _DIVIDING and all(isinstance(o.type, Scalar) and o.type.weak for o in operands)
    if not divides and not _is_arithmetic(function, operands):
        return operands
    with context.builder.at(context.location(node)):
        return tuple(_as_integer(context, o) if o.type == BOOL else o for o in operands)


def _as_integer(context: Context, truth: Operand) -> Operand:
    return constant(int(truth.value)) if isinstance(truth, Constant) else context.builder.cast(truth, "int64*")


def truths_of_numpy(
    context: Context, function: Callable[..., Any], arguments: tuple[Binding, ...], node: Any
) -> tuple[Binding, ...]:
    """The arguments of a ufunc, truth values as NumPy's where it makes another one of them than Python does."""
    if not isinstance(function, np.ufunc) or not _is_arithmetic(function, arguments):
        return arguments
    with context.builder.at(context.location(node)):
        return tuple(context.builder.cast(a, "bool") if isinstance(a, Value) else a for a in arguments)


def _is_arithmetic(function: Callable[..., Any], operands: tuple[Any, ...]) -> bool:
    """Whether Python computes a number of its own truth values, as in `~a` and `a + b`.

    >>> truth = Constant(True, BOOL)
    >>> _is_arithmetic(np.invert, (truth,)), _is_arithmetic(np.bitwise_and, (truth, truth))
    (True, False)
    """
    python = record_of(function).on_numbers
    if python is None or not operands or any(getattr(operand, "type", None) != BOOL for operand in operands):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `~` of a bool is deprecated
        return not isinstance(python(*[True] * len(operands)), bool)
