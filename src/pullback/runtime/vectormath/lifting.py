"""`define(function, of)` turns a function of one float64 into a Numba overload for scalars and arrays of any dtype.

define(exp, exp_of)        →    exp(2), exp(np.float32(2)), exp(np.ones((3, 4), np.float32)) inside @njit
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.codegen.interleaving import CHAINS
from pullback.runtime.memory.strided import common_shape, flat, flat_to, shaped

# Only scalar functions are inlined by force.
SCALARS = {"prefer_literal": False, "inlined": True}
ARRAYS = {"prefer_literal": False, "inlined": False}


def float_type(t: Any) -> Any:
    """float32 for an operand of float32, float64 for any other real one, None for what is not a real operand."""
    t = types.unliteral(t.dtype if isinstance(t, types.Array) else t)
    if not isinstance(t, (types.Float, types.Integer, types.Boolean)):
        return None
    return t if t == types.float32 else types.float64


def define(function: Any, of: Any, of_single: Any = None) -> None:
    """Overloads function(x) by the kernel of(x) of a float64, and by of_single(x) for float32.

    Without of_single, float32 is computed in float64 and rounded once.
    """

    def kernel_for(result: Any) -> tuple[Any, Any]:
        """(kernel, type of its argument)"""
        if result == types.float32 and of_single is not None:
            return of_single, types.float32
        return of, types.float64

    setattr(function, CHAINS, True)

    @compiled(function, **SCALARS)
    def scalar(x: Any) -> Any:
        result = float_type(x)
        if result is None or isinstance(x, types.Array):
            return None
        formula, operand = kernel_for(result)
        return lambda x: result(formula(operand(x)))

    @compiled(function, **ARRAYS)
    def array(x: Any) -> Any:
        result = float_type(x)
        if result is None or not isinstance(x, types.Array):
            return None
        formula, operand = kernel_for(result)

        def loop(x: Any) -> Any:
            values = flat(x)
            out = np.empty(values.size, result)
            for i in range(values.size):
                out[i] = formula(operand(values[i]))
            return shaped(out, x.shape)

        return loop


def define_pair(function: Any, of: Any) -> None:
    """Overloads function(x) that returns two results, as `define`."""
    setattr(function, CHAINS, True)

    @compiled(function, **SCALARS)
    def scalar(x: Any) -> Any:
        result = float_type(x)
        if result is None or isinstance(x, types.Array):
            return None

        def both(x: Any) -> Any:
            first, second = of(np.float64(x))
            return result(first), result(second)

        return both

    @compiled(function, **ARRAYS)
    def array(x: Any) -> Any:
        result = float_type(x)
        if result is None or not isinstance(x, types.Array):
            return None

        def loop(x: Any) -> Any:
            values = flat(x)
            firsts, seconds = np.empty(values.size, result), np.empty(values.size, result)
            for i in range(values.size):
                firsts[i], seconds[i] = of(np.float64(values[i]))
            return shaped(firsts, x.shape), shaped(seconds, x.shape)

        return loop


def define_binary(function: Any, of: Any) -> None:
    """Overloads function(x1, x2), as `define`; float32 if both are. Arrays are broadcast together."""
    setattr(function, CHAINS, True)

    @compiled(function, **SCALARS)
    def scalar(x1: Any, x2: Any) -> Any:
        result = common_type(x1, x2)
        if result is None or isinstance(x1, types.Array) or isinstance(x2, types.Array):
            return None
        return lambda x1, x2: result(of(np.float64(x1), np.float64(x2)))

    @compiled(function, **ARRAYS)
    def array(x1: Any, x2: Any) -> Any:
        result = common_type(x1, x2)
        first, second = isinstance(x1, types.Array), isinstance(x2, types.Array)
        if result is None or not (first or second):
            return None

        def loop_of_first(x1: Any, x2: Any) -> Any:
            values = flat(x1)
            other = np.float64(x2)
            out = np.empty(values.size, result)
            for i in range(values.size):
                out[i] = of(np.float64(values[i]), other)
            return shaped(out, x1.shape)

        def loop_of_second(x1: Any, x2: Any) -> Any:
            values = flat(x2)
            other = np.float64(x1)
            out = np.empty(values.size, result)
            for i in range(values.size):
                out[i] = of(other, np.float64(values[i]))
            return shaped(out, x2.shape)

        def loop(x1: Any, x2: Any) -> Any:
            shape = common_shape(x1.shape, x2.shape)
            firsts, seconds = flat_to(x1, shape), flat_to(x2, shape)
            out = np.empty(firsts.size, result)
            for i in range(firsts.size):
                out[i] = of(np.float64(firsts[i]), np.float64(seconds[i]))
            return shaped(out, shape)

        if first and second:
            return loop
        return loop_of_first if first else loop_of_second


def common_type(x1: Any, x2: Any) -> Any:
    """float32 if both operands are float32, float64 for other real ones, None otherwise."""
    first, second = float_type(x1), float_type(x2)
    if first is None or second is None:
        return None
    return first if first == second else types.float64
