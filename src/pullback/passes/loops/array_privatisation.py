"""Array privatisation: an array that every iteration overwrites before it reads any of it is made in the iteration.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import prepared
>>> def f(x, w):
...     t, s = np.empty(w.shape[0]), 0.0
...     for i in range(x.shape[0]):
...         for j in range(w.shape[0]):
...             t[j] = x[i] * w[j]
...         s = s + t[0] * t[-1]
...     return s
>>> print(show(privatise_arrays(prepared(normal_form(f, np.ones(3), np.ones(2))))))
f(x: float64[:], w: float64[:]):
    t.0: int64* = dim(w, 0)
    t.1: float64[:] = empty((t.0))
    t.2: int64* = dim(x, 0)
    s.2 = for i in range(0, t.2, 1) with (s: float64 = 0.0):
        t.3: float64[:] = empty((t.0), dtype='float64')
        t.4: float64 = load(x, ([i]))
        t.9 = for j in range(0, t.0, 1) with (t.5: float64[:] = t.3):
            t.6: float64 = load(w, ([j]))
            t.7: float64 = multiply(t.4, t.6)
            t.8: float64[:] = store(t.5, ([j]), t.7)
            yield t.8
        t.10: float64 = load(t.9, ([0]))
        t.11: float64 = load(t.9, ([-1]))
        t.12: float64 = multiply(t.10, t.11)
        s.1: float64 = add(s, t.12)
        yield s.1
    return s.2

Nothing of it then goes from iteration to iteration, and neither do cotangents: the backward iterations may follow the
forward ones. What is made in every iteration moves before the loop again in the derivative
(`passes/memory/allocation_hoisting.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from pullback.analysis.must_write import MustWrites
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Let,
    Operand,
    Statement,
    Value,
    lets_in,
    read_by,
    read_in,
)
from pullback.ir.paths import is_whole
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import Array

Item = TypeVar("Item")
_OF_SHAPE = {primitives.dim, primitives.zeros_like}


def privatise_arrays(function: Function) -> Function:
    """The same function with such arrays made in the loops that overwrite them."""
    return replace(function, body=_Privatiser(function).block(function.body))


class _Privatiser:
    def __init__(self, function: Function) -> None:
        self.writes = MustWrites(function)
        self.made = lets_in(function.body)
        self.read = set(read_in(function.body))

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            made = self.privatised(statement) if isinstance(statement, For) else [statement]
            statements += [with_blocks(s, self.block) for s in made]
        return Block(tuple(statements), block.yields)

    def privatised(self, loop: For) -> list[Statement]:
        """The sizes of such arrays, then the loop that makes them."""
        private = [k for k in range(len(loop.carried)) if self.is_private(loop, k)]
        builder = Builder()
        builder.location = loop.location
        for k in reversed(private):
            loop = _making(loop, k, self.shape(loop.carried[k].initial, builder))
        return [*builder.statements, loop]

    def shape(self, array: Value, builder: Builder) -> Operand:
        """The sizes of an array, as it was made with them if they are known."""
        made = self.made.get(array)
        return made.operands[0] if made is not None and made.function in primitives.CREATING else builder.dims(array)

    def is_private(self, loop: For, k: int) -> bool:
        """Whether a carried array hands nothing from iteration to iteration, nor to what follows the loop."""
        parameter = loop.carried[k].parameter
        if not isinstance(parameter.type, Array) or not parameter.type.ndim or loop.results[k] in self.read:
            return False
        if self.writes.shapes.of(parameter) != self.writes.shapes.of(loop.carried[k].initial):
            return False
        return self.is_overwritten(loop.body, parameter, k)

    def is_overwritten(self, block: Block, version: Value, k: int) -> bool:
        """Whether the body of a loop writes all of an array, the k-th that it carries, before it reads any of it."""
        for statement in block.statements:
            if version not in read_by(statement) or _asks_shape(statement, version):
                continue
            if self.writes.uses[version] != 1 + sum(_asks_shape(s, version) for s in block.statements):
                return False
            match statement:
                case Let(function=primitives.store):
                    array, path, value = statement.operands
                    return array is version and value is not version and is_whole(path)
                case For():
                    inner = next((j for j, carried in enumerate(statement.carried) if carried.initial is version), None)
                    if inner is None:
                        return False
                    covers = self.writes.covers(statement, inner)
                    first = self.writes.first_writes(statement, inner) if covers else ()
                    if first and all(write.function is primitives.store for write in first):
                        return True
                    if not self.is_overwritten(statement.body, statement.carried[inner].parameter, inner):
                        return False
                    version = statement.results[inner]  # as it was, if the loop has no iterations
                case _:
                    return False
        return all(value is not version for j, value in enumerate(block.yields) if j != k)


def _asks_shape(statement: Statement, array: Value) -> bool:
    return isinstance(statement, Let) and statement.function in _OF_SHAPE and statement.operands[0] is array


def _making(loop: For, k: int, shape: Operand) -> For:
    """The loop with a carried array made in each iteration."""
    parameter = loop.carried[k].parameter
    array = Value(parameter.name, parameter.type)
    dtype = Constant(array.type.dtype)
    made = Let(array, np.empty, (shape, dtype), ("dtype",), loop.location)
    body = substituted(loop.body, {parameter: array})
    return replace(
        loop,
        carried=_without(loop.carried, k),
        body=Block((made, *body.statements), _without(body.yields, k)),
        results=_without(loop.results, k),
    )


def _without(items: tuple[Item, ...], k: int) -> tuple[Item, ...]:
    return (*items[:k], *items[k + 1 :])
