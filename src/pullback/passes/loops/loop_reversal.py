"""Loop reversal: a loop of the backward sweep runs forwards where its iterations may run in any order, which memory and
compilers prefer.

>>> import numpy as np, pullback as pb
>>> def squares(x):
...     y = np.empty(x.shape[0])
...     for i in range(x.shape[0]):
...         y[i] = x[i] * x[i]
...     return y[0] * y[1]
>>> print(pb.explain(squares, np.ones(3), passes=["loop_reversal"]))
finish: loop_reversal, a loop that runs backwards runs forwards where the order of its iterations does not matter
  ...
       x_bar: float64[:] = zeros_like(x)
  -    x_bar.3 = for i.1 in range(0, t.0, 1) reversed with (x_bar.1: float64[:] = x_bar):
  +    x_bar.3 = for i.1 in range(0, t.0, 1) with (x_bar.1: float64[:] = x_bar):
           t.6: float64 = load(x, ([i.1]))

`analysis/iteration_order.py` says which loops these are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from pullback.analysis.iteration_order import is_reversible
from pullback.analysis.shapes import Shapes
from pullback.analysis.subscripts import Places
from pullback.ir.nodes import Block, For, Function, Statement
from pullback.ir.rewrite import with_blocks


def reverse_loops(function: Function) -> Function:
    """The same function with reversed loops running forwards wherever the order of their iterations does not matter."""
    places = cache(lambda: Places(function.body, Shapes(function)))
    return replace(function, body=_block(function.body, places))


def _block(block: Block, places: Callable[[], Places]) -> Block:
    return Block(tuple(_statement(statement, places) for statement in block.statements), block.yields)


def _statement(statement: Statement, places: Callable[[], Places]) -> Statement:
    changed = with_blocks(statement, lambda block: _block(block, places))
    if isinstance(changed, For) and changed.reverse and is_reversible(changed, places):
        return replace(changed, reverse=False)
    return changed
