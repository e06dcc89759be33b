"""Equal sizes: which array statements have operands of one shape, or so few elements that plain loops are faster.

>>> import numpy as np
>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def f(x, y):
...     a = np.zeros(x.shape)
...     a[:] = x  # of one shape
...     a[:] = y  # y may have a single element, which is broadcast
...     return a
>>> function = normal_form(f, np.ones(3), np.ones(3))
>>> print(show(function))
f(x: float64[:], y: float64[:]):
    t.0: int64* = dim(x, 0)
    a: float64[:] = zeros((t.0))
    a.1: float64[:] = store(a, ([:]), x)
    a.2: float64[:] = store(a.1, ([:]), y)
    return a.2
>>> stores = [s for s in walk(function.body) if isinstance(s, Let) and s.function is primitives.store]
>>> [store.value in EqualSizes(function).copies for store in stores]
[True, False]
"""

from __future__ import annotations

import math

from pullback.analysis.made_arrays import MadeArrays
from pullback.analysis.must_write import rank_of
from pullback.analysis.shapes import Shapes
from pullback.ir import primitives
from pullback.ir.nodes import Function, Let, Value, walk
from pullback.ir.types import Array, is_float

SMALL = 64
MOST_COPIES = 12
MOST_OF_MATRICES = 4
"""So many products of any size with a vector, or of matrices, are copied into a function. One of matrices is up to a
thousand instructions."""


class EqualSizes:
    """Facts about the stores, sums and products of a function that owns its memory, by the values that they make.

    copies: stores of an array into a part of the same shape and dtype.
    additions: additions of an array to another one of the same shape and dtype that shares no memory with it.
    small: products of matrices whose known sizes, all but at most one, multiply to no more than SMALL.
    called: the other products that are written into arrays, with vectors or of matrices, where there are more of them
    than MOST_COPIES or MOST_OF_MATRICES.
    """

    def __init__(self, function: Function | None = None) -> None:
        self.copies: set[Value] = set()
        self.additions: set[Value] = set()
        self.small: set[Value] = set()
        self.called: set[Value] = set()
        self.of_matrices: set[Value] = set()
        if function is None:
            return
        self.shapes, self.arrays = Shapes(function), MadeArrays(function)
        for statement in walk(function.body):
            if isinstance(statement, Let):
                self.let(statement)
        for products, most in ((self.called - self.of_matrices, MOST_COPIES), (self.of_matrices, MOST_OF_MATRICES)):
            if len(products) <= most:
                self.called -= products

    def let(self, statement: Let) -> None:
        value, operands, of = statement.value, statement.operands, self.shapes.of
        match statement.function:
            case primitives.store if _has_dtype_of(operands[0], operands[2]):
                if self.shapes.part(of(operands[0]), operands[1]) == of(operands[2]):
                    self.copies.add(value)
            case primitives.accumulate if _has_dtype_of(*operands) and operands[0].type == operands[1].type:
                apart = not self.arrays.may_share(*operands)
                if apart and of(operands[0]) == of(operands[1]) and is_float(value.type) and rank_of(value) <= 2:
                    self.additions.add(value)
            case primitives.product_into:
                a, b = (of(factor) for factor in operands[1:3])
                known = [size for size in (*a, *b[1:]) if isinstance(size, int)]
                if len(known) >= len((*a, *b[1:])) - 1 and math.prod(known) <= SMALL:
                    self.small.add(value)
                else:
                    self.called.add(value)
                    if len(a) == len(b) == 2:
                        self.of_matrices.add(value)


def _has_dtype_of(array: Value, value: object) -> bool:
    """Whether two operands are arrays of one dtype."""
    return isinstance(value, Value) and isinstance(value.type, Array) and value.type.dtype == array.type.dtype
