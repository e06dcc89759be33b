"""`out=` and `where=` of NumPy's functions: the result is computed, then written to the array that is named.

np.add(a, b, out=y)                   →   y[...] = a + b, and y itself
np.divide(a, b, out=y, where=m)       →   y[...] = np.where(m, np.where(m, a, 1) / np.where(m, b, 1), y)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.frontend.calls.apply import parameter_names
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.source.addresses import name_of
from pullback.frontend.values.bindings import ArrayRef, Binding, Static, TupleValue
from pullback.frontend.values.context import WHOLE, Context
from pullback.functions import record_of
from pullback.functions.writing import of_the_shape
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant


@dataclass(frozen=True, slots=True)
class Destination:
    """Where the result of a call goes (None for a fresh array), where a mask lets it, and the call without either."""

    out: Binding | None
    where: Binding | None
    arguments: tuple[Binding, ...]
    keywords: dict[str, Binding]


def destination_of(
    context: Context, function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding], node: Any
) -> Destination | None:
    """What `out` and `where` of a call say; None where there is neither."""
    is_ufunc = isinstance(function, np.ufunc)
    names = (*parameter_names(function), *(("out",) if is_ufunc else ()))
    given = {}
    if "out" in names and len(arguments) > names.index("out"):
        place = names.index("out")
        given = dict(zip(names[place:], arguments[place:], strict=False))
        arguments = arguments[:place]
    keywords = {**given, **keywords}
    if "out" not in keywords and not (is_ufunc and "where" in keywords):
        return None
    out = keywords.pop("out", Static(None))
    where = keywords.pop("where", None) if is_ufunc else None
    if isinstance(out, TupleValue) and len(out.items) == 1:
        out = out.items[0]
    if where in (Static(True), constant(True)):
        where = None
    if out == Static(None):
        if where is not None:
            context.refuse(
                node,
                f"'where' of {name_of(function)} without 'out' leaves elements without a value",
                "pass out=..., as in out=np.zeros_like(x), or choose by np.where",
            )
        return Destination(None, None, arguments, keywords)
    if not isinstance(out, ArrayRef):
        context.mistyped(node, f"{name_of(function)}: 'out' must be an array")
    return Destination(out, where, arguments, keywords)


def call_into(call: Callable[..., Binding], context: Context, function: Any, into: Destination, node: Any) -> Binding:
    """The call, and its result written where it goes."""
    out, arguments = into.out, into.arguments
    if out is None:
        return call(context, function, arguments, into.keywords, node)
    assert isinstance(out, ArrayRef), "a destination is an array"
    if into.where is not None:
        arguments = tuple(_harmless(call, context, argument, into.where, node) for argument in arguments)
    result = call(context, function, arguments, _in_dtype_of(context, function, into, node), node)
    operand = context.operand(result, node)
    type_ = type_of_ref(context, out, node)
    if not _can_write(function, operand.type.dtype, type_.dtype):
        context.mistyped(node, f"{name_of(function)}: cannot cast from {operand.type.dtype} to {type_.dtype}")
    if not isinstance(function, np.ufunc) and getattr(operand.type, "ndim", 0) != type_.ndim:
        context.mistyped(node, f"{name_of(function)}: the output array has the wrong number of dimensions")
    if type_.ndim > 0 and not _spreads(function):
        operand = context.operand(call(context, of_the_shape, (result, out), {}, node), node)
    if into.where is not None:
        operand = context.operand(call(context, np.where, (into.where, result, out), {}, node), node)
    context.store(out, (WHOLE,), operand, node)
    return out


def _can_write(function: Any, result: str, out: str) -> bool:
    """Whether a function may write its result into an array of a dtype."""
    if function is np.dot:
        return result == out
    if function in (np.take, np.compress):  # which compute in a copy of the array that they write
        return np.can_cast(out, result, "safe")
    return np.can_cast(result, out, "same_kind")


def _spreads(function: Any) -> bool:
    """Whether the result is spread over the array that it is written into: elementwise functions do that."""
    is_outer = isinstance(getattr(function, "__self__", None), np.ufunc) and function.__name__ == "outer"
    return is_outer or function is np.clip or (isinstance(function, np.ufunc) and function.signature is None)


def _in_dtype_of(context: Context, function: Any, into: Destination, node: Any) -> dict[str, Binding]:
    """The keywords of a call; a reduction computes in the dtype of where it writes, if no other one is named."""
    assert isinstance(into.out, ArrayRef), "a destination is an array"
    dtype = np.dtype(type_of_ref(context, into.out, node).dtype)
    if not record_of(function).has_dtype or "dtype" in into.keywords or dtype.kind != "f":
        return into.keywords
    return {**into.keywords, "dtype": Static(dtype.type)}


def _harmless(call: Callable[..., Binding], context: Context, argument: Binding, where: Binding, node: Any) -> Binding:
    """An array with 1 where a mask leaves it out, so that nothing is computed there that would warn."""
    if not isinstance(argument, ArrayRef) or type_of_ref(context, argument, node).dtype == "bool":
        return argument
    return call(context, np.where, (where, argument, Constant(1, constant(1).type)), {}, node)
