"""Calls of functions that are called and not read: Python's, by the number of an object, and those of C, by address.

    y = call_external(spline, "(float64*) -> float64", x)       whatever the object `spline` returns for x
    y = call_address(cos, "(float64) -> float64", x)            what the machine code at the address `cos` returns

Objects are asked for by number, which no other object of the process gets: one that is gone is an error. Arrays are
given as copies that cannot be written, and what is returned has the type that was said, and memory of its own. A
signature may begin with the name of what the object is asked for.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
import traceback
import weakref
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.codegen.external_calls import c_call, python_call

_KNOWN: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_NUMBERS = itertools.count(1)


def numbered(external: Any) -> int:
    """A number by which generated code finds an object, as long as somebody keeps it."""
    number = next(_NUMBERS)
    _KNOWN[number] = external
    return number


def known(number: int) -> Any:
    """The object with a number. Raises ReferenceError where it is gone."""
    external = _KNOWN.get(number)
    if external is None:
        raise ReferenceError("an external function is called that nobody has kept: give it a name that lasts")
    return external


SIZES = "size[]"
"""The keyword of each of several sizes, which are given as one tuple."""

OF_STATE = "state."
"""The beginning of the name of what is computed from a state that is given, and is the same each time."""

LOCKED = "locked "
"""The beginning of the signature of a function of C that may use Python."""


class Kind(NamedTuple):
    """What is known of an argument or a result: its keyword, dtype and rank (-1 for a number), and if it is Python's.

    dtype: '' for None, '0' for a 0 that is given besides the arguments.
    """

    keyword: str
    dtype: str
    ndim: int
    weak: bool


@cache
def kinds_in(signature: str) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """The arguments and the results.

    >>> kinds_in("(float64*, n=int32) -> float32[:, :]")[0][1].keyword
    'n'
    """
    arguments, _, results = signature.removeprefix(LOCKED).partition(" -> ")
    _, _, arguments = arguments.partition("(")
    return tuple(_kinds(arguments[:-1])), tuple(_kinds(results.removeprefix("(").removesuffix(")")))


def _kinds(text: str) -> Iterator[Kind]:
    for item in text.replace(":, ", ":").split(", ") if text else ():
        keyword, _, type_ = item.rpartition("=")
        dtype, bracket, rest = type_.rstrip("*").partition("[")
        rank = rest.count(":") if bracket else -1
        yield Kind(keyword, "" if dtype == "None" else dtype, rank, type_.endswith("*"))


def call_external(number: int, signature: str, *arguments: Any) -> Any:
    """What an object returns for these arguments."""
    return _answer(number, signature, arguments)


def _answer(number: int, signature: str, arguments: Any) -> Any:
    kinds, _ = kinds_in(signature)
    name, _, _ = signature.partition("(")
    given = [_given(kind, argument) for kind, argument in zip(kinds, arguments, strict=True)]
    positional = [one for kind, one in zip(kinds, given, strict=True) if not kind.keyword]
    named = {kind.keyword: one for kind, one in zip(kinds, given, strict=True) if kind.keyword not in ("", SIZES)}
    sizes = tuple(one for kind, one in zip(kinds, given, strict=True) if kind.keyword == SIZES)
    if sizes:
        named["size"] = sizes
    asked = known(number)
    answer = (asked.asked(name) if name else asked.answer)(*positional, **named)
    return answer[0] if isinstance(answer, tuple) and len(answer) == 1 else answer


def _given(kind: Kind, argument: Any) -> Any:
    """An argument as the text has it: a number of Python's or of NumPy's, or a copy of an array."""
    if not kind.dtype:
        return None
    if kind.ndim >= 0:
        array = np.array(argument, kind.dtype)
        array.flags.writeable = False
        return array
    if kind.weak:
        return argument.item() if isinstance(argument, np.generic) else argument
    return np.dtype(kind.dtype).type(argument)


def answer_to_compiled(number: int, signature: str, *words: Any) -> Any:
    """`call_external` from machine code: an array is its address, its sizes and its strides; numbers are Python's."""
    kinds, _ = kinds_in(signature)
    left = iter(words)
    try:
        answer = _answer(number, signature, [taken(kind, left) for kind in kinds])
    except BaseException:
        if isinstance(threading.current_thread(), threading._DummyThread):
            traceback.print_exc()  # Numba loses what is raised in its own threads
        raise
    return tuple(map(_plain, answer)) if isinstance(answer, tuple) else _plain(answer)


def taken(kind: Kind, words: Iterator[Any]) -> Any:
    """An argument from machine code, where an array is its address, its sizes and its strides."""
    if kind.ndim < 0:
        return next(words) if kind.dtype else None
    address = next(words)
    shape = tuple([next(words) for _ in range(kind.ndim)])
    strides = tuple([next(words) for _ in range(kind.ndim)])
    return np.asarray(_Memory(address, shape, strides, kind.dtype)) if 0 not in shape else np.empty(shape, kind.dtype)


class _Memory:
    """Memory that machine code has, as NumPy takes it."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "shape": shape,
            "strides": strides,
            "typestr": np.dtype(dtype).str,
        }


def _plain(answer: Any) -> Any:
    return answer.item() if isinstance(answer, np.generic) else answer


@compiled(call_external)
def _call_external(number: Any, signature: Any, *arguments: Any) -> Any:
    return python_call(__name__, answer_to_compiled.__name__, signature.literal_value, kinds_in)


def call_address(address: int, signature: str, *arguments: Any) -> Any:
    """What the function of C at an address returns, which takes and gives numbers of these types."""
    kinds, _ = kinds_in(signature)
    hidden = (0,) * (len(kinds) - len(arguments))
    return _prototype(signature)(address)(*(a.item() if isinstance(a, np.generic) else a for a in arguments), *hidden)


@cache
def _prototype(signature: str) -> Any:
    arguments, results = kinds_in(signature)
    types = [
        np.ctypeslib.as_ctypes_type("int32" if kind.dtype == "0" else kind.dtype) for kind in (*results, *arguments)
    ]
    make = ctypes.PYFUNCTYPE if signature.startswith(LOCKED) else ctypes.CFUNCTYPE
    return make(*(types if results else [None, *types]))


@compiled(call_address)
def _call_address(address: Any, signature: Any, *arguments: Any) -> Any:
    return c_call(signature.literal_value, kinds_in, signature.literal_value.startswith(LOCKED))
