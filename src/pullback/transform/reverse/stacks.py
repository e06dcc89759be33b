"""The pull-back of what grows: lists, and what a backward sweep kept, when it is differentiated itself.

>>> from pullback.analysis.shapes import Shapes
>>> from pullback.ir.nodes import Block, Function, Value
>>> from pullback.ir.printer import show
>>> from pullback.ir.types import FLOAT, INT
>>> before, after, after_bar = (Value(name, Array("float64", 1)) for name in ("before", "after", "after_bar"))
>>> length, x = Value("length", INT), Value("x", FLOAT)
>>> adjoints = Adjoints(frozenset({before, after, x}), Shapes(), frozenset(), set(), set())
>>> adjoints.add(after, after_bar)
>>> with adjoints.builder.block() as statements:
...     pull_push(adjoints, Let(after, runtime.push, (before, length, x)))
>>> results = adjoints.known[before], adjoints.known[x]
>>> print(show(Function("push_backward", (length, after_bar), Block(tuple(statements), results))))
push_backward(length: int64*, after_bar: float64[:]):
    x_bar: float64 = load(after_bar, ([length]))
    before_bar: float64[:] = store(after_bar, ([length]), 0.0)
    return before_bar, x_bar

The cotangent of a growing array is one array of its final size, of which an earlier version owns the first rows. What a
sweep kept there was stored once, so that no element has to be cleared.
"""

from __future__ import annotations

import numpy as np

from pullback import runtime
from pullback.analysis.aliases import find_aliases
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.nodes import Function, Index, Let, Operand, Slice, Value, defined_in, lets_in
from pullback.ir.types import Array
from pullback.transform.reverse.adjoints import Adjoints
from pullback.transform.reverse.elements import add_at, add_cleared

_GROWING = (runtime.push, runtime.push_row)


def growing_arrays(function: Function) -> frozenset[Value]:
    """All versions of the arrays of a function that grow."""
    made = lets_in(function.body)
    grown = [let.value for let in made.values() if let.function in _GROWING]
    if not grown:
        return frozenset()
    aliases = find_aliases(function)
    roots = {aliases.root(value) for value in grown}
    values = {*function.parameters, *defined_in(function.body)}
    arrays = {v for v in values if isinstance(v.type, Array) and aliases.root(v) in roots}
    return frozenset(v for v in arrays if v not in made or made[v].function is not primitives.load)


def pull_push(adjoints: Adjoints, statement: Let) -> None:
    """A list with one more element: the new element's cotangent; what is left belongs to the list before."""
    buffer, length, value = statement.operands
    shadow = adjoints.take_whole(statement.value)
    path = (Index((length,)),)
    if adjoints.is_active(value):
        part = adjoints.builder.let(primitives.load, shadow, path)
        is_row = statement.function is runtime.push_row
        adjoints.add(value, adjoints.builder.let(primitives.copy, part) if is_row else part)
    add_cleared(adjoints, buffer, shadow, path)


def pull_keep(adjoints: Adjoints, statement: Let) -> None:
    """S' = S with S[k] = v: v_bar = S_bar[k]."""
    stack, k, value = statement.operands
    shadow = adjoints.take(statement.value)
    if adjoints.is_active(value):
        adjoints.add(value, adjoints.builder.let(primitives.load, shadow, (Index((k,)),)))
    adjoints.add(stack, shadow)


def pull_push_block(adjoints: Adjoints, statement: Let) -> None:
    """B' = B with the elements of v from `top` on: v_bar is that part of B_bar."""
    buffer, top, value = statement.operands
    shadow = adjoints.take(statement.value)
    if adjoints.is_active(value):
        part = adjoints.builder.let(runtime.block_of, shadow, top, adjoints.dims(value), type_=value.type)
        adjoints.add(value, adjoints.builder.let(primitives.copy, part))
    adjoints.add(buffer, shadow)


def pull_block_of(adjoints: Adjoints, statement: Let) -> None:
    """v = the elements of B from `top` on: that part of B_bar grows by v_bar."""
    buffer, top, shape = statement.operands
    y_bar = adjoints.take_whole(statement.value)
    if buffer not in adjoints.active:
        return
    builder = adjoints.builder
    flat = builder.let(np.reshape, y_bar, (constant(-1),), type_=Array(y_bar.type.dtype, 1))
    size: Operand = constant(1)
    for extent in shape:
        size = builder.let(np.multiply, size, extent)
    end = builder.let(np.add, top, size)
    add_at(adjoints, buffer, (Index((Slice(top, end, None),)),), flat)
