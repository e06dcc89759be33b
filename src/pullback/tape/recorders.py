"""Who sees operations: the tapes and accumulators that are recording now in this context, the outermost first.

A context belongs to a thread, or to a task of asyncio: what one enters, others do not see. A task begins with what its
maker had entered, and `asyncio.to_thread` too; another new thread begins with nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Recorder(Protocol):
    """What is told of every operation on tensors while it is among the recorders of a context."""

    persistent: bool
    """Whether derivatives are computed while it records, and not only afterwards."""

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """`function` was called with these arguments; the result is a tensor, or a tuple of tensors."""

    def is_connected(self, tensor: Any) -> bool:
        """Whether it follows what is computed from this tensor."""

    def note_escape(self, tensor: Any, how: str) -> None:
        """The elements of a tensor escaped: they became plain numbers."""

    def note_reading(self, tensor: Any, followed: bool) -> None:
        """Its elements are read, or about to be changed; `followed`: by a call that has a gradient by them.

        What `record` is told is not told here as well.
        """


_RECORDERS: ContextVar[tuple[Any, ...]] = ContextVar("recorders", default=())
active = _RECORDERS.get
"""The recorders of this context."""


def enter(recorder: Recorder) -> None:
    """From now on the recorder sees what is done in this context."""
    _RECORDERS.set((*active(), recorder))


def leave(recorder: Recorder) -> None:
    """The recorder sees nothing more, whichever others were entered after it."""
    _RECORDERS.set(tuple(other for other in active() if other is not recorder))


@contextmanager
def only(recorders: tuple[Recorder, ...]) -> Iterator[None]:
    """For a block, these recorders take the place of those of this context."""
    kept = active()
    _RECORDERS.set(recorders)
    try:
        yield
    finally:
        _RECORDERS.set(kept)


def is_connected(tensor: Any) -> bool:
    """Whether a recorder that is recording now follows what is computed from this tensor."""
    return any(recorder.is_connected(tensor) for recorder in active())


def tell(function: Any, arguments: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    """Tell the recorders of a call with one result or several."""
    for recorder in active():
        recorder.record(function, arguments, results[0] if len(results) == 1 else results)


def note_escape(tensor: Any, how: str) -> None:
    """Tell the recorders that a tensor's elements escaped: they became plain numbers, which none of them follows."""
    for recorder in active():
        recorder.note_escape(tensor, how)


def note_reading(tensor: Any, followed: bool = False) -> None:
    """Tell the recorders that a tensor's elements are read, or about to be changed."""
    for recorder in active():
        recorder.note_reading(tensor, followed)
