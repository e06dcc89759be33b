"""What each pass changes in a function and its gradient, as lines that go and lines that come."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pullback.ir.nodes import Function
from pullback.ir.printer import Printer
from pullback.passes.entries import Settings
from pullback.passes.pipeline import NAMED, STAGES
from pullback.passes.running import run, watched
from pullback.transform.derivative import joint, prepared

FOR_MACHINES = ("arrangement", "checks", "text")


@dataclass(frozen=True, slots=True)
class Change:
    """A function before and after a pass, in a stage."""

    stage: str
    name: str
    before: Function
    after: Function


def changes_of_gradient(function: Function, wrt: tuple[int, ...], settings: Settings, compiled: bool) -> list[Change]:
    """All changes on the way from a function as it was read to its value and gradient, in their order."""
    found: list[Change] = []
    with watched(lambda *change: found.append(Change(*change))):
        made = joint(prepared(function, settings, wrt), wrt, with_results=True, settings=settings)
        assumptions = ("assumptions",) if settings.lowered else ()
        run(made, settings, *assumptions, "copies", *(FOR_MACHINES if compiled else ()))
    return found


def describe_changes(changes: list[Change], names: Collection[str] | None) -> str:
    """The changes by passes of these names, by all if there are none: a heading, then the lines of each."""
    chosen = [change for change in changes if names is None or change.name in names]
    return "\n".join(line for change in chosen for line in (heading(change), *lines_of(change)))


def heading(change: Change) -> str:
    entry = NAMED.get(change.name)
    return f"{change.stage}: {change.name}" + (f", {entry.does}" if entry else "")


def lines_of(change: Change) -> Iterator[str]:
    """What a pass takes away and adds, and what stands around it."""
    printer = Printer()
    before, after = (printer.function(f).splitlines() for f in (change.before, change.after))
    hunks = difflib.unified_diff(before, after, n=1, lineterm="")
    for line in list(hunks)[2:]:
        yield "  ..." if line.startswith("@@") else f"  {line}".rstrip()


def checked_names(names: Collection[str]) -> frozenset[str]:
    """Names of passes; ValueError for others."""
    known = {name for stage in STAGES.values() for name in stage} | {"both_sweeps"}
    if set(names) - known:
        raise ValueError(f"there is no pass {', '.join(sorted(map(repr, set(names) - known)))}: see {sorted(known)}")
    return frozenset(names)
