"""Rounding of arrays to whole numbers, by the functions that loops over elements have.

`np.round` of floats to no decimals is `np.rint`, and `np.fix` of floats is `np.trunc`, to the sign of zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply
from pullback.frontend.calls.complex_numbers import type_of_binding
from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.types import Array, is_complex, is_float

ROUNDING = Meanings()


@ROUNDING.of(np.round)
def _round(context: Context, node: Any, a: Binding, decimals: Binding | None = None) -> Binding:
    if decimals in (None, constant(0)) and _is_array_of_floats(context, a, node):
        return apply(context, np.rint, (a,), {}, node)
    return apply(context, np.round, (a,) if decimals is None else (a, decimals), {}, node)


@ROUNDING.of(np.fix)
def _fix(context: Context, node: Any, x: Binding) -> Binding:
    return apply(context, np.trunc if _holds_floats(context, x, node) else np.fix, (x,), {}, node)


def _is_array_of_floats(context: Context, binding: Binding, node: Any) -> bool:
    type_ = type_of_binding(context, binding, node)
    return isinstance(type_, Array) and type_.ndim > 0 and _holds_floats(context, binding, node)


def _holds_floats(context: Context, binding: Binding, node: Any) -> bool:
    type_ = type_of_binding(context, binding, node)
    return type_ is not None and is_float(type_) and not is_complex(type_)
