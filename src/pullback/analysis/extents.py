"""Extents: sizes of axes, as `analysis/shapes.py` knows them, become operands of a program.

>>> from pullback.analysis.shapes import Shapes
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.builder import Builder
>>> def inner(x):
...     return x[1:-1] * 2.0
>>> function, builder = normal_form(inner, np.ones(5)), Builder()
>>> _ = extent(Shapes(function).of(function.results[0])[0], builder)
>>> [statement.function.__name__ for statement in builder.statements]
['dim', 'subtract', 'max']
"""

from __future__ import annotations

import numpy as np

from pullback.analysis.sizes import Size, SliceSize
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Operand, Value


def can_compute(size: Size) -> bool:
    """Whether a size can be written as arithmetic with sizes of arrays and with integers of the program."""
    if isinstance(size, SliceSize):
        return bool(size.leaves_off) and can_compute(size.size)
    return True


def base_of(size: Size) -> Size:
    """What a size is computed from: a number, an integer of the program, or an axis of an array."""
    return base_of(size.size) if isinstance(size, SliceSize) else size


def iterations(size: Size, builder: Builder) -> Operand:
    """The iterations of a loop over an axis: its size, or less than 0 where that is 0."""
    match size:
        case int():
            return constant(size)
        case Value():
            return size
        case SliceSize():
            return builder.let(np.subtract, iterations(size.size, builder), constant(size.leaves_off))
    return builder.dim(*size)


def extent(size: Size, builder: Builder) -> Operand:
    """The size of an axis."""
    count = iterations(size, builder)
    return builder.let(max, count, constant(0)) if isinstance(size, SliceSize) else count
