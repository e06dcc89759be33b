"""Iterators, as `zip`, `map` and `reversed` make them: a second loop over one finds nothing left.

pairs = zip(x, y)
for a, b in pairs: ...     goes over all of it
for a, b in pairs: ...     is refused: what is left depends on where the first loop has stopped
"""

from __future__ import annotations

from typing import Any

from pullback.frontend.values.bindings import Binding, Cell, OneTime
from pullback.frontend.values.context import Context


def one_time(context: Context, over: Binding) -> OneTime:
    """A new iterator."""
    return OneTime(Cell("iterator"), over, context.loops)


def opened(context: Context, binding: Binding, node: Any) -> Binding:
    """What an iterator goes over, which is used up; anything else as it is."""
    if not isinstance(binding, OneTime):
        return binding
    in_another_loop = binding.loops[: len(context.loops)] != context.loops
    if binding in context.state.spent or in_another_loop:
        reason = "an iterator is gone over a second time, which finds nothing left"
        context.refuse(node, reason, "make a list of it first, as in list(zip(x, y))")
    context.state.spent |= {binding}
    return binding.over
