"""What a gradient depends on besides its function: versions, processor, threads, BLAS, the cache, the environment."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numba
import numpy as np
from llvmlite import binding

from pullback.api.derivatives import grad
from pullback.api.differentiable import differentiable
from pullback.compilation.cache import room
from pullback.compilation.cache.folder import location, opened

PACKAGES = ("pullback", "numpy", "numba", "llvmlite", "scipy", "gast", "astunparse")


def doctor() -> str:
    """A report to read, and to put into a bug report: versions, processor, threads, BLAS, cache, environment.

    Its last line tells whether a small gradient was compiled and is right.

    >>> import pullback as pb
    >>> pb.doctor().splitlines()[0].split()[0]
    'python'
    """
    lines = [*_versions(), *_machine(), *_cache(), *_environment(), ("gradient", trial())]
    return "\n".join(f"{name:<12} {text}" for name, text in lines)


def trial() -> str:
    """What became of a small gradient: `right, ...`, or what was wrong."""

    def squares(x: Any) -> Any:
        return np.sum(x * x)

    began = time.perf_counter()
    try:
        found = grad(differentiable(cache=False)(squares))(np.array([1.0, 2.0]))
    except Exception as error:
        return f"FAILED: {type(error).__name__}: {error}"
    taken = time.perf_counter() - began
    return f"right, compiled in {taken:.1f} s" if found.tolist() == [2.0, 4.0] else f"WRONG: {found} is not [2. 4.]"


def _versions() -> Iterator[tuple[str, str]]:
    yield "python", f"{platform.python_version()} ({sys.executable})"
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed as a package"


def _machine() -> Iterator[tuple[str, str]]:
    yield "system", platform.platform()
    yield "processor", f"{binding.get_host_cpu_name()}, {os.cpu_count()} cores"
    yield "threads", f"{numba.config.NUMBA_NUM_THREADS} of Numba's"
    built: Any = np.show_config(mode="dicts")
    blas = built.get("Build Dependencies", {}).get("blas", {})
    yield "blas", f"{blas.get('name', 'unknown')} {blas.get('version', '')} in NumPy".replace("  ", " ")


def _cache() -> Iterator[tuple[str, str]]:
    with opened(make=True) as folder:
        files = [] if folder is None else list(room.files(folder))
    size = sum(file.size for file in files)
    state = "none, or not to be used" if folder is None else f"{len(files)} files, {size / 1e6:.1f} MB"
    yield "cache", f"{location()}: {state}".encode(errors="backslashreplace").decode()


def _environment() -> Iterator[tuple[str, str]]:
    for name in sorted(os.environ):
        if name.startswith(("PULLBACK_", "NUMBA_", "OMP_", "MKL_", "OPENBLAS_")):
            yield "environment", f"{name}={os.environ[name]}".encode(errors="backslashreplace").decode()
