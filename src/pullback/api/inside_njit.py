"""Calls from compiled code: Numba sees a differentiable function or a gradient as a function it can compile."""

from __future__ import annotations

import importlib
import uuid
from typing import Any

from numba import njit
from numba.core.registry import CPUDispatcher
from numba.extending import overload

from pullback.api.calls import Asked
from pullback.api.kept_calls import Kept, names_of, remembering
from pullback.api.numba_calls import compiled_for, key_for, traced_for
from pullback.compilation.functions import Compiled
from pullback.runtime import is_finite


def dispatcher_of(callable_: Any) -> Any:
    """A Numba function that stands for the callable, whatever the argument types."""
    known = callable_.__dict__.get("_pullback_dispatcher")
    if known is not None:
        return known

    def stub(*arguments: Any) -> Any:
        raise NotImplementedError("this stands for a generated function in compiled code")

    def typed(*arguments: Any) -> Any:
        return implementation(callable_, arguments)

    overload(stub, strict=False)(typed)

    def entry(*arguments: Any) -> Any:
        return stub(*arguments)

    made = callable_.__dict__["_pullback_dispatcher"] = Entry(unique(entry), targetoptions={"nopython": True})
    made.callable = callable_
    return made


class Entry(CPUDispatcher):
    """The dispatcher that stands for a callable of ours, also in the files of Numba's cache that name it as a type."""

    callable: Any

    def __reduce__(self) -> Any:
        names = names_of(self.callable)
        return (entry_at, names[0]) if names else super().__reduce__()


def entry_at(module: str, name: str) -> Any:
    """The dispatcher for what now stands for a name; another one, which fits no call, where that is not a callable."""
    try:
        return dispatcher_of(getattr(importlib.import_module(module), name))
    except Exception:
        return njit(unique(lambda: None))


def unique(function: Any) -> Any:
    """The function under a name that no other process gives to another one.

    Numba names machine code by the function and a counter that begins anew in each process. What another process has
    kept would otherwise be taken for what this one compiles.
    """
    function.__name__ = function.__qualname__ = f"{function.__name__}_{uuid.uuid4().hex}"
    return function


def implementation(callable_: Any, arguments: tuple[Any, ...]) -> Any:
    """The body that Numba compiles for arguments of these Numba types."""
    if hasattr(callable_, "body_in_njit"):
        return callable_.body_in_njit(arguments)
    compiled = compiled_for(callable_, arguments)
    remember = remembering(Kept(callable_, arguments, key_for(callable_, arguments)))
    asked: Asked | None = callable_.asked
    traced = traced_for(callable_, arguments)
    if traced is not None:
        return unique(_looking(compiled, traced, remember, asked))
    if asked is None or not asked.several:
        return unique(_plain(compiled, remember))
    if asked.with_value:
        return unique(_with_tuple(compiled, remember))
    single = len(compiled.function.results) == 1
    return unique(_one_in_tuple(compiled, remember) if single else _plain(compiled, remember))


def _plain(compiled: Compiled, remember: Any) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        remember()
        return function(*arguments)

    return call


def _looking(compiled: Compiled, traced: Compiled, remember: Any, asked: Asked | None) -> Any:
    """A call whose results, of which the first is the value, are looked at; where one is not finite, it is repeated.

    Arrays that it changes are then as they were.
    """
    names = [f"a{k}" for k in range(len(compiled.function.parameters))]
    given, kept = ", ".join(names), compiled.mutated
    first = "results" if asked is None or asked.with_value else "results[1:]" if asked.several else "results[1]"
    returned = "results[0], results[1:]" if asked is not None and asked.several and asked.with_value else first
    lines = [
        f"def call({given}):",
        "    remember()",
        *(f"    b{k} = a{k}.copy()" for k in kept),
        f"    results = function({given})",
        "    if not is_finite(results):",
        *(f"        a{k}[...] = b{k}" for k in kept),
        f"        results = traced({given})",
        f"    return {returned}",
    ]
    from_outside = {"remember": remember, "function": compiled.dispatcher, "traced": traced.dispatcher}
    scope: dict[str, Any] = {**from_outside, "is_finite": is_finite}
    exec("\n".join(lines), scope)
    return scope["call"]


def _with_tuple(compiled: Compiled, remember: Any) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        remember()
        results = function(*arguments)
        return results[0], results[1:]

    return call


def _one_in_tuple(compiled: Compiled, remember: Any) -> Any:
    function = compiled.dispatcher

    def call(*arguments: Any) -> Any:
        remember()
        return (function(*arguments),)

    return call
