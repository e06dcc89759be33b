"""Generated modules: real files in a cache directory of the user's, named by everything that can change the result."""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import os
import sys
import tempfile
import threading
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import numba
import numpy as np

import pullback.runtime

_LOCK = threading.RLock()
_LOADED: dict[str, ModuleType] = {}


def cache_directory() -> Path:
    """Where generated modules are kept: PULLBACK_CACHE_DIR, or a folder in the user's cache directory (mode 0700).

    A temporary folder takes its place where that cannot be written.
    """
    given = os.environ.get("PULLBACK_CACHE_DIR")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pullback"
    path = Path(given) if given else base
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.access(path, os.W_OK):
            return path
    except OSError:
        pass
    return _temporary_directory()


@lru_cache(maxsize=1)
def _temporary_directory() -> Path:
    return Path(tempfile.mkdtemp(prefix="pullback-"))


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """A hash of what generated code relies on: the helpers' source and the versions of Numba and NumPy."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    folder = Path(pullback.runtime.__file__).parent
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def load_module(name: str, text: str, options: str, classes: tuple[type, ...] = ()) -> ModuleType:
    """The module with this text: loaded once in a process, written once for all processes.

    `classes` are the exceptions that the text raises and that are not built in.
    """
    # A user's class may be made anew under its name; ours are the same in every process.
    places = " ".join(
        f"{c.__module__}.{c.__qualname__} {0 if c.__module__.startswith('pullback.') else id(c)}" for c in classes
    )
    key = hashlib.sha256("\0".join((name, text, options, places, fingerprint())).encode()).hexdigest()[:20]
    module_name = f"pullback_generated_{name}_{key}"
    with _LOCK:
        if module_name not in _LOADED:
            path = cache_directory() / f"{name}_{key}.py"
            _write(path, text)
            _LOADED[module_name] = _load(module_name, path, text, classes)
        return _LOADED[module_name]


def _write(path: Path, text: str) -> None:
    """Write a file in one step, unless it is there with this text."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return
    except (OSError, UnicodeDecodeError):
        pass
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8", suffix=".tmp") as file:
        file.write(text)
    os.replace(file.name, path)


def _load(module_name: str, path: Path, text: str, classes: tuple[type, ...]) -> ModuleType:
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None, "a file with the ending .py has a loader"
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[module_name] = module
    linecache.cache[str(path)] = (len(text), None, text.splitlines(keepends=True), str(path))
    module.__dict__.update({c.__name__: c for c in classes})
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module
