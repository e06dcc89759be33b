"""Borrowed arguments: helpers are called with arrays that they do not own, so that a call counts no references.

A function compiled by Numba takes and drops a reference to each array it is given, two atomic instructions for
each, beside a call of some nanoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_new_ref
from numba.extending import lower_builtin, type_callable
from numba.np.arrayobj import make_array

from pullback.runtime.codegen.callees import OPTIONS, Function, call, compiled_callee


def overload_with_borrowed(
    function: Function, result_type: Function, chosen: Function, arity: int, place: str = ""
) -> None:
    """Makes a function of arrays callable from compiled code.

    result_type: from the types of the operands that of the result, or None where the function does not take them.
    chosen: from these types what runs. It must not return an operand or a part of one, and have no closure, so that
    Numba compiles it once for each combination of types.
    arity: the number of operands; a fourth one is a bool.
    place: "inlined" makes the machine code a part of each caller, which may know the sizes of the arrays; "apart" keeps
    it out of all of them; else LLVM decides.
    """

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        borrowed = [without_owner(context, builder, *pair) for pair in zip(signature.args, arguments, strict=True)]
        options = OPTIONS | {"fastmath": {"contract"}, "forceinline": place == "inlined"}
        compiled = compiled_callee(chosen(*signature.args), signature.args, options, optimised=True)
        result = call(context, builder, compiled, borrowed, ("noinline",) if place == "apart" else ())
        return impl_ret_new_ref(context, builder, signature.return_type, result)

    # The names of the parameters are looked at, so each number of them is written out.
    if arity == 1:
        type_callable(function)(lambda context: lambda a: result_type(a))
    elif arity == 2:
        type_callable(function)(lambda context: lambda a, b: result_type(a, b))
    else:
        type_callable(function)(lambda context: lambda out, a, b, added: result_type(out, a, b, added))
    lower_builtin(function, *[types.Array] * min(arity, 3), *[types.Boolean] * (arity == 4))(lower)


def call_with_borrowed(lower: Any, function: Function, variables: Sequence[Any]) -> Any:
    """What a function returns for variables of the function that is being translated."""
    given = tuple(types.unliteral(lower.typeof(variable.name)) for variable in variables)
    context, builder, values = lower.context, lower.builder, []
    for variable, type_ in zip(variables, given, strict=True):
        value = context.cast(builder, lower.loadvar(variable.name), lower.typeof(variable.name), type_)
        values.append(without_owner(context, builder, type_, value))
    return call(context, builder, compiled_callee(function, given, OPTIONS), values)


def without_owner(context: Any, builder: Any, type_: Any, value: Any) -> Any:
    """The array without the record in which its references are counted; a number as it is."""
    if not isinstance(type_, types.Array):
        return value
    array = make_array(type_)(context, builder, value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    return array._getvalue()
