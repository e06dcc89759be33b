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

from collections.abc import Callable
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
    return replace(unrolled(function, _writes_no_arrays), callees=callees)


def _writes_no_arrays(loop: For) -> bool:
    return all(is_scalar(carried.parameter) for carried in loop.carried)


def unrolled(function: Function, is_chosen: Callable[[For], bool], most: int = MOST_STATEMENTS) -> Function:
    """The function without those loops of known and few iterations that are chosen: of `most` statements afterwards."""
    return replace(function, body=_block(function.body, False, is_chosen, most))


def _block(block: Block, inside: bool, is_chosen: Callable[[For], bool], most: int) -> Block:
    """A block, of a loop or `inside` one."""
    statements: list[Statement] = []
    terms: dict[Value, Operand] = {}
    for statement in block.statements:
        within = inside or isinstance(statement, For | While)
        chosen = inside and isinstance(statement, For) and is_chosen(statement)
        changed = with_blocks(statement, partial(_block, inside=within, is_chosen=is_chosen, most=most))
        (changed,) = substituted(Block((changed,)), terms).statements
        statements += _iterations(changed, terms, most) if chosen and isinstance(changed, For) else [changed]
    return substituted(Block(tuple(statements), block.yields), terms)


def _known_indices(loop: For, most: int) -> range | None:
    """The indices of a loop that can be unrolled; None of another one."""
    bounds = (loop.start, loop.stop, loop.step)
    if loop.exits or loop.reverse or not all(isinstance(bound, Constant) for bound in bounds):
        return None
    indices = range(*(bound.value for bound in bounds if isinstance(bound, Constant)))
    inner = list(walk(loop.body))
    if len(indices) > MOST_ITERATIONS or len(inner) * len(indices) > most:
        return None
    return None if any(isinstance(s, For | While) for s in inner) else indices


def _iterations(loop: For, terms: dict[Value, Operand], most: int) -> list[Statement]:
    """The statements of all iterations, or the loop; `terms` takes in what then stands for its results."""
    indices = _known_indices(loop, most)
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
