"""Functions whose derivative is 0 wherever it exists: tests, rounding, positions, and arrays of fixed numbers."""

from __future__ import annotations

import math
import operator

import numpy as np

from pullback import runtime
from pullback.functions.declare import REDUCTION, constant, helper
from pullback.functions.operands import needs_division, needs_numpy_division, needs_shift

constant(np.less, operator="Lt", on_numbers=operator.lt)
constant(np.less_equal, operator="LtE", on_numbers=operator.le)
constant(np.greater, operator="Gt", on_numbers=operator.gt)
constant(np.greater_equal, operator="GtE", on_numbers=operator.ge)
constant(np.equal, operator="Eq", on_numbers=operator.eq)
constant(np.not_equal, operator="NotEq", on_numbers=operator.ne)
constant(np.isclose, np.allclose, np.array_equal, np.isin)

constant(np.isnan, spellings=(math.isnan,))
constant(np.isinf, spellings=(math.isinf,))
constant(np.isfinite, spellings=(math.isfinite,))
constant(np.isposinf, np.isneginf, np.signbit, np.iscomplexobj, np.isrealobj, np.isreal, np.iscomplex)

constant(np.logical_and, on_numbers=lambda a, b: bool(a and b) if isinstance(a, bool) else np.logical_and(a, b))
constant(np.logical_or, on_numbers=lambda a, b: bool(a or b) if isinstance(a, bool) else np.logical_or(a, b))
constant(np.logical_not, operator="Not", on_numbers=lambda a: not a if isinstance(a, bool) else np.logical_not(a))
constant(np.logical_xor)
constant(np.bitwise_and, operator="BitAnd", on_numbers=operator.and_)
constant(np.bitwise_or, operator="BitOr", on_numbers=operator.or_)
constant(np.bitwise_xor, operator="BitXor", on_numbers=operator.xor)
constant(np.invert, operator="Invert", on_numbers=operator.invert)
constant(
    np.left_shift,
    operator="LShift",
    on_numbers=operator.lshift,
    compiled=helper(runtime.left_shift, when=needs_shift),
)
constant(
    np.right_shift,
    operator="RShift",
    on_numbers=operator.rshift,
    compiled=helper(runtime.right_shift, when=needs_shift),
)

constant(
    np.floor_divide,
    operator="FloorDiv",
    on_numbers=operator.floordiv,
    compiled=helper(runtime.quotient_of_integers, when=needs_numpy_division)
    + helper(runtime.floor_divide, when=needs_division),
)
constant(np.floor, np.ceil, np.fix, np.spacing, runtime.round_decimal)
constant(np.round, is_method=True, spellings=(np.around,))
constant(np.rint, compiled=helper(runtime.rint))
constant(np.trunc, compiled=helper(runtime.trunc))
constant(np.sign, compiled=helper(runtime.sign))

constant(
    np.all,
    compiled=helper(runtime.all_over, axis=None, keepdims=False),
    **REDUCTION,
)
constant(
    np.any,
    compiled=helper(runtime.any_over, axis=None, keepdims=False),
    **REDUCTION,
)
constant(
    np.argmax,
    compiled=helper(runtime.argmax_over, axis=None),
    **REDUCTION,
)
constant(
    np.argmin,
    compiled=helper(runtime.argmin_over, axis=None),
    **REDUCTION,
)
constant(np.argsort, is_method=True, compiled=helper(runtime.argsort, axis=-1, kind=None, stable=None))
constant(np.nanargmax, np.nanargmin, np.flatnonzero, np.argwhere, runtime.argsort_along)
constant(runtime.permutation_of, keeps_type=True)
constant(np.count_nonzero, np.digitize, np.argpartition)
constant(np.searchsorted, is_method=True)

constant(np.zeros, np.empty, parameters=("shape", "dtype"))
constant(np.ones, np.eye, np.identity, np.tri)
constant(np.zeros_like, np.ones_like, np.empty_like)
constant(np.shape, np.size, np.ndim)
constant(runtime.stop_gradient, is_view=True)
