"""Divisible loops: those that keep something for the backward sweep, and keep less in segments.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import find_kept, prepared
>>> def f(x, n):
...     y = np.empty(n + 1)  # which a segment would start with
...     y[n] = x
...     while n > 0:
...         y[n - 1] = np.sin(y[n]) * y[n]
...         n -= 1
...     while x > 0.5:
...         x = np.sin(x)
...     return x + y[0]
>>> function = prepared(normal_form(f, 0.9, 2))
>>> find = lambda loops: find_kept(function, (0,), checkpointed=loops)
>>> whole = Footprint(function, find(frozenset()))
>>> numbers = divisible(whole)
>>> [whole.kept.loops[k].location.text.strip() for k in numbers if gains(whole, k, find)]
['while x > 0.5:']
"""

from __future__ import annotations

from collections.abc import Callable

from pullback.transform.checkpointing.placement import can_be_checkpointed
from pullback.transform.footprint import Footprint
from pullback.transform.sweeps import Kept

Find = Callable[[frozenset[int]], Kept]
"""What tells what is kept with the loops of these numbers in segments."""


def divisible(whole: Footprint) -> tuple[int, ...]:
    """The numbers of the loops that keep something, and may run in segments."""
    keeping = {id(loop) for array in whole.kept.arrays for loop in array.loops}
    loops = enumerate(whole.kept.loops)
    return tuple(k for k, loop in loops if id(loop) in keeping and can_be_checkpointed(loop, whole.function))


def gains(whole: Footprint, number: int, find: Find) -> bool:
    """Whether a segment of a loop starts with no more than an iteration keeps, times a number."""
    loop = whole.kept.loops[number]
    kept = [whole.factors(array, loop) for array in whole.kept.arrays if any(s is loop for s in array.loops)]
    found = Footprint(whole.function, find(frozenset({number})))
    outer = next((s.outer for s in found.kept.segments.values() if s.outer.location == loop.location), None)
    if outer is None:
        return False
    starts = [found.factors(array, outer) for array in found.kept.arrays if array.loops[-1] is outer]
    return all(start is not None and any(k is not None and start <= k for k in kept) for start in starts)
