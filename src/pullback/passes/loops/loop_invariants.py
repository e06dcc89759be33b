"""Loop-invariant code motion: arithmetic that is the same in every iteration moves before the loop.

>>> import numpy as np, pullback as pb
>>> def scaled(x, a):
...     s = 0.0
...     for _ in range(x.shape[0]):
...         s += x[0] * (a * a)
...     return s
>>> print(pb.explain(scaled, np.ones(3), 2.0, passes=["loop_invariants"]))
lowering: loop_invariants, arithmetic that is the same in every iteration moves before the loop
  ...
       t.0: int64* = dim(x, 0)
  +    t.2: float64* = multiply(a, a)
       s.2 = for _ in range(0, t.0, 1) with (s: float64 = 0.0):
           t.1: float64 = load(x, ([0]))
  -        t.2: float64* = multiply(a, a)
           t.3: float64 = multiply(t.1, t.2)

Moved are only operations that cannot fail and have no infinite derivatives, because a loop may have no iterations, and
branches in which nothing else stands. Sizes of arrays are first read where they come from, at a parameter or at the
number that an array was made with, so that they are the same in every iteration. Products of arrays, and arithmetic
with them, move where their sizes are known to fit and nobody writes the result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumed_in
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    defined_in,
    is_scalar,
    made_in_iterations,
    read_by,
    results_of,
)
from pullback.ir.rewrite import with_blocks, with_number
from pullback.ir.types import Array, Scalar, is_float, is_integer

_SAFE: set[Callable[..., Any]] = {
    np.add,
    np.subtract,
    np.multiply,
    np.negative,
    np.square,
    np.absolute,
    np.maximum,
    np.minimum,
    max,
    min,
    primitives.cast,
    primitives.dim,
    primitives.select,
    runtime.counted,
    runtime.greater_of,
    runtime.lesser_of,
    runtime.slice_end,
}
_OF_ARRAYS: set[Callable[..., Any]] = {
    np.add,
    np.subtract,
    np.multiply,
    np.negative,
    np.square,
    np.transpose,
    np.outer,
    np.diag,
}
"""Functions of arrays that cannot fail, where the sizes of elementwise ones are equal."""
_PRODUCTS = {np.matmul, np.dot}
_OF_CONSTANTS = _SAFE | {np.sqrt, np.exp, np.log, np.sin, np.cos, np.tan, np.tanh}
"""Functions that have a value for all numbers; a derivative, which may be infinite, is not asked for."""
_COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
_SAFE_BY_CONSTANTS = {np.true_divide, np.floor_divide, np.remainder}


def hoist_invariants(function: Function) -> Function:
    """The same function with sizes read at their source, and what is the same in every iteration before the loop."""
    sizes = _Sizes(function)
    named = sizes.block(function.body, set(function.parameters))
    whole = Block((*sizes.at_entry.values(), *named.statements), named.yields)
    body = _Hoisting(_Arrays(cache(lambda: Shapes(function)), consumed_in(whole))).block(whole, set())
    return replace(function, body=body, callees=tuple(hoist_invariants(callee) for callee in function.callees))


def hoist_all_invariants(function: Function) -> Function:
    """The same function with index arithmetic, too, before the innermost loop that does not change it."""
    callees = tuple(map(hoist_all_invariants, function.callees))
    return replace(function, body=_Hoisting(None).block(function.body, None), callees=callees)


class _Sizes:
    """Replaces `dim(array, axis)` by the same size of an earlier array, or by the number it was made with.

    The sizes of a parameter that is overwritten are taken at the entry, while its first version can still be read.
    """

    def __init__(self, function: Function) -> None:
        self.shapes = Shapes(function, guarded=False)
        self.parameters = set(function.parameters)
        self.consumed = consumed_in(function.body)
        self.at_entry: dict[tuple[Value, int], Let] = {}

    def block(self, block: Block, scope: set[Value]) -> Block:
        scope = set(scope)
        statements = []
        for statement in block.statements:
            statements.append(self.statement(statement, scope))
            scope.update(results_of(statement))
        return Block(tuple(statements), block.yields)

    def statement(self, statement: Statement, scope: set[Value]) -> Statement:
        match statement:
            case Let() if statement.function is primitives.dim:
                return self.sourced(statement, scope)
            case If():
                return replace(
                    statement, then=self.block(statement.then, scope), orelse=self.block(statement.orelse, scope)
                )
            case For():
                inside = {*scope, statement.index, *(c.parameter for c in statement.carried)}
                return replace(statement, body=self.block(statement.body, inside))
            case While():
                inside = {*scope, *(c.parameter for c in statement.carried)}
                condition, body = self.block(statement.condition, inside), self.block(statement.body, inside)
                return replace(statement, condition=condition, body=body)
        return statement

    def sourced(self, statement: Let, scope: set[Value]) -> Let:
        array, axis = statement.operands
        match self.shapes.of(array)[axis.value]:
            case (Value() as source, int() as along) if source in scope and source not in self.consumed:
                return replace(statement, operands=(source, constant(along)))
            case (Value() as source, int() as along) if source in self.parameters:
                return with_number(statement, self.entry_size(source, along, statement.value))
            case int() as size:
                return with_number(statement, constant(size))
            case Value() as size if size in scope:
                return with_number(statement, size)
        return statement

    def entry_size(self, source: Value, axis: int, like: Value) -> Value:
        key = (source, axis)
        if key not in self.at_entry:
            self.at_entry[key] = Let(Value("", like.type), primitives.dim, (source, constant(axis)))
        return self.at_entry[key].value


@dataclass(frozen=True, slots=True)
class _Arrays:
    """What is known of arrays: their shapes, and whose memory a later version takes over."""

    shapes: Callable[[], Shapes]
    consumed: set[Value]

    def are_safe(self, statement: Let) -> bool:
        """Whether a function of arrays cannot fail, and nobody writes its result."""
        function, operands = statement.function, statement.operands
        if not isinstance(statement.value.type, Array) or statement.value in self.consumed or statement.keywords:
            return False
        if function not in _PRODUCTS | _OF_ARRAYS | {np.eye, np.identity}:
            return False
        shapes = [self.shapes().of(operand) for operand in operands if isinstance(operand, Value)]
        if function in _PRODUCTS:
            return [*map(len, shapes)] in ([2, 2], [2, 1], [1, 2]) and shapes[0][-1] == shapes[1][0]
        if function in (np.eye, np.identity):
            return all(isinstance(operand, Constant) and operand.value >= 0 for operand in operands)
        return function in _OF_ARRAYS and len({shape for shape in shapes if shape}) <= 1


class _Hoisting:
    """arrays: None where array statements stay where they are, as their memory has been settled."""

    def __init__(self, arrays: _Arrays | None) -> None:
        self.arrays = arrays

    def block(self, block: Block, varying: set[Value] | None) -> Block:
        """A block with its loops relieved; `varying` is what loops around it change, None if all may move."""
        statements: list[Statement] = []
        for statement in block.statements:
            if isinstance(statement, For | While):
                statements += self.loop(statement, varying)
            else:
                statements.append(with_blocks(statement, lambda block: self.block(block, varying)))
        return Block(tuple(statements), block.yields)

    def loop(self, statement: For | While, outer: set[Value] | None) -> list[Statement]:
        """What moves out of a loop, then the loop.

        Numbers that index arrays stay where they are unless no loop changes them: `i - 1` costs nothing where it is
        read.
        """
        changing = made_in_iterations(statement)
        body = self.block(statement.body, None if outer is None else outer | changing)
        before: list[Let | If] = []
        moved: set[Value] = set()
        for inner in body.statements:
            if not isinstance(inner, Let | If) or not self.may_move(inner):
                continue
            is_free = outer is None or not any(is_integer(result.type) for result in results_of(inner))
            barred = changing if is_free else changing | (outer or set())
            read = set(read_by(inner)) - moved
            if isinstance(inner, If):
                read.difference_update(defined_in(inner.then), defined_in(inner.orelse))
            if not read & barred:
                moved.update(results_of(inner))
                before.append(inner)
        before = _worth_moving(before)
        moved = {result for inner in before for result in results_of(inner)}
        inside = (s for s in body.statements if not moved.intersection(results_of(s)))
        return [*before, replace(statement, body=Block(tuple(inside), body.yields))]

    def may_move(self, statement: Statement) -> bool:
        """Whether a statement cannot fail; of a branch, whether nothing in it can."""
        match statement:
            case If():
                inner = (*statement.then.statements, *statement.orelse.statements)
                return all(map(is_scalar, statement.results)) and all(map(self.may_move, inner))
            case Let():
                return is_safe(statement) or (self.arrays is not None and self.arrays.are_safe(statement))
        return False


def _worth_moving(statements: list[Let | If]) -> list[Let | If]:
    """The statements without transposes that none of them reads: these cost nothing where they are."""
    read = {value for statement in statements for value in read_by(statement)}
    return [s for s in statements if isinstance(s, If) or s.function is not np.transpose or s.value in read]


def is_safe(statement: Let) -> bool:
    """Whether a statement computes a number, cannot fail, and has no infinite derivative."""
    if not isinstance(statement.value.type, Scalar):
        return False
    if statement.function in _SAFE_BY_CONSTANTS:
        return _is_nonzero(statement.operands[1])
    if statement.function in _COMPARISONS:  # those of indices say most where they are read
        return any(is_float(operand.type) for operand in statement.operands)
    is_of_constants = all(isinstance(operand, Constant) for operand in statement.operands)
    return statement.function in (_OF_CONSTANTS if is_of_constants else _SAFE)


def _is_nonzero(operand: Operand) -> bool:
    return isinstance(operand, Constant) and isinstance(operand.value, int | float) and operand.value != 0
