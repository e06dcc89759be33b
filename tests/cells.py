"""Text run as a notebook's cell is: the line cache knows it, so that the functions it defines can be read."""

from __future__ import annotations

import linecache
from typing import Any


def remember(text: str, file: str) -> None:
    """Let the line cache know a text under the name of a file."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def run(text: str, file: str = "", **names: Any) -> dict[str, Any]:
    """Run a text with these names, as a new cell or as the file of a name. Returns the names it leaves."""
    file = file or f"<cell {len(linecache.cache)}>"
    remember(text, file)
    names.setdefault("__name__", __name__)
    exec(compile(text, file, "exec"), names)
    return names
