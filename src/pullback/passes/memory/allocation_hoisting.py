"""Allocation hoisting: an array that every iteration of a loop makes anew is made once, before the loop.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.passes.memory.products import write_products
>>> from pullback.transform.derivative import prepared
>>> def trace(a, x, n):
...     s = 0.0
...     for i in range(n):
...         y = a @ x
...         s += y[i]
...     return s
>>> function = write_products(prepared(normal_form(trace, np.ones((2, 2)), np.ones(2), 2)))
>>> print(show(function))
trace(a: float64[:, :], x: float64[:], n: int64*):
    t.0: int64* = dim(a, 0)
    s.2 = for i in range(0, n, 1) with (s: float64 = 0.0):
        y: float64[:] = empty((t.0), dtype='float64')
        y.1: float64[:] = product_into(y, a, x, False)
        t.1: float64 = load(y.1, ([i]))
        s.1: float64 = add(s, t.1)
        yield s.1
    return s.2
>>> print(show(hoist_allocations(function)))
trace(a: float64[:, :], x: float64[:], n: int64*):
    t.0: int64* = dim(a, 0)
    y: float64[:] = empty((t.0), dtype='float64')
    s.2, y.3 = for i in range(0, n, 1) with (s: float64 = 0.0, y.1: float64[:] = y):
        y.2: float64[:] = product_into(y.1, a, x, False)
        t.1: float64 = load(y.2, ([i]))
        s.1: float64 = add(s, t.1)
        yield s.1, y.2
    return s.2

Only for stacks, and for `np.empty` of a size that is the same in every iteration: nothing of an earlier iteration is
read, or it would be undefined in the program as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeVar

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import consumes
from pullback.analysis.kept_rows import made_in_rows
from pullback.analysis.made_arrays import sizes_of
from pullback.analysis.ranges import mentions
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form, Size, SliceSize
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Carried,
    For,
    Function,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    is_scalar,
    made_in_iterations,
    values_in,
    walk,
)
from pullback.ir.paths import only_item
from pullback.ir.rewrite import substituted, with_blocks
from pullback.ir.types import INT
from pullback.passes.scalar.negative_sizes import check_size, is_of_user, negative_before_loops

Loop = TypeVar("Loop", For, While, For | While)


def hoist_allocations(function: Function) -> Function:
    """The same function with such buffers made outside of all loops that allow it."""
    return replace(function, body=_Hoisting(function).block(function.body))


class _Hoisting:
    def __init__(self, function: Function) -> None:
        self.shapes = cache(lambda: Shapes(function))
        self.negative = cache(lambda: negative_before_loops(function))
        self.made_in_rows = made_in_rows(function)

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            statements += self.hoisted(changed) if isinstance(changed, For | While) else [changed]
        return Block(tuple(statements), block.yields)

    def hoisted(self, loop: For | While) -> list[Statement]:
        """The buffers that a loop's body makes, then the loop that carries them."""
        varying = made_in_iterations(loop)
        before: list[Statement] = []
        largest: dict[Operand, Let] = {}
        checked: set[Operand] = set()
        for statement in loop.body.statements:
            if not isinstance(statement, Let) or statement.function not in (np.empty, runtime.growing):
                continue
            if statement.value in self.made_in_rows:
                continue
            last = last_version(statement.value, loop.body)
            if last is None or last in loop.body.yields or varying & set(values_in(statement.operands)):
                continue
            if _keeps_its_size(statement.value, loop, self.shapes):
                negative = self.negative().get(statement.value, ())
                new = {size: _from_zero(size, statement) for size in negative if size not in largest}
                largest |= new
                sizes = tuple(largest[size].value if size in largest else size for size in sizes_of(statement))
                is_changed = sizes != sizes_of(statement)
                made = replace(statement, operands=(sizes, *statement.operands[1:])) if is_changed else statement
                before += [*new.values(), made]
                unchecked = [size for size in negative if size not in checked and is_of_user(statement)]
                checked.update(unchecked)
                loop = carrying(checking(loop, statement, unchecked), made, last)
        return [*before, loop]


def _from_zero(size: Operand, maker: Let) -> Let:
    """The larger of 0 and a size, for the array of a loop that may have no iterations."""
    return Let(Value("", INT), max, (size, constant(0)), (), maker.location)


def checking(loop: Loop, maker: Let, sizes: Sequence[Operand]) -> Loop:
    """The loop, in which sizes below zero raise as before; those of a backward sweep have been checked before it."""
    if maker.location.is_adjoint or not sizes:
        return loop
    builder: Builder = Builder()
    builder.location = maker.location
    for size in sizes:
        check_size(builder, size)
    body: Block = loop.body
    k: int = body.statements.index(maker)
    return replace(loop, body=Block((*body.statements[:k], *builder.statements, *body.statements[k:]), body.yields))


