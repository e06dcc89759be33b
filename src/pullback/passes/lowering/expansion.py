"""Expansion: array functions in terms of simpler ones, which the lowering knows.

>>> from pullback.emission.module import emit_module
>>> from pullback.frontend.build import normal_form
>>> def turned(x, n):
...     s = 0.0
...     while s < n:
...         s += np.array([x, 1 - x])[0]
...     return s
>>> function = normal_form(turned, 0.5, 2)
>>> function = replace(function, body=expanded(function.body, lambda: Shapes(function)))
>>> text = emit_module([function], compiled=False, comments=False)
>>> print(text[text.index("def ") :], end="")
def turned(x, n):
    s = 0.0
    while s < n:
        s_array = np.empty((2,), dtype=np.float64)
        s_array[0] = x
        s_array[1] = 1 - x
        s += s_array[0]
    return s
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from pullback.analysis.extents import extent
from pullback.analysis.shape_rules import JOINING, reduced_axes
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.arguments import arguments_of
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Index,
    Let,
    Operand,
    Slice,
    Statement,
    Value,
    While,
    is_scalar,
    values_in,
)
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array, is_complex, is_float
from pullback.passes.lowering.groups import is_sum
from pullback.passes.lowering.sizes import Sizes

_ALL = Slice(None, None, None)
MOST_STORES = 64
"""So many numbers an array may have that is filled by a store for each."""


def expanded(block: Block, shapes: Callable[[], Shapes], in_loop: bool = False) -> Block:
    """The block with means as sums, and in loops, arrays of a few numbers, and stacks of others, as stores of these.

    shapes: gives those of the function, where a statement asks.
    """
    statements: list[Statement] = []
    for statement in block.statements:
        inside = in_loop or isinstance(statement, For | While)
        statement = with_blocks(statement, partial(expanded, shapes=shapes, in_loop=inside))
        if in_loop and isinstance(statement, Let) and _is_small_array(statement):
            statements += _stores(statement)
        elif in_loop and isinstance(statement, Let) and _is_stack(statement, shapes):
            statements += _stack(statement)
        else:
            for part in _variance(statement) if isinstance(statement, Let) else [statement]:
                statements += _mean(part) if isinstance(part, Let) else [part]
    return Block(tuple(statements), block.yields)


def _is_small_array(statement: Let) -> bool:
    """Whether a statement makes an array of a few numbers, not all of them constants."""
    if statement.function is not np.array or statement.keywords or len(statement.operands) != 1:
        return False
    numbers = list(values_in(statement.operands))
    return bool(numbers) and all(map(is_scalar, numbers)) and len(_places(statement.operands[0])) <= MOST_STORES


def _stores(statement: Let) -> list[Statement]:
    """The array of a few numbers as a new array that they are stored into."""
    name, type_ = statement.value.name, statement.value.type
    places = _places(statement.operands[0])
    last = max(places)
    shape = tuple(constant(1 + index) for index in last)
    builder = Builder()
    with builder.at(statement.location):
        array = builder.let(np.empty, shape, Constant(type_.dtype), keywords=("dtype",), name=name, type_=type_)
        for place, number in places.items():
            element = builder.cast(number, type_.dtype)
            array = _add_store(builder, statement, array, list(map(constant, place)), element, place == last)
    return builder.statements


def _places(numbers: Operand | tuple[Operand, ...]) -> dict[tuple[int, ...], Operand]:
    """The numbers in nested tuples, by their indices."""
    if not isinstance(numbers, tuple):
        return {(): numbers}
    return {(k, *place): number for k, inner in enumerate(numbers) for place, number in _places(inner).items()}


def _is_stack(statement: Let, shapes: Callable[[], Shapes]) -> bool:
    """Whether a statement stacks arrays that have the same shape and type for certain, along an axis that is known."""
    if statement.function is not np.stack or not isinstance(statement.operands[0], tuple):
        return False
    arrays, *axis = statement.operands
    is_plain = all(isinstance(a, Value) and type(a.type) is Array for a in arrays)
    is_plain = is_plain and {a.type.dtype for a in arrays} == {statement.value.type.dtype}
    is_known = all(isinstance(k, Constant) for k in axis) and statement.keywords in ((), ("axis",))
    return is_plain and is_known and len({shapes().of(array) for array in arrays}) == 1


def _stack(statement: Let) -> list[Statement]:
    """The stack of arrays as a new array that they are stored into."""
    arrays, *given = statement.operands
    builder = Builder()
    with builder.at(statement.location):
        sizes = list(builder.dims(arrays[0]))
        type_ = Array(statement.value.type.dtype, 1 + len(sizes))
        axis = (given[0].value if given else 0) % type_.ndim
        sizes.insert(axis, constant(len(arrays)))
        made = builder.empty(tuple(sizes), type_, statement.value.name)
        for k, array in enumerate(arrays):
            place = [_ALL] * axis + [constant(k)] + [_ALL] * (type_.ndim - axis - 1)
            made = _add_store(builder, statement, made, place, array, k == len(arrays) - 1)
    return builder.statements


def _add_store(
    builder: Builder, statement: Let, array: Value, items: list[Operand], part: Operand, is_last: bool
) -> Value:
    """Add the store of a part, the last one in the place of a statement. Returns the version after it."""
    operands = array, (Index(tuple(items)),), part
    if is_last:
        builder.add(replace(statement, function=primitives.store, operands=operands, keywords=()))
        return statement.value
    return builder.let(primitives.store, *operands, name=array.name)


def with_joined_stored(block: Block, sizes: Sizes, in_loop: bool = False) -> Block:
    """The block with arrays one behind the other as stores of them, where it is known how long they are together.

    Outside of loops these are as long as an array that was cut before.
    """
    statements: list[Statement] = []
    for statement in block.statements:
        inside = in_loop or isinstance(statement, For | While)
        statement = with_blocks(statement, partial(with_joined_stored, sizes=sizes, in_loop=inside))
        is_joined = isinstance(statement, Let) and statement.function in JOINING
        made = _joined(statement, sizes, in_loop) if isinstance(statement, Let) and is_joined else None
        statements += made or [statement]
    return Block(tuple(statements), block.yields)


def _joined(statement: Let, sizes: Sizes, in_loop: bool) -> list[Statement] | None:
    """The parts, of which one is not as long as a number, stored into a new array, counted from the nearer end."""
    value, parts = statement.value, statement.operands[0]
    shape = sizes.shapes.of(value)
    known = sizes.shapes.joined if in_loop else sizes.least
    axis = next((k for k in range(len(shape)) if (value, k) in known), None)
    of_type = all(isinstance(p.type, Array) and p.type.dtype == value.type.dtype for p in parts)
    if axis is None or not of_type or not all(map(sizes.is_given, shape)):
        return None
    lengths = [sizes.shapes.of(part)[axis] for part in parts]
    if sum(not isinstance(length, int) for length in lengths) != 1:
        return None
    middle = next(k for k, length in enumerate(lengths) if not isinstance(length, int))
    builder = Builder()
    with builder.at(statement.location):
        type_ = Array(value.type.dtype, len(shape))
        made = builder.empty(tuple(extent(size, builder) for size in shape), type_, value.name)
        for k, part in enumerate(parts):
            start = sum(lengths[:k]) if k <= middle else -sum(lengths[k:])
            stop = start + lengths[k] if k < middle else -sum(lengths[k + 1 :])
            along = Slice(constant(start) if start else None, constant(stop) if stop else None, None)
            place = [_ALL] * axis + [along] + [_ALL] * (len(shape) - axis - 1)
            made = _add_store(builder, statement, made, place, part, k == len(parts) - 1)
    return builder.statements


def _variance(statement: Let) -> list[Statement]:
    """A variance of real floats as the sum of the squares of differences from the mean, and a division."""
    if statement.function is not np.var:
        return [statement]
    operands, named = arguments_of(statement)
    less = named.pop("ddof", constant(0))
    array = statement.operands[0]
    if not isinstance(array.type, Array) or not is_float(array.type) or is_complex(array.type):
        return [statement]
    keywords = tuple(named)
    reduction = replace(statement, function=np.sum, operands=(*operands, *named.values()), keywords=keywords)
    reduced = reduced_axes(reduction, array.type.ndim)
    if not is_sum(reduction) or reduced is None or not reduced[0] or less != constant(0):
        return [statement]
    axes = tuple(map(constant, sorted(reduced[0])))
    builder = Builder()
    with builder.at(statement.location):
        if len(axes) == array.type.ndim:
            mean = builder.let(np.mean, array)
        else:
            mean = builder.let(np.mean, array, axes, constant(True), keywords=("axis", "keepdims"))
        difference = builder.let(np.subtract, array, mean)
        squares = builder.let(np.multiply, difference, difference)
        builder.add(replace(reduction, function=np.mean, operands=(squares, *reduction.operands[1:])))
    return builder.statements


def _mean(statement: Let) -> list[Statement]:
    """A mean of floats as a sum and a division."""
    if statement.function is not np.mean or not is_float(statement.operands[0].type):
        return [statement]
    array = statement.operands[0]
    reduced = reduced_axes(statement, getattr(array.type, "ndim", 0))
    if not is_sum(replace(statement, function=np.sum)) or reduced is None or not reduced[0]:
        return [statement]
    builder = Builder()
    with builder.at(statement.location):
        total = builder.let(np.sum, *statement.operands, keywords=statement.keywords, type_=statement.value.type)
        count: Operand = None
        for axis in sorted(reduced[0]):
            size = builder.dim(array, axis)
            count = size if count is None else builder.let(np.multiply, count, size)
        count = builder.cast(count, array.type.dtype)
        builder.add(replace(statement, function=np.true_divide, operands=(total, count), keywords=()))
    return builder.statements
