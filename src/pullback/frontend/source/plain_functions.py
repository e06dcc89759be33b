"""The Python function that is meant by a method, a dispatcher or another callable, or the reason why there is none."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from pullback.errors import TypingError


def plain_function(function: Callable[..., Any]) -> FunctionType:
    """The Python function behind a method or Numba dispatcher. Raises TypingError for everything else."""
    if isinstance(function, MethodType | staticmethod | classmethod):
        return plain_function(function.__func__)
    dispatched = getattr(function, "py_func", None)
    if isinstance(dispatched, FunctionType) and not isinstance(function, FunctionType):
        return plain_function(dispatched)
    reason, remedy = objection(function)
    if reason:
        raise TypingError(reason, None, remedy)
    assert isinstance(function, FunctionType), "everything but a Python function has an objection"
    return function


def primal_of(function: Any) -> FunctionType | None:
    """The Python function behind a function, method, dispatcher or one of our wrappers; None where there is none."""
    function = function.__func__ if isinstance(function, MethodType) else function
    for attribute in ("py_func", "__pullback_primal__"):
        function = getattr(function, attribute, function)
    return function if isinstance(function, FunctionType) else None


def objection(function: object) -> tuple[str, str]:
    """Reason and remedy for an object that cannot be differentiated; two empty strings for a Python function."""
    name = getattr(function, "__name__", None) or type(function).__name__
    wrapped = getattr(function, "__wrapped__", None)
    if hasattr(type(function), "__pullback_external__"):
        return (
            f"'{name}' is called and not read: it has no derivative of its own",
            f"give it one, as in pb.custom_vjp({name}), or call it in a function",
        )
    if isinstance(function, np.ufunc | type(np.sum)):
        return (
            f"'{name}' is a function of NumPy: it has no Python source to transform",
            f"differentiate a function that calls {name}",
        )
    if isinstance(function, functools.partial):
        inner = getattr(function.func, "__name__", repr(function.func))
        return (
            f"a functools.partial of '{inner}' has no source of its own",
            f"write a lambda or a function that calls {inner} with the bound arguments",
        )
    if isinstance(function, type):
        return f"'{name}' is a class: only functions can be differentiated", "write a function that uses the class"
    if hasattr(type(function), "__pullback_derivative__"):
        return f"'{name}' is a derivative, which has no source of its own", "use it as it is: take its derivatives"
    if wrapped is not None:
        return wrapper_objection(function, name, wrapped)
    if isinstance(function, FunctionType):
        return "", ""
    if any(isinstance(vars(kind).get("__call__"), FunctionType) for kind in type(function).__mro__):
        return f"an object of class '{type(function).__name__}' is not a function", "pass its method: obj.__call__"
    if callable(function):
        return (
            f"'{name}' is written in C: it has no Python source",
            f"differentiate a Python function that calls {name}",
        )
    return f"an object of class '{type(function).__name__}' cannot be called", "pass a function"


def wrapper_objection(function: object, name: str, wrapped: object) -> tuple[str, str]:
    """Why a functools.wraps wrapper is refused: its source would be the wrapper's, its name the wrapped function's."""
    code = getattr(function, "__code__", None)
    wrapper = f"'{code.co_name}' ({code.co_filename}:{code.co_firstlineno})" if code else type(function).__name__
    inner = getattr(wrapped, "__name__", repr(wrapped))
    return (
        f"'{name}' is wrapped by {wrapper}: differentiating the inner function would drop what the wrapper does",
        f"pass the inner function, {inner}.__wrapped__, or apply the decorator to the result",
    )


def signature_of(function: FunctionType) -> inspect.Signature:
    """The parameters that the code of a function has, whatever its attributes say of others."""
    parts = (function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    bare = FunctionType(*parts)
    bare.__kwdefaults__, bare.__annotations__ = function.__kwdefaults__, function.__annotations__
    return inspect.signature(bare)
