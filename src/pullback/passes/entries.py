"""What an entry of the list of passes says, and the settings that choose among them.

>>> entry = Pass("dead_stores", "stores that nobody reads are removed", option="dead_stores")
>>> entry.is_on(Settings(frozenset({"dead_stores"}))), entry.is_on(Settings(frozenset()))
(True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pullback.ir.nodes import Function, Value


@dataclass(frozen=True, slots=True)
class Settings:
    """What chooses passes: the optimisations that are on, and what a function is made for.

    lowered: loops stand in place of array statements. parallel: loops may run in several threads. checked: indices are
    checked. in_order: nothing is added up in another order. any_sizes: nothing is assumed of the sizes of arguments.
    in_segments: loops that are differentiated within a function run in segments, where they keep less so. sizes: those
    of arguments, by axes of parameters, that the function is specialised to.
    """

    optimisations: frozenset[str]
    lowered: bool = False
    parallel: bool = False
    checked: bool = True
    in_order: bool = False
    any_sizes: bool = False
    in_segments: bool = False
    sizes: tuple[tuple[tuple[Value, int | None], int], ...] = ()

    def has(self, optimisation: str) -> bool:
        return optimisation in self.optimisations

    @property
    def lowers(self) -> bool:
        """Whether array statements become loops."""
        return self.lowered and self.has("lowering")

    @property
    def assumes_sizes(self) -> bool:
        """Whether array statements stay, with sizes that are assumed to agree."""
        return not self.lowers and not self.any_sizes


Run = Callable[[Function, Settings], Function]


@dataclass(frozen=True, slots=True)
class Pass:
    """A transformation of a function, or a step of its differentiation.

    does: what it does, in a sentence. needs: names of passes that have run before it. option: the optimisation that it
    belongs to; "" if it always runs, "any" if it runs as soon as anything is optimised. reorders: sums may be added up
    in another order. tidies: nothing is left to do where nothing has changed since it ran. then: the passes that tidy
    up where it has changed something. run: None for a step of the differentiation.
    """

    name: str
    does: str
    run: Run | None = None
    needs: tuple[str, ...] = ()
    option: str = ""
    reorders: bool = False
    tidies: bool = False
    then: tuple[str, ...] = ()

    def is_on(self, settings: Settings) -> bool:
        if self.option == "any":
            return bool(settings.optimisations)
        return not self.option or settings.has(self.option)


def plain(run: Callable[[Function], Function]) -> Run:
    """A pass that no setting changes."""
    return lambda function, settings: run(function)
