"""Lowering: array statements become loops over elements, those over the same elements one loop.

>>> import numpy as np, pullback as pb
>>> def weighted(x, w):
...     return np.sum(np.exp(x) * w)
>>> print(pb.explain(weighted, np.ones(3), np.ones(3), passes=["lowering"]))
lowering: lowering, array statements become loops over their elements
  ...
   weighted(x: float64[:], w: float64[:]):
  -    t.0: float64[:] = exp(x)
  -    t.1: float64[:] = multiply(t.0, w)
  -    t.2: float64 = sum(t.1)
  +    t.3: int64* = dim(x, 0)
  +    t.4: int64* = dim(w, 0)
  +    t.5: bool* = equal(t.3, t.4)
  +    check(t.5, SizesDiffer)
  +    t.6: int64* = dim(w, 0)
  +    t.2 = for i in range(0, t.6, 1) with (t.7: float64 = 0.0):
  +        t.8: float64 = load(x, ([i]))
  +        t.9: float64 = exp(t.8)
  +        t.10: float64 = load(w, ([i]))
  +        t.11: float64 = multiply(t.9, t.10)
  +        t.12: float64 = add(t.7, t.11)
  +        yield t.12
       return t.2

It runs before differentiation: the derivative of a loop is a loop, and sweeps only once where it can. Statements that
no loop serves better (products of matrices, sorting, reshaping) stay as they are.
"""

from __future__ import annotations

from pullback.passes.lowering.blocks import lower

__all__ = ["lower"]
