"""The larger and the smaller of two numbers as one instruction of LLVM, so that loops around it are vectorised."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable


def greater_of(a: Any, b: Any) -> Any:
    """np.maximum(a, b), NaN if either is; of two zeros, either one."""
    return np.maximum(a, b)


def lesser_of(a: Any, b: Any) -> Any:
    """np.minimum(a, b), NaN if either is; of two zeros, either one."""
    return np.minimum(a, b)


def extremum(builder: Any, intrinsic: str, arguments: Any) -> Any:
    """A call of an intrinsic of two numbers, which may ignore the signs of zeros."""
    type_ = arguments[0].type
    of_two = ir.FunctionType(type_, [type_, type_])
    return builder.call(builder.module.declare_intrinsic(intrinsic, [type_], of_two), arguments, fastmath=("nsz",))


def type_of_extremum(a: Any, b: Any) -> Any:
    """The type of the result for two floats of the same width."""
    return a if isinstance(a, types.Float) and a == b else None


@type_callable(greater_of)
def _type_of_greater(context: Any) -> Any:
    return type_of_extremum


@type_callable(lesser_of)
def _type_of_lesser(context: Any) -> Any:
    return type_of_extremum


@lower_builtin(greater_of, types.Float, types.Float)
def _greater(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return extremum(builder, "llvm.maximum", arguments)


@lower_builtin(lesser_of, types.Float, types.Float)
def _lesser(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return extremum(builder, "llvm.minimum", arguments)
