"""Single instructions that Numba does not offer: bit casts, fma, a true select, and polynomials as chains of fma."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from pullback.runtime.codegen.callees import Function
from pullback.runtime.codegen.compiled import compiled


def kernel(function: Function) -> Function:
    """The function, which becomes a part of the compiled code that calls it."""
    compiled(function, prefer_literal=False, inlined=True)(lambda *arguments: function)
    return function


def is_float(t: Any) -> bool:
    return isinstance(t, types.Float)


def named(name: str, arity: int) -> Callable[..., Any]:
    """Emits LLVM's intrinsic `name` of `arity` operands of one float type."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        operand = arguments[0].type
        function = builder.module.declare_intrinsic(name, (operand,), ir.FunctionType(operand, (operand,) * arity))
        return builder.call(function, arguments)

    return build


INTEGER_OF = {types.float64: types.int64, types.float32: types.int32}
FLOAT_OF = {integer: number for number, integer in INTEGER_OF.items()}


def reinterpret(source: Any, kinds: dict[Any, Any]) -> Any:
    """What an intrinsic returns for the bits of `source` read as kinds[source]."""
    if source not in kinds:
        return None
    result = kinds[source]

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], context.get_value_type(result))

    return result(source), build


@intrinsic
def to_bits(context: Any, x: Any) -> Any:
    """The bits of a float64 as int64, of a float32 as int32."""
    return reinterpret(x, INTEGER_OF)


@intrinsic
def from_bits(context: Any, n: Any) -> Any:
    """The float64 that has the bits of an int64, the float32 that has those of an int32."""
    return reinterpret(n, FLOAT_OF)


@intrinsic
def fma(context: Any, x: Any, y: Any, z: Any) -> Any:
    """x * y + z, rounded once."""
    if not is_float(x) or y != x or z != x:
        return None
    return x(x, x, x), named("llvm.fma", 3)


@intrinsic
def select(context: Any, condition: Any, x: Any, y: Any) -> Any:
    """x if condition else y, both evaluated: a conditional expression can become a branch, which ends vectorisation."""
    if y != x:
        return None
    return x(types.boolean, x, y), lambda context, builder, signature, arguments: builder.select(*arguments)


@intrinsic
def magnitude(context: Any, x: Any) -> Any:
    """abs(x)."""
    return (x(x), named("llvm.fabs", 1)) if is_float(x) else None


@intrinsic
def copy_sign(context: Any, x: Any, y: Any) -> Any:
    """abs(x) with the sign bit of y."""
    return (x(x, x), named("llvm.copysign", 2)) if is_float(x) and y == x else None


@intrinsic
def round_even(context: Any, x: Any) -> Any:
    """The nearest integer, ties to even, as a float."""
    return (x(x), named("llvm.rint", 1)) if is_float(x) else None


@intrinsic
def square_root(context: Any, x: Any) -> Any:
    """The correctly rounded square root."""
    return (x(x), named("llvm.sqrt", 1)) if is_float(x) else None


@kernel
def is_finite(x: Any) -> Any:
    # LLVM makes a test of classes out of abs(x) < inf and x > 0 together, which is slower.
    return x - x == 0.0


def polynomial(*coefficients: float) -> Any:
    """A function of x inside compiled code: the polynomial with these three or more coefficients, constant term first.

    Coefficients said to be interpolated make the polynomial exact at Chebyshev's points; fitted ones are those of least
    squares of the relative error there, each rounded before the next ones are found.

    Even and odd terms are two chains of fma, which halves the latency of Horner's scheme and needs few registers; the
    two lowest terms come last, so that only one rounding has their size.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (x,) = arguments
        fma = builder.module.declare_intrinsic("llvm.fma", (x.type,), ir.FunctionType(x.type, (x.type,) * 3))

        def horner(variable: Any, value: Any, terms: Any) -> Any:
            """... (value * variable + terms[-1]) * variable + ..., down to terms[0]"""
            for term in reversed(terms):
                value = builder.call(fma, (value, variable, term))
            return value

        constant, linear, *terms = [ir.Constant(x.type, c) for c in coefficients]
        square = builder.fmul(x, x)
        even, odd = terms[::2], terms[1::2]
        value = horner(square, even[-1], even[:-1])
        if odd:
            value = horner(x, horner(square, odd[-1], odd[:-1]), [value])
        return horner(x, value, [constant, linear])

    @intrinsic
    def evaluate(context: Any, x: Any) -> Any:
        return (x(x), build) if is_float(x) else None

    return evaluate
