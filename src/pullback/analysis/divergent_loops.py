"""Divergent loops: `while` loops whose number of iterations differs between the lanes that run side by side.

>>> from pullback.frontend.build import normal_form
>>> def f(x):
...     total = 0.0
...     for i in range(x.shape[0]):
...         y = x[i]
...         while y > 1.0:
...             y = np.log(y)
...         k = 0
...         while x[k] < y:
...             k += 1
...         total += y * k
...     return total
>>> loops = [s for s in walk(normal_form(f, np.ones(3)).body) if isinstance(s, While)]
>>> [gains_in_lockstep(loop) for loop in loops]
[True, False]

All lanes go through such a loop together until the last one is done, and those that are done keep what they have (a
mask). That is worth it where an iteration computes something that several lanes compute in the time of one.
"""

from __future__ import annotations

import numpy as np

from pullback.analysis.straight_loops import computes_numbers
from pullback.functions import record_of
from pullback.ir.nodes import Block, Let, Value, While, blocks_of, is_scalar, is_undefined, walk


def gains_in_lockstep(loop: While) -> bool:
    """Whether lanes can go through a loop together, as far as the loop itself says, and may gain from it."""
    if loop.exits or not isinstance(loop.condition.yields[0], Value):
        return False
    if not all(is_scalar(c.parameter) and not is_undefined(c.initial) for c in loop.carried):
        return False
    return all(computes_numbers(block) for block in blocks_of(loop)) and has_vector_function(loop.body)


def has_vector_function(block: Block) -> bool:
    """Whether a block calls a function of the vector math library for floats of 64 bits."""
    lets = (s for s in walk(block) if isinstance(s, Let) and s.value.type.dtype == "float64")
    return any(isinstance(let.function, np.ufunc) and record_of(let.function).vector is True for let in lets)
