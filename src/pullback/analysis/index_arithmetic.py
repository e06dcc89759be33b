"""Index arithmetic: which statements of an iteration an index is computed by, if they only compute with integers.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.nodes import For, lets_in
>>> def f(x, k):
...     s = 0.0
...     for i in range(3):
...         s += x[2 * i + 1] * x[k[i]]
...     return s
>>> (loop,) = (s for s in normal_form(f, np.ones(9), np.arange(3)).body.statements if isinstance(s, For))
>>> lets = lets_in(loop.body)
>>> loads = [s for s in lets.values() if s.value.type.dtype == "float64" and s.function.__name__ == "load"]
>>> [arithmetic_of(s.operands, lets, {*lets}) is not None for s in loads]  # k[i] is loaded
[True, False]
"""

from __future__ import annotations

from collections.abc import Mapping, Set

import numpy as np

from pullback.ir.nodes import Let, Operand, Value, values_in
from pullback.ir.types import Scalar

_ARITHMETIC = {np.add, np.subtract, np.multiply, np.negative}


def arithmetic_of(operands: Operand, lets: Mapping[Value, Let], changing: Set[Value]) -> set[Value] | None:
    """The values of an iteration that operands are computed of; None if others than arithmetic make one of them.

    changing: the values that are not the same in every iteration; others are known outside.
    """
    needed: set[Value] = set()
    open_ = [v for v in values_in(operands) if v in changing]
    while open_:
        value = open_.pop()
        made = lets.get(value)
        if made is None or made.function not in _ARITHMETIC or not isinstance(value.type, Scalar):
            return None
        if value not in needed:
            needed.add(value)
            open_ += [v for v in values_in(made.operands) if v in changing]
    return needed
