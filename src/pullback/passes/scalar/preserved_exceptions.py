"""Preserved exceptions: what may raise is not dead; a statement that nobody reads leaves a check of that behind.

>>> import numpy as np, pullback as pb
>>> def total(x, y):
...     z = np.dot(x, y)
...     return np.sum(x)
>>> print(pb.explain(total, np.ones(3), np.ones(3), passes=["preserved_exceptions"]))
exceptions: preserved_exceptions, a statement that nobody reads, and that may raise, leaves a check of that behind
  ...
   total(x: float64[:], y: float64[:]):
  +    t.1: int64* = dim(x, -1)
  +    t.2: int64* = dim(y, -1)
  +    t.3: bool* = equal(t.1, t.2)
  +    check(t.3, ValueError, 'the sizes of the operands of a product differ')
       z: float64 = dot(x, y)

The product itself is then dead. Where no cheap check tells, the statement stays, marked as `evaluated` for its errors;
where it is proved that nothing can be raised, nothing is left. The statements of a backward sweep need no checks: what
they could raise, the forward ones have raised before.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.extents import base_of
from pullback.analysis.shape_rules import reduced_axes
from pullback.analysis.shapes import CREATING, Shapes
from pullback.analysis.sizes import Shape, Size, is_guard
from pullback.functions import is_elementwise
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.identities import Identity
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Reshape,
    Statement,
    Step,
    Value,
    defined_in,
    has_effects,
    lets_in,
    walk,
)
from pullback.ir.rewrite import with_blocks, with_number
from pullback.ir.types import INT, Array, is_float, is_integer
from pullback.passes.loops.bounds_checks import ACCESSES, integers_of
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.range_walk import RangeWalk

_BROADCAST = "operands could not be broadcast together"
_PRODUCT = "the sizes of the operands of a product differ"
_EMPTY = "zero-size array to a reduction without an identity"
_STEP = "range() arg 3 must not be zero"


def leave_checks(function: Function, of_user: Set[Value] | None = None) -> Function:
    """The function with a check for each statement that nobody reads and that may raise.

    of_user: what the user's statements define, where the function has others as well, which raise nothing.
    """
    live = set(defined_in(remove_dead(_with_sizes_at_source(function)).body))
    made = lets_in(function.body).keys()
    unread = (made if of_user is None else made & of_user) - live
    callees = tuple(map(leave_checks, function.callees)) if of_user is None else function.callees
    if not unread and not _has_unknown_steps(function):
        return replace(function, callees=callees)
    return replace(function, body=_CheckInsertion(function, unread).block(function.body), callees=callees)


def _with_sizes_at_source(function: Function) -> Function:
    """The function in which nothing reads an array for a size that comes from elsewhere."""
    shapes = Shapes(function)

    def block(block: Block) -> Block:
        return Block(tuple(map(statement, block.statements)), block.yields)

    def statement(statement: Statement) -> Statement:
        if not isinstance(statement, Let) or statement.function is not primitives.dim:
            return with_blocks(statement, block)
        array, axis = statement.operands
        match base_of(shapes.of(array)[axis.value]):
            case (Value() as source, int() as along):
                return replace(statement, operands=(source, constant(along)))
            case int() as size:
                return with_number(statement, constant(size))
            case size:
                return with_number(statement, size)

    return replace(function, body=block(function.body))


def _has_unknown_steps(function: Function) -> bool:
    return any(isinstance(s, For) and not isinstance(s.step, Constant) for s in walk(function.body))


class _CheckInsertion(RangeWalk):
    def __init__(self, function: Function, unread: set[Value]) -> None:
        super().__init__(function)
        self.unread = unread
        self.repeated: set[tuple[Operand, Size]] = set()
        self.square: set[Operand] = set()

    def block(self, block: Block) -> Block:
        outer = self.repeated, self.square
        guarded = Block(tuple(s for s in block.statements if not is_guard(s)), block.yields)
        ordered = has_effects(guarded)
        self.repeated, self.square = (set(), set()) if ordered else (self.read_later(block), self.factored(block))
        made = super().block(block)
        self.repeated, self.square = outer
        return made

    def factored(self, block: Block) -> set[Operand]:
        """The matrices that every run of a block factors for a value that is read: they are square, or that raises."""
        lets = (s for s in block.statements if isinstance(s, Let) and s.value not in self.unread)
        return {s.operands[0] for s in lets if s.function in _OF_SQUARE}

    def read_later(self, block: Block) -> set[tuple[Operand, Size]]:
        """The indices and sizes of the accesses that every run of a block makes for a value that is read."""
        lets = (s for s in block.statements if isinstance(s, Let) and s.value not in self.unread)
        pairs = (self.indices(*s.operands[:2]) for s in lets if s.function in ACCESSES)
        return {pair for found in pairs for pair in found or ()}

    def count(self, statement: For) -> For:
        if not isinstance(statement.step, Constant):
            unequal = self.builder.let(np.not_equal, statement.step, constant(0))
            self.builder.effect(primitives.check, unequal, Constant(ValueError), Constant(_STEP))
        return super().count(statement)

    def let(self, statement: Let) -> list[Statement]:
        if _never_raises(statement):
            return [statement]
        if statement.value in self.unread and not self.replaced(statement):
            with self.builder.block() as after:
                self.builder.effect(primitives.evaluated, statement.value)
            return [statement, *after]
        if statement.function in ACCESSES:
            self.note_inside(statement)
        return [statement]

    def replaced(self, statement: Let) -> bool:
        """Whether the statement cannot raise, or has checks in its place now."""
        if statement.function in ACCESSES:
            return self.is_inside(statement)
        if statement.function in CREATING:
            return self.is_possible(statement)
        if statement.function in _DIVISIONS and statement.value.type == INT:
            return isinstance(statement.operands[1], Constant) and statement.operands[1].value != 0
        if is_elementwise(statement.function):
            self.check_broadcast([self.shapes.of(o) for o in statement.operands], statement.operands)
            return True
        if statement.function in _PRODUCTS:
            return self.check_product(statement)
        if statement.function is np.linalg.det:
            return statement.operands[0] in self.square
        if statement.function in _WITHOUT_IDENTITY:
            return self.check_not_empty(statement)
        return False

    # Sizes

    def size(self, operand: Operand, axis: int) -> Operand:
        """The size of an axis as an operand."""
        size: Size = self.shapes.of(operand)[axis]
        return constant(size) if isinstance(size, int) else self.builder.dim(operand, axis)

    def check_broadcast(self, shapes: list[Shape], operands: tuple[Operand, ...]) -> None:
        """Checks that each two sizes that meet are equal, or one of them is 1."""
        for place in range(-max(map(len, shapes), default=0), 0):
            meeting = [k for k, shape in enumerate(shapes) if len(shape) >= -place and shape[place] != 1]
            unlike = {shapes[k][place]: k for k in reversed(meeting)}
            for a, b in pairwise(unlike.values()):
                self.check_sizes(self.size(operands[a], place), self.size(operands[b], place), _BROADCAST, True)

    def check_sizes(self, a: Operand, b: Operand, message: str, or_one: bool = False) -> None:
        """A check that two sizes are equal; or_one: or that one of them is 1."""
        let = self.builder.let
        fits = let(np.equal, a, b)
        for size in (a, b) if or_one else ():
            if not isinstance(size, Constant):
                fits = let(np.logical_or, fits, let(np.equal, size, constant(1)))
        self.builder.effect(primitives.check, fits, Constant(ValueError), Constant(message))

    def check_product(self, statement: Let) -> bool:
        """A check of the sizes over which a product sums; False where more than they has to agree."""
        a, b = statement.operands[:2]
        ranks = [getattr(operand.type, "ndim", 0) for operand in (a, b)]
        if len(statement.operands) > 2 or max(ranks) > 2:
            return False
        if min(ranks):
            axis = -1 if statement.function is np.inner else max(-2, -ranks[1])
            if self.shapes.of(a)[-1] != self.shapes.of(b)[axis]:
                self.check_sizes(self.size(a, -1), self.size(b, axis), _PRODUCT)
        return True

    def check_not_empty(self, statement: Let) -> bool:
        """Checks that there is something to reduce."""
        array = statement.operands[0]
        reduced = reduced_axes(statement, getattr(array.type, "ndim", 0))
        if reduced is None or not isinstance(array.type, Array):
            return False
        for axis in sorted(reduced[0]):
            size = self.size(array, axis)
            if not isinstance(size, Constant) or not size.value:
                some = self.builder.let(np.not_equal, size, constant(0))
                self.builder.effect(primitives.check, some, Constant(ValueError), Constant(_EMPTY))
        return True

    def is_possible(self, statement: Let) -> bool:
        """Whether the sizes of a new array are proved not to be negative."""
        sizes = statement.operands[0]
        sizes = sizes if isinstance(sizes, tuple) else (sizes,)
        return all(is_integer(s.type) and self.ranges.is_never_negative(self.ranges.form(s)) for s in sizes)

    # Accesses

    def is_inside(self, statement: Let) -> bool:
        """Whether an access is proved to be inside its array, and what it stores to fit."""
        array, path, *stored = statement.operands
        pairs = self.indices(array, path)
        if pairs is None or is_advanced(path):
            return False
        if not all(pair in self.repeated or self.ranges.is_inside(*pair) for pair in pairs):
            return False
        return not stored or self.fits(stored[0], self.shapes.part(self.shapes.of(array), path))

    def fits(self, value: Operand, part: Shape | None) -> bool:
        """Whether a value surely fits into a part of this shape."""
        shape = self.shapes.of(value)
        if not shape:
            return True
        return part is not None and all(
            size in (1, place) for size, place in zip(reversed(shape), reversed(part), strict=False)
        )

    def indices(self, array: Value, path: tuple[Step, ...]) -> list[tuple[Operand, Size]] | None:
        """Each integer index of a path with the size that it is for; None where a size on the way is not known."""
        found: list[tuple[Operand, Size]] = []
        shape: Shape | None = self.shapes.of(array)
        for k, step in enumerate(path):
            if shape is None or isinstance(step, Reshape):
                return None
            if isinstance(step, Index) and not is_advanced(path[: k + 1]):
                found += integers_of(step.items, shape)
            shape = self.shapes.part(shape, (step,))
        return found

    def note_inside(self, statement: Let) -> None:
        """Behind an access its indices are known to be inside."""
        for index, size in self.indices(*statement.operands[:2]) or ():
            extent = self.ranges.of_size(size)
            if extent is not None:
                form = self.ranges.form(index)
                self.ranges.facts += [extent.plus(form, -1).moved(-1), form.plus(extent)]


def _never_raises(statement: Let) -> bool:
    """Whether a statement raises nothing that the types of its operands do not tell."""
    if statement.function is primitives.cast:  # to one of Python's integers, which NaN has none for
        return statement.value.type != INT or not is_float(statement.operands[0].type)
    return statement.function in _NEVER_RAISING or isinstance(statement.function, Identity)


_DIVISIONS = {np.floor_divide, np.remainder}
_PRODUCTS = {np.matmul, np.dot, np.inner}
_OF_SQUARE = {np.linalg.det, np.linalg.inv, np.linalg.solve, np.linalg.cholesky}
_WITHOUT_IDENTITY = {np.max, np.min, np.argmax, np.argmin}

_NEVER_RAISING: set[Callable[..., Any]] = {
    primitives.dim,
    primitives.copy,
    primitives.zeros_like,
    primitives.accumulate,
    primitives.select,
    primitives.watched,
    primitives.gradient,
    primitives.tangent,
    primitives.jacobian,
    primitives.columns,
    primitives.divergence,
    runtime.stop_gradient,
    max,
    min,
    *(np.sum, np.mean, np.prod, np.var, np.std, np.any, np.all, np.count_nonzero, np.cumsum, np.cumprod),
    *(np.sort, np.argsort, np.transpose, np.swapaxes, np.moveaxis, np.expand_dims, np.flip, np.ravel, np.roll),
    *(np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.copy, np.outer, np.diag, np.diagonal, np.trace),
    *(np.tril, np.triu, np.real, np.imag, np.angle, complex),
}
