"""What compiled code prints and raises, written by Python: texts with places for numbers and arrays.

    print_formatted("stdout(float64, int64*)", "{:.3f} {}\\n", x, i)     prints what print(f"{x:.3f}", i) does
    raise_formatted("(int64*)", '["bad {}"]', ValueError, i)              raises ValueError(f"bad {i}")

The first text tells which numbers are Python's and which are NumPy's, whose texts differ: `3` and `np.int64(3)`.
"""

from __future__ import annotations

import json
import string
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from pullback.runtime.codegen.external_calls import call_python
from pullback.runtime.python.external import Kind, kinds_in, taken

_PYTHON = {"bool": bool, "int64": int, "float64": float, "complex128": complex}


def standard_stream(name: str) -> Any:
    """sys.stdout or sys.stderr, as they are now."""
    return getattr(sys, name)


def print_formatted(kinds: str, form: str, *values: Any) -> None:
    """Print a text, to the stream that `kinds` begins with; it ends with 'flush' where that is asked for."""
    stream, *flush = kinds.partition("(")[0].split()
    print(form.format(*_given(kinds, values)), end="", file=getattr(sys, stream), flush=bool(flush))


def raise_formatted(kinds: str, forms: str, kind: type[BaseException], *values: Any) -> NoReturn:
    """Raise an exception with these arguments: texts with places, or, where null stands, what was computed."""
    left = iter(_given(kinds, values))
    parts = []
    for form in json.loads(forms):
        parts.append(next(left) if form is None else form.format(*(next(left) for _ in range(_places_in(form)))))
    raise kind(*parts)


def _places_in(form: str) -> int:
    return sum(field is not None for _, field, _, _ in string.Formatter().parse(form))


def _given(kinds: str, values: Iterable[Any]) -> list[Any]:
    return [_value_of(kind, value) for kind, value in zip(kinds_in(kinds)[0], values, strict=True)]


def _value_of(kind: Kind, argument: Any) -> Any:
    """An argument as the text has it: a number of Python's or of NumPy's, or an array with memory of its own."""
    if kind.ndim >= 0:
        return np.array(argument, kind.dtype)
    return _PYTHON[kind.dtype](argument) if kind.weak else np.dtype(kind.dtype).type(argument)


def print_from_compiled(words: str, *values: Any) -> None:
    """`print_formatted` from machine code: an array is its address, its sizes and its strides."""
    kinds, form = json.loads(words)
    print_formatted(kinds, form, *_taken(kinds, values))


def raise_from_compiled(words: str, kind: type[BaseException], *values: Any) -> NoReturn:
    """`raise_formatted` from machine code."""
    kinds, forms = json.loads(words)
    raise_formatted(kinds, forms, kind, *_taken(kinds, values))


def _taken(kinds: str, values: Iterable[Any]) -> list[Any]:
    words = iter(values)
    return [taken(kind, words) for kind in kinds_in(kinds)[0]]


@infer_global(print_formatted)
class _TypedPrint(AbstractTemplate):
    def generic(self, kinds: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return signature(types.none, *kinds) if isinstance(kinds[1], types.Literal) else None


@infer_global(raise_formatted)
class _TypedRaise(AbstractTemplate):
    def generic(self, kinds: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return signature(types.none, *kinds) if isinstance(kinds[1], types.Literal) else None


@lower_builtin(print_formatted, types.VarArg(types.Any))
def _print(context: Any, builder: Any, types_: Any, values: Any) -> Any:
    return _call(context, builder, print_from_compiled.__name__, types_.args, values, ())


@lower_builtin(raise_formatted, types.VarArg(types.Any))
def _raise(context: Any, builder: Any, types_: Any, values: Any) -> Any:
    classes = (types_.args[2].exc_class,)
    return _call(context, builder, raise_from_compiled.__name__, types_.args, values, classes)


def _call(context: Any, builder: Any, name: str, kinds: Any, values: Any, classes: tuple[type, ...]) -> Any:
    """Call a function here with the texts, the class of an exception, and the values behind them."""

    def first(python: Any) -> list[Any]:
        words = json.dumps([kind.literal_value for kind in kinds[:2]])
        given = [python.unserialize(python.serialize_object(each)) for each in classes]
        return [python.string_from_string(context.insert_const_string(builder.module, words)), *given]

    start = 2 + len(classes)
    return call_python(context, builder, (__name__, name), first, (types.none, kinds[start:]), values[start:])
