"""Loops over the elements of arrays: unit vectors, and parts of Jacobians that are stored element by element.

>>> from pullback.ir.nodes import Function
>>> from pullback.ir.printer import show
>>> from pullback.ir.types import Array
>>> x = Value("x", Array("float64", 1))
>>> builder = Builder()
>>> with builder.block() as statements:
...     made = unit_of(builder, x, (Constant(2, INT),))
>>> print(show(Function("third", (x,), Block(tuple(statements), (made,)))))
third(x: float64[:]):
    unit: float64[:] = zeros_like(x)
    unit.1: float64[:] = store(unit, ([2]), 1.0)
    return unit.1
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, Carried, Constant, For, Index, Operand, Value
from pullback.ir.rewrite import like
from pullback.ir.types import INT, Scalar


def unit_of(builder: Builder, like: Value, indices: tuple[Operand, ...]) -> Value:
    """Zeros in the shape of an array, with a 1 at a place."""
    zeros = builder.let(primitives.zeros_like, like, name="unit")
    one = Constant(1.0, Scalar(like.type.dtype))
    return builder.let(primitives.store, zeros, (Index(indices),), one, name="unit")


def stored(builder: Builder, jacobian: Value, part: Operand, place: Callable[..., Index], lowered: bool) -> Value:
    """A Jacobian with a part of it stored; `place` makes an index of that of an element of the part."""
    rank = getattr(part.type, "ndim", 0)
    if not rank or not lowered:
        path = (place(Constant(Ellipsis)) if rank else place(),)
        return builder.let(primitives.store, jacobian, path, part, name=jacobian.name)

    def iteration(indices: tuple[Operand, ...], versions: list[Value]) -> list[Operand]:
        element = builder.load(part, (Index(indices),))
        return [builder.let(primitives.store, versions[0], (place(*indices),), element, name=jacobian.name)]

    (made,) = over_elements(builder, part, "i", [(like(jacobian), jacobian)], iteration)
    return made


def over_elements(
    builder: Builder,
    array: Value,
    name: str,
    carried: list[tuple[Value, Operand]],
    iteration: Callable[[tuple[Operand, ...], list[Value]], list[Operand]],
) -> list[Value]:
    """Loops over the elements of an array, around an iteration from indices and what is carried to the next of that."""
    return over_sizes(builder, builder.dims(array), name, carried, iteration)


def over_sizes(
    builder: Builder,
    sizes: tuple[Operand, ...],
    name: str,
    carried: list[tuple[Value, Operand]],
    iteration: Callable[[tuple[Operand, ...], list[Value]], list[Operand]],
) -> list[Value]:
    """Loops with these numbers of iterations, in one another."""

    def level(indices: tuple[Operand, ...], pairs: list[tuple[Value, Operand]]) -> list[Any]:
        depth = len(indices)
        index, parameters = Value(name, INT), [parameter for parameter, _ in pairs]
        with builder.block() as statements:
            if depth + 1 == len(sizes):
                made = iteration((*indices, index), parameters)
            else:
                made = level((*indices, index), [(like(parameter), parameter) for parameter in parameters])
        results = tuple(map(like, parameters))
        entries = tuple(Carried(parameter, initial) for parameter, initial in pairs)
        zero, one = Constant(0, INT), Constant(1, INT)
        body = Block(tuple(statements), tuple(made))
        builder.add(For(index, zero, sizes[depth], one, entries, body, results, location=builder.location))
        return list(results)

    return level((), carried)
