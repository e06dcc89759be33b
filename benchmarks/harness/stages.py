"""The time of a first call becomes shares of the stages that it goes through.

A timer of the operating system interrupts the process about a thousand times in a second of CPU time; what has passed
since the time before counts for the stage that the stack shows.
"""

import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

STEP = 0.001  # s
STAGES = ("reading", "passes", "emission", "type inference", "LLVM", "loading")
FOLDERS = {
    "frontend": "reading",
    "passes": "passes",
    "transform": "passes",
    "analysis": "passes",
    "emission": "emission",
}
LLVM = ("llvmlite.binding", "numba.core.codegen")


@contextmanager
def sampled() -> Iterator[dict[str, float]]:
    """The CPU seconds of each stage of what is done in the block; complete at its end.

    Type inference is all that Numba does in Python, its translation to LLVM's language included. Loading is the rest:
    modules, machine code, the call itself.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    last = time.process_time()

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal last
        now = time.process_time()
        seconds[stage_of(frame)] += now - last
        last = now

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, STEP, STEP)
    try:
        yield seconds
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        seconds["loading"] += time.process_time() - last


def stage_of(frame: FrameType | None) -> str:
    """LLVM's if it is at work anywhere in the stack, else that of the innermost frame of a stage."""
    found = ""
    while frame is not None:
        module: Any = frame.f_globals.get("__name__", "")
        if module.startswith(LLVM):
            return "LLVM"
        found = found or stage_of_module(module)
        frame = frame.f_back
    return found or "loading"


def stage_of_module(module: str) -> str:
    """The stage that a module belongs to; empty if it serves several."""
    package, _, rest = module.partition(".")
    if package == "numba":
        return "type inference"
    return FOLDERS.get(rest.partition(".")[0], "") if package == "pullback" else ""
