"""Free memory, as compiled code asks for it: through a C function that takes Python's lock by itself."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba import int64, types

from pullback.runtime.codegen.compiled import compiled

LITTLE = 2**24
"""So many bytes are taken without a look at what is free."""


def free_bytes() -> int:
    """The memory that is free: what the system can give without writing to disk, and no more than the container has."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        free = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        free = _physical_bytes()
    try:
        return min(free, int(Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no container, or one without a limit
        return free


def _physical_bytes() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 2**33


def most_bytes() -> int:
    """What a call may take: a quarter of the memory that is free, or a little."""
    return max(LITTLE, free_bytes() // 4)


def fits_in_memory(needed: int) -> bool:
    """Whether a call may take so many bytes.

    >>> fits_in_memory(1000), fits_in_memory(10**18)
    (True, False)
    """
    return needed <= LITTLE or needed <= most_bytes()


def _known_to_llvm(name: str, callback: Any) -> Any:
    """A C function for compiled code."""
    binding.add_symbol(name, ctypes.cast(callback, ctypes.c_void_p).value)
    return types.ExternalFunction(name, int64())


_callback = ctypes.CFUNCTYPE(ctypes.c_int64)(most_bytes)
_most_bytes = _known_to_llvm("pullback_most_bytes", _callback)


@compiled(fits_in_memory, prefer_literal=False)
def _fits_in_memory(needed: Any) -> Any:
    def fits(needed: Any) -> Any:
        return needed <= LITTLE or needed <= _most_bytes()

    return fits
