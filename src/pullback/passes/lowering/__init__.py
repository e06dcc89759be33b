"""Lowering: array statements become loops over elements, those over the same elements one loop.

y = np.exp(x) * w              s = 0.0
s = np.sum(y)           →      for i in range(n):
                                   s += np.exp(x[i]) * w[i]

It runs before differentiation: the derivative of a loop is a loop, and sweeps only once where it can. Statements that
no loop serves better (products of matrices, sorting, reshaping) stay as they are.
"""

from __future__ import annotations

from pullback.passes.lowering.blocks import lower

__all__ = ["lower"]
