"""Keys of regions: branches and loops that compute the same numbers have the same key.

>>> import numpy as np, pullback as pb
>>> def c2(psi):
...     if psi > 1.0:
...         return (1.0 - np.cos(np.sqrt(psi))) / psi
...     return 0.5 - psi / 24.0
>>> def f(psi):
...     return c2(psi) * np.sqrt(c2(psi))
>>> pb.source(pb.grad(f), 2.0).count("np.cos(sqrt_psi)")
1

Value numbering of regions: inside, a value is the number of its definition, so that names do not count. A region of
which anything writes, prints or makes an array has no key.
"""

from __future__ import annotations

from typing import Any

from pullback.ir import primitives
from pullback.ir.nodes import (
    Block,
    Effect,
    For,
    If,
    Let,
    Operand,
    Statement,
    Value,
    While,
    blocks_of,
    map_values,
    operands_of,
)
from pullback.ir.types import Scalar


def region_key(statement: If | For | While) -> Any:
    """What makes two branches or loops compute the same numbers; None where a second one must stay."""
    return _Numbering().region(statement)


class _Numbering:
    def __init__(self) -> None:
        self.numbers: dict[Value, tuple[str, int]] = {}

    def operand(self, operand: Operand) -> Any:
        return map_values(operand, lambda value: self.numbers.get(value, value))

    def define(self, *values: Value) -> tuple[Any, ...] | None:
        """The types of values that are numbered from here on; None where one is no number."""
        for value in values:
            if not isinstance(value.type, Scalar):
                return None
            self.numbers[value] = ("value", len(self.numbers))
        return tuple(value.type for value in values)

    def region(self, statement: If | For | While) -> Any:
        read = self.operand(operands_of(statement))
        inside = tuple(carried.parameter for carried in getattr(statement, "carried", ()))
        if isinstance(statement, For):
            inside = (statement.index, *inside)
        settings = [getattr(statement, name, None) for name in ("exits", "reverse", "parallel")]
        parts = [self.define(*inside)]
        for block in blocks_of(statement):
            parts.append(None if parts[-1] is None else self.block(block))
        parts.append(self.define(*statement.results))
        return None if None in parts else (type(statement), read, *settings, *parts)

    def block(self, block: Block) -> Any:
        keys = []
        for statement in block.statements:
            key = self.statement(statement)
            if key is None:
                return None
            keys.append(key)
        return tuple(keys), self.operand(block.yields)

    def statement(self, statement: Statement) -> Any:
        match statement:
            case Let():
                read = self.operand(statement.operands)
                made = self.define(statement.value)
                return None if made is None else (statement.function, read, statement.keywords, statement.by, made)
            case Effect(function=primitives.check):
                return statement.function, self.operand(statement.operands)
            case If() | For() | While():
                return self.region(statement)
        return None
