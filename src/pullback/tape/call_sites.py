"""Where in the user's files a call stands."""

from __future__ import annotations

import itertools
import linecache
import sys
from dataclasses import replace
from types import FrameType

from pullback.errors import Location

_OURS = ("pullback", "numpy")


def call_site() -> Location:
    """The line of the innermost call that stands outside of this library and of NumPy."""
    return call_site_in(_frame_of_user())


def expression_site() -> Location:
    """The same with the columns of the expression that is evaluated there, as far as it stands in one line."""
    frame = _frame_of_user()
    site = call_site_in(frame)
    positions = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end, column, end_column = positions
    if line != site.line or end != line or column is None or end_column is None:
        return site
    before = [len(site.text.encode()[:offset].decode(errors="replace")) for offset in (column, end_column)]
    return replace(site, column=before[0], end_column=before[1])


def _frame_of_user() -> FrameType:
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _OURS:
        frame = frame.f_back
    return frame


def call_site_in(frame: FrameType) -> Location:
    """The line that a frame is running."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line, frame.f_globals).rstrip("\n")
    start = len(text) - len(text.lstrip())
    return Location(file, line, start, len(text), text, frame.f_code.co_name)
