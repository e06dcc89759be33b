"""The tangents of values, and the statements that compute them.

>>> x = Value("x", Array("float64", 1))
>>> tangents = Tangents(frozenset({x}), Shapes())
>>> with tangents.builder.block() as statements:
...     whole = tangents.whole(x)  # nothing has set it: zeros
>>> [statement.function.__name__ for statement in statements], whole
(['zeros_like'], x_dot: float64[:])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pullback import runtime
from pullback.analysis.shapes import Shapes
from pullback.frontend.build import Inliner
from pullback.ir import primitives
from pullback.ir.builder import Builder
from pullback.ir.nodes import UNDEFINED, Constant, Let, Operand, Value, is_undefined
from pullback.ir.types import FLOAT, Array, Scalar, Stack, is_float
from pullback.passes.entries import Settings
from pullback.passes.pipeline import ALL


def dot_name(value: Value) -> str:
    """The name of a value's tangent: `x_dot` for `x`."""
    return f"{value.name}_dot" if value.name else ""


class Tangents:
    """The tangent of each value so far, and the builder of the statements that compute it.

    active: the values that have one; it is 0 for all others, and for those that nothing is known of. made: what makes
    the values of the function.
    """

    def __init__(
        self,
        active: frozenset[Value],
        shapes: Shapes,
        settings: Settings = ALL,
        made: Mapping[Value, Let] | None = None,
    ) -> None:
        self.active, self.shapes, self.settings, self.made = active, shapes, settings, made or {}
        self.inliner = Inliner()
        self.builder: Builder = self.inliner.builder
        self.known: dict[Value, Operand] = {}

    def of(self, operand: Operand) -> Operand | None:
        """The tangent of an operand; None where it is 0."""
        return self.known.get(operand) if isinstance(operand, Value) else None

    def begin(self, value: Value) -> Value:
        """A parameter for the tangent of a value."""
        made = Value(dot_name(value), value.type, (value, "_dot"))
        self.give(value, made)
        return made

    def give(self, value: Value, tangent: Operand) -> None:
        """Take an operand for the tangent of a value, in the same shape and dtype."""
        self.known[value] = tangent
        if isinstance(tangent, Value) and isinstance(value.type, Array):
            self.shapes.known[tangent] = self.shapes.of(value)

    def set(self, value: Value, tangent: Operand) -> None:
        """The tangent of a value, which has its shape."""
        if tangent.type.dtype != value.type.dtype:
            tangent = self.builder.cast(tangent, value.type.dtype)
        if isinstance(tangent, Value):
            tangent.called(dot_name(value), (value, "_dot"))
        self.give(value, tangent)

    def whole(self, operand: Operand) -> Operand:
        """The tangent of an operand; zeros of its shape where there is none."""
        tangent = self.of(operand)
        if tangent is not None:
            return tangent
        if is_undefined(operand):
            return Constant(UNDEFINED, operand.type)
        if isinstance(operand.type, Scalar):
            return Constant(0.0, operand.type if is_float(operand.type) else FLOAT)
        if isinstance(operand.type, Stack):
            dtype = Constant(operand.type.dtype)
            made = self.builder.let(runtime.growing, dtype, type_=operand.type)
        else:
            made = self.builder.let(primitives.zeros_like, operand)
        return made.called(dot_name(operand), (operand, "_dot"))

    def nested(self, operand: Any) -> Any:
        """The tangents of a tuple of operands, in a tuple."""
        return tuple(map(self.nested, operand)) if isinstance(operand, tuple) else self.whole(operand)

    def spread(self, value: Value, tangent: Operand, start: int) -> Operand:
        """A tangent in the shape of a value whose operands were broadcast, made by the statements from `start` on."""
        for statement in self.builder.statements[start:]:
            self.shapes.statement(statement)
        if isinstance(value.type, Scalar) or self.shapes.of(tangent) == self.shapes.of(value):
            return tangent
        if isinstance(tangent.type, Scalar):
            return self.builder.let(np.full, self.builder.dims(value), tangent, type_=value.type)
        type_ = Array(tangent.type.dtype, value.type.ndim)
        part = self.builder.let(np.broadcast_to, tangent, self.builder.dims(value), type_=type_)
        return self.builder.let(primitives.copy, part)
