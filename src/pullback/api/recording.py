"""Calls with arguments that somebody follows: the tape says what becomes of them, before they go the long way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pullback.compilation.shortcut import MISS

Recording = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]
_recording: list[Recording] = []


def register(recording: Recording) -> None:
    """Ask this function of every call: it takes the callable and its arguments, and returns MISS for plain calls."""
    _recording.append(recording)


def recorded_call(callable_: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call that is followed; MISS for one that is not."""
    for recording in _recording:
        result = recording(callable_, arguments, keywords)
        if result is not MISS:
            return result
    return MISS
