"""NumPy's functions on tensors: computed by NumPy, recorded under the arguments that their derivative rule knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.apply import parameter_names
from pullback.frontend.spelling import canonical
from pullback.rules import rule_of
from pullback.tape.pullbacks import positional
from pullback.tape.recorders import is_connected, tell, thread
from pullback.tape.rules import RULES, cast, take_item
from pullback.tape.tensor import Tensor, apply, as_operand, tensor_of

HARMLESS = {"dtype", "order", "casting", "subok", "out", "like", "kind", "stable", "device"}
"""Keywords of NumPy's that change no derivative; `out` has been refused before."""

_WRITING = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}

_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}


def call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """`function(*arguments, **keywords)` for a function of NumPy that is given tensors somewhere."""
    out = keywords.get("out")
    if out is not None:
        _check_out((*arguments, *keywords.values()), function)
    if function in _WRITING:
        check_written(arguments, function)
    composed = COMPOSED.get(function)
    if composed is not None:
        return composed(*arguments, **keywords)
    plain = {name: bare(value) for name, value in keywords.items()}
    result = function(*(bare(a) for a in arguments), **plain)
    return result if out is not None else returned(function, arguments, keywords, result)


def returned(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> Any:
    """What NumPy returned, as tensors that are recorded; numbers of Python, shapes and texts stay as they are."""
    given = [one for argument in (*arguments, *keywords.values()) for one in _listed(argument)]
    results = tuple(tensor_of(r, given) if isinstance(r, np.ndarray | np.generic) else r for r in _listed(result))
    tensors = tuple(r for r in results if isinstance(r, Tensor))
    if tensors and thread.recorders:
        tell(*matched(canonical(function), arguments, keywords), tensors)
    if isinstance(result, list | tuple):
        return type(result)(*results) if hasattr(result, "_fields") else type(result)(results)
    return results[0]


def _listed(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list | tuple) else [result]


def bare(argument: Any) -> Any:
    """An argument with the elements of tensors in their place, also inside of lists and tuples."""
    if isinstance(argument, Tensor):
        return argument._value
    if type(argument) in (list, tuple):
        return type(argument)(bare(item) for item in argument)
    return argument


def matched(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """A function and its arguments in the order of its rule's; where there is no rule for these, all as they are."""
    rule = RULES.get(function) or rule_of(function)
    every = (*arguments, *keywords.values())
    if rule is None:
        return function, every
    names, of_numpy = positional(rule.body), parameter_names(function)
    if len(arguments) > len(of_numpy):
        return Unruled(function, "several arguments"), every
    given = dict(zip(of_numpy, arguments, strict=False)) | keywords
    if function is np.clip:
        given = {"a_" + name if name in ("min", "max") else name: value for name, value in given.items()}
    pairs = zip(names, of_numpy, strict=False)
    renamed = {theirs: ours for ours, theirs in pairs if theirs not in names and ours not in of_numpy}
    given = {renamed.get(name, name): value for name, value in given.items()}
    if "axis" in given and isinstance(arguments[0], Tensor) and not arguments[0].shape:
        given["axis"] = None  # NumPy lets the axis 0 of a number be named
    values = tuple(as_argument(given.pop(name, default)) for name, default in defaults(rule.body).items())
    unknown = [name for name, value in given.items() if name not in HARMLESS and value is not np._NoValue]
    return (Unruled(function, f"'{unknown[0]}'"), every) if unknown else (function, values)


@dataclass(frozen=True, slots=True, eq=False)
class Unruled:
    """Stands for a function that is called with an argument that its rule does not know."""

    function: Callable[..., Any]
    argument: str


@cache
def defaults(body: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that a rule knows, with their defaults."""
    known = inspect.signature(body).parameters
    return {
        name: None if known[name].default is inspect.Parameter.empty else known[name].default
        for name in positional(body)
    }


def as_argument(argument: Any) -> Any:
    """An argument as rules take it: sequences as tuples, and lists of numbers and tensors among arrays as arrays."""
    if isinstance(argument, list | tuple):
        return tuple(stacked(item) if isinstance(item, list) else item for item in argument)
    return argument


def stacked(items: Any) -> Any:
    """A nested list of numbers, arrays and tensors as one array, or as one tensor where there is a tensor in it."""
    if not isinstance(items, list | tuple):
        return items
    if not holds_tensor(items):
        return np.asarray(items)
    return np.stack([stacked(item) for item in items])


def holds_tensor(argument: Any) -> bool:
    """Whether there is a tensor among the items of a nested sequence."""
    if isinstance(argument, list | tuple):
        return any(holds_tensor(item) for item in argument)
    return isinstance(argument, Tensor)


def check_written(arguments: tuple[Any, ...], function: Callable[..., Any]) -> None:
    """Refuse a function that writes into its first argument where that is a tensor, or what a tape follows is lost."""
    if isinstance(arguments[0], Tensor):
        raise TypingError(f"np.{function.__name__} cannot write into a tensor", None, "make a new one, as by np.where")
    _check_out(arguments, function)


def _check_out(arguments: tuple[Any, ...], function: Callable[..., Any]) -> None:
    """Refuse to write what a tape follows into an array, where it would be lost."""
    if any(isinstance(a, Tensor) and is_connected(a) for a in arguments):
        name = getattr(function, "__name__", "this function")
        raise TypingError(
            f"the result of np.{name} on a tensor cannot be written into an array: its gradient would be lost",
            None,
            "use the result as it is, as in y = y + x in place of y += x",
        )


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A ufunc with keywords, with several results, or one of its methods."""
    if method == "reduce" and ufunc in _REDUCTIONS:
        reduce: Callable[..., Any] = _REDUCTIONS[ufunc]
        return reduce(*inputs, **({"axis": 0} | keywords))
    if method == "at":
        _check_out(inputs, ufunc)
        return ufunc.at(*(bare(one) for one in inputs))
    if keywords.get("out") is not None:
        _check_out(inputs, ufunc)
        return getattr(ufunc, method)(*(bare(one) for one in inputs), **{k: bare(v) for k, v in keywords.items()})
    plain = {name: bare(value) for name, value in keywords.items()}
    given = tuple(as_operand(one) for one in inputs)
    result = getattr(ufunc, method)(*(bare(one) for one in given), **plain)
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    return returned(function, given, keywords, result)


def item(x: Tensor, index: Any) -> Tensor:
    """`x[index]`, where the index may hold tensors of integers or of booleans."""
    where = tuple(bare(i) for i in index) if isinstance(index, tuple) else bare(index)
    if isinstance(where, np.ndarray) or type(where) is list:
        where = np.array(where)
    elif isinstance(where, tuple):
        where = tuple(np.array(i) if isinstance(i, np.ndarray | list) else i for i in where)
    return apply(take_item, take_item, x, where)


def as_dtype(x: Tensor, dtype: Any) -> Tensor:
    """The elements in another dtype."""
    return apply(cast, cast, x, np.dtype(dtype))


COMPOSED: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Functions of NumPy that are made of others here."""
