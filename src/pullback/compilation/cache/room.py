"""The size of the cache: what has not been used for longest is removed where it grows beyond its limit."""

from __future__ import annotations

import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from pullback.compilation.cache.folder import Folder, logger, warn_once

VARIABLE = "PULLBACK_CACHE_LIMIT"
DEFAULT = 10**9
KEPT = 0.8
"""The share of the limit that is left by a removal, so that the next file does not need another one."""
ABANDONED_AFTER = 3600.0
"""Seconds after which nobody is writing an unfinished file any more."""

# The folder may be one that the user keeps other things in.
_OURS = re.compile(r"[A-Za-z0-9_]+_[0-9a-f]{20}(-[0-9a-f]{20}\.code|\.py|\.call|\.helper)|\.[\w.-]+\.[0-9a-f]{16}\.tmp")
_LIMIT = re.compile(r"\s*(\d+)\s*([kMGT]?)B?\s*")


@dataclass(frozen=True, slots=True)
class File:
    """A file of ours in the cache: its name, its bytes, when it was last used (in seconds)."""

    name: str
    size: int
    used: float

    @property
    def unfinished(self) -> bool:
        return self.name.endswith(".tmp")


def most_bytes() -> int:
    """How large the cache may grow: PULLBACK_CACHE_LIMIT, a number of bytes such as `500 MB`; 1 GB without it."""
    given = os.environ.get(VARIABLE)
    if not given:
        return DEFAULT
    found = _LIMIT.fullmatch(given)
    if found is None:
        warn_once(f"{VARIABLE}={given} is not a size such as 500 MB: 1 GB holds instead")
        return DEFAULT
    factor: int = 1000 ** " kMGT".index(found[2] or " ")
    return int(found[1]) * factor


def files(folder: Folder) -> Iterator[File]:
    """The files of ours in the folder."""
    where = folder.path if folder.descriptor is None else folder.descriptor
    for name in os.listdir(where):
        if _OURS.fullmatch(name):
            with suppress(OSError):
                status = os.stat(folder.place(name), dir_fd=folder.descriptor, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode):
                    yield File(name, status.st_size, status.st_mtime)


def remove(folder: Folder, name: str) -> bool:
    """Whether a file could be removed."""
    try:
        os.unlink(folder.place(name), dir_fd=folder.descriptor)
    except OSError as error:
        logger.debug("%s cannot be removed: %s", name, error)
        return False
    return True


def clear(folder: Folder) -> list[File]:
    """Remove everything; the files that are gone."""
    with _ACCOUNT.lock:
        _ACCOUNT.bytes.clear()
        return [file for file in files(folder) if remove(folder, file.name)]


class _Account:
    """What this process believes the folders to hold, so that not every file that is written counts them anew."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.bytes: dict[str, int] = {}


_ACCOUNT = _Account()


def forget_excess(folder: Folder, written: int) -> None:
    """After so many bytes were written: remove what is too much."""
    path = str(folder.path)
    with _ACCOUNT.lock:
        known = _ACCOUNT.bytes.get(path)
        if known is not None and known + written <= most_bytes():
            _ACCOUNT.bytes[path] = known + written
        else:
            _ACCOUNT.bytes[path] = _sweep(folder, most_bytes())


def _sweep(folder: Folder, most: int) -> int:
    """The bytes in the folder, after the removal of what nobody finished and of what is too much."""
    found = sorted(files(folder), key=lambda file: file.used)
    abandoned = [file for file in found if file.unfinished and file.used < time.time() - ABANDONED_AFTER]
    kept = [file for file in found if not file.unfinished]
    total = sum(file.size for file in kept)
    excess = total - int(most * KEPT) if total > most else 0
    for file in [*abandoned, *kept]:
        if not file.unfinished and excess <= 0:
            break
        if remove(folder, file.name) and not file.unfinished:
            excess, total = excess - file.size, total - file.size
    return total
