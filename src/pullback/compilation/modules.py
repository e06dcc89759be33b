"""Generated texts become modules, whose names are hashes of everything that can change what they compute.

The text is compiled from memory. The file with it, in the cache, is for tracebacks, debuggers and people.
"""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import Any

from pullback.compilation.cache import files
from pullback.compilation.cache.fingerprints import key_of
from pullback.runtime.codegen.contraction import ENDING

_LOCK = threading.RLock()
_LOADED: dict[tuple[str, tuple[type, ...]], Module] = {}
_NONE: Mapping[str, type] = MappingProxyType({})


class Module(ModuleType):
    """A generated module. `__key__` is the hash for what is compiled from it; None where that is not for the disk."""

    __slots__ = ("__key__",)
    __key__: str | None


def load_module(
    name: str, text: str, options: str, classes: Mapping[str, type] = _NONE, *, machine: bool = False
) -> Module:
    """The module with this text: loaded once in a process, its text written once for all processes.

    `classes` are the exceptions that the text raises and that are not built in. machine: only Numba will read it, for
    which comments say nothing, such as the number of the user's line.
    """
    places = "\0".join(f"{own} {kind.__module__}.{kind.__qualname__}" for own, kind in classes.items())
    key = key_of(name, _without_comments(text) if machine else text, options, places)
    module_name = f"pullback_generated_{name}_{key[:20]}"
    with _LOCK:
        known = (module_name, tuple(classes.values()))
        if known not in _LOADED:
            # Other classes of the same names, such as those of a notebook's cell that is run again.
            again = sum(other == module_name for other, _ in _LOADED)
            module = Module(f"{module_name}_{again}" if again else module_name)
            module.__key__ = None if again else key
            sys.modules[module.__name__] = module
            _define(module, classes, machine)
            _run(module, f"{files.stem(name, key_of(name, text, options, places))}.py", text)
            _LOADED[known] = module
        return _LOADED[known]


def _without_comments(text: str) -> str:
    """A text without its comments but the last one, which says where products may be contracted."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if line.startswith(ENDING) or not line.lstrip().startswith("#"))


def _define(module: Module, classes: Mapping[str, type], machine: bool) -> None:
    for name, kind in classes.items():
        module.__dict__[name] = stand_in(kind, name, module.__name__) if machine else kind


def stand_in(kind: Any, name: str, module: str) -> type:
    """A class that makes exceptions of another class, and that Numba finds under its name in a generated module.

    Numba keeps the exceptions of compiled code as pickles. That of a class in `__main__` or in a function would be
    another class in the next process.
    """

    def __new__(cls: type, *arguments: Any) -> Any:
        is_made = len(arguments) == 1 and isinstance(arguments[0], kind)  # Python asks again for the one that it got
        return arguments[0] if is_made else kind(*arguments)

    return type(name, (Exception,), {"__new__": __new__, "__module__": module, "__doc__": kind.__doc__})


def _run(module: Module, file: str, text: str) -> None:
    path = files.keep_text(file, text) or f"<{file}>"
    module.__file__ = path
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), module.__dict__)
