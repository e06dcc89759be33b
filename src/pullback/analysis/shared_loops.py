"""Loops that threads share: their iterations may raise, and add to arrays of which each thread then has its own.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def f(x, k):
...     y = np.zeros(4)
...     for i in range(x.shape[0]):
...         y[k[i]] += x[i] * x[i]  # chunks of iterations add to arrays of their own
...     return y
>>> function = prepared(normal_form(f, np.ones(3), np.arange(3)))
>>> loop = next(s for s in function.body.statements if isinstance(s, For))
>>> SharedLoops(function).data_sharing(loop)
DataSharing(shared=(), reductions=(), private=(), array_reductions=(0,), may_raise=False)

Iterations that may raise run at the same time, and if one does, the loop runs again in a row, which raises the first
error. This is legal where the second run meets the same errors, and nothing is left of the first: where no iteration
reads what the loop writes, and all of that was made by the function.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes
from pullback.analysis.dependence import OF_NUMBERS, DataSharing, Iterations
from pullback.analysis.iteration_order import own_axes_of
from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.reductions import adds_to
from pullback.analysis.straight_loops import RAISING
from pullback.ir import primitives
from pullback.ir.nodes import (
    Call,
    Constant,
    Effect,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    walk,
)
from pullback.ir.types import Array, Scalar

_CHECKS = {
    primitives.check,
    primitives.raise_,
    primitives.evaluated,
    runtime.check_index,
    runtime.check_span,
    runtime.check_elements,
}
_OF_ARRAYS = {
    np.sum,
    np.max,
    np.min,
    np.round,
    runtime.where,
    primitives.zeros_like,
    primitives.copy,
    primitives.accumulate,
    *RAISING,
}
"""Functions without a visible effect but errors, besides the universal functions of NumPy."""
_LOADS = {primitives.load, primitives.load_last}


class SharedLoops:
    """Which loops of a function have iterations that may run in several threads."""

    def __init__(self, function: Function) -> None:
        self.arrays = MadeArrays(function)
        self.made, self.aliases = self.arrays.made, self.arrays.aliases
        self.given = {self.aliases.root(parameter) for parameter in function.parameters}
        self.only_raising = only_raising(function)

    def data_sharing(self, loop: For) -> DataSharing | None:
        """How the iterations of a loop share what it carries; None if they depend on one another."""
        if loop.exits or loop.reverse or not isinstance(loop.step, Constant) or loop.step.value < 1:
            return None
        places = range(len(loop.carried))
        private = tuple(k for k in places if loop.carried[k].private)
        numbers = tuple(k for k in places if k not in private and isinstance(loop.carried[k].parameter.type, Scalar))
        arrays = [k for k in places if k not in private and k not in numbers]
        shared = tuple(k for k in arrays if own_axes_of(loop, k, self.made) != {})
        sums = tuple(k for k in arrays if k not in shared)
        if any(loop.carried[k].parameter.type.dtype == "bool" for k in (*numbers, *sums)):
            return None
        if not adds_to(loop, (*numbers, *sums)):
            return None
        writable = {loop.carried[k].parameter for k in (*shared, *private, *sums)}
        if Iterations(loop, set(writable)).block(loop.body):
            return DataSharing(shared, numbers, private, sums)
        raising = _RaisingIterations(loop, writable, self.only_raising)
        if raising.block(loop.body) and self.can_run_again(loop, (*shared, *sums)):
            return DataSharing(shared, numbers, private, sums, may_raise=True)
        return None

    def can_run_again(self, loop: For, arrays: tuple[int, ...]) -> bool:
        """Whether the loop meets the same errors in a second run, which nobody sees the first one behind."""
        if not all(self.is_made(loop.carried[k].initial) for k in arrays):
            return False
        written = {self.aliases.root(loop.carried[k].parameter) for k in arrays}
        loads = (s for s in walk(loop.body) if isinstance(s, Let) and s.function in _LOADS)
        return written.isdisjoint(self.aliases.root(load.operands[0]) for load in loads)

    def is_made(self, array: Operand) -> bool:
        """Whether an array is surely one that the function has made, which nobody sees after an error."""
        owner = self.arrays.owner(array) if isinstance(array, Value) else None
        return (
            owner is not None and isinstance(self.made.get(owner), Let) and self.aliases.root(owner) not in self.given
        )


def only_raising(function: Function) -> frozenset[str]:
    """The callees of a function that do nothing that is seen outside of them, but may raise."""
    callees = {callee.name: callee for callee in function.callees}
    others = {name for name, callee in callees.items() if callee.mutated or not _only_raises(callee, callees)}
    while True:
        calling = {
            name
            for name, callee in callees.items()
            if any(isinstance(s, Call) and s.function in others for s in walk(callee.body))
        }
        if calling <= others:
            return frozenset(callees.keys() - others)
        others |= calling


def _only_raises(callee: Function, callees: Mapping[str, Function]) -> bool:
    """Whether a callee does nothing that is seen outside of it, but for the functions that it calls."""
    for statement in walk(callee.body):
        if isinstance(statement, Effect) and statement.function not in _CHECKS:
            return False
        if isinstance(statement, Call) and statement.function not in callees:
            return False
        if isinstance(statement, Let) and not _is_known(statement):
            return False
    return True


def _is_known(statement: Let) -> bool:
    function = statement.function
    if consumes(statement):
        return function in _WRITES
    known = {*_LOADS, primitives.dim, *primitives.CREATING, *_OF_ARRAYS, *OF_NUMBERS}
    return function in known or isinstance(function, np.ufunc)


class _RaisingIterations(Iterations):
    """The same walk where iterations may raise, and call functions that do no more than that."""

    def __init__(self, loop: For, writable: set[Value], only_raising: frozenset[str]) -> None:
        super().__init__(loop, writable)
        self.only_raising = only_raising

    def statement(self, statement: Statement) -> bool:
        match statement:
            case Effect():
                return statement.function in _CHECKS
            case Call():
                self.writable.update(result for result in statement.results if isinstance(result.type, Array))
                return statement.function in self.only_raising
        return super().statement(statement)

    def let(self, statement: Let) -> bool:
        if statement.function in (primitives.load, primitives.dim):
            return True
        if statement.function in primitives.CREATING:
            self.writable.add(statement.value)
            return True
        if consumes(statement):
            written = statement.operands[0]
            self.writable.add(statement.value)
            return written in self.writable and statement.function in _WRITES
        if isinstance(statement.function, np.ufunc) or statement.function in {*_OF_ARRAYS, *OF_NUMBERS}:
            if isinstance(statement.value.type, Array):
                self.writable.add(statement.value)
            return True
        return super().let(statement)


_WRITES = {primitives.store, primitives.add_at, primitives.accumulate, runtime.reserve, runtime.push, runtime.keep}
