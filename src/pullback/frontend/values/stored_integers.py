"""Numbers that arrays of integers are given: what is no integer, or does not fit, raises as Python's integers do.

n[i] = v    →    check(t, OverflowError) for both bounds of the dtype of n, where v may be beyond them
"""

from __future__ import annotations

import numpy as np

from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Constant, Value
from pullback.ir.types import INT, is_wide


def as_item(builder: Builder, number: Value, dtype: str) -> Value:
    """A number that is stored in an array of integers; a float as one of Python's integers."""
    if number.type.dtype.startswith("float") and dtype != "uint64":
        number = builder.cast(number, "int64*")
    if number.type.dtype != "bool" and not np.can_cast(number.type.dtype, dtype):
        check_within(builder, number, dtype)
    return number


def check_within(builder: Builder, number: Value, dtype: str) -> None:
    """OverflowError, as NumPy has it, where an integer is too large for a narrow dtype of integers."""
    if np.dtype(dtype).kind not in "iu" or is_wide(dtype):
        return
    message = Constant(f"a Python integer is out of bounds for {dtype}")
    bounds = np.iinfo(dtype)
    for low, high in ((Constant(int(bounds.min), INT), number), (number, Constant(int(bounds.max), INT))):
        fits = builder.let(np.less_equal, low, high)
        builder.effect(primitives.check, fits, Constant(OverflowError), message)
