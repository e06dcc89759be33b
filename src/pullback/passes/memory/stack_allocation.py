"""Stack allocation: a small array that does not outlive the call is a part of the function's frame on the stack.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import prepared
>>> def f(x):
...     y = np.zeros(2)
...     z = np.zeros(2)
...     y[1] = x
...     return y[0], z
>>> print(show(allocate_on_stack(prepared(normal_form(f, 0.5)))))
f(x: float64*):
    y: float64[:] = local_zeros((2))
    z: float64[:] = zeros((2))
    y.1: float64[:] = store(y, ([1]), x)
    t.0: float64 = load(y.1, ([0]))
    return t.0, z

Its memory costs nothing, and LLVM takes it apart: once the loops over a few elements are unrolled, an element is a
register (scalar replacement of aggregates). An array escapes, and stays as it is, where a result of the function may
share its memory, or one of a loop or branch around it: what iterations make is the same memory in each of them, and a
part of a long function has a frame of its own (`emission/parts.py`). Functions that call themselves keep their frames
small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Set
from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import Aliases, find_aliases
from pullback.ir.nodes import Block, Constant, Function, Let, Operand, Statement, Value, results_of
from pullback.ir.rewrite import with_blocks

MOST_ELEMENTS = 64
"""So many an array may have: for more, loops are not unrolled, and nothing is gained."""
MOST_IN_FRAME = 8192
"""So many all of them may have together: of 8 bytes each, 64 kB."""
_LOCAL = {np.empty: runtime.local_empty, np.zeros: runtime.local_zeros}


def allocate_on_stack(function: Function) -> Function:
    """The same function with such arrays on the stack."""
    if function.callees:
        return function
    allocation = _Allocation(function)
    body = allocation.block(function.body, allocation.roots(function.results))
    # Those in the frame come first, so that they divide no part of a long function.
    statements = sorted(body.statements, key=lambda statement: not _is_in_frame(statement))
    return replace(function, body=Block(tuple(statements), body.yields))


def _is_in_frame(statement: Statement) -> bool:
    return isinstance(statement, Let) and statement.function in _LOCAL.values()


class _Allocation:
    def __init__(self, function: Function) -> None:
        self.aliases: Aliases = find_aliases(function)
        self.left = MOST_IN_FRAME

    def roots(self, operands: Iterable[Operand]) -> Set[Value]:
        return {self.aliases.root(operand) for operand in operands if isinstance(operand, Value)}

    def block(self, block: Block, escaping: Set[Value]) -> Block:
        """A block; `escaping` are the roots of what outlives it."""
        return Block(tuple(self.statement(statement, escaping) for statement in block.statements), block.yields)

    def statement(self, statement: Statement, escaping: Set[Value]) -> Statement:
        if isinstance(statement, Let):
            return self.let(statement, escaping)
        escaping = escaping | self.roots(results_of(statement))
        return with_blocks(statement, lambda inner: self.block(inner, escaping))

    def let(self, statement: Let, escaping: Set[Value]) -> Let:
        elements = _elements(statement)
        if elements is None or elements > self.left or self.aliases.root(statement.value) in escaping:
            return statement
        self.left -= elements
        return replace(statement, function=_LOCAL[statement.function])


def _elements(statement: Let) -> int | None:
    """How many elements a small new array has; None for other statements."""
    shape = statement.operands[0] if statement.function in _LOCAL else None
    if not isinstance(shape, tuple) or not all(isinstance(size, Constant) and size.value > 0 for size in shape):
        return None
    elements = math.prod(size.value for size in shape)
    return elements if elements <= MOST_ELEMENTS else None
