"""A helper with a NumPy body becomes one that Numba can also call: `@compiled(helper)` above its typing function."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.np.numpy_support import as_dtype, from_dtype

from pullback.runtime.codegen.callees import OPTIONS, Function, callable_from_compiled


def compiled(
    function: Function, *, prefer_literal: bool = True, inlined: bool = False
) -> Callable[[Function], Function]:
    """Above the function that gives for the types of `function`'s arguments what runs in compiled code."""

    def declare(implementation: Function) -> Function:
        callable_from_compiled(function, implementation, OPTIONS | {"forceinline": inlined}, prefer_literal)
        return implementation

    return declare


def kernel(function: Function) -> Function:
    """The function, which compiled code can call as it stands."""
    compiled(function, prefer_literal=False)(lambda *arguments: function)
    return function


def is_array(t: Any) -> bool:
    return isinstance(t, types.Array)


def is_scalar(t: Any) -> bool:
    return isinstance(types.unliteral(t), (types.Number, types.Boolean))


def is_integer(t: Any) -> bool:
    return isinstance(types.unliteral(t), types.Integer)


def constant(t: Any) -> Any:
    """The Python value of an argument known while compiling: a literal, an omitted default, or a tuple of literals."""
    match t:
        case types.Omitted():
            return t.value
        case types.Literal():
            return t.literal_value
        case types.NoneType():
            return None
        case types.BaseTuple():
            return tuple(constant(item) for item in t)
        case types.Type():
            raise TypingError(f"expected a constant (such as a literal axis), got a value of type {t}")
    return t


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Sorted non-negative axes of a constant `axis`; None means all."""
    axis = constant(axis)
    if axis is None:
        return tuple(range(ndim))
    items = axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(axis_of(item, ndim) for item in items))


def axis_of(axis: Any, ndim: int) -> int:
    """Non-negative form of one constant axis."""
    axis = operator.index(constant(axis))
    if not -ndim <= axis < ndim:
        raise TypingError(f"axis {axis} is out of bounds for an array of dimension {ndim}")
    return axis % ndim


def dtype_of(t: Any) -> np.dtype[Any]:
    """NumPy dtype of an array's elements or of a scalar."""
    return as_dtype(t.dtype if is_array(t) else types.unliteral(t))


def promotion_operand(t: Any) -> Any:
    """What NumPy's promotion sees: a dtype, or `int` for an integer constant, which NumPy 2 promotes weakly."""
    return int if isinstance(t, types.IntegerLiteral) else dtype_of(t)


def result_dtype(*operands: Any) -> np.dtype[Any]:
    """NumPy 2's common dtype of the operands."""
    return np.result_type(*(0 if isinstance(t, types.IntegerLiteral) else dtype_of(t) for t in operands))


def element_type(dtype: Any) -> Any:
    """Numba's scalar type of a NumPy dtype."""
    return from_dtype(np.dtype(dtype))
