"""NumPy's functions on tensors: computed by NumPy, recorded under the arguments that their derivative rule knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.calls.apply import parameter_names
from pullback.frontend.source.addresses import is_numpy, name_of
from pullback.functions import canonical, record_of, rule_of, text_for
from pullback.functions.turning import ravel_in_columns, reshape_in_columns
from pullback.runtime import cast
from pullback.runtime.numpy.items import take_item
from pullback.runtime.numpy.nested_lists import array_of
from pullback.tape.protocols import HANDLERS
from pullback.tape.pullbacks import positional
from pullback.tape.recorders import active, is_connected, tell
from pullback.tape.tensor import PLAIN, Tensor, apply, as_operand, check_class, holds_tensor, tensor_of

HARMLESS = {"dtype", "order", "casting", "subok", "out", "like", "kind", "stable", "device"}
"""Keywords of NumPy's that change no derivative; `out` has been refused before."""

_WRITING = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}

_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}


def call(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """`function(*arguments, **keywords)` for a function of NumPy or of ours that is given tensors somewhere."""
    if not is_numpy(function):
        return apply(function, function, *arguments)
    check_writing(function, arguments, keywords)
    if out_of(function, arguments, keywords) is not None:
        return function(*bare(arguments), **bare(keywords))
    text = text_that_knows(function, arguments, keywords)
    if text is not None:
        try:
            return text(*arguments, **keywords)
        except NotImplementedError:  # of a setting that the text does not know
            pass
    known = recorded_as(function, arguments, keywords)
    return returned(function, (arguments, keywords), function(*bare(arguments), **bare(keywords)), known)


def text_that_knows(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[..., Any] | None:
    """The text in other functions that stands for a call; None where there is none that knows all of its arguments."""
    if function in _IN_COLUMNS and (keywords.get("order") or "C") != "C":
        return _IN_COLUMNS[function] if keywords["order"] == "F" else None
    if function is np.unstack:
        return unstacked
    if record_of(function).text is None:
        return None
    given = dict(zip(names_of(function), arguments, strict=False)) | keywords
    text = text_for(function, {name: _rank_of(argument) for name, argument in given.items()})
    try:
        if text is not None:
            _signature(text).bind(*arguments, **keywords)
        return text
    except TypeError:
        return None


def unstacked(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """np.unstack(x, axis=axis), whose text knows no sizes."""
    return tuple(np.moveaxis(x, axis, 0))


_IN_COLUMNS = {np.reshape: reshape_in_columns, np.ravel: ravel_in_columns}
"""What stands for functions that take elements in another order than their rules do."""


def _rank_of(argument: Any) -> int:
    """The rank of an array, tensor or number; that of a list is one more than of its first item, -1 for all else."""
    if isinstance(argument, Tensor | np.ndarray | np.generic):
        return len(argument.shape)
    if isinstance(argument, list | tuple):
        return 1 + max(_rank_of(argument[0]), 0) if argument else 1
    return 0 if isinstance(argument, int | float) else -1


_signature = cache(inspect.signature)


@cache
def names_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the parameters that a function takes by position; () where they are not known."""
    return ("a", "b", "out") if function is np.dot else parameter_names(function)


def recorded_as(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]] | None:
    """The function and arguments that a call is recorded with, made before its result is; None if it is not."""
    if not active():
        return None
    if record_of(function).text is not None and rule_of(function) is None:
        return Unruled(function, "these arguments"), tensors_within((arguments, keywords))
    return matched(canonical(function), arguments, keywords)


def returned(function: Callable[..., Any], given: Any, result: Any, known: tuple[Any, tuple[Any, ...]] | None) -> Any:
    """What NumPy returned, as tensors that are recorded; numbers of Python, shapes and texts stay as they are."""
    tensors: list[Tensor] = []
    made = _as_tensors(function, result, given, tensors)
    if tensors and known is not None:
        tell(*known, tuple(tensors))
    return made


def _as_tensors(function: Callable[..., Any], result: Any, given: Any, made: list[Tensor]) -> Any:
    """A result with tensors in the place of arrays and of NumPy's numbers, which are added to `made`."""
    if isinstance(result, np.ndarray | np.generic):
        if isinstance(result, np.matrix | np.ma.MaskedArray):
            raise TypingError(
                f"{name_of(function)} of a tensor returns a {type(result).__name__}, which no tape can follow",
                None,
                "use functions that return plain arrays",
            )
        made.append(tensor_of(result, () if result.base is None else tensors_within(given)))
        return made[-1]
    if isinstance(result, list | tuple):
        items = [_as_tensors(function, item, given, made) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if isinstance(result, dict):
        return {key: _as_tensors(function, item, given, made) for key, item in result.items()}
    return result


def tensors_within(argument: Any) -> tuple[Tensor, ...]:
    """The tensors anywhere in nested lists, tuples, dicts, sets, slices and arrays of objects."""
    found: list[Tensor] = []
    _collect(argument, found)
    return tuple(found)


def _collect(argument: Any, found: list[Tensor]) -> None:
    if isinstance(argument, Tensor):
        found.append(argument)
    elif type(argument) in _ATOMS:
        return
    elif isinstance(argument, list | tuple | set | frozenset):
        for item in argument:
            _collect(item, found)
    elif isinstance(argument, dict):
        for item in argument.values():
            _collect(item, found)
    elif isinstance(argument, slice):
        _collect((argument.start, argument.stop, argument.step), found)
    elif isinstance(argument, np.ndarray) and argument.dtype.hasobject:
        _collect(argument.ravel().tolist(), found)


_ATOMS = {int, float, bool, str, type(None), type(np._NoValue), np.float64, np.float32, np.int64}


def bare(argument: Any) -> Any:
    """An argument with the elements of tensors in their place, also inside of lists, tuples and dicts."""
    if isinstance(argument, Tensor):
        return argument._value
    if isinstance(argument, dict):
        return {key: bare(item) for key, item in argument.items()}
    if isinstance(argument, list | tuple):
        items = [bare(item) for item in argument]
        if not holds_tensor(argument):
            return argument
        return type(argument)(*items) if hasattr(argument, "_fields") else type(argument)(items)
    if type(argument) not in PLAIN and type(argument) not in _ATOMS:
        check_class(argument)
    return argument


_SEQUENCES = {"arrays", "tup"}
"""Parameters that take a sequence of arrays; each of its items gets a cotangent."""

_SETTINGS = {
    *("axis", "axes", "axis1", "axis2", "source", "destination", "shape", "shift", "repeats", "reps", "keepdims"),
    *("ddof", "ord", "n", "k", "offset", "copy", "nan", "posinf", "neginf", "upper", "UPLO", "mode", "dtype"),
    *("full_matrices", "compute_uv", "hermitian"),
}
"""Parameters of rules that get no cotangent; all others take arrays."""


def matched(
    function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[Any, tuple[Any, ...]]:
    """A function and its arguments in the order of its rule's; without a rule for these, all tensors in them."""
    rule = rule_of(function)
    if rule is None:
        return function, tensors_within((arguments, keywords))
    names, of_numpy = positional(rule.body), names_of(function)
    if len(arguments) > len(of_numpy):
        return Unruled(function, "several arguments"), tensors_within((arguments, keywords))
    given = dict(zip(of_numpy, arguments, strict=False)) | keywords
    if function is np.clip:
        given = {"a_" + name if name in ("min", "max") else name: value for name, value in given.items()}
    pairs = zip(names, of_numpy, strict=False)
    renamed = {theirs: ours for ours, theirs in pairs if theirs not in names and ours not in of_numpy}
    given = {renamed.get(name, name): value for name, value in given.items()}
    if "axis" in given and arguments and isinstance(arguments[0], Tensor) and not arguments[0].shape:
        given["axis"] = None  # NumPy lets the axis 0 of a number be named
    for name, value in given.items():
        if name == "order" and function in _IN_COLUMNS and value not in (None, "C"):
            return Unruled(function, f"order={value!r}"), tensors_within((arguments, keywords))
        outside = name not in names and name not in HARMLESS and value is not np._NoValue
        if outside or (name in _SETTINGS and type(value) not in _ATOMS and _holds_floats(value)):
            return Unruled(function, f"'{name}'"), tensors_within((arguments, keywords))
    return function, tuple(as_argument(name, given.get(name, default)) for name, default in defaults(rule.body).items())


def _holds_floats(setting: Any) -> bool:
    return any(x.dtype.kind not in "biu" for x in tensors_within(setting))


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


def as_argument(name: str, argument: Any) -> Any:
    """An argument as rules take it: an array in place of a list, a tuple of numbers or of arrays where one belongs."""
    if name in _SEQUENCES:
        return tuple(array_of(item) for item in argument)
    if name in _SETTINGS:
        plain = bare(argument)
        plain = plain.tolist() if isinstance(plain, np.ndarray | np.generic) else plain
        return tuple(plain) if isinstance(plain, list) else plain
    return array_of(argument)


def out_of(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The array that the result is written to; None where there is none."""
    if "out" in keywords:
        return keywords["out"]
    names = names_of(function)
    return arguments[names.index("out")] if "out" in names[: len(arguments)] else None


def check_writing(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Refuse a call that writes into a tensor, or what a tape follows into an array."""
    written = out_of(function, arguments, keywords)
    if function in _WRITING:
        written = arguments[0] if arguments else next(iter(keywords.values()))
    elif "overwrite_input" in names_of(function) or function is np.nan_to_num:
        given = dict(zip(names_of(function), arguments, strict=False)) | keywords
        if given.get("overwrite_input") or (function is np.nan_to_num and given.get("copy", True) is False):
            written = next(iter(given.values()))
    if written is None:
        return
    if tensors_within(written):
        raise TypingError(f"{name_of(function)} cannot write into a tensor", None, "make a new one, as by np.where")
    check_out((arguments, keywords), function)


def check_out(given: Any, function: Callable[..., Any]) -> None:
    """Refuse to write what a tape follows into an array, where it would be lost."""
    if any(is_connected(x) for x in tensors_within(given)):
        raise TypingError(
            f"the result of {name_of(function)} on a tensor cannot be written into an array: "
            "its gradient would be lost",
            None,
            "use the result as it is, as in y = y + x in place of y += x",
        )


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A ufunc with keywords, with several results, or one of its methods."""
    out = inputs[0] if method == "at" else keywords.get("out")
    if out is not None:
        if tensors_within(out):
            raise TypingError(f"{name_of(ufunc)} cannot write into a tensor", None, "use its result as it is")
        check_out((inputs, keywords), ufunc)
        return getattr(ufunc, method)(*bare(inputs), **bare(keywords))
    if method == "reduce" and not isinstance(inputs[0], Tensor):  # NumPy's functions see no tensor in `where` alone
        inputs = (Tensor(np.asarray(bare(inputs[0]))[()]), *inputs[1:])
    if method == "reduce" and ufunc in _REDUCTIONS:
        reduce: Callable[..., Any] = _REDUCTIONS[ufunc]
        return reduce(*inputs, **({"axis": 0} | keywords))
    given = tuple(as_operand(one) for one in inputs)
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    text = text_that_knows(function, given, keywords)
    if text is not None:
        return text(*given, **keywords)
    known = recorded_as(function, given, keywords)
    return returned(function, (given, keywords), function(*bare(given), **bare(keywords)), known)


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


HANDLERS.call, HANDLERS.call_ufunc, HANDLERS.item, HANDLERS.as_dtype = call, call_ufunc, item, as_dtype
