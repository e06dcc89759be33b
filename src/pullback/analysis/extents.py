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

from pullback.analysis.sizes import Form, Size, SliceSize
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Operand, Value


def can_compute(size: Size) -> bool:
    """Whether a size can be written as arithmetic with sizes of arrays and with integers of the program."""
    if isinstance(size, SliceSize):
        return bool(size.leaves_off) and can_compute(size.size)
    return True


def base_of(size: Size) -> Size:
    """What a size is computed from: a number, an integer of the program, an axis of an array, or several of these."""
    if isinstance(size, Form):
        return tuple(term for term, _ in size.terms)
    return base_of(size.size) if isinstance(size, SliceSize) else size


def iterations(size: Size, builder: Builder) -> Operand:
    """The iterations of a loop over an axis: its size, or less than 0 where that is 0.

    The larger of a form and 0 is the form. Passes see from that that it is not negative, and LLVM does not take the end
    of the loop for linear in the index of another one, after which it may not vectorise.
    """
    match size:
        case int():
            return constant(size)
        case Value():
            return size
        case Form():
            return builder.let(max, integer(size, builder), constant(0))
        case SliceSize():
            return builder.let(np.subtract, iterations(size.size, builder), constant(size.leaves_off))
    return builder.dim(*size)


def extent(size: Size, builder: Builder) -> Operand:
    """The size of an axis."""
    count = iterations(size, builder)
    return builder.let(max, count, constant(0)) if isinstance(size, SliceSize) else count


def size_before_loops(size: Size, builder: Builder) -> Operand:
    """The size of an axis of arrays that iterations make, written before the loops.

    An integer of the program may be below 0 there, as loops without iterations make no array.
    """
    count = extent(size, builder)
    return builder.let(max, count, constant(0)) if isinstance(size, Value) else count


def integer(form: Form, builder: Builder) -> Operand:
    """A linear form as an operand, computed where the builder is."""
    made: Operand | None = None
    for term, coefficient in form.terms:
        value: Operand = builder.dim(*term) if isinstance(term, tuple) else term
        if abs(coefficient) != 1:
            value = builder.let(np.multiply, value, constant(abs(coefficient)))
        if made is None:
            made = value if coefficient > 0 else builder.let(np.negative, value)
        else:
            made = builder.let(np.add if coefficient > 0 else np.subtract, made, value)
    if made is None:
        return constant(form.constant)
    if form.constant:
        function = np.add if form.constant > 0 else np.subtract
        made = builder.let(function, made, constant(abs(form.constant)))
    return made
