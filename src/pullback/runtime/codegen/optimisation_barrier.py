"""Veils: numbers of which a compiler does not learn how they change from iteration to iteration.

Where an inner loop could be vectorised but for arrays that might share memory, LLVM compares their places first. It
does so before the outer loop, for all of its iterations, where it can tell how the places move; and where they move
downwards it takes them for shared, whatever they are. The inner loop then never runs vectorised.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload


def opaque(number: int) -> int:
    """The number itself."""
    return number


@intrinsic
def _behind_veil(context: Any, number: Any) -> Any:
    """The same register, after a piece of machine code of no instructions."""
    if number != types.int64 or number != types.intp:
        return None

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(arguments[0].type, [arguments[0].type])
        return builder.asm(kind, "", "=r,0", arguments, side_effect=False)

    return number(number), build


@overload(opaque, strict=False)
def _veiled(number: Any) -> Any:
    if number == types.int64 == types.intp:
        return lambda number: _behind_veil(number)
    return lambda number: number
