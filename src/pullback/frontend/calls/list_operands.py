"""Lists and tuples as operands: Python raises TypeError, but where something of NumPy makes an array of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import Array


def is_list(binding: Binding) -> bool:
    """Whether this is a list or a tuple of Python's."""
    return isinstance(binding, ListRef) or (isinstance(binding, TupleValue) and binding.is_sequence)


def check_operands(context: Context, function: Callable[..., Any], given: tuple[Binding, ...], node: Any) -> None:
    """TypeError, as a plain call has it, for an operator on a list or tuple that Python does not know."""
    if not any(map(is_list, given)):
        return
    others = [operand for operand in given if not is_list(operand)]
    if any(map(_is_array, others)) or (function is not np.multiply and any(map(is_of_numpy, others))):
        return
    operands = " and ".join(described(operand) for operand in given)
    remedy = "make an array of it first, as in np.array(items)"
    context.mistyped(node, f"this operator or function of Python's is not defined for {operands}", remedy)


def is_of_numpy(binding: Binding) -> bool:
    """Whether this is an array or a number of NumPy's, in whose operators lists are taken for arrays."""
    number = isinstance(binding, Value | Constant) and binding.type is not None
    return _is_array(binding) or (number and not getattr(binding.type, "weak", False))


def _is_array(binding: Binding) -> bool:
    return isinstance(binding, ArrayRef) or (isinstance(binding, Value) and isinstance(binding.type, Array))
