"""Branch fusion: two branches in a row that ask the same become one.

The backward branch follows the forward one here:

>>> import numpy as np, pullback as pb
>>> def f(x):
...     if x > 0.0:
...         y = np.exp(x)
...     else:
...         y = x
...     return y
>>> print(pb.explain(f, 1.0, passes=["branch_fusion"]))
finish: branch_fusion, branches in a row that have the same condition become one
  ...
       t.0: bool* = greater(x, 0.0)
  -    y.1, y.2 = if t.0:
  +    y.1, y.2, x_bar = if t.0:
           y: float64 = exp(x)
  -        yield y, y
  +        yield y, y, y
       else:
  -        yield x, undefined
  -    x_bar = if t.0:
  -        yield y.2
  -    else:
  -        yield 1.0
  +        yield x, undefined, 1.0
       return y.1, x_bar

It is legal where nothing stands between them. What one side of the first hands to the same side of the second needs to
be no result of the first any more.
"""

from __future__ import annotations

from dataclasses import replace

from pullback.ir.nodes import Block, Function, If, Operand, Statement, Value
from pullback.ir.rewrite import substituted, with_blocks


def fuse_branches(function: Function) -> Function:
    """The function with one branch for those in a row that have the same condition."""
    return replace(function, body=_block(function.body), callees=tuple(map(fuse_branches, function.callees)))


def _block(block: Block) -> Block:
    statements: list[Statement] = []
    for statement in block.statements:
        last = statements[-1] if statements else None
        if isinstance(statement, If) and isinstance(last, If) and last.condition is statement.condition:
            statements[-1] = _joined(last, statement)
        else:
            statements.append(statement)
    return Block(tuple(with_blocks(statement, _block) for statement in statements), block.yields)


def _joined(first: If, second: If) -> If:
    """Both branches, with the results of both."""
    sides = zip((first.then, first.orelse), (second.then, second.orelse), strict=True)
    then, orelse = (_behind(one, other, first.results) for one, other in sides)
    return replace(first, then=then, orelse=orelse, results=(*first.results, *second.results))


def _behind(one: Block, other: Block, results: tuple[Value, ...]) -> Block:
    """A block, and behind it another one that reads what the first yields in place of `results`."""
    terms: dict[Value, Operand] = dict(zip(results, one.yields, strict=True))
    other = substituted(other, terms)
    return Block((*one.statements, *other.statements), (*one.yields, *other.yields))
