"""The functions of a generated module as Python runs them: by themselves, with NumPy's numbers, without prints."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any, cast

import numpy as np


def function_of(module: ModuleType, name: str) -> Callable[..., Any]:
    """The function of a generated module as Python defines it; one that calls itself is compiled there as a callee."""
    made = getattr(module, name)
    return cast("Callable[..., Any]", getattr(made, "py_func", made))


def computing_as_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its floats as NumPy's, which divide by zero as compiled code does, and as silently."""

    def run(*arguments: Any) -> Any:
        warned: dict[str, Any] = {kind: "ignore" for kind, reaction in np.geterr().items() if reaction == "warn"}
        with np.errstate(**warned):
            return function(*(np.float64(a) if type(a) is float else a for a in arguments))

    return run


def without_prints(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a generated module, with those that it calls there, as it runs when it prints nothing."""
    names = function.__globals__
    silent = {**names, "print": lambda *parts, **settings: None}
    for text, value in names.items():
        if isinstance(value, FunctionType) and value.__globals__ is names:
            silent[text] = FunctionType(value.__code__, silent, text, value.__defaults__, value.__closure__)
    return cast("Callable[..., Any]", silent[function.__name__])
