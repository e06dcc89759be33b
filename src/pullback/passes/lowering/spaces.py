"""Spaces: the shape that an array statement goes over element by element, if loops can stand for it.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> def weighted(x, w, near):
...     return np.sum(w * x[near])
>>> function = normal_form(weighted, np.ones(5), np.ones(3), np.zeros(3, int))
>>> sizes = Sizes(function)
>>> len({space_of(s, sizes, "none", lambda statement: False) for s in function.body.statements})
1

The gather, the product and the sum go over the same elements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeGuard

from pullback.analysis.extents import can_compute
from pullback.analysis.shape_rules import reduced_axes
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Shape
from pullback.ir import primitives
from pullback.ir.nodes import Let, Statement, Value
from pullback.passes.lowering.groups import (
    index_arrays,
    is_extremum,
    is_gather,
    is_inner_product,
    is_map,
    is_scatter,
    is_store,
    is_sum,
)
from pullback.passes.lowering.sizes import Sizes
from pullback.passes.lowering.views import can_index

Extrema = Literal["none", "in rows", "all"]


def space_of(
    statement: Statement, sizes: Sizes, extrema: Extrema, is_seen: Callable[[Statement], bool]
) -> Shape | None:
    """The shape that a statement goes over element by element; None for other statements."""
    shapes = sizes.shapes
    space: Shape | None = None
    if is_map(statement):
        space = shapes.of(statement.value)
        if space != shapes.broadcast([shapes.of(o) for o in statement.operands if isinstance(o, Value)]):
            return None
    elif is_gather(statement):
        space = _gathered(statement, shapes)
    elif is_sum(statement):
        space = shapes.of(statement.operands[0])
    elif is_inner_product(statement):
        space, other = map(shapes.of, statement.operands)
        if space != other:
            return None
    elif is_extremum(statement):
        space = _compared(statement, sizes, extrema)
    elif is_scatter(statement):
        space = shapes.of(statement.operands[2])
        if is_seen(statement) or space != _gathered(statement, shapes):
            return None
    elif writes(statement):
        array, path, value = by_elements(statement).operands
        if can_index(array, path, shapes) and shapes.part(shapes.of(array), path) == shapes.of(value):
            space = shapes.of(value)
    return space if space and all(map(can_compute, space)) else None


def _gathered(gather: Let, shapes: Shapes) -> Shape | None:
    """The shape of what a gather takes; None if its indices may be broadcast."""
    first, arrays = index_arrays(gather.operands[1])
    (shape, *others) = dict.fromkeys(map(shapes.of, arrays))
    whole = shapes.of(gather.operands[0])
    return None if others else (*whole[:first], *shape, *whole[first + len(arrays) :])


def _compared(statement: Let, sizes: Sizes, extrema: Extrema) -> Shape | None:
    """The shape of what an extremum is taken of; None for others than `extrema`, or if nothing may be there."""
    shape = sizes.shapes.of(statement.operands[0])
    axes, _ = reduced_axes(statement, len(shape)) or (frozenset(), False)
    if extrema == "none" or (extrema == "in rows" and 0 in axes):
        return None
    return shape if sizes.assume_not_empty([shape[axis] for axis in sorted(axes)]) else None


def by_elements(statement: Let) -> Let:
    """An addition to a whole array as one to its elements."""
    if statement.function is not primitives.accumulate:
        return statement
    array, value = statement.operands
    return replace(statement, function=primitives.add_at, operands=(array, (), value))


def writes(statement: Statement) -> TypeGuard[Let]:
    """Whether a statement stores into an array, or adds to one."""
    return isinstance(statement, Let) and is_store(by_elements(statement))
