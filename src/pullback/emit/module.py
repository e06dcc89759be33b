"""A Function becomes the text of a Python function, and several become a module.

energy_grad(w, x):                     def energy_grad(w, x):
    t: float64 = multiply(w, x)   →        return x * np.cos(w * x)
    …
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from pullback.analysis.naturals import natural_indices
from pullback.analysis.sums import sum_steps
from pullback.emit.expressions import VECTOR_LIBRARY, Expressions
from pullback.emit.inline import find_inlined
from pullback.emit.names import name_values
from pullback.emit.printer import to_text
from pullback.emit.signs import tidy_signs
from pullback.emit.spelling import call, constant, name, tuple_
from pullback.emit.statements import Statements
from pullback.emit.undefined import copied_values
from pullback.ir.nodes import Function
from pullback.ir.types import Array, Type

HELPERS_MODULE = "pullback.runtime"


def emit_function(
    function: Function,
    *,
    compiled: bool,
    vector: bool = False,
    comments: bool = True,
    tuple_from: int | None = None,
) -> tuple[Any, set[str]]:
    """The gast of a function, and the helpers that it calls; `function` owns its memory (see `optimize.own`)."""
    inlined = find_inlined(function)
    names = name_values(function, inlined, frozenset({function.name}))
    sums = sum_steps(function) if compiled else frozenset()
    naturals = natural_indices(function) if compiled else frozenset()
    expressions = Expressions(names, inlined, compiled, vector, sums, naturals)
    statements = Statements(expressions, names, copied_values(function, names), comments)
    body = statements.plain(function.body)
    results = [expressions.operand(result) for result in function.results]
    for result in function.results:
        if result in inlined:
            body += statements.remark(inlined[result].location)
    if tuple_from is not None:
        results = [*results[:tuple_from], tuple_(results[tuple_from:])]
    if results:
        body.append(gast.Return(results[0] if len(results) == 1 else tuple_(results)))
    parameters = [gast.Name(names[p], gast.Param(), None, None) for p in function.parameters]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    tree = gast.FunctionDef(function.name, arguments, body or [gast.Pass()], [], None, None, [])
    return tidy_signs(tree), expressions.helpers


def emit_module(
    functions: Iterable[Function],
    *,
    compiled: bool,
    vector: bool = False,
    comments: bool = True,
    tuple_from: int | None = None,
) -> str:
    """The text of a module with these functions; it imports numpy and the helpers, nothing else of ours.

    compiled: as Numba takes it; vector: with the vector math library; tuple_from: the results from this number on are
    returned in a tuple of their own.
    """
    trees, helpers = [], set()
    functions = list(functions)
    callees = {callee.name: callee for function in functions for callee in function.callees}
    for function in (*callees.values(), *functions):
        inner = None if function.name in callees else tuple_from
        tree, used = emit_function(function, compiled=compiled, vector=vector, comments=comments, tuple_from=inner)
        if compiled and function.name in callees:
            tree.decorator_list = [_decorator(function)]
        trees.append(tree)
        helpers |= used
    head: list[Any] = [gast.Import([gast.alias("numpy", "np")])]
    if compiled and callees:
        head.append(gast.ImportFrom("numba", [gast.alias("njit", None)], 0))
    if VECTOR_LIBRARY in helpers:
        helpers.remove(VECTOR_LIBRARY)
        head.append(gast.Import([gast.alias(f"{HELPERS_MODULE}.vectormath", VECTOR_LIBRARY)]))
    if helpers:
        head.append(gast.ImportFrom(HELPERS_MODULE, [gast.alias(h, None) for h in sorted(helpers)], 0))
    return to_text(gast.Module([*head, *trees], []))


def _decorator(function: Function) -> Any:
    """`@njit` with the signature: Numba cannot always infer the types of functions that call themselves."""
    results = [_numba_type(result.type) for result in function.results]
    result = results[0] if len(results) == 1 else f"Tuple(({', '.join(results)},))"
    parameters = ", ".join(_numba_type(parameter.type) for parameter in function.parameters)
    flags = gast.Set([constant(flag) for flag in ("afn", "arcp", "contract", "nsz")])
    return call(
        name("njit"),
        constant(f"{result}({parameters})"),
        error_model=constant("numpy"),
        fastmath=flags,
        nogil=constant(True),
    )


def _numba_type(type_: Type) -> str:
    dtype = "boolean" if type_.dtype == "bool" else type_.dtype
    return f"{dtype}[{', '.join(':' * type_.ndim)}]" if isinstance(type_, Array) else dtype
