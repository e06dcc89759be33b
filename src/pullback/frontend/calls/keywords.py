"""Keywords of NumPy's functions that mean something else said otherwise, and those that nothing further down knows.

np.sin(x, dtype=np.float32)      →   np.sin(x.astype(np.float32))
np.var(x, correction=1)          →   np.var(x, ddof=1)
np.sum(x, where=mask)            →   LanguageError
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pullback.frontend.source.addresses import is_numpy, name_of
from pullback.frontend.values.bindings import Binding, Static
from pullback.frontend.values.context import Context
from pullback.functions import record_of
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant, Operand, Value
from pullback.ir.types import Scalar

_TRUE = constant(True)
_REMEDIES = {
    "where": "choose by np.where: what stands in for elements left out is then said",
    "initial": "write what the result begins with beside the call",
    "mean": "leave it out: it is computed",
}
_OF_UFUNCS = {"casting", "order", "subok", "signature", "sig", "axes", "axis", "keepdims"}


_USUAL = {"axis": (Static(None), Constant(None)), "keepdims": (Static(False), constant(False))}
"""What reductions do where nothing is said."""


def checked_keywords(
    context: Context,
    function: Callable[..., Any],
    names: tuple[str, ...],
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> dict[str, Binding]:
    """The keywords by the names that all stages know. Refuses those that none knows, and what writes into arguments.

    names: the parameters that the function takes by position.
    """
    if not is_numpy(function):
        return keywords
    given = dict(zip(names, arguments, strict=False)) | keywords
    if given.get("out", Static(None)) != Static(None):
        remedy = f"write the result to the array, as in y[...] = {name_of(function)}(...)"
        context.refuse(node, f"'out' of {name_of(function)} is not supported", remedy)
    read = parameters_of_text(function)
    if given.get("copy", _TRUE) not in (_TRUE, Static(True)) and "copy" not in read:
        context.refuse(node, "a copy that is not always made cannot be followed", "leave 'copy' out")
    record = record_of(function)
    refused = set(_REMEDIES) if record.is_reduction or function is np.clip else set()
    if isinstance(function, np.ufunc):
        refused = {"where", *_OF_UFUNCS}
    for keyword in sorted(given.keys() & refused - read):
        remedy = _REMEDIES.get(keyword, "leave it out")
        context.refuse(node, f"'{keyword}' of {name_of(function)} is not supported", remedy)
    for keyword in keywords.keys() & record.renamed.keys():
        if record.renamed[keyword] in given:
            context.mistyped(node, f"'{record.renamed[keyword]}' and '{keyword}' of {name_of(function)} mean the same")
    usual = _USUAL if record.is_reduction else {}
    told = {k: value for k, value in keywords.items() if k not in usual or value not in usual[k]}
    if function is np.clip and keywords.keys() & {"min", "max"}:
        told = dict.fromkeys({"min", "max"} - told.keys(), Static(None)) | told
    return {record.renamed.get(keyword, keyword): value for keyword, value in told.items()}


@cache
def parameters_of_text(function: Callable[..., Any]) -> frozenset[str]:
    """The parameters that the text in the place of a function's calls knows."""
    text = record_of(function).text
    return frozenset(inspect.signature(text).parameters) if text is not None else frozenset()


def in_dtype_asked_for(
    context: Context,
    function: Callable[..., Any],
    labels: list[str],
    operands: tuple[Operand, ...],
    keywords: tuple[str, ...],
    node: Any,
) -> tuple[tuple[Operand, ...], tuple[str, ...]]:
    """The operands in the dtype that the call names, where NumPy computes in it, and the keywords that are left.

    labels: the parameters of the operands, "dtype" among them.
    """
    if not isinstance(function, np.ufunc) and not record_of(function).has_dtype:
        return operands, keywords
    k = labels.index("dtype")
    asked = operands[k]
    rest = tuple(operand for j, operand in enumerate(operands) if j != k)
    keywords = tuple(keyword for keyword in keywords if keyword != "dtype")
    if asked == Constant(None):
        return rest, keywords
    count = function.nin if isinstance(function, np.ufunc) else 1
    dtype = np.dtype(asked.value).name
    if isinstance(function, np.ufunc) and all(signature.endswith("->?") for signature in function.types):
        if dtype != "bool":
            context.mistyped(node, f"{name_of(function)} gives truth values, and none of {dtype}")
        return rest, keywords
    return (*(_cast(context, operand, dtype, node) for operand in rest[:count]), *rest[count:]), keywords


def _cast(context: Context, operand: Operand, dtype: str, node: Any) -> Operand:
    """A number or array in a dtype, as NumPy's functions cast what they are given: not to a narrower kind."""
    if not np.can_cast(operand.type.dtype, dtype, "same_kind"):
        context.mistyped(node, f"a value of {operand.type.dtype} cannot be cast to {dtype} here")
    if isinstance(operand, Constant):
        return Constant(np.dtype(dtype).type(operand.value).item(), Scalar(dtype))
    if isinstance(operand, Value) and operand.type.dtype == dtype:
        return operand
    with context.builder.at(context.location(node)):
        return context.builder.cast(operand, dtype)
