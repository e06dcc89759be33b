"""A float to the power of a constant integer becomes products where it stands, and no function of its own.

    x ** 3    →    r = 1.0 * x; t = x * x; r * t

Numba compiles a loop over the bits of the exponent, which multiplies the same numbers in the same order.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import types
from numba.core.lowering import Lower

LARGEST = 64
"""The largest exponent that is written out; it takes 12 products at most."""


class ConstantPowersLower(Lower):
    """Numba's translation to LLVM, with such powers written out."""

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        made, exponent = self.fndesc.calltypes[expr], self.typeof(expr.rhs.name)
        known = isinstance(exponent, types.IntegerLiteral) and abs(exponent.literal_value) <= LARGEST
        if not (op in (operator.pow, operator.ipow) and known and isinstance(made.return_type, types.Float)):
            return super().lower_binop(resty, expr, op)
        base = self.context.cast(
            self.builder, self.loadvar(expr.lhs.name), self.typeof(expr.lhs.name), made.return_type
        )
        return self.context.cast(self.builder, self._products(base, exponent.literal_value), made.return_type, resty)

    def _products(self, square: Any, exponent: int) -> Any:
        one = power = square.type(1.0)
        for digit in reversed(f"{abs(exponent):b}" if exponent else ""):
            if digit == "1":
                power = self.builder.fmul(power, square)
            square = self.builder.fmul(square, square)
        return self.builder.fdiv(one, power) if exponent < 0 else power
