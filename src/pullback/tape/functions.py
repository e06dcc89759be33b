"""NumPy's functions on tensors: computed by NumPy, recorded under the arguments that their derivative rule knows."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pullback.errors import TypingError
from pullback.frontend.source.addresses import is_numpy, name_of
from pullback.functions import canonical, record_of, rule_of, text_for
from pullback.functions.turning import ravel_in_columns, reshape_in_columns
from pullback.runtime import cast
from pullback.runtime.numpy.items import take_item
from pullback.tape.matching import Arguments, Keywords, Unruled, bare, matched, names_of, tensors_within
from pullback.tape.protocols import HANDLERS
from pullback.tape.recorders import active, is_connected, tell
from pullback.tape.tensor import Tensor, apply, as_operand, tensor_of

_WRITING = {np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal}

_REDUCTIONS = {np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min}
_SCANS = {np.add, np.multiply}
"""Those whose `accumulate` is a function of NumPy."""


def call(function: Callable[..., Any], arguments: Arguments, keywords: Keywords) -> Any:
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
    function: Callable[..., Any], arguments: Arguments, keywords: Keywords
) -> Callable[..., Any] | None:
    """The text in other functions that stands for a call; None where there is none that knows all of its arguments."""
    if function in _IN_COLUMNS:
        order = (dict(zip(names_of(function), arguments, strict=False)) | keywords).get("order") or "C"
        if order != "C":
            return _IN_COLUMNS[function] if order == "F" and "copy" not in keywords else None
    if function is np.unstack:
        return unstacked
    record = record_of(function)
    if record.text is None:
        return None
    ranks: tuple[int, ...] = ()
    if record.text_when is not None:
        named = arguments[: len(names_of(function))]
        ranks = tuple(map(_rank_of, (*named, *keywords.values())))
    return _text_for_form(function, len(arguments), tuple(keywords), ranks)


@cache
def _text_for_form(
    function: Callable[..., Any], count: int, keywords: tuple[str, ...], ranks: tuple[int, ...]
) -> Callable[..., Any] | None:
    """The text for calls of this form; ranks: of all arguments, where the text asks for them."""
    names = (*names_of(function)[:count], *keywords)
    text = text_for(function, dict(zip(names, ranks or (0,) * len(names), strict=True)))
    try:
        if text is not None:
            inspect.signature(text).bind(*[None] * count, **dict.fromkeys(keywords))
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


def recorded_as(
    function: Callable[..., Any], arguments: Arguments, keywords: Keywords
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


def out_of(function: Callable[..., Any], arguments: Arguments, keywords: Keywords) -> Any:
    """The array that the result is written to; None where there is none."""
    if "out" in keywords:
        return keywords["out"]
    names = names_of(function)
    return arguments[names.index("out")] if "out" in names[: len(arguments)] else None


def check_writing(function: Callable[..., Any], arguments: Arguments, keywords: Keywords) -> None:
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
    if method == "accumulate" and ufunc not in _SCANS and keywords.get("dtype") is None:
        return accumulated(ufunc, *given, **keywords)
    function = ufunc if method == "__call__" else getattr(ufunc, method)
    text = text_that_knows(function, given, keywords)
    if text is not None:
        return text(*given, **keywords)
    known = recorded_as(function, given, keywords)
    return returned(function, (given, keywords), function(*bare(given), **bare(keywords)), known)


def accumulated(ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None) -> Any:
    """ufunc.accumulate(array, axis), whose text writes into an array: one result after the other."""
    rows = list(np.moveaxis(array, axis, 0))
    if not rows:
        return ufunc(array, array)
    rows[0] = rows[0].astype(ufunc(rows[0], rows[0]).dtype)
    for k in range(1, len(rows)):
        rows[k] = ufunc(rows[k - 1], rows[k])
    return np.moveaxis(np.stack(rows), 0, axis)


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
