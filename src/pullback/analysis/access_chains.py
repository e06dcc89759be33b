"""Access chains: what an iteration does with an array that a loop carries, one access after the other.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import For
>>> def f(x, y):
...     for i in range(1, x.shape[0]):
...         y[0] = x[i]
...         y[i] += y[0]
>>> function = normal_form(f, np.ones(3), np.ones(3))
>>> (loop,) = (s for s in function.body.statements if isinstance(s, For))
>>> [access.function.__name__ for access in accesses_of(loop, 0)]
['store', 'load', 'load', 'store']
"""

from __future__ import annotations

from collections import Counter

from pullback.ir import primitives
from pullback.ir.nodes import For, Let, Value, read_in
from pullback.ir.types import Array


def accesses_of(loop: For, k: int) -> list[Let] | None:
    """The accesses of an iteration to a carried array, in order; None where it does anything else with the array.

    A branch or a loop inside does something else, as does whatever reads a version that was written over.
    """
    version = loop.carried[k].parameter
    if not isinstance(version.type, Array) or not isinstance(loop.carried[k].initial, Value):
        return None
    uses = Counter(read_in(loop.body))
    accesses: list[Let] = []
    loads = 0  # of the version
    for statement in loop.body.statements:
        if not isinstance(statement, Let) or not statement.operands or statement.operands[0] is not version:
            continue
        if statement.function not in primitives.ACCESSES:
            return None
        accesses.append(statement)
        if statement.function is primitives.load:
            loads += 1
            continue
        if uses[version] != loads + 1:
            return None
        version, loads = statement.value, 0
    return accesses if loop.body.yields[k] is version and uses[version] == loads + 1 else None
