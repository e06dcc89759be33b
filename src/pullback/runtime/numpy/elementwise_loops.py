"""Loops over the elements of one or two operands, with NumPy 2's broadcasting and dtypes also where Numba's differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, dtype_of, element_type, is_array, is_scalar, promotion_operand
from pullback.runtime.memory.strided import common_shape, flat, flat_to, shaped


def unary(a: Any, formula: Any, source: np.dtype[Any], result: np.dtype[Any]) -> Any:
    """Implementation for a scalar or array `a`: `formula` of each element, cast to `source`, as `result`."""
    cast_in, cast_out = element_type(source), element_type(result)
    if is_scalar(a):
        return lambda x: cast_out(formula(cast_in(x)))

    def loop(x: Any) -> Any:
        values = flat(x)
        out = np.empty(values.size, cast_out)
        for i in range(values.size):
            out[i] = cast_out(formula(cast_in(values[i])))
        return shaped(out, x.shape)

    return loop


def binary(a: Any, b: Any, formula: Any, sources: tuple[Any, Any], result: np.dtype[Any]) -> Any:
    """Implementation for two scalars or arrays, as `unary`."""
    cast_a, cast_b, cast_out = element_type(sources[0]), element_type(sources[1]), element_type(result)
    if is_scalar(a) and is_scalar(b):
        return lambda x1, x2: cast_out(formula(cast_a(x1), cast_b(x2)))

    if is_scalar(b):

        def loop_of_first(x1: Any, x2: Any) -> Any:
            values = flat(x1)
            second = cast_b(x2)
            out = np.empty(values.size, cast_out)
            for i in range(values.size):
                out[i] = cast_out(formula(cast_a(values[i]), second))
            return shaped(out, x1.shape)

        return loop_of_first
    if is_scalar(a):

        def loop_of_second(x1: Any, x2: Any) -> Any:
            values = flat(x2)
            first = cast_a(x1)
            out = np.empty(values.size, cast_out)
            for i in range(values.size):
                out[i] = cast_out(formula(first, cast_b(values[i])))
            return shaped(out, x2.shape)

        return loop_of_second

    def loop(x1: Any, x2: Any) -> Any:
        shape = common_shape(x1.shape, x2.shape)
        firsts, seconds = flat_to(x1, shape), flat_to(x2, shape)
        out = np.empty(firsts.size, cast_out)
        for i in range(firsts.size):
            out[i] = cast_out(formula(cast_a(firsts[i]), cast_b(seconds[i])))
        return shaped(out, shape)

    return loop


def shape_of(a: Any) -> Any:
    """a.shape, () for a scalar."""
    return np.shape(a)


@compiled(shape_of, prefer_literal=False)
def _shape_of(a: Any) -> Any:
    return (lambda a: a.shape) if is_array(a) else (lambda a: ())


def spread(a: Any, shape: Any) -> Any:
    """What `item` reads at each position of `shape`: a 1-d array, or the scalar itself."""
    return flat_to(a, shape)


@compiled(spread, prefer_literal=False)
def _spread(a: Any, shape: Any) -> Any:
    return (lambda a, shape: flat_to(a, shape)) if is_array(a) else (lambda a, shape: a)


def is_operand(t: Any) -> bool:
    return is_array(t) or is_scalar(t)


def float_dtype(a: Any) -> np.dtype[Any]:
    """float32 stays, every other real dtype becomes float64."""
    dtype = dtype_of(a)
    return dtype if dtype == np.float32 else np.dtype(np.float64)


def define_unary(function: Any, ufunc: Any, formula: Any) -> None:
    """The overload of function(x): dtypes as `ufunc` has them, or floats for None."""

    @compiled(function, prefer_literal=False)
    def typed(x: Any) -> Any:
        if not is_operand(x):
            return None
        dtypes = ufunc.resolve_dtypes((dtype_of(x), None)) if ufunc else (float_dtype(x),) * 2
        return unary(x, formula, *dtypes)


def define_binary(function: Any, ufunc: Any, formula: Any, integer_formula: Any = None) -> None:
    """The overload of function(x1, x2), dtypes as `ufunc` has them; another formula for two integers, if given."""

    @compiled(function)
    def typed(x1: Any, x2: Any) -> Any:
        if not is_operand(x1) or not is_operand(x2):
            return None
        a, b, result = binary_dtypes(ufunc, x1, x2)
        scalars = is_scalar(x1) and is_scalar(x2)
        chosen = formula
        if integer_formula is not None and result.kind in "iu":
            chosen = integer_formula(scalars)
        return binary(x1, x2, chosen, (a, b), result)


def binary_dtypes(ufunc: Any, x1: Any, x2: Any) -> tuple[np.dtype[Any], ...]:
    """dtypes of both operands and of the result in NumPy's loop for these types."""
    operands = (promotion_operand(x1), promotion_operand(x2))
    if operands == (int, int):
        operands = (np.dtype(np.int64), np.dtype(np.int64))
    return ufunc.resolve_dtypes((*operands, None))
