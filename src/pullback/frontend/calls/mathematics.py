"""Functions of Python's `math` that are not one function of NumPy: whole numbers, and logarithms to a base."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from pullback.frontend.calls.apply import apply, apply_operator, as_python_float
from pullback.frontend.calls.builtin import BUILTIN
from pullback.frontend.calls.exact_libraries import by_call
from pullback.frontend.calls.meaning import Meaning, Meanings
from pullback.frontend.values.bindings import Binding
from pullback.frontend.values.context import Context
from pullback.ir.builder import constant
from pullback.ir.nodes import Constant

MATHEMATICS = Meanings()


def known_beforehand(function: Any, arguments: tuple[Binding, ...], keywords: dict[str, Binding]) -> Constant | None:
    """What a function of `math` gives for numbers that are written in the program; None where it is not known."""
    numbers = [*arguments, *keywords.values()]
    if getattr(function, "__module__", None) != "math" or not all(isinstance(n, Constant) for n in numbers):
        return None
    positional = [argument.value for argument in arguments]
    try:
        return constant(function(*positional, **{name: keywords[name].value for name in keywords}))
    except (ArithmeticError, TypeError, ValueError):
        return None


def _whole(rounded: Callable[..., Any]) -> Meaning:
    """Python's integer next to a number on one side."""

    def whole(context: Context, node: Any, x: Binding, /) -> Binding:
        return BUILTIN[int](context, node, apply(context, rounded, (x,), {}, node))

    return whole


MATHEMATICS[math.floor] = _whole(np.floor)
MATHEMATICS[math.ceil] = _whole(np.ceil)
MATHEMATICS[math.trunc] = _whole(np.trunc)


@MATHEMATICS.of(math.log)
def _log(context: Context, node: Any, x: Binding, base: Binding | None = None, /) -> Binding:
    given = (x,) if base is None else (x, base)
    logarithms = [
        apply(context, np.log, (as_python_float(context, number, node),), {}, node, by_call(math.log))
        for number in given
    ]
    return logarithms[0] if base is None else apply_operator(context, np.true_divide, tuple(logarithms), node)
