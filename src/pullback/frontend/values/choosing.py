"""Values of which the run computes one of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.frontend.values.bindings import ArrayRef
from pullback.frontend.values.context import Context
from pullback.ir.nodes import UNDEFINED, Block, Constant, If, Operand, Value
from pullback.ir.types import Type


def either(
    context: Context,
    condition: Operand,
    then: Callable[[], Operand],
    orelse: Callable[[], Operand],
    name: str,
    node: Any,
) -> Value:
    """One of two values of the same type, of which only that is computed; neither writes or binds anything."""
    outer = context.state
    sides: list[Block] = []
    types: list[Type] = []
    for side in (then, orelse):
        context.state = outer.copy()
        try:
            with context.builder.block() as statements:
                value = side()
        finally:
            context.state = outer
        sides.append(Block(tuple(statements), (value,)))
        types.append(value.type)
    result = Value(name, types[0])
    context.builder.add(If(condition, sides[0], sides[1], (result,), context.location(node)))
    return result


def read_if(context: Context, ref: ArrayRef, is_set: Operand | None, node: Any) -> Value:
    """The present value of a view, undefined where the name has none.

    A part of another array is read only where the name has a value: otherwise nobody knows which part that is.
    """
    is_part = ref.path or ref.cell in context.state.points_to
    if not is_part or not isinstance(is_set, Value):
        return context.read(ref, node)
    types: list[Type] = []

    def read() -> Value:
        value = context.read(ref, node)
        types.append(value.type)
        return value

    return either(context, is_set, read, lambda: Constant(UNDEFINED, types[0]), ref.cell.name, node)
