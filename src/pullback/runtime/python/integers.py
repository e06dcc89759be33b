"""Arithmetic of Python's integers in 64 bits: what does not fit raises OverflowError, with the user's line.

Each helper takes the line as its last argument, a literal, so that the error of compiled code names it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer, infer_global
from numba.extending import lower_builtin

from pullback.runtime.codegen.compiled import compiled

LARGEST = 2**63 - 1
SMALLEST = -(2**63)
_TOO_LARGE = "an integer does not fit into 64 bits (line {})"
_WORD = ir.IntType(64)


def _fitting(number: int, line: int) -> int:
    if not SMALLEST <= number <= LARGEST:
        raise OverflowError(_TOO_LARGE.format(line))
    return number


def checked_add(a: int, b: int, line: int) -> int:
    """a + b; OverflowError where that takes more than 64 bits."""
    return _fitting(a + b, line)


def checked_subtract(a: int, b: int, line: int) -> int:
    """a - b; OverflowError where that takes more than 64 bits."""
    return _fitting(a - b, line)


def checked_multiply(a: int, b: int, line: int) -> int:
    """a * b; OverflowError where that takes more than 64 bits."""
    return _fitting(a * b, line)


def checked_power(a: int, b: int, line: int) -> int:
    """a ** b; OverflowError where that takes more than 64 bits, ValueError where it is no integer."""
    if b < 0:
        raise ValueError(_NEGATIVE_POWER.format(line))
    return _fitting(a**b, line)


def checked_negative(a: int, line: int) -> int:
    """-a; OverflowError where that takes more than 64 bits."""
    return _fitting(-a, line)


def checked_absolute(a: int, line: int) -> int:
    """abs(a); OverflowError where that takes more than 64 bits."""
    return _fitting(abs(a), line)


def checked_left_shift(a: int, b: int, line: int) -> int:
    """a << b; OverflowError where that takes more than 64 bits, ValueError for a negative count."""
    return _fitting(operator.lshift(a, b), line)


def checked_right_shift(a: int, b: int, line: int) -> int:
    """a >> b; ValueError for a negative count."""
    return operator.rshift(a, b)


def checked_divide(a: int, b: int, line: int) -> int:
    """a // b; ZeroDivisionError where b is 0, OverflowError where the quotient takes more than 64 bits."""
    return _fitting(a // b, line)


def checked_remainder(a: int, b: int, line: int) -> int:
    """a % b; ZeroDivisionError where b is 0."""
    return a % b


def checked_integer(x: float, line: int) -> int:
    """int(x); OverflowError where that takes more than 64 bits, ValueError where x is NaN."""
    return _fitting(int(x), line)


def power_of_integers(a: int, b: int) -> float:
    """The float a ** b; OverflowError where it is beyond all floats, ZeroDivisionError for a negative power of 0."""
    return float(a**b)


@compiled(power_of_integers, prefer_literal=False)
def _power_of_integers(a: Any, b: Any) -> Any:
    if not all(isinstance(type_, types.Integer | types.Boolean) for type_ in (a, b)):
        return None
    if isinstance(a, types.Boolean) or isinstance(b, types.Boolean):
        return lambda a, b: power_of_integers(int(a), int(b))

    def power(a, b):
        if b < 0 and a == 0:
            raise ZeroDivisionError("0.0 cannot be raised to a negative power")
        result, exact, base, rest = 1, b >= 0, a, b
        while exact and rest > 0:  # by repeated multiplication, as long as 64 bits hold it
            if rest & 1:
                exact = exact and abs(result) <= _SAFE // max(abs(base), 1)
                result *= base
            rest >>= 1
            if rest:
                exact = exact and abs(base) <= _ROOT
                base *= base
        if exact:
            return float(result)
        found = float(a) ** float(b)
        if math.isinf(found):
            raise OverflowError("a power of integers is beyond all floats")
        return found

    return power


_SAFE, _ROOT = 2**62, 2**31
_NEGATIVE_POWER = "a negative power of an integer is a float: write its base as one (line {})"
_NEGATIVE_SHIFT = "negative shift count (line {})"
_NO_DIVISOR = "integer division by zero (line {})"
_NOT_A_NUMBER = "cannot convert float NaN to integer (line {})"


class _Writer:
    """Writes instructions, and leaves the function with an error where a condition holds."""

    def __init__(self, context: Any, builder: Any, line: int) -> None:
        self.context, self.builder, self.line = context, builder, line

    def refuse(self, condition: Any, error: type[Exception], message: str) -> None:
        with cgutils.if_unlikely(self.builder, condition):
            self.context.call_conv.return_user_exc(self.builder, error, (message.format(self.line),))

    def overflowing(self, operation: str, a: Any, b: Any) -> Any:
        """The result of an LLVM operation that tells whether it has overflowed."""
        pair = getattr(self.builder, f"{operation}_with_overflow")(a, b)
        self.refuse(self.builder.extract_value(pair, 1), OverflowError, _TOO_LARGE)
        return self.builder.extract_value(pair, 0)

    def power(self, a: Any, b: Any) -> Any:
        """By repeated multiplication: what overflows is left after at most 64 of them, unless |a| < 2."""
        builder = self.builder
        self.refuse(builder.icmp_signed("<", b, _WORD(0)), ValueError, _NEGATIVE_POWER)
        result, base, exponent = (cgutils.alloca_once_value(builder, value) for value in (_WORD(1), a, b))
        test, body, odd, even, square, done = (
            builder.append_basic_block(name) for name in ("test", "body", "odd", "even", "square", "done")
        )
        builder.branch(test)
        builder.position_at_end(test)
        builder.cbranch(builder.icmp_signed(">", builder.load(exponent), _WORD(0)), body, done)
        builder.position_at_end(body)
        builder.cbranch(builder.trunc(builder.load(exponent), ir.IntType(1)), odd, even)
        builder.position_at_end(odd)
        builder.store(self.overflowing("smul", builder.load(result), builder.load(base)), result)
        builder.branch(even)
        builder.position_at_end(even)
        builder.store(builder.lshr(builder.load(exponent), _WORD(1)), exponent)
        builder.cbranch(builder.icmp_signed(">", builder.load(exponent), _WORD(0)), square, done)
        builder.position_at_end(square)
        builder.store(self.overflowing("smul", builder.load(base), builder.load(base)), base)
        builder.branch(test)
        builder.position_at_end(done)
        return builder.load(result)

    def negative(self, a: Any) -> Any:
        self.refuse(self.builder.icmp_signed("==", a, _WORD(SMALLEST)), OverflowError, _TOO_LARGE)
        return self.builder.neg(a)

    def absolute(self, a: Any) -> Any:
        turned = self.negative(a)
        return self.builder.select(self.builder.icmp_signed("<", a, _WORD(0)), turned, a)

    def right_shift(self, a: Any, b: Any) -> Any:
        """a >> b: 0 or -1 where nothing of a is left."""
        builder = self.builder
        self.refuse(builder.icmp_signed("<", b, _WORD(0)), ValueError, _NEGATIVE_SHIFT)
        return builder.ashr(a, builder.select(builder.icmp_signed(">", b, _WORD(63)), _WORD(63), b))

    def left_shift(self, a: Any, b: Any) -> Any:
        """a << b: what is shifted back must be a again."""
        builder = self.builder
        self.refuse(builder.icmp_signed("<", b, _WORD(0)), ValueError, _NEGATIVE_SHIFT)
        wide = builder.icmp_signed(">=", b, _WORD(64))
        count = builder.select(wide, _WORD(63), b)
        shifted = builder.shl(a, count)
        lost = builder.or_(wide, builder.icmp_signed("!=", builder.ashr(shifted, count), a))
        zero = builder.icmp_signed("==", a, _WORD(0))
        self.refuse(builder.and_(lost, builder.not_(zero)), OverflowError, _TOO_LARGE)
        return shifted

    def divide(self, a: Any, b: Any) -> Any:
        """a // b, rounded down."""
        builder = self.builder
        self.refuse(builder.icmp_signed("==", b, _WORD(0)), ZeroDivisionError, _NO_DIVISOR)
        beyond = builder.and_(builder.icmp_signed("==", a, _WORD(SMALLEST)), builder.icmp_signed("==", b, _WORD(-1)))
        self.refuse(beyond, OverflowError, _TOO_LARGE)
        return builder.sub(builder.sdiv(a, b), builder.zext(self.rounds_up(a, b), _WORD))

    def remainder(self, a: Any, b: Any) -> Any:
        """a % b, of the sign of b."""
        builder = self.builder
        self.refuse(builder.icmp_signed("==", b, _WORD(0)), ZeroDivisionError, _NO_DIVISOR)
        by = builder.select(builder.icmp_signed("==", b, _WORD(-1)), _WORD(1), b)  # the smallest % -1 traps
        rest = builder.srem(a, by)
        return builder.select(self.rounds_up(a, by), builder.add(rest, by), rest)

    def rounds_up(self, a: Any, b: Any) -> Any:
        """Whether the quotient of the machine, rounded towards 0, is above a // b."""
        builder = self.builder
        rest = builder.srem(a, b)
        inexact = builder.icmp_signed("!=", rest, _WORD(0))
        return builder.and_(inexact, builder.icmp_signed("<", builder.xor(rest, b), _WORD(0)))

    def integer(self, x: Any) -> Any:
        """The integer part of a float."""
        builder = self.builder
        wide = builder.fpext(x, ir.DoubleType()) if x.type == ir.FloatType() else x
        self.refuse(builder.fcmp_unordered("uno", wide, wide), ValueError, _NOT_A_NUMBER)
        low, high = ir.DoubleType()(float(SMALLEST)), ir.DoubleType()(2.0**63)
        inside = builder.and_(builder.fcmp_ordered(">=", wide, low), builder.fcmp_ordered("<", wide, high))
        self.refuse(builder.not_(inside), OverflowError, _TOO_LARGE)
        return builder.fptosi(wide, _WORD)


def _compile(function: Callable[..., int], write: Callable[..., Any]) -> None:
    """Make a helper one that Numba translates to these instructions."""
    kinds = [types.Float] if function is checked_integer else [types.Integer] * (function.__code__.co_argcount - 1)

    class Template(AbstractTemplate):
        key = function
        prefer_literal = True

        def generic(self, args: Any, kws: Any) -> Any:
            *given, line = args
            plain = [types.unliteral(t) for t in given]  # type: ignore[attr-defined]
            fits = len(plain) == len(kinds) and all(map(isinstance, plain, kinds))
            if not fits or not isinstance(line, types.IntegerLiteral):
                return None
            return signature(types.int64, *(t if isinstance(t, types.Float) else types.int64 for t in plain), line)

    def lower(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return write(_Writer(context, builder, sig.args[-1].literal_value), *arguments[:-1])

    infer(Template)
    infer_global(function, types.Function(Template))
    lower_builtin(function, *kinds, types.IntegerLiteral)(lower)


_compile(checked_add, lambda writer, a, b: writer.overflowing("sadd", a, b))
_compile(checked_subtract, lambda writer, a, b: writer.overflowing("ssub", a, b))
_compile(checked_multiply, lambda writer, a, b: writer.overflowing("smul", a, b))
_compile(checked_power, _Writer.power)
_compile(checked_negative, _Writer.negative)
_compile(checked_absolute, _Writer.absolute)
_compile(checked_left_shift, _Writer.left_shift)
_compile(checked_right_shift, _Writer.right_shift)
_compile(checked_divide, _Writer.divide)
_compile(checked_remainder, _Writer.remainder)
_compile(checked_integer, _Writer.integer)
