"""Building the normal form: statements are appended to the block that is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pullback.errors import Location
from pullback.ir import primitives
from pullback.ir.infer import infer
from pullback.ir.nodes import (
    NOWHERE,
    Constant,
    Effect,
    Let,
    Operand,
    Statement,
    Step,
    Value,
)
from pullback.ir.types import INT, Scalar, Type, is_complex, type_of


def constant(value: Any) -> Constant:
    """A number, or anything else known before the run, as an operand."""
    return Constant(value, type_of(value))


class Builder:
    """Appends statements to the open block; each new statement gets `location`."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.around: list[list[Statement]] = []
        self.location: Location = NOWHERE

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Collect the statements made inside in a block of their own."""
        made: list[Statement] = []
        with self.into(made):
            yield made

    @contextmanager
    def at(self, location: Location) -> Iterator[None]:
        """Give the statements made inside this location."""
        outer, self.location = self.location, location
        try:
            yield
        finally:
            self.location = outer

    def add(self, statement: Statement) -> None:
        self.statements.append(statement)

    def let(
        self,
        function: Callable[..., Any],
        *operands: Operand,
        keywords: tuple[str, ...] = (),
        name: str = "",
        type_: Type | None = None,
        by: str = "",
    ) -> Value:
        """Append `value = function(*operands)` and return the value."""
        value = Value(name, type_ or infer(function, operands, keywords))
        self.add(Let(value, function, operands, keywords, self.location, by))
        return value

    def empty(self, sizes: tuple[Operand, ...], type_: Type, name: str = "") -> Value:
        """An array of these sizes whose elements are yet to be stored."""
        return self.let(np.empty, sizes, Constant(type_.dtype), keywords=("dtype",), name=name, type_=type_)

    def effect(self, function: Callable[..., Any], *operands: Operand) -> None:
        self.add(Effect(function, operands, self.location))

    def load(self, array: Value, path: tuple[Step, ...], name: str = "") -> Value:
        return array if not path else self.let(primitives.load, array, path, name=name)

    def dim(self, array: Operand, axis: int) -> Value:
        return self.let(primitives.dim, array, Constant(axis, INT))

    def dims(self, array: Operand) -> tuple[Operand, ...]:
        """The shape of an operand; () for a scalar."""
        return tuple(self.dim(array, axis) for axis in range(getattr(array.type, "ndim", 0)))

    def cast(self, operand: Operand, dtype: str, name: str = "") -> Value:
        """The operand as another dtype; a name that ends in '*' gives one of Python's own numbers.

        Of a complex operand, a real dtype takes the real part, and truth is that of both parts.
        """
        if is_complex(operand.type) and dtype.startswith("bool"):
            type_ = Scalar("bool", weak=True) if dtype.endswith("*") else None
            return self.let(np.not_equal, operand, Constant(0, INT), type_=type_, name=name)
        if is_complex(operand.type) and not dtype.startswith("complex"):
            real = self.let(np.real, operand, name=name)
            return real if real.type.dtype == dtype.rstrip("*") else self.cast(real, dtype, name)
        return self.let(primitives.cast, operand, Constant(dtype), name=name)

    @contextmanager
    def into(self, statements: list[Statement]) -> Iterator[None]:
        """Append the statements made inside to a block that was built before."""
        self.around.append(self.statements)
        self.statements = statements
        try:
            yield
        finally:
            self.statements = self.around.pop()

    def is_open(self, statements: list[Statement]) -> bool:
        """Whether a block is the one that statements are appended to, or around it."""
        return any(block is statements for block in (self.statements, *self.around))
