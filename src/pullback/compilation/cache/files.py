"""Names and bytes become files of the cache, and back: whole, unchanged and ours, or not at all.

A sealed file begins with a mark and a SHA-256 over its key and its contents. The key itself is not in it: who asks for
a file knows what must be in it, so a file under another one's name is as useless as a damaged one.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pullback.compilation.cache.folder import Folder, Untrusted, check, left_alone, logger, opened
from pullback.compilation.cache.room import forget_excess, most_bytes, remove

MARK = b"pullback machine code 1\n"
TOUCH_AFTER = 3600.0
"""Seconds for which the last use of a file need not be noted again."""

_COMMON = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | _COMMON | getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of a file must not be waited for
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _COMMON


def stem(name: str, key: str) -> str:
    """The beginning of the file names for a generated function; `key` is hexadecimal.

    >>> stem("λ_grad", "0123456789abcdef0123456789abcdef")
    '__grad_0123456789abcdef0123'
    """
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:60]
    return f"{plain}_{key[:20]}"


def sealed(key: str, contents: bytes) -> bytes:
    """The bytes of a file with these contents."""
    return MARK + _digest(key, contents) + contents


def unsealed(key: str, data: bytes) -> bytes | None:
    """The contents of a file; None unless all bytes are as they were written, for this key."""
    start = len(MARK) + hashlib.sha256().digest_size
    right = data.startswith(MARK) and data[len(MARK) : start] == _digest(key, data[start:])
    return data[start:] if right else None


def _digest(key: str, contents: bytes) -> bytes:
    digest = hashlib.sha256(MARK + key.encode("utf-8", "surrogatepass") + b"\0")
    digest.update(contents)
    return digest.digest()


def load(name: str, key: str) -> bytes | None:
    """The contents of a sealed file, or None. A damaged file is removed."""
    with opened() as folder:
        data = None if folder is None else read(folder, name)
        if folder is None or data is None:
            return None
        contents = unsealed(key, data)
        if contents is None:
            logger.debug("%s is damaged", name)
            remove(folder, name)
        return contents


def save(name: str, key: str, contents: bytes) -> bool:
    """Write a sealed file; False where that cannot be."""
    with opened(make=True) as folder:
        return folder is not None and write(folder, name, sealed(key, contents))


def discard(name: str) -> None:
    """Remove a file that turned out to be of no use."""
    with opened() as folder:
        if folder is not None:
            remove(folder, name)


def keep_text(name: str, text: str) -> str | None:
    """The path of a file with this text, which is there for people; None where it cannot be."""
    data = text.encode()
    with opened(make=True) as folder:
        if folder is not None and (read(folder, name) == data or write(folder, name, data)):
            return str(folder.path / name)
    return None


def read(folder: Folder, name: str) -> bytes | None:
    """The bytes of a file; None if it is missing, or not ours, which is said once."""
    try:
        with _descriptor(folder, name) as descriptor, os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    except Untrusted as reason:
        left_alone(folder.path / name, reason)
    except FileNotFoundError:
        pass
    except OSError as error:
        logger.debug("%s cannot be read: %s", name, error)
    return None


@contextmanager
def _descriptor(folder: Folder, name: str) -> Iterator[int]:
    """An open file that was looked at after it was opened, so that nobody can exchange it in between."""
    _check_entry(folder, name)
    descriptor = os.open(folder.place(name), _READ, dir_fd=folder.descriptor)
    try:
        status = os.fstat(descriptor)
        _check_file(status)
        if os.utime in os.supports_fd and status.st_mtime < time.time() - TOUCH_AFTER:
            with suppress(OSError):  # in a folder that is for reading only, nothing is removed either
                os.utime(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _check_entry(folder: Folder, name: str) -> None:
    """Raises Untrusted if what has this name is not a file of ours; FileNotFoundError if nothing has."""
    _check_file(os.stat(folder.place(name), dir_fd=folder.descriptor, follow_symlinks=False))


def _check_file(status: os.stat_result) -> None:
    if stat.S_ISLNK(status.st_mode):
        raise Untrusted("it is a symbolic link")
    if not stat.S_ISREG(status.st_mode):
        raise Untrusted("it is not a file")
    check(status)


def write(folder: Folder, name: str, data: bytes) -> bool:
    """Write a file in one step; False where that cannot be, or would replace what is not ours."""
    if len(data) > most_bytes():
        return False
    try:
        with suppress(FileNotFoundError):
            _check_entry(folder, name)
        _replace(folder, name, data)
        forget_excess(folder, len(data))
    except Untrusted as reason:
        left_alone(folder.path / name, reason)
        return False
    except OSError as error:
        logger.debug("%s cannot be written: %s", name, error)
        return False
    return True


def _replace(folder: Folder, name: str, data: bytes) -> None:
    unfinished = f".{name}.{secrets.token_hex(8)}.tmp"
    at = folder.descriptor
    try:
        descriptor = os.open(folder.place(unfinished), _WRITE, 0o600, dir_fd=at)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(folder.place(unfinished), folder.place(name), src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        remove(folder, unfinished)
        raise
