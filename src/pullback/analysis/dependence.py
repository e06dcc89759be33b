"""Dependence analysis: which loops have iterations that may run at the same time, and give what they give in a row.

>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x, y, k):
...     s = 0.0
...     for i in range(x.shape[0]):
...         y[i] = np.exp(x[i])  # shared: elements of the iteration's own
...         s += y[i]  # a reduction, which chunks of iterations can start anew
...     for i in range(x.shape[0]):
...         y[k[i]] += x[i]  # may be an element of another iteration
...     return s
>>> function = prepared(normal_form(f, np.ones(3), np.ones(3), np.arange(3)))
>>> for loop in [s for s in function.body.statements if isinstance(s, For)]:
...     print([carried.parameter.name for carried in loop.carried], find_data_sharing(loop))
['y', 's'] DataSharing(shared=(0,), reductions=(1,), private=(), array_reductions=(), may_raise=False)
['y'] None

This is asked of functions that own their memory and have checks of their indices: an array that a loop writes then
shares memory with no other that the loop reads. Iterations that may raise an error depend on one another, since the
first error ends all of them. A private array is carried for its memory alone: no iteration reads what another one
wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes
from pullback.analysis.iteration_order import has_own_elements
from pullback.analysis.reductions import adds_to
from pullback.ir import primitives
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import (
    Block,
    Call,
    Constant,
    Effect,
    For,
    If,
    Index,
    Let,
    Operand,
    Permute,
    Slice,
    Statement,
    Step,
    Value,
    While,
    is_scalar,
    lets_in,
)
from pullback.ir.types import Array, Scalar

OF_NUMBERS: set[Callable[..., Any]] = {
    np.where,
    np.clip,
    max,
    min,
    abs,
    primitives.select,
    primitives.cast,
    primitives.accumulate,
    primitives.zeros_like,
    runtime.counted,
    runtime.erf,
    runtime.erfc,
    runtime.greater_of,
    runtime.lesser_of,
    runtime.sigmoid,
    runtime.slice_end,
    runtime.masked_product,
    runtime.power_slope,
}
"""Functions of numbers that raise nothing, besides the universal functions of NumPy."""


@dataclass(frozen=True, slots=True)
class DataSharing:
    """The data-sharing attributes (as OpenMP has them) of the carried values of an independent loop, by their numbers.

    shared: arrays of which each iteration accesses elements of its own. reductions: sums of numbers. private: arrays
    that no iteration reads before it has written them itself. array_reductions: arrays that iterations only add to.
    may_raise: an iteration may raise an error.
    """

    shared: tuple[int, ...]
    reductions: tuple[int, ...]
    private: tuple[int, ...]
    array_reductions: tuple[int, ...] = ()
    may_raise: bool = False


def find_data_sharing(loop: For) -> DataSharing | None:
    """How the iterations of a loop share what it carries; None if they depend on one another or may raise."""
    if loop.exits or loop.reverse or not isinstance(loop.step, Constant) or loop.step.value < 1:
        return None
    places = range(len(loop.carried))
    private = tuple(k for k in places if loop.carried[k].private)
    reductions = tuple(k for k in places if k not in private and isinstance(loop.carried[k].parameter.type, Scalar))
    shared = tuple(k for k in places if k not in private and k not in reductions)
    if any(loop.carried[k].parameter.type.dtype == "bool" for k in reductions) or not adds_to(loop, reductions):
        return None
    if not all(has_own_elements(loop, k) for k in shared):
        return None
    writable = {loop.carried[k].parameter for k in (*shared, *private)}
    return DataSharing(shared, reductions, private) if Iterations(loop, writable).block(loop.body) else None


class Iterations:
    """A walk through an iteration: whether it raises nothing, and writes to carried arrays and its own only."""

    def __init__(self, loop: For, writable: set[Value]) -> None:
        self.writable = writable
        self.definitions = lets_in(loop.body)

    def block(self, block: Block) -> bool:
        return all(map(self.statement, block.statements))

    def statement(self, statement: Statement) -> bool:
        match statement:
            case Let():
                return self.let(statement)
            case If():
                return self.branches(statement)
            case For() | While():
                return self.loop(statement)
            case Effect() | Call():
                return False

    def let(self, statement: Let) -> bool:
        if consumes(statement):
            return self.write(statement)
        if statement.function is primitives.dim:
            return True
        if statement.function is primitives.load:
            return _is_plain(statement.operands[1])
        if isinstance(statement.value.type, Array):
            return self.creation(statement)
        known = isinstance(statement.function, np.ufunc) or statement.function in OF_NUMBERS
        return known and all(is_scalar(o) or isinstance(o, Constant) for o in statement.operands)

    def write(self, statement: Let) -> bool:
        """A number written to one element or to all of a part."""
        if statement.function not in (primitives.store, primitives.add_at):
            return False
        array, path, value = statement.operands
        self.writable.add(statement.value)
        return array in self.writable and _is_plain(path) and is_scalar(value)

    def creation(self, statement: Let) -> bool:
        """A new array, of a size that is never negative."""
        self.writable.add(statement.value)
        if statement.function is primitives.zeros_like:
            return True
        if statement.function not in primitives.CREATING:
            return False
        shape = statement.operands[0]
        return all(is_size(size, self.definitions) for size in (shape if isinstance(shape, tuple) else (shape,)))

    def branches(self, statement: If) -> bool:
        if not self.block(statement.then) or not self.block(statement.orelse):
            return False
        for result, *sides in zip(statement.results, statement.then.yields, statement.orelse.yields, strict=True):
            if isinstance(result.type, Array):
                if not all(side in self.writable for side in sides):
                    return False
                self.writable.add(result)
        return True

    def loop(self, statement: For | While) -> bool:
        """An inner loop; the arrays that it carries stay in the memory that they have."""
        arrays = [k for k, c in enumerate(statement.carried) if isinstance(c.parameter.type, Array)]
        if not all(statement.carried[k].initial in self.writable for k in arrays):
            return False
        self.writable.update(statement.carried[k].parameter for k in arrays)
        if isinstance(statement, While) and not self.block(statement.condition):
            return False
        if not self.block(statement.body) or not all(statement.body.yields[k] in self.writable for k in arrays):
            return False
        self.writable.update(statement.results[k] for k in arrays)
        return True


def is_size(operand: Operand, definitions: Mapping[Value, Statement]) -> bool:
    """Whether an integer is never negative: a size of an array, or at least 0 by how it is made."""
    if isinstance(operand, Constant):
        return isinstance(operand.value, int) and operand.value >= 0
    made = definitions.get(operand) if isinstance(operand, Value) else None
    if not isinstance(made, Let):
        return False
    return made.function is primitives.dim or (made.function is max and Constant(0, made.value.type) in made.operands)


def _is_plain(path: tuple[Step, ...]) -> bool:
    """Whether a path is made of numbers and slices, one for each of the first axes, so that it cannot raise."""
    if is_advanced(path):
        return False
    return all(
        isinstance(step, Permute) or (isinstance(step, Index) and all(map(_is_item, step.items))) for step in path
    )


def _is_item(item: Operand) -> bool:
    if isinstance(item, Slice):
        return item.step is None or (isinstance(item.step, Constant) and item.step.value != 0)
    return is_scalar(item) and item.type.dtype != "bool"
