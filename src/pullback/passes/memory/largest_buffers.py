"""Largest buffers: an array that each iteration of a loop makes in another size is made before it, in the largest.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.scalar.simplify import simplify
>>> from pullback.transform.derivative import prepared
>>> def halves(x, n):
...     s = 0.0
...     for i in range(n):
...         y = np.empty(n - i)
...         for j in range(n - i):
...             y[j] = x[i + j] / 2
...         for j in range(n - i):
...             s += y[j] * y[j]
...     return s
>>> function = prepared(normal_form(halves, np.ones(3), 3))
>>> text = emit_module([simplify(allocate_largest(function))], compiled=False, comments=False)
>>> print(text[text.index("def ") : text.index("        j_end")], end="")
def halves(x, n):
    y = np.empty((max(n, 0),))
    s = 0.0
    for i in range(n):

The largest size is found by interval analysis. It is legal where the array is accessed by elements alone, counted from
its start, and nobody asks for its size.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TypeGuard

import numpy as np

from pullback.analysis.array_uses import uses_of
from pullback.analysis.dependence import is_size
from pullback.analysis.made_arrays import sizes_of
from pullback.analysis.non_negative import possibly_negative_indices
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    is_scalar,
    lets_in,
    made_in_iterations,
    walk,
)
from pullback.ir.paths import only_item
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT
from pullback.passes.memory.allocation_hoisting import carrying, checking, last_version


def allocate_largest(function: Function) -> Function:
    """The same function with such buffers made outside of all loops that allow it."""
    loops = (statement for statement in walk(function.body) if isinstance(statement, For))
    if not any(_is_made(statement) for loop in loops for statement in loop.body.statements):
        return function
    return replace(function, body=_Hoisting(function).block(function.body))


class _Hoisting:
    def __init__(self, function: Function) -> None:
        self.negative = cache(lambda: possibly_negative_indices(function))

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            statements += self.hoisted(changed) if isinstance(changed, For) else [changed]
        return Block(tuple(statements), block.yields)

    def hoisted(self, loop: For) -> list[Statement]:
        """The buffers that a loop's body makes, then the loop that carries them."""
        if loop.parallel or loop.exits or not isinstance(loop.step, Constant):
            return [loop]
        builder = Builder()
        builder.location = loop.location
        for statement in filter(_is_made, loop.body.statements):
            (size,) = sizes_of(statement)
            last = last_version(statement.value, loop.body)
            interval = _Interval(loop, builder)
            has_largest = size in interval.lets and interval.is_known(size)
            if last is not None and has_largest and self.are_elements(statement.value, loop.body):
                largest = builder.let(max, interval.end(size, largest=True), constant(0), type_=INT)
                made = replace(statement, operands=((largest,), *statement.operands[1:]))
                builder.add(made)
                sizes = () if is_size(size, interval.lets) else (size,)
                loop = carrying(checking(loop, statement, sizes), made, last)
        return [*builder.statements, loop]

    def are_elements(self, array: Value, block: Block) -> bool:
        """Whether a block accesses an array by elements alone, counted from its start, and does not hand it on."""
        uses = uses_of(array, block)
        if uses is None or not uses.versions.isdisjoint(block.yields):
            return False
        return all(map(self.is_element, uses.statements))

    def is_element(self, statement: Let) -> bool:
        if statement.function not in primitives.ACCESSES or not all(map(is_scalar, statement.operands[2:])):
            return False
        index = only_item(statement.operands[1])
        if isinstance(index, Constant):
            return isinstance(index.value, int) and index.value >= 0
        return isinstance(index, Value) and is_scalar(index) and index not in self.negative()


class _Interval:
    """Between which numbers integers are in the iterations of a loop (interval analysis)."""

    def __init__(self, loop: For, builder: Builder) -> None:
        self.loop, self.builder = loop, builder
        self.varying = made_in_iterations(loop)
        self.lets = lets_in(loop.body)

    def is_known(self, operand: Operand) -> bool:
        made = self.lets.get(operand)
        if made is None:
            return operand not in self.varying or operand is self.loop.index
        is_multiple = made.function is np.multiply and any(isinstance(factor, Constant) for factor in made.operands)
        return (made.function in _MONOTONE or is_multiple) and all(map(self.is_known, made.operands))

    def end(self, operand: Operand, largest: bool) -> Operand:
        """The largest that an integer can be, or the smallest, before the loop."""
        made = self.lets.get(operand)
        if made is None:
            return self.end_of_index(largest) if operand is self.loop.index else operand
        first, second = made.operands
        if made.function is np.multiply:
            factor, other = (first, second) if isinstance(first, Constant) else (second, first)
            ends = factor, self.end(other, largest == (factor.value > 0))
        else:
            ends = self.end(first, largest), self.end(second, largest != (made.function is np.subtract))
        return self.builder.let(made.function, *ends, type_=INT)

    def end_of_index(self, largest: bool) -> Operand:
        if largest != (self.loop.step.value > 0):
            return self.loop.start
        return self.builder.let(np.subtract, self.loop.stop, constant(1 if largest else -1), type_=INT)


_MONOTONE = {np.add, np.subtract, max, min}


def _is_made(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement makes a row that is yet to be filled."""
    return isinstance(statement, Let) and statement.function is np.empty and len(sizes_of(statement)) == 1
