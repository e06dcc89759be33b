"""Flow dependences of a loop: whether an iteration may load an element that it or an earlier one has written.

>>> import numpy as np
>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> def f(a):
...     for i in range(1, a.shape[0]):
...         for j in range(1, a.shape[1]):
...             a[i, j] = np.sin(a[i - 1, j])
...         for j in range(1, a.shape[1]):
...             a[i, j] = np.sin(a[i, j - 1])
...     return a
>>> function = normal_form(f, np.ones((3, 3)))
>>> places = Places(function.body, Shapes(function))
>>> for loop in (s for s in walk(function.body) if isinstance(s, For) and s.index.name == "j"):
...     arrays = [loop.carried[0].parameter, *(s.value for s in loop.body.statements if isinstance(s, Let))]
...     print(may_load_written(loop, dict.fromkeys(arrays, 0), places))
False
True

Where none does, all loads may stand before all stores.
"""

from __future__ import annotations

from collections.abc import Mapping

from pullback.analysis.subscripts import Access, Places
from pullback.ir import primitives
from pullback.ir.nodes import For, Let, Value, walk


def may_load_written(loop: For, versions: Mapping[Value, int], places: Places) -> bool:
    """Whether an iteration of an innermost loop may load an element that it or an earlier one has written.

    versions: of the arrays that it carries, which do not share memory, each with the number of the array. places: of
    the whole function.
    """
    loops = places.loops[loop.index]
    accesses = [
        Access(s, loops, order)
        for order, s in enumerate(walk(loop.body))
        if isinstance(s, Let) and s.function in primitives.ACCESSES and s.operands[0] in versions
    ]
    loads = [access for access in accesses if access.statement.function is primitives.load]
    stores = [access for access in accesses if access.statement.function is not primitives.load]
    return any(
        places.may_meet_in(store, load, len(loops) - 1)
        or (store.order < load.order and places.may_meet_in(store, load, len(loops)))
        for store in stores
        for load in loads
        if versions[store.statement.operands[0]] == versions[load.statement.operands[0]]
    )
