"""An array that is stored into a part of another is copied by a helper.

    x[1:, k] = y    →    store_part(x, (slice(1, None), k), y)

Numba's own assignment takes a second to compile, for the message of its error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.lowering import Lower

from pullback.runtime.codegen.borrowed_arguments import call_with_borrowed

HELPER: list[Callable[[Any, Any, Any], None]] = []
"""The one function that does it: of the array, the index and the value."""


class SliceAssignmentLower(Lower):
    """Numba's translation to LLVM, with such calls."""

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        variables = target_var, index_var, value_var
        target, index, value = (types.unliteral(self.typeof(v.name)) for v in variables)
        arrays = isinstance(target, types.Array) and isinstance(value, types.Array)
        if not arrays or not is_basic(index) or rank_of_part(target, index) < max(1, value.ndim):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        call_with_borrowed(self, HELPER[0], variables)
        return None


def is_basic(index: Any) -> bool:
    """Whether an index has slices, integers, None and ... alone."""
    basic = types.SliceType | types.EllipsisType | types.Integer | types.NoneType
    return all(isinstance(item, basic) for item in items_of(index))


def rank_of_part(array: Any, index: Any) -> int:
    """How many axes the part has."""
    items = items_of(index)
    numbers = sum(isinstance(item, types.Integer) for item in items)
    return int(array.ndim) - numbers + sum(isinstance(item, types.NoneType) for item in items)


def items_of(index: Any) -> Any:
    return index if isinstance(index, types.BaseTuple) else (index,)
