"""The commands of `python -m pullback`: words become a call, and its answer lines of text.

A command is a function that adds a parser of its own, whose default `run` takes the parsed words and returns the
process's exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pullback.compile.cache import room
from pullback.compile.cache.folder import location, opened

UNITS = ("bytes", "kB", "MB", "GB")


def main(words: Sequence[str] | None = None) -> int:
    """Run the command in these words, by default those after `python -m pullback`; the exit code."""
    parser = argparse.ArgumentParser("python -m pullback", description="Readable, compiled gradients for NumPy code.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    chosen = parser.parse_args(words)
    code: int = chosen.run(chosen)
    return code


def add_cache(commands: Any) -> None:
    """`cache`: what is kept on disk."""
    parser = commands.add_parser("cache", help="show or clear the compiled code that is kept on disk")
    parser.add_argument("what", nargs="?", choices=["info", "clear"], default="info", help="info, or clear")
    parser.set_defaults(run=lambda chosen: clear_cache() if chosen.what == "clear" else show_cache())


COMMANDS = (add_cache,)


def show_cache() -> int:
    """Print where the cache is, and how much is in it."""
    with opened() as folder:
        files = [] if folder is None else list(room.files(folder))
    path = str(location() or "none: the user has no home, and PULLBACK_CACHE_DIR is not set")
    print(f"folder     {path.encode(errors='backslashreplace').decode()}")
    print(f"functions  {sum(file.name.endswith('.code') for file in files)}")
    print(f"size       {in_units(sum(file.size for file in files))} of {in_units(room.most_bytes())}")
    if files:
        print(f"last used  {day(min(file.used for file in files))} to {day(max(file.used for file in files))}")
    return 0


def clear_cache() -> int:
    """Remove everything in the cache, and print how much that was. Exit code 1 where something is left."""
    with opened() as folder:
        gone = [] if folder is None else room.clear(folder)
        left = [] if folder is None else list(room.files(folder))
    print(f"removed {len(gone)} files, {in_units(sum(file.size for file in gone))}")
    if left:
        print(f"{len(left)} files could not be removed")
    return bool(left)


def in_units(count: int) -> str:
    """A number of bytes to read.

    >>> in_units(999), in_units(1_230_000), in_units(10**9)
    ('999 bytes', '1.2 MB', '1.0 GB')
    """
    size, unit = float(count), 0
    while size >= 1000 and unit < len(UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.1f} {UNITS[unit]}" if unit else f"{count} bytes"


def day(seconds: float) -> str:
    """The day of a moment, as in 2026-01-31."""
    return f"{datetime.fromtimestamp(seconds):%Y-%m-%d}"
