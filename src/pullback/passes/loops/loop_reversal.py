"""Order: a reversed loop whose iterations may run in any order runs forwards, which memory and compilers prefer.

for i in range(n - 1, -1, -1):            for i in range(n):
    x_bar[i] += 2 * x[i]          →           x_bar[i] += 2 * x[i]
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.iteration_order import is_reversible
from pullback.ir.nodes import Block, For, Function, Statement
from pullback.ir.rewrite import with_blocks


def reverse_loops(function: Function) -> Function:
    """The same function with reversed loops turned iteration wherever the order of iterations does not matter."""
    return replace(function, body=_block(function.body))


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    changed = with_blocks(statement, _block)
    if isinstance(changed, For) and changed.reverse and is_reversible(changed):
        return replace(changed, reverse=False)
    return changed
