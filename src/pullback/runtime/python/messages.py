"""What compiled code prints and raises, written by Python: texts with places for numbers and arrays.

    print_formatted("stdout(float64, int64*)", "{:.3f} {}\\n", x, i)     prints what print(f"{x:.3f}", i) does
    formatted("(int64*)", "bad {}", i)                                   is f"bad {i}"

The first text tells which numbers are Python's and which are NumPy's, whose texts differ: `3` and `np.int64(3)`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

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


def formatted(kinds: str, form: str, *values: Any) -> str:
    """A text with values at its places."""
    return form.format(*_given(kinds, values))


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


def formatted_from_compiled(words: str, *values: Any) -> str:
    """`formatted` from machine code."""
    kinds, form = json.loads(words)
    return formatted(kinds, form, *_taken(kinds, values))


def _taken(kinds: str, values: Iterable[Any]) -> list[Any]:
    words = iter(values)
    return [taken(kind, words) for kind in kinds_in(kinds)[0]]


@infer_global(print_formatted)
class _TypedPrint(AbstractTemplate):
    def generic(self, kinds: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return signature(types.none, *kinds) if isinstance(kinds[1], types.Literal) else None


@infer_global(formatted)
class _TypedText(AbstractTemplate):
    def generic(self, kinds: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        return signature(types.unicode_type, *kinds) if isinstance(kinds[1], types.Literal) else None


@lower_builtin(print_formatted, types.VarArg(types.Any))
def _print(context: Any, builder: Any, types_: Any, values: Any) -> Any:
    return _call(context, builder, print_from_compiled.__name__, types_, values)


@lower_builtin(formatted, types.VarArg(types.Any))
def _formatted(context: Any, builder: Any, types_: Any, values: Any) -> Any:
    return _call(context, builder, formatted_from_compiled.__name__, types_, values)


def _call(context: Any, builder: Any, name: str, types_: Any, values: Any) -> Any:
    """Call a function here with the two texts, and the values behind them."""

    def first(python: Any) -> list[Any]:
        words = json.dumps([kind.literal_value for kind in types_.args[:2]])
        return [python.string_from_string(context.insert_const_string(builder.module, words))]

    kinds = types_.return_type, types_.args[2:]
    return call_python(context, builder, (__name__, name), first, kinds, values[2:])
