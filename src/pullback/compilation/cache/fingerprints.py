"""Hashes of the files and versions that generated code, and the way to it, depend on."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import llvmlite
import numba
import numpy as np

_PACKAGE = Path(__file__).parents[2]


@cache
def fingerprint() -> str:
    """A hash of what generated code relies on: our own helpers and compiler, Python, Numba, LLVM and NumPy."""
    return _hash_of(path for path in contents() if path.split("/")[0] in ("runtime", "compilation"))


@cache
def whole_fingerprint() -> str:
    """A hash of what decides which code is generated, too: all files of the package."""
    return _hash_of(contents())


def _hash_of(paths: Iterable[str]) -> str:
    versions = f"{numba.__version__} {llvmlite.__version__} {np.__version__} {sys.version}"
    digest = hashlib.sha256(versions.encode())
    for path in paths:
        digest.update(contents()[path])
    return digest.hexdigest()


@cache
def contents() -> dict[str, bytes]:
    """The hash of each Python file of the package, by its path in it.

    They are read once, since they may be exchanged later, while this process runs what it has read of them.
    """
    folders = os.walk(_PACKAGE)  # faster than Path.rglob
    paths = sorted(Path(folder, name) for folder, _, names in folders for name in names if name.endswith(".py"))
    return {path.relative_to(_PACKAGE).as_posix(): hashlib.sha256(path.read_bytes()).digest() for path in paths}


contents()


def key_of(*parts: str) -> str:
    """A hash of these texts and of all that generated code relies on."""
    text = "\0".join((*parts, fingerprint()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
