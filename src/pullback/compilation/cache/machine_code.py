"""Numba's compiled functions become files, and files compiled functions again: Numba's own cache is not used.

A dispatcher asks its `_cache` for machine code before it compiles, and hands over what it has compiled. Numba takes a
function to pieces and puts it together again; names, files and trust are ours. The names used here are Numba's private
ones. Where a version of Numba lacks one of them, or anything goes wrong, there is no cache, and no error.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from types import ModuleType
from typing import Any

from llvmlite.binding import address_of_symbol
from numba.core import config, serialize
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

from pullback.compilation.cache import files
from pullback.compilation.cache.folder import location, logger

_SETTINGS = (
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "LLVM_REFPRUNE_PASS",
    "LLVM_REFPRUNE_FLAGS",
    "USING_SVML",
)
"""Numba's settings from outside that change machine code."""


RELOAD_INIT = 7
"""Where Numba's form of compiled code has what must be done before it is loaded."""


class MachineCode:
    """What a dispatcher takes for its cache: the machine code of one generated function, a file for each signature."""

    def __init__(self, name: str, key: str) -> None:
        """`key` is a hash of all that the machine code depends on besides the signature and the machine."""
        self.name, self.key = name, key

    @property
    def cache_path(self) -> str | None:
        """The folder, for Numba's statistics."""
        path = location()
        return None if path is None else str(path)

    def enable(self) -> None:
        """What Numba's caches can do; ours is on as long as the dispatcher has it."""

    disable = flush = enable

    def load_overload(self, signature: Any, context: Any) -> Any:
        """What was compiled for a signature, in this process or another; None for a miss."""
        try:
            context.refresh()
            name, key = self.file_of(signature, context.codegen())
            contents = files.load(name, key)
        except Exception as error:
            logger.debug("no machine code for %s: %r", self.name, error)
            return None
        return None if contents is None else self.rebuilt(name, contents, context)

    def rebuilt(self, name: str, contents: bytes, context: Any) -> Any:
        """The compiled function in a file; None, and the file is gone, where Numba cannot use it."""
        try:
            symbols, parts = pickle.loads(contents)
            for prepare in parts[RELOAD_INIT]:  # threads of parallel loops, which define symbols
                prepare()
            return CompileResult._rebuild(context, *parts) if are_found(symbols) else None
        except Exception as error:
            logger.debug("%s cannot be used: %r", name, error)
            files.discard(name)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, where it can be kept."""
        try:
            if compiled.library.has_dynamic_globals or compiled.lifted:
                logger.debug("the machine code of %s contains addresses of this process", self.name)
                return
            name, key = self.file_of(signature, compiled.library.codegen)
            files.save(name, key, dumps((symbols_of(compiled.library), compiled._reduce())))
        except Exception as error:
            logger.debug("the machine code of %s cannot be kept: %r", self.name, error)

    def load_alone(self, signature: Any, context: Any, module: str) -> Any:
        """The same where nothing of ours was imported, nor Numba made ready to compile; None for a miss.

        module: the name of the generated module, which Numba looks for.
        """
        try:
            rtsys.initialize(context)
            name, key = self.file_of(signature, context.codegen())
            contents = files.load(name, key)
        except Exception as error:
            logger.debug("no machine code for %s: %r", self.name, error)
            return None
        sys.modules.setdefault(module, ModuleType(module))
        return None if contents is None else self.rebuilt(name, contents, context)

    def file_of(self, signature: Any, codegen: Any) -> tuple[str, str]:
        """The name and the key of the file for a signature on this kind of machine."""
        key = "\0".join([self.key, str(signature), *machine(codegen)])
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{files.stem(self.name, self.key)}-{digest[:20]}.code", key


def machine(codegen: Any) -> list[str]:
    """What machine code depends on besides the function: the processor with its features, and settings of Numba's."""
    settings = [f"{name}={getattr(config, name, None)}" for name in _SETTINGS]
    return [*map(str, codegen.magic_tuple()), *settings]


def dumps(parts: Any) -> bytes:
    """A compiled function in pieces as bytes: Numba's pickles, in which types and exceptions find their way back."""
    made: bytes = serialize.dumps(parts)
    return made


def symbols_of(library: Any) -> tuple[str, ...]:
    """The names in a library of Numba's that stand for what is not in it."""
    module = library._final_module
    outside = [*module.functions, *module.global_variables]
    return tuple(v.name for v in outside if v.is_declaration and not v.name.startswith("llvm."))


def are_found(symbols: tuple[str, ...]) -> bool:
    """Whether machine code finds these names in this process; what our helpers define is imported for it.

    LLVM ends the process where one is missing.
    """
    if all(map(address_of_symbol, symbols)):
        return True
    import pullback.runtime.helpers  # noqa: F401  under the lock of who asks
    from pullback.runtime.exact.finding import place_again

    return all(address_of_symbol(symbol) or place_again(symbol) for symbol in symbols)


def is_supported() -> bool:
    """Whether this version of Numba has what is used here."""
    return all(hasattr(CompileResult, name) for name in ("_reduce", "_rebuild"))


def keep(dispatcher: Any, name: str, key: str | None) -> Any:
    """The dispatcher or C function, which looks for machine code on disk from now on; not without a key."""
    if key is not None and is_supported() and hasattr(dispatcher, "_cache"):
        dispatcher._cache = MachineCode(name, key)
    else:
        logger.debug("this version of Numba keeps no machine code")
    return dispatcher