def carrying(loop: Loop, made: Let, last: Value) -> Loop:
    """The loop with a buffer handed from iteration to iteration."""
    value = made.value
    parameter = Value(value.name, value.type)
    others = tuple(s for s in loop.body.statements if not isinstance(s, Let) or s.value is not value)
    body: Block = substituted(Block(others, loop.body.yields), {value: parameter})
    last = parameter if last is value else last
    count: int = len(loop.carried)
    yields = (*body.yields[:count], last, *body.yields[count:])
    return replace(
        loop,
        carried=(*loop.carried, Carried(parameter, value, private=True)),
        body=Block(body.statements, yields),
        results=(*loop.results, Value(value.name, value.type)),
    )


def last_version(value: Value, block: Block) -> Value | None:
    """The version of a buffer at the end of a block; None where a branch takes it over, but does not hand it on."""
    for statement in block.statements:
        match statement:
            case Let() if consumes(statement) and statement.operands[0] is value:
                value = statement.value
            case For() | While():
                for carried, result in zip(statement.carried, statement.results, strict=True):
                    if carried.initial is value:
                        value = result
                        break
            case If() if _is_consumed(value, statement):
                after = _version_after(value, statement)
                if after is None:
                    return None
                value = after
    return value


def _version_after(value: Value, branch: If) -> Value | None:
    """The version of a buffer after a branch, whose sides both hand their last one on."""
    last = last_version(value, branch.then), last_version(value, branch.orelse)
    sides = zip(branch.results, branch.then.yields, branch.orelse.yields, strict=True)
    return next((result for result, *handed_on in sides if tuple(handed_on) == last), None)


def _keeps_its_size(value: Value, loop: For | While, shapes: Callable[[], Shapes]) -> bool:
    """Whether an iteration hands on the buffer in the size that it was made with, if anything fills it as a whole.

    A buffer that only grows, or whose elements are stored one by one, may have any size; but its rows, if it has any,
    must be of one size in all iterations. A loop inside may hand on another array instead.
    """
    versions, writes = {value}, list[Let]()
    before = 0
    while before != len(versions):
        before = len(versions)
        for statement in walk(loop.body):
            match statement:
                case Let() if consumes(statement) and statement.operands[0] in versions:
                    versions.add(statement.value)
                    writes.append(statement)
                case For() | While():
                    for carried, result in zip(statement.carried, statement.results, strict=True):
                        if carried.initial in versions:
                            versions |= {carried.parameter, result}
                case If():
                    sides = zip(statement.then.yields, statement.orelse.yields, strict=True)
                    pairs = zip(statement.results, sides, strict=True)
                    versions |= {result for result, both in pairs if versions.issuperset(values_in(both))}
    loops = [s for s in walk(loop.body) if isinstance(s, For | While)]
    handed_on = (y for s in loops for c, y in zip(s.carried, s.body.yields, strict=False) if c.parameter in versions)
    others = [y for y in handed_on if y not in versions]
    grows, fills = any(w.function in _GROWING for w in writes), any(map(_fills, writes))
    varying = made_in_iterations(loop)
    rows = (w.operands[-1] for w in writes if w.function is runtime.push_row)
    is_even = all(_is_fixed(size, varying) for row in rows for size in shapes().of(row))
    return is_even and not (grows and fills) and all(shapes().of(other) == shapes().of(value) for other in others)


def _fills(write: Let) -> bool:
    """Whether a statement stores anything but a number at one index of a row."""
    return write.function is primitives.store and not is_scalar(only_item(write.operands[1]))


def _is_fixed(size: Size, varying: set[Value]) -> bool:
    """Whether a size is the same in all iterations, as nothing that it is known by is made in them."""
    match size:
        case SliceSize():
            return _is_fixed(size.size, varying) and varying.isdisjoint(values_in(size.part))
        case Form():
            return not mentions(size, varying)
        case (Value() as array, int()):
            return array not in varying
    return size not in varying


_GROWING = {runtime.push, runtime.push_row, runtime.push_block, runtime.reserve}


def _is_consumed(value: Value, statement: If) -> bool:
    """Whether a branch writes a buffer, or hands it on."""
    for side in (statement.then, statement.orelse):
        if value in side.yields:
            return True
        for inner in walk(side):
            if isinstance(inner, Let) and consumes(inner) and inner.operands[0] is value:
                return True
            if isinstance(inner, For | While) and any(c.initial is value for c in inner.carried):
                return True
    return False
