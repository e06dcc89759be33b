"""Compiling before the first call: one callable at once, or several side by side."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

import numba

from pullback.api.calls import SIMPLE, Argnums
from pullback.api.derivatives import grad
from pullback.api.differentiable import differentiable
from pullback.api.primal_calls import PreparedCallable
from pullback.compilation.layout import ready
from pullback.compilation.progress import Bar, silence, started
from pullback.compilation.turns import collected_later
from pullback.errors import TypingError
from pullback.frontend.source.passed import captured_value

Job = tuple[Any, ...]
"""A function and the arguments of a call."""


def compile(function: Callable[..., Any], *arguments: Any, argnums: Argnums | None = None, **keywords: Any) -> Any:
    """Compile now what a call with these arguments would compile, and return what is to be called. Nothing is run.

    function: what `differentiable`, `grad`, `hessian` and their like have returned; a plain function is made
    differentiable.
    arguments, keywords: as in the call; only their types count, but for numbers on which the code itself depends.
    argnums: compile and return `grad(function, argnums)` instead.

    Raises what the call raises before it runs: TypingError, LanguageError; TypingError for what `vjp` has returned.

    >>> import numpy as np, pullback as pb
    >>> gradient = pb.compile(lambda x: np.sum(x ** 2), np.zeros(3), argnums=0)
    >>> gradient(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    callable_ = chosen(function, argnums)
    with started(), collected_later():
        _compile(callable_, arguments, keywords)
    return callable_


def chosen(function: Any, argnums: Argnums | None) -> Any:
    """What is compiled for a function."""
    if argnums is not None:
        return grad(function, argnums)
    if isinstance(function, PreparedCallable):
        return function
    if hasattr(type(function), "__pullback_derivative__"):
        raise TypingError(f"'{function.__name__}' is compiled when it is called", None, "compile grad(...) instead")
    return differentiable(function)


def _compile(callable_: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    bound = callable_.engine.bind(arguments, keywords)
    prepared = callable_.prepare(bound)
    leaves, code = prepared.leaves_of(bound), prepared.code()
    if not code.options.jit or numba.config.DISABLE_JIT:
        return
    code.overload([*map(ready, leaves), *(ready(captured_value(c)) for c in prepared.built.captures)])
    simple = (
        not keywords
        and all(type(a) in SIMPLE for a in arguments)
        and prepared.begins_with(len(arguments), len(arguments))
    )
    if simple and callable_._known is not None:
        prepared.rest = leaves[len(arguments) :]
        callable_._known.learn(arguments, prepared.described)


def precompile(calls: Iterable[Sequence[Any]], *, jobs: int | None = None) -> list[Any]:
    """Compile several callables side by side, in processes; the list of them, each as `compile` returns it.

    calls: for each a sequence of what is called and its arguments. jobs: how many processes (default: one for each
    core). What the processes compile they keep on disk, and this one finds it there; what cannot be kept on disk, it
    compiles itself. A bar tells how far this is, where it takes more than two seconds at a terminal or in a notebook.

    Raises what `compile` raises, for the first of the calls that cannot be compiled.

    >>> import numpy as np, pullback as pb
    >>> def area(r):
    ...     return 3.0 * r * r
    >>> gradient, value = pb.precompile([(pb.grad(area), 2.0), (area, np.ones(3))], jobs=1)
    >>> gradient(2.0)
    12.0
    """
    given = [tuple(call) for call in calls]
    callables = [chosen(function, None) for function, *_ in given]
    work = [(callable_, arguments) for callable_, (_, *arguments) in zip(callables, given, strict=True)]
    count = min(jobs or os.cpu_count() or 1, len(work))
    if count > 1 and "fork" in multiprocessing.get_all_start_methods():
        _side_by_side(work, count)
    with collected_later():
        for callable_, arguments in work:
            _compile(callable_, tuple(arguments), {})
    return callables


_WORK: list[tuple[Any, list[Any]]] = []
"""What the processes compile: they are copies of this one, and need not be sent any functions."""


def _side_by_side(work: list[tuple[Any, list[Any]]], count: int) -> None:
    """Let processes compile, and keep on disk, all of this; what they cannot is left to the caller."""
    bar = Bar(len(work), "compiled")
    _WORK[:] = work
    try:
        with ProcessPoolExecutor(count, multiprocessing.get_context("fork"), silence) as pool:
            for done in as_completed([pool.submit(_compile_number, k) for k in range(len(work))]):
                done.exception()
                bar.step()
    finally:
        _WORK.clear()


def _compile_number(number: int) -> None:
    callable_, arguments = _WORK[number]
    _compile(callable_, tuple(arguments), {})
