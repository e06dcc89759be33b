"""Iterators, as `zip`, `map` and `reversed` make them: a second loop over one finds nothing left.

pairs = zip(x, y)
for a, b in pairs: ...     goes over all of it
for a, b in pairs: ...     is refused: what is left depends on where the first loop has stopped
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import Binding, Cell, DictRef, ListRef, OneTime, TupleValue
from pullback.frontend.values.context import Context


def one_time(context: Context, over: Binding, *iterables: Binding) -> OneTime:
    """A new iterator over what is in these iterables."""
    seen: list[tuple[Cell, Any]] = []
    for iterable in iterables:
        if isinstance(iterable, OneTime):
            seen += iterable.seen
        elif isinstance(iterable, ListRef | DictRef):
            seen.append((iterable.cell, context.state.cells.get(iterable.cell)))
        elif isinstance(iterable, TupleValue):
            seen += [(snapshot.cell, snapshot.content) for snapshot in iterable.over]
    return OneTime(Cell("iterator"), over, context.loops, tuple(seen))


def opened(context: Context, binding: Binding, node: Any) -> Binding:
    """What an iterator goes over, which is used up; anything else as it is."""
    if not isinstance(binding, OneTime):
        return binding
    in_another_loop = binding.loops[: len(context.loops)] != context.loops
    if binding in context.state.spent or in_another_loop:
        reason = "an iterator is gone over a second time, which finds nothing left"
        context.refuse(node, reason, "make a list of it first, as in list(zip(x, y))")
    for cell, content in binding.seen:
        if context.state.cells.get(cell) != content:
            name = f"'{cell.name}'" if cell.name else "a list or dict"
            reason = (
                f"{name} changes between the place where an iterator over it is made and the one where that is used"
            )
            context.refuse(node, reason, "go over a copy, as in list(...)")
    context.state.spent |= {binding}
    return binding.over
