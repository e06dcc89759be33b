"""Runs the passes of stages that settings choose, and tells who watches what each has changed.

>>> from pullback.frontend.build import normal_form
>>> from pullback.passes.pipeline import ALL
>>> def f(x):
...     unread = 2.0 * x
...     return x
>>> function = normal_form(f, 1.0)
>>> with watched(lambda stage, name, before, after: print(stage, name)):
...     _ = run(function, ALL, "preparation")
preparation dead_code
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pullback.ir.nodes import Function
from pullback.passes.entries import Settings
from pullback.passes.pipeline import NAMED, STAGES

Watcher = Callable[[str, str, Function, Function], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def preparation(settings: Settings) -> list[str]:
    """The stages before the differentiation."""
    before = ["lowering"] if settings.lowers else []
    after = ["sizes"] if settings.assumes_sizes else []
    return [*before, "preparation", *after, *(["vectorisation"] if settings.lowered else [])]


def finished(function: Function, settings: Settings) -> Function:
    """A derivative without what nobody reads, and with arrays in memory that earlier iterations have used."""
    adjoint = ["lowered adjoint"] if settings.lowers else []
    function = run(function, settings, "finish", *adjoint, "initialisation")
    return run(function, settings, *(["buffers"] if settings.lowered else []), "allocation")


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Within it, `watcher` is told stage, name, and the functions before and after, of every change by a pass."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def note(stage: str, name: str, before: Function, after: Function) -> Function:
    """Tell who watches of a change, and return what it has led to."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(stage, name, before, after)
    return after


def run(function: Function, settings: Settings, *stages: str) -> Function:
    """The function after the passes of these stages that the settings choose."""
    tidy: dict[str, Function] = {}
    for stage in stages:
        function = _run(function, settings, stage, STAGES[stage], tidy)
    return function


def _run(
    function: Function, settings: Settings, stage: str, names: tuple[str, ...], tidy: dict[str, Function]
) -> Function:
    """`tidy`: what passes that tidy up have returned last."""
    for name in names:
        entry = NAMED[name]
        if entry.run is None or not entry.is_on(settings) or tidy.get(name) is function:
            continue
        made = entry.run(function, settings)
        changed = made != function
        if changed:
            function = note(stage, name, function, made)
        if entry.tidies:
            tidy[name] = function
        if changed:
            function = _run(function, settings, stage, entry.then, tidy)
    return function
