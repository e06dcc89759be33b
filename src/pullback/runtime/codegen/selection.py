"""A selection that stays one: a conditional expression is a branch to LLVM, which moves loads into its sides.

A loop with such loads is vectorised with gathers, if at all.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import lower_builtin, overload, type_callable


def select(condition: bool, then: Any, orelse: Any) -> Any:
    """One of two floats; both have been computed."""
    return then if condition else orelse


@type_callable(select)
def _type_of_selection(context: Any) -> Any:
    def typed(condition: Any, then: Any, orelse: Any) -> Any:
        return then if isinstance(then, types.Float) and then == orelse and condition == types.boolean else None

    return typed


@lower_builtin(select, types.Boolean, types.Float, types.Float)
def _select(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.select(*arguments)


@overload(select, strict=False)
def _selected(condition: Any, then: Any, orelse: Any) -> Any:
    if isinstance(then, types.Float) and then == orelse and condition == types.boolean:
        return None
    return lambda condition, then, orelse: then if condition else orelse
