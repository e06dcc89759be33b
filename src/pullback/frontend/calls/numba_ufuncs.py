"""Functions of elements, and of parts of arrays, that `numba.vectorize` and `numba.guvectorize` made.

The Python function behind one is read for each element, or each part, in the dtypes that Numba chooses:

    price(s, k)                       →   each_element(price.py_func, "float64", s, k)
    smooth(x, w, y)                   →   each_part(smooth.py_func, ..., x, w, y)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from pullback.frontend.calls.apply import as_of_numpy
from pullback.frontend.calls.indexing import type_of_ref
from pullback.frontend.source.outside import Dependency
from pullback.frontend.values.bindings import ArrayRef, Binding, ListRef, Static, TupleValue
from pullback.frontend.values.context import Context
from pullback.functions.along import each_element, each_part
from pullback.ir.builder import constant
from pullback.ir.nodes import is_scalar

Call = Callable[..., Binding]


def is_of_numba(function: Any) -> bool:
    """Whether `numba.vectorize` or `numba.guvectorize` made a function, with its Python function behind it."""
    return type(function).__module__ in ("numba.np.ufunc.dufunc", "numba.np.ufunc.gufunc")


def call_of_numba(
    call: Call,
    context: Context,
    function: Any,
    arguments: tuple[Binding, ...],
    keywords: dict[str, Binding],
    node: Any,
) -> Binding:
    """A call of a function that Numba made one of arrays from one of elements or parts."""
    if "out" in keywords and len(keywords) == 1 and len(arguments) == function.nin:
        arguments, keywords = (*arguments, keywords["out"]), {}
    name = function.__name__
    if keywords:
        context.refuse(node, f"'{next(iter(keywords))}' of the ufunc '{name}' is not supported", "leave it out")
    if len(arguments) not in (function.nin, function.nin + function.nout):
        context.mistyped(node, f"'{name}' takes {function.nin} arguments, but {len(arguments)} were given")
    arguments = tuple(_array_or_number(context, one, node) for one in arguments)
    given, out = arguments[: function.nin], arguments[function.nin :]
    if not all(isinstance(one, ArrayRef) for one in out):
        context.mistyped(node, f"'{name}': return arrays must be of ArrayType")
    if hasattr(function, "gufunc_builder"):
        return _of_parts(call, context, function, given, out, node)
    return _of_elements(call, context, function, given, out, node)


def _array_or_number(context: Context, binding: Binding, node: Any) -> Binding:
    return context.bind(context.array_of(binding, node)) if isinstance(binding, ListRef | TupleValue) else binding


def _dtype_of(context: Context, binding: Binding, node: Any) -> np.dtype[Any]:
    found = (
        type_of_ref(context, binding, node) if isinstance(binding, ArrayRef) else context.operand(binding, node).type
    )
    return np.dtype(getattr(found, "dtype", object))


def _in_dtypes(
    context: Context, given: tuple[Binding, ...], dtypes: tuple[np.dtype[Any], ...], node: Any
) -> tuple[Binding, ...]:
    """The arguments in the dtypes that the machine code takes."""
    made = []
    for one, dtype in zip(given, dtypes, strict=True):
        with context.builder.at(context.location(node)):
            changed = context.builder.cast(context.operand(one, node), dtype.name)
        made.append(context.bind(changed) if _dtype_of(context, one, node) != dtype else one)
    return tuple(made)


def _read(context: Context, function: Any, plain: Any, node: Any) -> Static:
    """The Python function, which is looked at again before each call."""
    if not isinstance(plain, FunctionType):
        context.refuse(node, f"'{function.__name__}' has no Python source", "write the function in Python")
    context.depend(Dependency(function, "__name__", function.__name__))
    return Static(plain)


# Elements


def _of_elements(
    call: Call, context: Context, function: Any, given: tuple[Binding, ...], out: tuple[Binding, ...], node: Any
) -> Binding:
    plain = _read(context, function, function._dispatcher.py_func, node)
    *taken, made = _loop_of(context, function, [_dtype_of(context, one, node) for one in given], node)
    if made == np.float64 and np.float32 in taken and not function._frozen:
        reason = f"Numba computes '{function.__name__}' of float32 with numbers of 64 bits in part"
        context.mistyped(node, reason, "give it signatures, as in @vectorize(['float32(float32)']), or float64")
    given = _in_dtypes(context, given, tuple(taken), node)
    result = call(context, each_element, (plain, Static(made), *given), {}, node)
    if is_scalar(result):
        result = as_of_numpy(context, result, node)
    if not out:
        return result
    return call(context, np.positive, (result,), {"out": out[0]}, node)


def _loop_of(context: Context, function: Any, dtypes: list[np.dtype[Any]], node: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes of the arguments and of the result of the loop that NumPy chooses, which is compiled if need be."""
    for _ in range(2):
        try:
            return tuple(function.ufunc.resolve_dtypes((*dtypes, None)))
        except TypeError as error:
            reason = str(error)
        if function._frozen:
            break
        try:
            function.add(tuple(map(_type_of_numba, dtypes)))
        except Exception as error:
            reason = str(error).strip().splitlines()[0]
            break
    context.mistyped(node, f"'{function.__name__}' cannot be called with {', '.join(map(str, dtypes))}: {reason}")


