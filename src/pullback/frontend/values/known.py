"""Objects that are known before the run, as bindings, and the objects that bindings are."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.frontend.values.bindings import Binding, Static, TupleValue
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant


def known_binding(value: Any) -> Binding:
    """The binding of an object that is known before the run."""
    if isinstance(value, bool | int | float | complex | np.bool_):
        return constant(value)
    if type(value) in (tuple, list):
        return TupleValue(tuple(map(known_binding, value)))
    return Static(value)


def known_value(binding: Binding) -> tuple[Any] | None:
    """The object that a binding is, in a tuple, if it is known before the run."""
    match binding:
        case Static(value=value) | Constant(value=value):
            return (value,)
        case TupleValue(items=items, kind=None):
            values = [known_value(item) for item in items]
            return None if None in values else (tuple(value[0] for value in values if value),)
    return None
