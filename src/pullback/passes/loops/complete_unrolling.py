"""Complete unrolling: the few iterations of an innermost loop stand one after the other, with constants for its index.

>>> import numpy as np
>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.simplify import simplify
>>> from pullback.transform.derivative import prepared
>>> def perimeters(corners):
...     total = 0.0
...     for t in range(corners.shape[0]):
...         for a in range(3):
...             total += abs(corners[t, (a + 1) % 3] - corners[t, a])
...     return total
>>> function = simplify(unroll_completely(prepared(normal_form(perimeters, np.ones((2, 3))))))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def perimeters(corners):
    total = 0.0
    for t in range(corners.shape[0]):
        corners_t_1 = corners[t, 1]
        corners_t_0 = corners[t, 0]
        total += abs(corners_t_1 - corners_t_0)
        corners_t_2 = corners[t, 2]
        total += abs(corners_t_2 - corners_t_1)
        total += abs(corners_t_0 - corners_t_2)
    return total

What an iteration reads that another one has read, or the backward sweep, is then read once, and indices are numbers.
Unrolled are loops inside of others, of up to four iterations that are known before the run, without loops of their own,
and that write no arrays: what their iterations write is kept as a whole.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pullback.ir.builder import constant
from pullback.ir.nodes import Block, Constant, For, Function, Operand, Statement, Value, While, is_scalar, walk
from pullback.ir.rewrite import copied, substituted, with_blocks

MOST_ITERATIONS = 4
MOST_STATEMENTS = 80
"""So many statements all iterations of a loop may have together."""


def unroll_completely(function: Function) -> Function:
    """The same function without such loops."""
    callees = tuple(map(unroll_completely, function.callees))
    return replace(function, body=_block(function.body, False), callees=callees)


def _block(block: Block, inside: bool) -> Block:
    """A block, of a loop or `inside` one."""
    statements: list[Statement] = []
    terms: dict[Value, Operand] = {}
    for statement in block.statements:
        within = inside or isinstance(statement, For | While)
        changed = with_blocks(statement, partial(_block, inside=within))
        (changed,) = substituted(Block((changed,)), terms).statements
        statements += _unrolled(changed, terms) if inside and isinstance(changed, For) else [changed]
    return substituted(Block(tuple(statements), block.yields), terms)


def _indices(loop: For) -> range | None:
    """The indices of a loop that is to be unrolled."""
    bounds = (loop.start, loop.stop, loop.step)
    if loop.exits or loop.reverse or not all(isinstance(bound, Constant) for bound in bounds):
        return None
    if not all(is_scalar(carried.parameter) for carried in loop.carried):
        return None
    indices = range(*(bound.value for bound in bounds if isinstance(bound, Constant)))
    inner = list(walk(loop.body))
    if len(indices) > MOST_ITERATIONS or len(inner) * len(indices) > MOST_STATEMENTS:
        return None
    return None if any(isinstance(s, For | While) for s in inner) else indices


def _unrolled(loop: For, terms: dict[Value, Operand]) -> list[Statement]:
    """The statements of all iterations, or the loop; `terms` takes in what then stands for its results."""
    indices = _indices(loop)
    if indices is None:
        return [loop]
    statements: list[Statement] = []
    versions: list[Operand] = [carried.initial for carried in loop.carried]
    for index in indices:
        own: dict[Value, Operand] = {loop.index: constant(index)}
        own |= zip((carried.parameter for carried in loop.carried), versions, strict=True)
        body = copied(loop.body, own)
        statements += body.statements
        versions = list(body.yields)
    terms |= zip(loop.results, versions, strict=True)
    return statements
