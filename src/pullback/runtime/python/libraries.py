"""Calls of functions of SciPy and NumPy that have no body in compiled code: made by Python, under its lock.

    y = call_library("scipy.linalg.expm(_0): (float64[:, :]) -> float64[:, :]", a)

The text tells the call, in which `_0`, `_1` … stand for the arguments, and their types. What the function raises is
raised in the caller.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from pullback.runtime.codegen.compiled import compiled
from pullback.runtime.codegen.external_calls import python_call
from pullback.runtime.python.external import Kind, kinds_in, taken

SEPARATOR = ": ("


def call_library(text: str, *arguments: Any) -> Any:
    """What the function of a library returns for these arguments, in the types that the text tells.

    >>> call_library("scipy.linalg.norm(_0, ord=1): (float64[:]) -> float64", np.array([1.0, -2.0]))
    3.0
    """
    _, kinds = kinds_of(text)
    answer = called(text)(*arguments)
    if len(kinds) == 1:
        return _in_kind(answer, kinds[0])
    return tuple(_in_kind(one, kind) for one, kind in zip(answer, kinds, strict=True))


@cache
def kinds_of(text: str) -> tuple[tuple[Kind, ...], tuple[Kind, ...]]:
    """The types of the arguments and of the results."""
    return kinds_in("(" + text.partition(SEPARATOR)[2])


@cache
def called(text: str) -> Callable[..., Any]:
    """The call as a function of its arguments."""
    call, _, _ = text.partition(SEPARATOR)
    parameters = ", ".join(f"_{k}" for k in range(len(kinds_of(text)[0])))
    module = call[: call.index("(")].rpartition(".")[0]
    names = {"np": np}
    if module.startswith("scipy."):
        importlib.import_module(module)
        names["scipy"] = importlib.import_module("scipy")
    made: Callable[..., Any] = eval(f"lambda {parameters}: {call}", names)
    return made


def _in_kind(answer: Any, kind: Kind) -> Any:
    """A result of a type, in memory of its own, as compiled code takes it."""
    if kind.ndim >= 0:
        return np.array(answer, kind.dtype, order="C")
    return np.asarray(answer).astype(kind.dtype)[()].item()


def answer_of_library(text: str, *words: Any) -> Any:
    """`call_library` from machine code: an array is its address, its sizes and its strides."""
    left = iter(words)
    arguments = []
    for kind in kinds_of(text)[0]:
        argument = taken(kind, left)
        if kind.ndim >= 0:
            argument.flags.writeable = False
        elif not kind.weak:
            argument = np.dtype(kind.dtype).type(argument)
        arguments.append(argument)
    return call_library(text, *arguments)


@compiled(call_library)
def _call_library(text: Any, *arguments: Any) -> Any:
    return python_call(__name__, answer_of_library.__name__, text.literal_value, kinds_of, numbered=False)
