"""`max` and `min` of two integers as one instruction; of anything else, what Numba compiles for them."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from pullback.runtime.codegen.substitution import OWN_BUILTINS


def larger(*values: Any) -> Any:
    """max(*values)."""
    return max(*values)


def smaller(*values: Any) -> Any:
    """min(*values)."""
    return min(*values)


def define(function: Any, builtin: Any, predicate: str) -> None:
    """The form of `function` in compiled code; the comparison tells when its first operand is the result."""

    @infer_global(function)
    class Template(AbstractTemplate):
        key = function

        def generic(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            if list(map(types.unliteral, arguments)) == [types.int64] * 2:
                return signature(types.int64, types.int64, types.int64)
            return self.context.resolve_function_type(builtin, arguments, keywords)

    @lower_builtin(function, types.int64, types.int64)
    def of_two(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = arguments
        return builder.select(builder.icmp_signed(predicate, a, b), a, b)

    @lower_builtin(function, types.VarArg(types.Any))
    def of_others(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        numbas = context.typing_context.resolve_value_type(builtin)
        return context.get_function(numbas, signature)(builder, arguments)

    OWN_BUILTINS[builtin] = function


define(larger, max, ">=")
define(smaller, min, "<=")
