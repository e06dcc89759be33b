"""The pull-back of primitives that read, write, join or pass on the elements of arrays.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> from pullback.transform.derivative import joint, prepared
>>> def f(x, v):
...     y = np.exp(x)
...     y[0] = v  # v_bar is y_bar[0], which is cleared
...     return np.sum(y)
>>> function = prepared(normal_form(f, np.ones(3), 2.0))
>>> print(show(joint(function, (0, 1), with_results=False)))
f_grad(x: float64[:], v: float64*):
    y: float64[:] = exp(x)
    t.0: int64* = dim(x, 0)
    y_bar: float64[:] = full((t.0), 1.0)
    v_bar: float64 = load(y_bar, ([0]))
    y_bar.1: float64[:] = store(y_bar, ([0]), 0.0)
    x_bar: float64[:] = multiply(y_bar.1, y)
    return x_bar, v_bar
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.infer import is_advanced
from pullback.ir.nodes import Constant, Index, Let, Operand, Value
from pullback.ir.types import Array, Scalar
from pullback.transform.reverse.adjoints import Adjoints, named_after
from pullback.transform.reverse.broadcasting import add_summed, sum_to


def pull_load(adjoints: Adjoints, statement: Let) -> None:
    """y = x[i]: x_bar[i] += y_bar."""
    array, path = statement.operands
    y_bar = adjoints.take(statement.value)
    if array in adjoints.active:
        add_at(adjoints, array, path, y_bar)


def add_at(adjoints: Adjoints, array: Value, path: Any, contribution: Operand) -> None:
    """Add to some elements of the adjoint of an array."""
    builder = adjoints.builder
    if contribution.type.dtype != array.type.dtype:
        contribution = builder.cast(contribution, array.type.dtype)
    shadow = adjoints.whole(array)
    adjoints.known[array] = named_after(array, builder.let(primitives.add_at, shadow, path, contribution))


def pull_load_last(adjoints: Adjoints, statement: Let) -> None:
    """v = x[i], where i repeats an element only at the last of its places: x_bar grows there."""
    array, path = statement.operands
    y_bar = adjoints.take_whole(statement.value)
    if array in adjoints.active:
        adjoints.add(array, adjoints.builder.let(primitives.store, adjoints.zeros(array), path, y_bar))


def pull_store(adjoints: Adjoints, statement: Let) -> None:
    """x' = x with x[i] = v: v_bar = x'_bar[i], then x'_bar[i] = 0 is x_bar."""
    array, path, value = statement.operands
    shadow = adjoints.take_whole(statement.value)
    if adjoints.is_active(value):
        _pull_stored(adjoints, statement, shadow)
    add_cleared(adjoints, array, shadow, path)


def _pull_stored(adjoints: Adjoints, statement: Let, shadow: Operand) -> None:
    _, path, value = statement.operands
    last = Index(path[-1].items)
    function = primitives.load_last if is_advanced((last,)) else primitives.load
    part: Operand = adjoints.builder.let(function, shadow, path)
    if isinstance(part.type, Array):
        fits = _fits(adjoints, statement)
        part = adjoints.builder.let(primitives.copy, part) if fits else sum_to(adjoints, part, value)
    adjoints.add(value, part)


def _fits(adjoints: Adjoints, statement: Let) -> bool:
    """Whether what is stored surely has the shape of the part that it is stored in, or added to."""
    array, path, value = statement.operands
    shapes = adjoints.shapes
    return isinstance(value.type, Array) and shapes.part(shapes.of(array), path) == shapes.of(value)


def add_cleared(adjoints: Adjoints, array: Operand, shadow: Operand, path: Any) -> None:
    """Add to an array's adjoint what is left of a shadow without the elements that were overwritten."""
    if array in adjoints.active:
        zero = Constant(0.0, Scalar(array.type.dtype, weak=array.type.dtype == "float64"))
        adjoints.add(array, adjoints.builder.let(primitives.store, shadow, path, zero))


def pull_add_at(adjoints: Adjoints, statement: Let) -> None:
    """x' = x with x[i] += v: v_bar = x'_bar[i], x_bar = x'_bar."""
    array, path, value = statement.operands
    shadow = adjoints.take_whole(statement.value)
    if adjoints.is_active(value):
        part = adjoints.builder.let(primitives.load, shadow, path)
        is_summed = isinstance(part.type, Array) and not _fits(adjoints, statement)
        adjoints.add(value, sum_to(adjoints, part, value) if is_summed else part)
    adjoints.add(array, shadow)


def pull_accumulate(adjoints: Adjoints, statement: Let) -> None:
    """y = a + b in the memory of a: both get the cotangent, a number under an array the sum of its elements."""
    y_bar = adjoints.take(statement.value)
    for operand in statement.operands:
        if isinstance(operand, Value):
            if isinstance(operand.type, Scalar) and isinstance(statement.value.type, Array):
                add_summed(adjoints, operand, y_bar, statement.value)
            else:
                adjoints.add(operand, y_bar)


def hand_on(adjoints: Adjoints, statement: Let) -> None:
    """y = copy(x), y = cast(x): the cotangent goes on."""
    y_bar = adjoints.take(statement.value)
    adjoints.add(statement.operands[0], y_bar)


def pull_watched(adjoints: Adjoints, statement: Let) -> None:
    """y = watched(x): the cotangent of y is what a tape may ask for, and goes on."""
    adjoints.watched[statement.value] = adjoints.whole(statement.value)
    hand_on(adjoints, statement)


def pull_select(adjoints: Adjoints, statement: Let) -> None:
    """y = a if c else b: each side gets the cotangent where it was taken, and 0 elsewhere."""
    condition, *sides = statement.operands
    y_bar = adjoints.take(statement.value)
    zero = Constant(0.0, y_bar.type)
    for side, (then, orelse) in zip(sides, ((y_bar, zero), (zero, y_bar)), strict=True):
        if adjoints.is_active(side):
            adjoints.add(side, adjoints.builder.let(primitives.select, condition, then, orelse))


def pull_array(adjoints: Adjoints, statement: Let) -> None:
    """y = np.array((a, b, …)): each number gets its element."""
    shadow = adjoints.take_whole(statement.value)
    for position, item in _positions(statement.operands[0]):
        if adjoints.is_active(item):
            index = Index(tuple(constant(k) for k in position))
            part = adjoints.builder.let(primitives.load, shadow, (index,))
            adjoints.add(item, adjoints.builder.let(primitives.copy, part) if isinstance(part.type, Array) else part)


def _positions(items: Any, prefix: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Operand]]:
    for k, item in enumerate(items):
        if isinstance(item, tuple):
            yield from _positions(item, (*prefix, k))
        else:
            yield (*prefix, k), item
