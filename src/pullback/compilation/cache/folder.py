"""The cache directory becomes an open folder, if it is the user's own and nobody else can write to it."""

from __future__ import annotations

import logging
import os
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pullback.errors import CacheWarning

logger = logging.getLogger("pullback.cache")

VARIABLE = "PULLBACK_CACHE_DIR"
_RELATIVE = os.open in os.supports_dir_fd  # not on Windows, where a folder is named by its path


class Untrusted(Exception):
    """What was found may have been written by somebody else."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The cache directory. `descriptor` is that of the open directory: files are reached through it, not by a path."""

    path: Path
    descriptor: int | None

    def place(self, name: str) -> str:
        """How a file in the folder is named in a call that is also given the descriptor as `dir_fd`."""
        return name if self.descriptor is not None else str(self.path / name)


def location() -> Path | None:
    """PULLBACK_CACHE_DIR, else `pullback` among the user's caches; None for a user without a home."""
    given = os.environ.get(VARIABLE)
    try:
        path = Path(os.path.abspath(given)) if given else _users_own()
    except (OSError, RuntimeError) as error:  # the working directory is gone, or there is no home
        logger.debug("no cache: %s", error)
        return None
    return path if path.is_absolute() else None


def _users_own() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("pullback", appauthor=False))


@contextmanager
def opened(*, make: bool = False) -> Iterator[Folder | None]:
    """The folder, open and looked at; None where there is none. `make`: make it if it is missing."""
    folder = _open(make)
    try:
        yield folder
    finally:
        if folder is not None and folder.descriptor is not None:
            os.close(folder.descriptor)


def _open(make: bool) -> Folder | None:
    path = location()
    if path is None:
        return None
    try:
        if make and not path.is_dir():
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _open_directory(path)
    except Untrusted as reason:
        left_alone(path, reason)
    except (OSError, ValueError) as error:
        logger.debug("no cache in %s: %s", path, error)
    return None


def _open_directory(path: Path) -> Folder:
    if path.is_symlink():
        raise Untrusted("it is a symbolic link")
    if not _RELATIVE:
        check(os.stat(path))
        return Folder(path, None)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        check(os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return Folder(path, descriptor)


def check(status: os.stat_result) -> None:
    """Raises Untrusted for what another user owns or can write; the administrator can change what we run anyway."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid not in (os.geteuid(), 0):
        raise Untrusted(f"it belongs to another user (number {status.st_uid})")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Untrusted(f"others may write to it (mode {stat.S_IMODE(status.st_mode):o})")


def left_alone(path: Path, reason: Untrusted) -> None:
    """Say why something is neither read nor replaced."""
    warn_once(f"{path} is left alone by the cache of compiled code: {reason}")


@cache
def warn_once(message: str) -> None:
    """Warn, once in a process."""
    warnings.warn(CacheWarning(message), stacklevel=2)
