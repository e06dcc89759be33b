"""Order: a reversed loop that only adds up runs forwards, which memory and compilers prefer.

for i in range(n - 1, -1, -1):            for i in range(n):
    x_bar[i] += 2 * x[i]          →           x_bar[i] += 2 * x[i]
"""

from __future__ import annotations

from dataclasses import replace

from pullback.analysis.sums import only_adds
from pullback.ir.nodes import Block, For, Function, If, Statement, While


def run_forwards(function: Function) -> Function:
    """The same function with reversed loops turned round wherever the order of rounds does not matter."""
    return replace(function, body=_block(function.body))


def _block(block: Block) -> Block:
    return Block(tuple(map(_statement, block.statements)), block.yields)


def _statement(statement: Statement) -> Statement:
    match statement:
        case If():
            return replace(statement, then=_block(statement.then), orelse=_block(statement.orelse))
        case For():
            turned = statement.reverse and only_adds(statement)
            return replace(statement, body=_block(statement.body), reverse=statement.reverse and not turned)
        case While():
            return replace(statement, body=_block(statement.body))
    return statement
