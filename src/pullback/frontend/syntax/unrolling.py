"""Which loops over a known range are read one iteration after the other: those whose variable is the index of a list.

for i in range(2):                          params[0] = params[0] - rate * steps[0]
    params[i] = params[i] - rate * steps[i]     params[1] = params[1] - rate * steps[1]
"""

from __future__ import annotations

from typing import Any

import gast

from pullback.frontend.values.bindings import Binding, ListRef, Range, TupleValue
from pullback.frontend.values.context import Context
from pullback.frontend.values.described import described
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant

MOST_ITERATIONS = 16


def known_indices(context: Context, node: Any, source: Range) -> tuple[Binding, ...] | None:
    """The values of the loop's variable, if each iteration needs to know its own; None for any other loop."""
    bounds = (source.start, source.stop, source.step)
    if not isinstance(node.target, gast.Name) or source.checkpoints is not None:
        return None
    numbers = [bound.value for bound in bounds if isinstance(bound, Constant)]
    if len(numbers) < 3 or not 0 < len(range(*numbers)) <= MOST_ITERATIONS:
        return None
    parts = [part for statement in node.body for part in gast.walk(statement) if isinstance(part, gast.Subscript)]
    if any(_needs_number(context, part, node.target.id) for part in parts):
        return tuple(constant(number) for number in range(*numbers))
    return None


def _needs_number(context: Context, part: Any, name: str) -> bool:
    """Whether `part` is an item of a list of known length that is written, or one of a list of different things."""
    mentioned = any(isinstance(inner, gast.Name) and inner.id == name for inner in gast.walk(part.slice))
    if not mentioned or not isinstance(part.value, gast.Name):
        return False
    binding = context.state.names.get(context.frame.key_around(part.value.id, context.state.names))
    content: Any = binding.items if isinstance(binding, TupleValue) else None
    if isinstance(binding, ListRef):
        content = context.state.cells.get(binding.cell)
    if not isinstance(content, tuple):
        return False
    kinds = {described(item, context.state) for item in content}
    return len(kinds) > 1 or (isinstance(part.ctx, gast.Store) and isinstance(binding, ListRef))
