"""A function becomes the module and the name under which anyone who reads generated code can import it."""

from __future__ import annotations

import random
import sys
from types import FunctionType
from typing import Any

import numpy as np

PUBLIC = (
    *("numpy", "numpy.linalg", "numpy.fft", "math"),
    *("scipy.special", "scipy.linalg", "scipy.signal", "scipy.signal.windows", "scipy.integrate"),
)
"""Modules whose functions are called as the objects that they are, whether or not they have a Python source."""

GENERATORS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, random.Random)


def address_of(function: Any) -> tuple[str, str] | None:
    """The public module of a function and its name there; None where no module has it under its own name.

    >>> address_of(np.linalg.norm), address_of(np.divide)
    (('numpy.linalg', 'norm'), ('numpy', 'divide'))
    """
    name = getattr(function, "__name__", None)
    for module in PUBLIC:
        if name and getattr(sys.modules.get(module), name, None) is function:
            return module, name
    return None


def name_of(function: Any) -> str:
    """How a message names a function.

    >>> name_of(np.linalg.norm), name_of(np.random.power)
    ('np.linalg.norm', 'np.random.power')
    """
    address = address_of(function)
    if address is not None:
        return ".".join(address).replace("numpy.", "np.", 1)
    name = getattr(function, "__name__", repr(function))
    if getattr(np.random, name, None) == function:
        return f"np.random.{name}"
    if isinstance(getattr(function, "__self__", None), GENERATORS):
        return f"{type(function.__self__).__name__}.{name}"
    return f"np.{name}" if is_numpy(function) and not isinstance(function, np.ufunc) else name


def is_numpy(function: Any) -> bool:
    """Whether NumPy defines this function."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(function, np.ufunc) or module.split(".")[0] == "numpy"


def is_of_runtime(function: Any) -> bool:
    """Whether this is one of the helpers that generated code calls."""
    return (getattr(function, "__module__", None) or "").startswith("pullback.runtime")


def is_derivative(function: Any) -> bool:
    """Whether this is one of the functions that users call for derivatives, or what one of those has made."""
    if isinstance(function, FunctionType) and (function.__module__ or "").startswith("pullback.api."):
        return getattr(sys.modules.get(function.__module__), function.__name__, None) is function
    return hasattr(type(function), "__pullback_derivative__")


def is_public(function: Any) -> bool:
    """Whether a function is called as the object that it is."""
    return is_numpy(function) or address_of(function) is not None


def generator_of(function: Any) -> Any:
    """The random generator that a function is a method of; None for another one."""
    receiver = getattr(function, "__self__", None)
    return receiver if type(receiver) in GENERATORS else None


def draws_random_numbers(function: Any) -> bool:
    """Whether a function is the method of a random generator, or makes one."""
    module = getattr(function, "__module__", None) or ""
    return isinstance(getattr(function, "__self__", None), GENERATORS) or module.startswith("numpy.random")
