"""One thread at a time makes code, a process is copied between two turns, and who interrupts a turn ends it.

A thread that compiles is gone in the copy that `os.fork` makes, and what it has locked would stay so.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.compiler_lock import global_compiler_lock

from pullback.ir.syntax import PARSING

MAKING = threading.RLock()
"""Held while functions are read and generated, never while Numba compiles, which may ask for functions in turn."""


@contextmanager
def interrupts_end_it() -> Iterator[None]:
    """Raise KeyboardInterrupt where the block was interrupted, whatever became of it.

    LLVM calls back into Python, where the exception would be lost: the block would go on, or fail for want of a result.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    noted: list[int] = []

    def note(number: int, frame: Any) -> Any:
        noted.append(number)
        return before(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    except Exception:
        if not noted:
            raise
    finally:
        signal.signal(signal.SIGINT, before)
    if noted:
        raise KeyboardInterrupt


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
