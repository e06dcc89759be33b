"""Reassociation: the constant factors of a product of the backward sweep become one, in front.

>>> import numpy as np, pullback as pb
>>> def f(x):
...     return 3.0 * x**2
>>> print(pb.explain(f, 1.0, passes=["reassociation"]))
finish: reassociation, the constant factors of a product of the backward sweep become one
  ...
       t.2: float64 = multiply(2, x)
  -    x_bar: float64 = multiply(3.0, t.2)
  +    x_bar: float64 = multiply(6.0, x)
       return t.1, x_bar

It is legal where nobody else reads the factors, and where the product of the constants is neither infinite nor 0 by
underflow. The user's own statements stay as they are: their values are those of NumPy.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from pullback.ir.builder import Builder
from pullback.ir.nodes import Block, Constant, Function, Let, Operand, Statement, Value, read_in
from pullback.ir.rewrite import with_blocks
from pullback.ir.types import Array, Scalar, is_float


def reassociate(function: Function) -> Function:
    """The function with fewer constants in the products of its backward sweep."""
    body = _Products(Counter(read_in(function.body))).block(function.body)
    return replace(function, body=body, callees=tuple(map(reassociate, function.callees)))


@dataclass(frozen=True, slots=True)
class _Factor:
    """A number times a value, or a number over one."""

    number: float
    value: Operand | None = None
    divides: bool = False


class _Products:
    def __init__(self, uses: Counter[Value]) -> None:
        self.uses = uses

    def block(self, block: Block) -> Block:
        statements: list[Statement] = []
        made: dict[Value, Let] = {}
        for statement in block.statements:
            new = self.product(statement, made) if isinstance(statement, Let) else [with_blocks(statement, self.block)]
            statements += new
            made.update((s.value, s) for s in new if isinstance(s, Let))
        return Block(tuple(statements), block.yields)

    def product(self, statement: Let, made: dict[Value, Let]) -> list[Statement]:
        """A statement of the backward sweep with the constants of its factors in one; any other as it is."""
        if not statement.location.is_adjoint or statement.function not in (np.multiply, np.negative):
            return [statement]
        factors = [self.factor(operand, statement, made) for operand in statement.operands]
        if statement.function is np.negative:
            factors.append(_Factor(-1.0))
        numbers = [factor.number for factor in factors if factor.number != 1.0 or factor.divides]
        number = math.prod(numbers)
        if (
            not (len(numbers) > 1 or _spreads(factors))
            or not math.isfinite(number)
            or (number == 0.0 and 0.0 not in numbers)
        ):
            return [statement]
        values = sorted((f for f in factors if f.value is not None), key=_rank)
        return _joined(statement, number, values) if values else [statement]

    def factor(self, operand: Operand, statement: Let, made: dict[Value, Let]) -> _Factor:
        """What an operand is of a product, taken apart where only the product reads it."""
        if _is_number(operand):
            return _Factor(float(operand.value))
        let = made.get(operand) if self.uses[operand] == 1 else None
        if let is not None and let.location.is_adjoint and is_float(let.value.type):
            return _taken_apart(let, statement) or _Factor(1.0, operand)
        return _Factor(1.0, operand)


def _taken_apart(let: Let, product: Let) -> _Factor | None:
    """The number and the value of a factor of a product; None where it has no number."""
    if let.function is np.negative and _same_dtype(let.operands[0], product):
        return _Factor(-1.0, let.operands[0])
    if let.function not in (np.multiply, np.true_divide):
        return None
    a, b = let.operands
    divides = let.function is np.true_divide
    if _is_number(b) and not divides:
        a, b = b, a
    if not _is_number(a) or _is_number(b) or not _same_dtype(let.value if divides else b, product):
        return None
    return _Factor(float(a.value), b, divides)


def _joined(statement: Let, number: float, factors: list[_Factor]) -> list[Statement]:
    """The product of a number and of factors, in place of a statement."""
    builder = Builder()
    first, *others = factors
    with builder.at(statement.location):
        if number == 1.0 and not first.divides and others and not others[0].divides:
            return [replace(statement, function=np.multiply, operands=(first.value, others[0].value))]
        if number == 1.0 and first.divides and others and not others[0].divides:
            return [replace(statement, function=np.true_divide, operands=(others[0].value, first.value))]
        constant = Constant(number, Scalar("float64", weak=True))
        function = np.true_divide if first.divides else np.multiply
        if not others:
            return [replace(statement, function=function, operands=(constant, first.value))]
        product = builder.let(function, constant, first.value)
        other = others[0]
        function = np.true_divide if other.divides else np.multiply
        builder.add(replace(statement, function=function, operands=(product, other.value)))
    return builder.statements


def _spreads(factors: list[_Factor]) -> bool:
    """Whether a constant multiplies an array, and the product a number that could be multiplied instead."""
    values = [factor for factor in factors if factor.value is not None]
    return {_rank(f) for f in values} == {0, 1} and any(_rank(f) and f.number != 1.0 for f in values)


def _rank(factor: _Factor) -> int:
    """Numbers before arrays, which are multiplied once then."""
    return int(isinstance(factor.value.type, Array)) if factor.value is not None else 0


def _is_number(operand: Operand) -> bool:
    if not isinstance(operand, Constant) or isinstance(operand.value, bool):
        return False
    is_weak = isinstance(operand.type, Scalar) and (operand.type.weak or operand.type.dtype == "float64")
    return is_weak and isinstance(operand.value, int | float)


def _same_dtype(operand: Operand, statement: Let) -> bool:
    """Whether an operand of a factor is of the dtype that the product has."""
    return bool(operand.type.dtype == statement.value.type.dtype)
