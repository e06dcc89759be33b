"""A float to the power of a constant becomes products, and a square root, where it stands, and no function of its own.

    x ** 3       →    r = 1.0 * x; t = x * x; r * t
    x ** -1.5    →    1 / (sqrt(x) * x)

Numba compiles a loop over the bits of an integer, which multiplies the same numbers in the same order. Of an exponent
that is half of an odd number, it calls C's pow, which takes ten times as long and which LLVM does not vectorise.
"""

from __future__ import annotations

import operator
from typing import Any

from numba.core import ir, types
from numba.core.errors import NumbaError
from numba.core.lowering import Lower

LARGEST = 64
"""The largest exponent that is written out; it takes 12 products at most."""


def is_written_out(exponent: Any) -> bool:
    """Whether a constant exponent is an integer or half of one, and not too large.

    >>> [is_written_out(exponent) for exponent in (3, -1.5, 2.0, 0.3, 100)]
    [True, True, True, False, False]
    """
    return isinstance(exponent, int | float) and abs(exponent) <= LARGEST and 2 * exponent == int(2 * exponent)


class ConstantPowersLower(Lower):
    """Numba's translation to LLVM, with such powers written out."""

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        made = self.fndesc.calltypes[expr].return_type
        exponent = self._exponent(expr.rhs) if op in (operator.pow, operator.ipow) else None
        if not is_written_out(exponent) or not isinstance(made, types.Float):
            return super().lower_binop(resty, expr, op)
        base = self.context.cast(self.builder, self.loadvar(expr.lhs.name), self.typeof(expr.lhs.name), made)
        return self.context.cast(self.builder, self._products(base, exponent), made, resty)

    def _exponent(self, variable: Any) -> Any:
        """The number that a variable is, if it is a constant."""
        type_ = self.typeof(variable.name)
        if isinstance(type_, types.IntegerLiteral):
            return type_.literal_value
        try:
            made = self.func_ir.get_definition(variable)
        except (KeyError, NumbaError):
            return None
        return made.value if isinstance(type_, types.Float) and isinstance(made, ir.Const) else None

    def _products(self, base: Any, exponent: Any) -> Any:
        whole, half = divmod(int(abs(2 * exponent)), 2)
        square = self._positive(base) if half else base
        power = self._square_root(square) if half else base.type(1.0)
        for digit in reversed(f"{whole:b}" if whole else ""):
            if digit == "1":
                power = self.builder.fmul(power, square)
            square = self.builder.fmul(square, square)
        return self.builder.fdiv(base.type(1.0), power) if exponent < 0 else power

    def _positive(self, base: Any) -> Any:
        """The base with 0 for -0 and infinity for -infinity, as pow has them for exponents that are not integers."""
        infinity = base.type(float("inf"))
        is_lowest = self.builder.fcmp_ordered("==", base, base.type(float("-inf")))
        return self.builder.fadd(self.builder.select(is_lowest, infinity, base), base.type(0.0))

    def _square_root(self, base: Any) -> Any:
        function = self.builder.module.declare_intrinsic("llvm.sqrt", [base.type])
        return self.builder.call(function, [base])
