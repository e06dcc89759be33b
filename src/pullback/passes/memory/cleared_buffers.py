"""Cleared buffers: zeros that every iteration of a loop makes anew are made before it, and cleared in each iteration.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> from pullback.transform.derivative import prepared
>>> def counts(x, places, n):
...     s = 0.0
...     for i in range(x.shape[0]):
...         y = np.zeros(n)
...         for j in places:
...             y[j] += x[i]
...         s += y[0] * y[1]
...     return s
>>> function = clear_buffers(prepared(normal_form(counts, np.ones(3), np.array([0, 1]), 2)))
>>> print(emit_module([function], compiled=False, comments=False).partition("def ")[2], end="")
counts(x, places, n):
    y = np.empty((max(n, 0),), dtype=np.float64)
    s = 0.0
    for i in range(x.shape[0]):
        if not 0 <= n:
            raise ValueError('negative dimensions are not allowed')
        y[:] = 0.0
        x_i = x[i]
        for k in range(places.shape[0]):
            j = places[k]
            y[j] += x_i
        s += y[0] * y[1]
    return s

The memory of one iteration is that of the next: an array may neither outlive its iteration, itself or as a view, nor
have its place taken by another one. Its size has to be the same in every iteration.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.aliases import find_aliases
from pullback.analysis.array_uses import uses_of
from pullback.analysis.dependence import is_size
from pullback.analysis.made_arrays import sizes_of
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Slice,
    Statement,
    Value,
    While,
    is_scalar,
    lets_in,
    made_in_iterations,
    results_of,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import INT, Array, is_float, is_integer
from pullback.passes.memory.allocation_hoisting import carrying, checking, last_version


def clear_buffers(function: Function) -> Function:
    """The same function with such arrays made outside of all loops that allow it."""
    if function.callees:
        return function
    return replace(function, body=_Hoisting(function).block(function.body))


class _Hoisting:
    def __init__(self, function: Function) -> None:
        self.aliases = find_aliases(function)
        self.lets = lets_in(function.body)
        self.makers: dict[Value, Let] = {}  # the statement that made zeros, for each buffer in place of them

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        for statement in block.statements:
            changed = with_blocks(statement, self.block)
            statements += self.hoisted(changed) if isinstance(changed, For | While) else [changed]
        return Block(tuple(statements), block.yields)

    def hoisted(self, loop: For | While) -> list[Statement]:
        """The buffers for a loop's zeros, then the loop that carries them."""
        if isinstance(loop, For) and loop.parallel:
            return [loop]
        varying = made_in_iterations(loop)
        outliving = {self.aliases.root(r) for r in results_of(loop)}
        builder = Builder()
        for value in [s.value for s in loop.body.statements if isinstance(s, Let)]:
            maker = self.makers.get(value, self.lets.get(value))
            if maker is None or not _makes_zeros(maker) or varying & set(values_in(maker.operands)):
                continue
            last, uses = last_version(value, loop.body), uses_of(value, loop.body)
            if last is None or uses is None or self.aliases.root(maker.value) in outliving:
                continue
            if value is maker.value:
                value = Value(value.name, value.type)
                self.makers[value] = maker
                loop = self.clearing(loop, maker, value)
            loop = carrying(loop, self.buffer(value, maker, builder), last)
        return [*builder.statements, loop]

    def buffer(self, value: Value, maker: Let, builder: Builder) -> Let:
        """What makes a buffer for some zeros."""
        with builder.at(maker.location):
            if maker.function is primitives.zeros_like:
                sizes = builder.dims(maker.operands[0])
            else:
                sizes = tuple(
                    size if is_size(size, self.lets) else builder.let(max, size, constant(0), type_=INT)
                    for size in sizes_of(maker)
                )
            made = Let(value, np.empty, (sizes, Constant(value.type.dtype)), ("dtype",), maker.location)
            builder.add(made)
        return made

    def clearing(self, loop: For | While, maker: Let, buffer: Value) -> For | While:
        """The loop that clears a buffer where it made zeros; a size below zero raises as before."""
        given = sizes_of(maker) if maker.function is np.zeros else ()
        loop = checking(loop, maker, [size for size in given if not is_size(size, self.lets)])
        everything = (Index((Slice(None, None, None),) * getattr(buffer.type, "ndim", 0)),)
        zero = constant(0.0 if is_float(buffer.type) else 0)
        cleared = Let(maker.value, primitives.store, (buffer, everything, zero), (), maker.location)
        statements = tuple(cleared if statement == maker else statement for statement in loop.body.statements)
        return replace(loop, body=replace(loop.body, statements=statements))


def _makes_zeros(statement: Let) -> bool:
    """Whether a statement makes an array of zeros, of sizes that are numbers."""
    type_ = statement.value.type
    if not isinstance(type_, Array) or not type_.ndim or not (is_float(type_) or is_integer(type_)):
        return False
    is_plain = statement.function is np.zeros and all(map(is_scalar, sizes_of(statement)))
    return is_plain or statement.function is primitives.zeros_like
