"""What is being compiled, said on stderr where that takes long and somebody waits at a terminal or in a notebook."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLE = "PULLBACK_PROGRESS"
PATIENCE = 2.0
"""Seconds after which something is said."""

_began = threading.local()


@contextmanager
def started() -> Iterator[None]:
    """Count the time from here on, if nobody does yet: reading and generating belong to what is waited for."""
    if getattr(_began, "at", None) is not None:
        yield
        return
    _began.at = time.perf_counter()
    try:
        yield
    finally:
        _began.at = None


@contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say after a while what is being compiled, and at the end how long it took."""
    if not is_watched():
        yield
        return
    at: float = getattr(_began, "at", None) or time.perf_counter()
    said = threading.Event()

    def say() -> None:
        said.set()
        _write(f"pullback: compiling {what} ...")

    timer = threading.Timer(max(0.0, PATIENCE - (time.perf_counter() - at)), say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if said.is_set():
            _write(f" {time.perf_counter() - at:.1f} s\n")


class Bar:
    """How many of several things are done, on one line that is written again, from the time on when somebody waits."""

    def __init__(self, total: int, what: str) -> None:
        self.total, self.what, self.done, self.width = total, what, 0, 0
        self.at, self.watched = time.perf_counter(), is_watched()

    def step(self) -> None:
        """One more is done."""
        self.done += 1
        waited = time.perf_counter() - self.at
        if not self.watched or waited < PATIENCE:
            return
        filled = 20 * self.done // self.total
        text = (
            f"pullback: [{'#' * filled}{'.' * (20 - filled)}] {self.done} of {self.total} {self.what}, {waited:.0f} s"
        )
        self.width = max(self.width, len(text))
        _write(f"\r{text.ljust(self.width)}" + ("\n" if self.done == self.total else ""))


def is_watched() -> bool:
    """Whether somebody waits at a terminal or in a notebook, and wants to be told: PULLBACK_PROGRESS=0 is silent."""
    if os.environ.get(VARIABLE, "1") == "0" or sys.stderr is None:
        return False
    try:
        return sys.stderr.isatty() or "ipykernel" in sys.modules
    except ValueError:  # it is closed
        return False


def silence() -> None:
    """Say nothing from here on in this process."""
    os.environ[VARIABLE] = "0"


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        return
