"""Who sees the operations of a thread: the tapes and accumulators that are recording now, the outermost first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Recorder(Protocol):
    """What is told of every operation on tensors while it is among the thread's recorders."""

    persistent: bool
    """Whether derivatives are computed while it records, and not only afterwards."""

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """`function` was called with these arguments; the result is a tensor, or a tuple of tensors."""

    def is_connected(self, tensor: Any) -> bool:
        """Whether it follows what is computed from this tensor."""

    def taken_out(self, tensor: Any, how: str) -> None:
        """The elements of a tensor became plain numbers."""


class Thread(threading.local):
    """Each thread has recorders of its own."""

    recorders: tuple[Any, ...] = ()


thread = Thread()


def enter(recorder: Recorder) -> None:
    """From now on the recorder sees what this thread does."""
    thread.recorders = (*thread.recorders, recorder)


def leave(recorder: Recorder) -> None:
    """The recorder sees nothing more, whichever others were entered after it."""
    thread.recorders = tuple(other for other in thread.recorders if other is not recorder)


@contextmanager
def only(recorders: tuple[Recorder, ...]) -> Iterator[None]:
    """For a block, these recorders take the place of those of this thread."""
    kept, thread.recorders = thread.recorders, recorders
    try:
        yield
    finally:
        thread.recorders = kept


def is_connected(tensor: Any) -> bool:
    """Whether a recorder that is recording now follows what is computed from this tensor."""
    return any(recorder.is_connected(tensor) for recorder in thread.recorders)


def tell(function: Any, arguments: tuple[Any, ...], results: tuple[Any, ...]) -> None:
    """Tell the recorders of a call with one result or several."""
    for recorder in thread.recorders:
        recorder.record(function, arguments, results[0] if len(results) == 1 else results)


def taken_out(tensor: Any, how: str) -> None:
    """Tell the recorders that a tensor's elements became plain numbers, which none of them follows."""
    for recorder in thread.recorders:
        recorder.taken_out(tensor, how)
