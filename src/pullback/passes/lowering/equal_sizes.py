"""Equal sizes: what a function with array statements assumes of the sizes of its arguments, checked at its entry.

>>> import numpy as np, pullback as pb
>>> def distance(x, y):
...     return np.sum((x - y) ** 2)
>>> as_arrays = pb.differentiable(distance, optimisations=pb.OPTIMISATIONS - {"lowering"})
>>> print(pb.explain(as_arrays, np.ones(3), np.ones(3), passes=["equal_sizes"]))
sizes: equal_sizes, sizes of arguments are assumed to agree where arrays meet; other calls go to the general form
  ...
   distance(x: float64[:], y: float64[:]):
  +    t.3: int64* = dim(x, 0)
  +    t.4: int64* = dim(y, 0)
  +    t.5: bool* = equal(t.3, t.4)
  +    check(t.5, SizesDiffer)
       t.0: float64[:] = subtract(x, y)

Behind the check, the cotangent of the difference is that of `x`. Without it, `x` could have a single element, and the
cotangents of all would be summed up for it. Sizes over which a product sums need no check of this kind.
"""

from __future__ import annotations

from dataclasses import replace

from pullback.ir.nodes import Block, Function
from pullback.passes.lowering.sizes import Sizes


def assume_equal_sizes(function: Function) -> Function:
    """The function behind checks of the sizes that arithmetic with arrays would otherwise broadcast."""
    guards = Sizes(function, products=False).guards()
    if not guards:
        return function
    return replace(function, body=Block((*guards, *function.body.statements), function.body.yields))
