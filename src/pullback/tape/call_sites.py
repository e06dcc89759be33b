"""Where in the user's files a call stands."""

from __future__ import annotations

import linecache
import sys
from types import FrameType

from pullback.errors import Location

_OURS = ("pullback", "numpy")


def call_site() -> Location:
    """The line of the innermost call that stands outside of this library and of NumPy."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    return call_site_in(frame)


def call_site_in(frame: FrameType) -> Location:
    """The line that a frame is running."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line, frame.f_globals).rstrip("\n")
    start = len(text) - len(text.lstrip())
    return Location(file, line, start, len(text), text, frame.f_code.co_name)
