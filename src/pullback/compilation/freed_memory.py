"""Memory that a call has freed serves the next call, instead of going back to the system in between.

A gradient keeps what its backward sweep needs until it returns. For blocks above a threshold, of 128 kB at first, the
C library of GNU asks the system for pages and gives them back when they are freed; each call then waits for the system
to make them anew, page by page, and to fill them with zeros. The library raises its thresholds by itself, as far as
32 MB, once large blocks have been freed (mallopt(3)); here that is done beforehand.
"""

from __future__ import annotations

import ctypes
import functools
import os

LARGEST = 32 << 20
"""Bytes of the largest blocks that stay; the library takes no more."""
MOST = 256 << 20
"""Bytes at the end of the heap that stay free."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_CHOSEN = ("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_", "GLIBC_TUNABLES")
"""The variables of the environment by which a user chooses such things."""


@functools.cache
def reuse_freed_memory() -> bool:
    """Have freed memory stay in the process from now on; whether that is so.

    False where the C library is another one, or the user has chosen its settings.
    """
    if any(name in os.environ for name in _CHOSEN):
        return False
    try:
        os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        return False
    set_option = ctypes.CDLL(None).mallopt
    return bool(set_option(_MMAP_THRESHOLD, LARGEST) and set_option(_TRIM_THRESHOLD, MOST))
