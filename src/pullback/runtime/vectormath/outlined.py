"""Calls for rare elements that do not end the vectorisation of the loop around them.

LLVM's loop vectoriser gives up on a loop with a call, unless the call names vector variants of the function: here, for
2, 4, 8 and 16 elements, one that takes a mask, tests whether any element needs the function, and calls it for those.
Where another width is chosen, the vectoriser calls the scalar function under the mask. The variants' names follow the
"vector-function-abi-variant" attribute of LLVM's language reference.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

WIDTHS = (2, 4, 8, 16)
DOUBLE = ir.DoubleType()


def outlined(function: str, arity: int = 1) -> Any:
    """A function of the C library for one float64, or two, for branches for rare elements of a vectorised loop.

        slow = 0.0                     →    for each 8 elements, if any x is huge: slow of those, one by one;
        if x > HUGE:                        the rest is done for all 8 at once
            slow = of_huge(x)
        return select(x > HUGE, slow, of(x))

    The branch should come first: what is computed before it must be saved across the call.
    """
    name = f"pullback_{function}_of_huge"
    numbers = (types.float64,) * arity

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        module = builder.module
        if name not in module.globals:
            callee = define_scalar(module, name, function, arity)
            for width in WIDTHS:
                define_variant(module, callee, width)
        call = builder.call(module.globals[name], arguments)
        kinds = "v" * arity
        variants = ",".join(f"_ZGV_LLVM_M{width}{kinds}_{name}({variant_name(name, width)})" for width in WIDTHS)
        set.add(call.attributes, f'"vector-function-abi-variant"="{variants}"')
        return call

    @intrinsic
    def of_one(context: Any, x: Any) -> Any:
        return (types.float64(x), build) if (x,) == numbers else None

    @intrinsic
    def of_two(context: Any, x: Any, y: Any) -> Any:
        return (types.float64(x, y), build) if (x, y) == numbers else None

    return of_one if arity == 1 else of_two


def variant_name(name: str, width: int) -> str:
    return f"{name}_of_{width}"


def declare(module: Any, name: str, result: Any, arguments: tuple[Any, ...]) -> Any:
    """A new pure function in `module`, which stays there although only an attribute mentions it.

    Those that are "weak_odr" go before loops are vectorised, where nothing calls them (`codegen/private_symbols.py`).
    """
    function = ir.Function(module, ir.FunctionType(result, arguments), name)
    function.linkage = "weak"
    for attribute in ("noinline", "nounwind", "readnone", "willreturn"):
        set.add(function.attributes, attribute)  # llvmlite's own list of attributes lacks some of LLVM's
    return function


def define_scalar(module: Any, name: str, function: str, arity: int) -> Any:
    callee = declare(module, name, DOUBLE, (DOUBLE,) * arity)
    builder = ir.IRBuilder(callee.append_basic_block())
    builder.ret(builder.call(cgutils.get_or_insert_function(module, callee.function_type, function), callee.args))
    return callee


def define_variant(module: Any, callee: Any, width: int) -> None:
    """The function of `width` elements: `callee` of those under the mask, 0 elsewhere."""
    vector, mask = ir.VectorType(DOUBLE, width), ir.VectorType(ir.IntType(1), width)
    numbers = (vector,) * len(callee.args)
    variant = declare(module, variant_name(callee.name, width), vector, (*numbers, mask))
    *elements, wanted = variant.args
    zeros = ir.Constant(vector, [0.0] * width)
    builder = ir.IRBuilder(variant.append_basic_block())
    some = builder.append_basic_block()
    none = builder.append_basic_block()
    bits = builder.bitcast(wanted, ir.IntType(width))
    builder.cbranch(builder.icmp_unsigned("!=", bits, bits.type(0)), some, none)
    builder.position_at_end(none)
    builder.ret(zeros)
    builder.position_at_end(some)
    result = zeros
    for lane in range(width):
        place = ir.IntType(32)(lane)
        before = builder.block
        with builder.if_then(builder.extract_element(wanted, place)):
            value = builder.call(callee, [builder.extract_element(x, place) for x in elements])
            changed = builder.insert_element(result, value, place)
            inside = builder.block
        merged = builder.phi(vector)
        merged.add_incoming(result, before)
        merged.add_incoming(changed, inside)
        result = merged
    builder.ret(result)
