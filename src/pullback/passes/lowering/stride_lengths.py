r"""Lengths of slices with steps, as integers that a function computes when it is entered.

>>> from pullback.frontend.build import normal_form
>>> from pullback.ir.printer import show
>>> def smooth(u):
...     u = u.copy()
...     u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2])
...     return u
>>> function, sizes, entry = with_lengths(normal_form(smooth, np.ones(9)))
>>> print(*show(function).splitlines()[:4], sep="\n")
smooth(u: float64[:]):
    t.0: int64* = dim(u, 0)
    t.1: int64* = subtract(t.0, 1)
    length: int64* = floor_divide(t.1, 2)

>>> {sizes.shapes.of(s.value) == (entry[-1].value,) for s in function.body.statements if s.function is np.add}
{True}

All three slices have so many elements. Such a length is no linear form of the size of the array; as an integer of the
program it is one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pullback.analysis.extents import integer
from pullback.analysis.sizes import Form
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Block, Function, Let, Value
from pullback.ir.types import INT
from pullback.passes.lowering.sizes import Sizes

_MOST_ROUNDS = 6
"""So often slices of slices are looked for."""


def with_lengths(function: Function) -> tuple[Function, Sizes, tuple[Let, ...]]:
    """A function that begins with such lengths, what is known of its sizes then, and the statements that were added."""
    sizes, entry, body = Sizes(function), tuple[Let, ...](), function.body
    for _ in range(_MOST_ROUNDS):
        wanted = _wanted(sizes, {let.value for let in entry})
        if not wanted:
            break
        builder = Builder()
        for form, by in wanted:
            builder.let(np.floor_divide, integer(form, builder), constant(by), name="length", type_=INT)
        entry += tuple(s for s in builder.statements if isinstance(s, Let))
        function = replace(function, body=Block((*entry, *body.statements), body.yields))
        sizes = Sizes(function, entry=entry)
    return function, sizes, entry


def _wanted(sizes: Sizes, entry: set[Value]) -> list[tuple[Form, int]]:
    """The quotients that slices ask for, and those at their ends that are computed later of what is given."""
    quotients = sizes.slices.quotients
    computed = [
        *quotients.inner.items(),
        *((key, value) for key, value in quotients.known.items() if value not in entry),
    ]
    at_ends = (key for key, value in computed if value in quotients.at_ends and sizes.is_given(key[0]))
    return list(dict.fromkeys((*quotients.wanted, *at_ends)))
