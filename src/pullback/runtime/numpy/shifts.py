"""Shifts of NumPy's integers: also by more than all bits, and by counts below 0, which a machine takes for others."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled, dtype_of
from pullback.runtime.numpy.elementwise_loops import define_binary


def left_shift(x1: Any, x2: Any) -> Any:
    """np.left_shift(x1, x2): 0 for a count below 0, or of all bits and more."""
    return np.left_shift(x1, x2)


def right_shift(x1: Any, x2: Any) -> Any:
    """np.right_shift(x1, x2): -1 or 0, as the sign, for a count below 0, or of all bits and more."""
    return np.right_shift(x1, x2)


def shift_left_within(a: Any, b: Any) -> Any:
    """a << b for two integers of one dtype."""
    return np.left_shift(a, b)


@compiled(shift_left_within, prefer_literal=False)
def _shift_left_within(a: Any, b: Any) -> Any:
    bits = dtype_of(a).itemsize * 8
    return lambda a, b: a << b if b >= 0 and b < bits else a - a


def shift_right_within(a: Any, b: Any) -> Any:
    """a >> b for two integers of one dtype."""
    return np.right_shift(a, b)


@compiled(shift_right_within, prefer_literal=False)
def _shift_right_within(a: Any, b: Any) -> Any:
    last = dtype_of(a).itemsize * 8 - 1
    if dtype_of(a).kind == "u":
        return lambda a, b: a >> b if b <= last else a - a
    return lambda a, b: a >> (b if b >= 0 and b <= last else last)


define_binary(left_shift, np.left_shift, shift_left_within)
define_binary(right_shift, np.right_shift, shift_right_within)
