"""Optimisation barriers: numbers of which LLVM does not learn how they change from iteration to iteration.

Where an inner loop could be vectorised but for arrays that might share memory, LLVM compares their places first. It
does so before the outer loop, for all of its iterations, where it can tell how the places move; and where they move
downwards it takes them for shared, whatever they are. The inner loop then never runs vectorised.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, type_callable


def opaque(number: int) -> int:
    """The number itself."""
    return number


@type_callable(opaque)
def _type(context: Any) -> Any:
    return lambda number: types.unliteral(number)


@lower_builtin(opaque, types.Any)
def _through_barrier(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The same register, after a piece of machine code of no instructions."""
    if signature.return_type != types.int64 or types.int64 != types.intp:
        return arguments[0]
    kind = ir.FunctionType(arguments[0].type, [arguments[0].type])
    return builder.asm(kind, "", "=r,0", arguments, side_effect=False)
