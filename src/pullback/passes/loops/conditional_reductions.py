"""Conditional reductions: a sum that grows in a branch grows in every iteration, by 0 where the branch is not taken.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def energy(x, cutoff):
...     total = 0.0
...     for i in range(x.shape[0]):
...         if x[i] < cutoff:
...             total += x[i] ** 2
...     return total
>>> function = prepared(normal_form(energy, np.ones(3), 2.0))
>>> text = emit_module([add_in_every_iteration(function)], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def energy(x, cutoff):
    total = 0.0
    for i in range(x.shape[0]):
        x_i = x[i]
        if x_i < cutoff:
            total_step = x_i ** 2
        else:
            total_step = 0.0
        total += total_step
    return total

The branch then only chooses a number, and a compiler can do some of the iterations at once. The total is the same: it
starts at no negative zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np

from pullback.analysis.reductions import reduction_steps
from pullback.analysis.straight_loops import is_straight
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, Constant, For, Function, If, Let, Operand, Statement, Value, read_in
from pullback.ir.rewrite import with_blocks


def add_in_every_iteration(function: Function) -> Function:
    """The same function with such sums in its innermost loops."""
    body = _Sums(reduction_steps(function)).block(function.body, False)
    return replace(function, body=body, callees=tuple(map(add_in_every_iteration, function.callees)))


class _Sums:
    """totals: the running values of sums in loops."""

    def __init__(self, totals: frozenset[Value]) -> None:
        self.totals = totals

    def block(self, block: Block, inside: bool) -> Block:
        """A block; `inside` a straight loop."""
        statements: list[Statement] = []
        for statement in block.statements:
            within = inside or (isinstance(statement, For) and is_straight(statement))
            changed = with_blocks(statement, partial(self.block, inside=within))
            statements += self.branch(changed) if inside and isinstance(changed, If) else [changed]
        return Block(tuple(statements), block.yields)

    def branch(self, branch: If) -> list[Statement]:
        """A branch that chooses what is added, then the additions."""
        additions: list[Statement] = []
        for k, result in enumerate(branch.results):
            sides = (branch.then, branch.orelse)
            total = next((side.yields[k] for side in sides if side.yields[k] in self.totals - _made_in(side)), None)
            steps = [_steps(side, k, total) for side in sides] if isinstance(total, Value) else [None]
            if None in steps or not any(steps):
                continue
            then, orelse = (_with_sum(side, k, found or []) for side, found in zip(sides, steps, strict=True))
            name, of = result.of_it("_step")
            step = Value(name, result.type, of)
            results = (*branch.results[:k], step, *branch.results[k + 1 :])
            branch = replace(branch, then=then, orelse=orelse, results=results)
            additions.append(Let(result, np.add, (total, step), location=branch.location))
        return [branch, *additions]


def _made_in(block: Block) -> set[Value]:
    return {statement.value for statement in block.statements if isinstance(statement, Let)}


def _steps(block: Block, k: int, total: Value) -> list[Let] | None:
    """The additions that lead from a total to the k-th value that a block yields; None for anything else."""
    uses = Counter(read_in(block))
    made = {statement.value: statement for statement in block.statements if isinstance(statement, Let)}
    steps: list[Let] = []
    value: Operand = block.yields[k]
    while value is not total:
        step = made.get(value) if isinstance(value, Value) else None
        if step is None or step.function not in (np.add, np.subtract) or uses[step.value] != 1:
            return None
        if step.operands[1].type.dtype != total.type.dtype:
            return None
        steps.insert(0, step)
        value = step.operands[0]
    return steps


def _with_sum(block: Block, k: int, steps: list[Let]) -> Block:
    """A block that yields what it adds up in place of the total."""
    builder = Builder()
    added: Operand = Constant(0.0, block.yields[k].type)
    for number, step in enumerate(steps):
        builder.location = step.location
        addend = step.operands[1]
        if number == 0:
            added = addend if step.function is np.add else builder.let(np.negative, addend)
        else:
            added = builder.let(step.function, added, addend)
    kept = tuple(statement for statement in block.statements if statement not in steps)
    return Block((*kept, *builder.statements), (*block.yields[:k], added, *block.yields[k + 1 :]))
