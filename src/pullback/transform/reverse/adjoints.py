"""The adjoints of a backward sweep that is being written, in the shapes of their values.

>>> x = Value("x", Array("float64", 1))
>>> adjoints = Adjoints(frozenset({x}), Shapes(), frozenset(), {x}, {x})
>>> with adjoints.builder.block() as statements:
...     adjoints.add(x, constant(2.0))  # the adjoint of every element
...     adjoints.add(x, constant(3.0))
...     whole = adjoints.whole(x)
>>> [statement.function.__name__ for statement in statements], whole
(['add', 'dim', 'full'], x_bar: float64[:])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pullback.analysis.extents import integer
from pullback.analysis.shapes import Shapes
from pullback.analysis.sizes import Form
from pullback.frontend.build import Inliner
from pullback.ir import primitives
from pullback.ir.builder import Builder, constant
from pullback.ir.nodes import Constant, Index, Let, Operand, Slice, Value
from pullback.ir.types import Array, Scalar


def bar_name(value: Value) -> str:
    """The name of a value's adjoint: `x_bar` for `x`."""
    return f"{value.name}_bar" if value.name else ""


def named_after(value: Value, adjoint: Value) -> Value:
    """The adjoint of a value, named so if it had no name."""
    return adjoint.called(bar_name(value), (value, "_bar"))


class Adjoints:
    """The cotangent of each value so far, and the builder of the statements that compute it.

    The adjoint of an array may be a number: then every element has that adjoint.
    strong_zeros: the values at which a cotangent of exactly 0 stays 0. top: those of the function's own block. primal:
    all those of the function. sole: the definitions of those that are read once. branching: whether rules may branch.
    partials: by the values of the forward sweep, the partial derivatives that it computes along with them.
    growing: the versions of arrays that grow, whose adjoints may have the rows of later versions behind their own.
    """

    def __init__(
        self,
        active: frozenset[Value],
        shapes: Shapes,
        strong_zeros: frozenset[Value],
        top: set[Value],
        primal: set[Value],
        sole: Mapping[Value, Let] | None = None,
        branching: bool = False,
        partials: Mapping[Value, tuple[Operand, ...]] | None = None,
        growing: frozenset[Value] = frozenset(),
    ) -> None:
        self.active, self.shapes, self.strong_zeros, self.top, self.primal = active, shapes, strong_zeros, top, primal
        self.sole = sole or {}
        self.branching = branching
        self.partials = partials or {}
        self.growing = growing
        self.inliner = Inliner()
        self.builder: Builder = self.inliner.builder
        self.known: dict[Value, Operand] = {}
        self.watched: dict[Value, Operand] = {}

    def is_active(self, operand: Operand) -> bool:
        return isinstance(operand, Value) and operand in self.active

    def add(self, operand: Operand, contribution: Operand) -> None:
        """Add to the adjoint of an operand, where it has one."""
        if not isinstance(operand, Value) or operand not in self.active:
            return
        if contribution.type.dtype != operand.type.dtype:
            contribution = self.builder.cast(contribution, operand.type.dtype)
        known = self.known.get(operand)
        if known is None:
            if isinstance(contribution, Value) and contribution not in self.primal:
                named_after(operand, contribution)
            self.known[operand] = contribution
            return
        if isinstance(contribution.type, Array) and isinstance(known.type, Scalar):
            known, contribution = contribution, known
        if operand in self.growing and isinstance(contribution.type, Array):
            self.known[operand] = self._first_rows_added(operand, known, contribution)
            return
        in_place = not isinstance(known.type, Scalar) and known not in self.primal
        function = primitives.accumulate if in_place else np.add
        self.known[operand] = named_after(operand, self.builder.let(function, known, contribution))

    def _first_rows_added(self, array: Value, known: Operand, contribution: Operand) -> Operand:
        """Two adjoints of an array that grows, added where both have rows of this version."""
        path = (Index((Slice(None, self.dims(array)[0], None),)),)
        whole = self.builder.let(primitives.copy, known) if known in self.primal else known
        part = self.builder.let(primitives.load, contribution, path)
        return named_after(array, self.builder.let(primitives.add_at, whole, path, part))

    def take(self, value: Value) -> Operand:
        """The adjoint of a value before which no other statement reads it."""
        return self.known.pop(value)

    def take_whole(self, value: Value) -> Operand:
        """The same, in the value's own shape."""
        adjoint = self.whole(value)
        self.known.pop(value, None)
        return adjoint

    def whole(self, value: Value) -> Operand:
        """The adjoint of a value in its own shape; zeros where there is none yet."""
        adjoint = self.known.get(value)
        if adjoint is None:
            return self.zeros(value, bar_name(value))
        if isinstance(value.type, Array) and isinstance(adjoint.type, Scalar):
            return named_after(value, self.filled(value, adjoint))
        return adjoint

    def filled(self, value: Value, number: Operand) -> Value:
        """An array in the shape of a value with the same number everywhere."""
        return self.builder.let(np.full, self.dims(value), number, type_=value.type)

    def zeros(self, value: Value, name: str = "") -> Operand:
        if isinstance(value.type, Scalar):
            return Constant(0.0, value.type)
        sizes = self.shapes.of(value)
        source: Any = sizes[0][0] if sizes and isinstance(sizes[0], tuple) else value
        whole = source in self.top and sizes == tuple((source, axis) for axis in range(source.type.ndim))
        if whole and source.type == value.type:
            return self.builder.let(primitives.zeros_like, source, name=name)
        return self.builder.let(
            np.zeros, self.dims(value), Constant(value.type.dtype), keywords=("dtype",), name=name, type_=value.type
        )

    def dims(self, operand: Operand) -> tuple[Operand, ...]:
        """The shape of an operand, in terms of what its sizes come from."""
        sizes: list[Operand] = []
        for axis, size in enumerate(self.shapes.of(operand)):
            match size:
                case int():
                    sizes.append(constant(size))
                case Value():
                    sizes.append(size)
                case (source, along):
                    sizes.append(self.builder.dim(source, along))
                case Form():
                    sizes.append(integer(size, self.builder))
                case _:
                    sizes.append(self.builder.dim(operand, axis))
        return tuple(sizes)
