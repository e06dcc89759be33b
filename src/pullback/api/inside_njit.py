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
from pullback.api.numba_calls import code_for, compiled_for, general_of, key_for, traced_for
from pullback.compilation.functions import Compiled
from pullback.frontend.build import Built
from pullback.ir.types import Array
from pullback.runtime import is_finite
from pullback.runtime.checks import check_unshared


def dispatcher_of(callable_: Any) -> Any:
    """A Numba function that stands for the callable, whatever the argument types.

    It is another one for callers that are compiled after something has changed that the compiled code depends on.
    """
    known = callable_.__dict__.get("_pullback_dispatcher")
    if known is not None and known.is_current():
        return known

    def stub(*arguments: Any) -> Any:
        raise NotImplementedError("this stands for a generated function in compiled code")

    def typed(*arguments: Any) -> Any:
        if not hasattr(callable_, "body_in_njit"):
            callable_.engine.refresh()
            made.compiled.append((callable_.engine.parts, code_for(callable_, arguments)[1]))
        return implementation(callable_, arguments)

    overload(stub, strict=False)(typed)

    def entry(*arguments: Any) -> Any:
        return stub(*arguments)

    made = callable_.__dict__["_pullback_dispatcher"] = Entry(unique(entry), targetoptions={"nopython": True})
    made.callable, made.compiled = callable_, []
    return made


class Entry(CPUDispatcher):
    """The dispatcher that stands for a callable of ours, also in the files of Numba's cache that name it as a type."""

    callable: Any
    compiled: list[tuple[Any, Built]]
    """The parts of the function, and its normal form, for each call that was compiled."""

    def is_current(self) -> bool:
        """Whether all that was compiled is what would be compiled now."""
        if self.compiled and not self.callable.engine.is_current():
            return False
        return all(parts is self.callable.engine.parts and built.holds() for parts, built in self.compiled)

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
    traced = traced_for(callable_, arguments)
    scope: dict[str, Any] = {"remember": remember, "function": compiled.dispatcher}
    scope |= {"check_unshared": check_unshared, "is_finite": is_finite}
    general = general_of(compiled)
    if general is not None and compiled.condition is not None:
        scope |= {"fits": compiled.condition.dispatcher, "general": general.dispatcher}
    if traced is not None:
        scope["traced"] = traced.dispatcher
    exec("\n".join(_lines_of_call(compiled, traced is not None, callable_.asked)), scope)
    return unique(scope["call"])


def _lines_of_call(compiled: Compiled, looks: bool, asked: Asked | None) -> list[str]:
    """The text of a call. Arrays that it changes share no memory with others; other sizes go to the general form.

    looks: the results, of which the first is the value, are looked at; where one is not finite, the call is repeated,
    and the arrays that it changes are then as they were.
    """
    names = [f"a{k}" for k in range(len(compiled.function.parameters))]
    given, kept = ", ".join(names), compiled.mutated if looks else ()
    made = f"function({given})"
    if compiled.condition is not None:
        made = f"{made} if fits({given}) else general({given})"
    return [
        f"def call({given}):",
        "    remember()",
        *(f"    check_unshared({names[k]}, {names[j]})" for k, j in _pairs_apart(compiled)),
        *(f"    b{k} = a{k}.copy()" for k in kept),
        f"    results = {made}",
        *(["    if not is_finite(results):"] if looks else []),
        *(f"        a{k}[...] = b{k}" for k in kept),
        *([f"        results = traced({given})"] if looks else []),
        f"    return {_returned(compiled, looks, asked)}",
    ]


def _returned(compiled: Compiled, looks: bool, asked: Asked | None) -> str:
    """What of the results a call returns. Those that are looked at begin with the value, asked for or not."""
    if asked is not None and asked.several and asked.with_value:
        return "results[0], results[1:]"
    if looks and asked is not None and not asked.with_value:
        return "results[1:]" if asked.several else "results[1]"
    is_one_of_several = asked is not None and asked.several and not looks and len(compiled.function.results) == 1
    return "(results,)" if is_one_of_several else "results"


def _pairs_apart(compiled: Compiled) -> list[tuple[int, int]]:
    """The numbers of an array that is changed and of another argument, for all such pairs."""
    arrays = [k for k, p in enumerate(compiled.function.parameters) if isinstance(p.type, Array)]
    changed = compiled.mutated
    return [(k, j) for k in changed for j in arrays if j != k and not (j in changed and j < k)]
