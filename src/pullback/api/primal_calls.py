"""Callables of compiled code: a call goes the long way the first time, then takes a shortcut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pullback.api.calls import Calls
from pullback.api.known import KnownCalls
from pullback.api.recording import recorded_call
from pullback.compilation.entrance import Entrance
from pullback.compilation.progress import started
from pullback.compilation.shortcut import MISS, Shortcut, never
from pullback.compilation.turns import importing

if TYPE_CHECKING:
    from pullback.api.prepared import Prepared
    from pullback.api.prepared_primal import PreparedPrimal
    from pullback.api.specialise import Engine


class PreparedCallable(Entrance):
    """What is prepared for each kind of call at the first one."""

    _known: KnownCalls | None

    @property
    def engine(self) -> Engine:
        """All that is known of the function."""
        raise NotImplementedError

    def __init__(self) -> None:
        self._calls = Calls(self.prepare)
        self._shortcut: Shortcut = never

    def prepare(self, bound: dict[str, Any]) -> Prepared:
        """What is compiled for these arguments."""
        raise NotImplementedError

    def long_way(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The result of a call, which also prepares the shortcut for those after it."""
        result = recorded_call(self, arguments, keywords)
        if result is not MISS:
            return result
        if self._known is not None and not keywords:
            result, shortcut = self._known.called(self, arguments)
            if result is not MISS:
                self._shortcut = self._shortcut if shortcut is never else shortcut
                return result
        with started():
            prepared, leaves, simple = self._calls.find(self.engine, arguments, keywords)
            if not simple:
                return prepared.called(leaves)
            result, self._shortcut = prepared.called_simply(arguments, leaves, self._known)
            return result


class PrimalCallable(PreparedCallable):
    """A differentiable function, or a derivative that is called as one."""

    asked = None

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if not keywords:
            result = self._shortcut(arguments)
            if result is not MISS:
                return result
        return self.long_way(arguments, keywords)

    def prepare(self, bound: dict[str, Any]) -> PreparedPrimal:
        """The compiled primal for these arguments."""
        with importing():
            from pullback.api.prepared_primal import PreparedPrimal

        return PreparedPrimal.of(self, self.engine, bound)