def _type_of_numba(dtype: np.dtype[Any]) -> Any:
    return sys.modules["numba"].from_dtype(dtype)


# Parts of arrays


def _of_parts(
    call: Call, context: Context, function: Any, given: tuple[Binding, ...], out: tuple[Binding, ...], node: Any
) -> Binding:
    plain = _read(context, function, function.gufunc_builder.py_func, node)
    if getattr(function.gufunc_builder, "writable_args", ()):
        context.refuse(node, f"'{function.__name__}' writes to its arguments", "let it write to results alone")
    symbols = _symbols(function.gufunc_builder.signature)
    dtypes, made, taken_ranks = _loop_of_parts(context, function, given, out, node)
    ranks = tuple((len(axes), taken) for axes, taken in zip(symbols[0], taken_ranks, strict=True))
    for k, (one, axes) in enumerate(zip(given, symbols[0], strict=True)):
        if _rank(context, one, node) < len(axes):
            context.mistyped(node, f"'{function.__name__}': argument {k} has too few axes, of {len(axes)}")
    places = {symbol: (k, a - len(axes)) for k, axes in enumerate(symbols[0]) for a, symbol in enumerate(axes)}
    try:
        sizes = tuple(tuple(places[symbol] for symbol in axes) for axes in symbols[1])
    except KeyError as error:
        context.refuse(node, f"the size {error} of a result of '{function.__name__}' is that of no argument")
    given = _in_dtypes(context, given, dtypes, node)
    results = tuple(Static(dtype) for dtype in made)
    plan = (_known(ranks), TupleValue(results), _known(sizes), TupleValue(given), TupleValue(out))
    return call(context, each_part, (plain, *plan), {}, node)


def _symbols(signature: str) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The names of the sizes of arguments and of results.

    >>> _symbols("(m, n), (n) -> ()")
    ((('m', 'n'), ('n',)), ((),))
    """
    sides = [re.findall(r"\((.*?)\)", side) for side in signature.split("->")]
    return tuple(tuple(tuple(re.findall(r"\w+", axes)) for axes in side) for side in sides)


def _loop_of_parts(
    context: Context, function: Any, given: tuple[Binding, ...], out: tuple[Binding, ...], node: Any
) -> tuple[tuple[np.dtype[Any], ...], tuple[np.dtype[Any], ...], tuple[int, ...]]:
    """The dtypes of arguments and of results, and the ranks of the arguments of the Python function."""
    dtypes = [_dtype_of(context, one, node) for one in given]
    if function.is_dynamic:
        if not out:
            context.mistyped(node, f"'{function.__name__}' has no dtypes and takes the arrays to write to as well")
        return tuple(dtypes), tuple(_dtype_of(context, one, node) for one in out), function.expected_ndims()[0]
    try:
        found = tuple(function.ufunc.resolve_dtypes((*dtypes, *(None,) * function.nout)))
    except TypeError as error:
        context.mistyped(node, f"'{function.__name__}': {error}")
    types = [_type_of_numba(dtype) for dtype in found]
    for signature in function.gufunc_builder._sigs:
        if [getattr(one, "dtype", one) for one in signature.args] == types:
            ranks = tuple(getattr(one, "ndim", 0) for one in signature.args[: function.nin])
            return found[: function.nin], found[function.nin :], ranks
    context.refuse(node, f"'{function.__name__}' has no signature for {', '.join(map(str, dtypes))}")


def _rank(context: Context, binding: Binding, node: Any) -> int:
    return int(getattr(type_of_ref(context, binding, node), "ndim", 0)) if isinstance(binding, ArrayRef) else 0


def _known(value: Any) -> Binding:
    return TupleValue(tuple(map(_known, value))) if isinstance(value, tuple) else constant(value)
