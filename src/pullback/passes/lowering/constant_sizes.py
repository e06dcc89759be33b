"""Constant sizes: a function is specialised to the lengths of short rows that its loops read, and to small arrays.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def first(points):
...     total = 0.0
...     for i in range(points.shape[0]):
...         for c in range(points.shape[1]):
...             total += points[i, c] ** 2
...     return total
>>> function = normal_form(first, np.ones((900, 3)))
>>> sizes = constant_sizes(function, {function.parameters[0]: (900, 3)})
>>> sizes
(((points: float64[:, :], 1), 3),)
>>> print(*show(with_constant_sizes(function, sizes)).splitlines()[:4], sep=chr(10))
first(points: float64[:, :]):
    t.0: int64* = dim(points, 1)
    t.1: bool* = equal(t.0, 3)
    check(t.1, SizesDiffer)

Elements of neighbouring rows are then a constant distance apart: a loop over the rows can be vectorised, and one over a
row is unrolled. The sizes are those of the first call; what is assumed is checked at the entry, and once there is a
call with other sizes, it and those after it go to the form for all.

An integer from outside that bounds a loop is taken for such a size too, such as the radius of a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from pullback import runtime
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import (
    Block,
    Constant,
    For,
    Function,
    Index,
    Let,
    Operand,
    Slice,
    Value,
    While,
    blocks_of,
    is_scalar,
    lets_in,
    values_in,
    walk,
)
from pullback.ir.rewrite import substituted
from pullback.ir.types import Array

SHORTEST, LONGEST = 2, 4
"""The lengths of short rows. A matrix of a filter may also have a single row or column."""

PRODUCTS = {np.matmul, np.dot}

_ALL = Slice(None, None, None)

LARGEST_BOUND = 16
"""Integers from outside up to this one, as bounds of loops."""

ConstantSizes = tuple[tuple[tuple[Value, int | None], int], ...]
"""Axes of parameters, each with its size; and integers, which have no axis."""


def constant_sizes(
    function: Function, shapes: Mapping[Value, tuple[int, ...]], outside: Mapping[Value, int] | None = None
) -> ConstantSizes:
    """The lengths of short rows of parameters of these shapes that loops read elements of, and of small arrays.

    Those of the factors of products are such, and their columns too. outside: integers from outside; those that bound
    loops are found.
    """
    bounds, steps = _bounds(function.body)
    numbers = [(v, n) for v, n in (outside or {}).items() if v in (bounds if n else bounds - steps)]
    numbers = [(v, n) for v, n in numbers if abs(n) <= LARGEST_BOUND]
    return (*_sizes_of_arrays(function, shapes), *(((value, None), number) for value, number in numbers))


def _sizes_of_arrays(function: Function, shapes: Mapping[Value, tuple[int, ...]]) -> ConstantSizes:
    read, whole = (set(_read_in_loops(function.body, of_loads)) for of_loads in (True, False))
    factors = set(_factors(function.body))
    whole |= _sources(function, _replaced_arrays(function.body)) | factors
    found: list[tuple[tuple[Value, int | None], int]] = []
    for parameter, shape in shapes.items():
        is_small = parameter in whole and max(shape, default=0) <= LONGEST
        if is_small or parameter in read | factors:
            least = 1 if is_small and len(shape) > 1 else SHORTEST
            first = 0 if is_small or parameter in factors else 1
            axes: list[tuple[tuple[Value, int | None], int]] = [
                ((parameter, axis), size) for axis, size in enumerate(shape) if axis >= first
            ]
            found += [(axis, size) for axis, size in axes if least <= size <= LONGEST]
    return tuple(found)


def with_constant_sizes(function: Function, sizes: ConstantSizes) -> Function:
    """The function for arguments of these sizes, behind checks of them."""
    if not sizes:
        return function
    builder = Builder()
    for (value, axis), size in sizes:
        found = value if axis is None else builder.dim(value, axis)
        agree = builder.let(np.equal, found, constant(size))
        builder.effect(primitives.check, agree, Constant(runtime.SizesDiffer))
    dims = (s for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.dim)
    known = {s.value: (s.operands[0], s.operands[1].value) for s in dims}
    numbers = dict(sizes)
    terms = {value: constant(numbers[axis]) for value, axis in known.items() if axis in numbers}
    terms |= {value: Constant(size, value.type) for (value, axis), size in sizes if axis is None}
    body = substituted(function.body, terms)
    return replace(function, body=Block((*builder.statements, *body.statements), body.yields))


def _bounds(block: Block) -> tuple[set[Value], set[Value]]:
    """The integers that bound loops, and those that they are computed of; and of them those of steps."""
    lets = lets_in(block)
    loops = [s for s in walk(block) if isinstance(s, For)]
    steps = _computed_of((v for s in loops for v in values_in(s.step)), lets)
    return _computed_of((v for s in loops for v in values_in((s.start, s.stop))), lets) | steps, steps


def _computed_of(values: Iterable[Value], lets: Mapping[Value, Let]) -> set[Value]:
    """Some numbers, and those that they are computed of."""
    found: set[Value] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [v for v in values_in(lets[value].operands if value in lets else ()) if is_scalar(v)]
    return found


def _read_in_loops(block: Block, of_loads: bool, in_loop: bool = False) -> Iterator[Value]:
    """The arrays of which iterations load elements or rows; or those of their other statements with arrays."""
    for statement in block.statements:
        if in_loop and isinstance(statement, Let) and (statement.function is primitives.load) == of_loads:
            arrays = values_in(statement.operands[:1] if of_loads else statement.operands)
            yield from (array for array in arrays if statement.function is not primitives.dim)
        for inner in blocks_of(statement):
            yield from _read_in_loops(inner, of_loads, in_loop or isinstance(statement, For | While))


def _factors(block: Block) -> Iterator[Value]:
    """The factors of products of matrices, as they are before they are transposed, or given axes of one element."""
    lets = lets_in(block)
    for statement in lets.values():
        if statement.function in PRODUCTS:
            for factor in values_in(statement.operands):
                made = lets.get(factor)
                yield made.operands[0] if made is not None and _arranges(made) else factor


def _arranges(statement: Let) -> bool:
    """Whether a statement has all elements of an array in another order, or with more axes."""
    if statement.function is not primitives.load:
        return statement.function is np.transpose
    return all(isinstance(step, Index) and all(map(_is_whole, step.items)) for step in statement.operands[1])


def _is_whole(item: Operand | Slice) -> bool:
    """Whether an item of an index leaves axes as they are, or adds one."""
    return item == _ALL if isinstance(item, Slice) else isinstance(item, Constant) and item.value in (None, Ellipsis)


def _replaced_arrays(block: Block) -> Iterator[Value]:
    """The arrays that loops are handed, and whose iterations make others in their place."""
    before = {s.value: s.operands[0] for s in walk(block) if isinstance(s, Let) and s.function in primitives.WRITES}
    for statement in walk(block):
        if isinstance(statement, For | While):
            before |= zip(statement.results, (carried.initial for carried in statement.carried), strict=True)
    for statement in walk(block):
        if isinstance(statement, For | While):
            for carried, after in zip(statement.carried, statement.body.yields, strict=False):
                while after in before:
                    after = before[after]
                if after is not carried.parameter:
                    yield from (v for v in values_in((carried.initial,)) if isinstance(v.type, Array))


def _sources(function: Function, arrays: Iterable[Value]) -> set[Value]:
    """The arrays themselves, and those that they are computed of."""
    lets = lets_in(function.body)
    found: set[Value] = set()
    waiting = list(arrays)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            made = lets.get(value)
            waiting += [v for v in values_in(made.operands if made else ()) if isinstance(v.type, Array)]
    return found
