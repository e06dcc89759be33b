"""One thread at a time makes code, a process is copied between two turns, and who interrupts a turn ends it.

A thread that compiles is gone in the copy that `os.fork` makes, and what it has locked would stay so.
"""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from pullback.ir.syntax import PARSING

MAKING = threading.RLock()
"""Held while functions are read and generated, never while Numba compiles, which may ask for functions in turn."""


@contextmanager
def importing() -> Iterator[None]:
    """Import what is needed from here on, while no other thread does, and while the process is not copied.

    A module may compile something, so that Numba's lock comes first; whoever holds MAKING alone imports nothing new.
    """
    with global_compiler_lock, MAKING:
        yield


AGAIN_AFTER = 0.01
"""Seconds until an interrupt is tried again that came while LLVM was at work."""


class _Interrupts:
    """The handler of interrupts while code is made. Those that come in LLVM's own objects wait until it has left them.

    LLVM calls back into Python, where the exception would be lost; and what an exception has taken from its owner
    half, both would free.
    """

    def __init__(self, before: Callable[[int, FrameType | None], Any]) -> None:
        self.before = before
        self.came = self.closed = False
        self.waiting: list[threading.Timer] = []

    def __call__(self, number: int, frame: FrameType | None) -> Any:
        self.came = True
        if self.closed:
            return None
        if not _is_in_llvm(frame):
            return self.before(number, frame)
        self.waiting.append(threading.Timer(AGAIN_AFTER, signal.raise_signal, (number,)))
        self.waiting[-1].start()
        return None

    def close(self) -> None:
        """No interrupt comes from here any more."""
        self.closed = True
        for timer in self.waiting:
            timer.cancel()
            timer.join()


def _is_in_llvm(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("llvmlite.binding"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def interrupts_end_it() -> Iterator[None]:
    """Raise KeyboardInterrupt where the block was interrupted, whatever became of it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    interrupts = _Interrupts(before)
    signal.signal(signal.SIGINT, interrupts)
    try:
        yield
    except Exception:
        if not interrupts.came:
            raise
    finally:
        interrupts.close()
        signal.signal(signal.SIGINT, before)
    if interrupts.came:
        raise KeyboardInterrupt


@contextmanager
def collected_later() -> Iterator[None]:
    """Leave cycles to a later garbage collection. What a compiler builds grows too fast for looking at it all again."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def take_turns() -> None:
    """Wait until nobody makes code."""
    global_compiler_lock.acquire()
    MAKING.acquire()
    PARSING.acquire()


def end_turns() -> None:
    """Let others make code again."""
    PARSING.release()
    MAKING.release()
    global_compiler_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=take_turns, after_in_parent=end_turns, after_in_child=end_turns)
