"""Compiled helpers in pieces, for other processes, and together again."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from llvmlite import binding as llvm
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys

from pullback.runtime.codegen.callee_library import Callee, CalleeLibrary


class Pieces(NamedTuple):
    """What another process needs to know of a compiled helper.

    signature, description: Numba's.
    optimised, is_finished, may_raise: see `CalleeLibrary`.
    module: its LLVM module, as bitcode.
    prepare: Numba's functions that run before machine code is loaded.
    needed: the identities of the helpers that it calls.
    symbols: the names of what it calls of libraries.
    """

    signature: Any
    description: Any
    optimised: bool
    is_finished: bool
    may_raise: bool
    module: bytes
    prepare: tuple[Any, ...]
    needed: tuple[str, ...]
    symbols: tuple[str, ...]


class Store(Protocol):
    """Where pieces are kept, by the name of a helper and its identity."""

    def load(self, identity: str) -> Pieces | None: ...

    def save(self, identity: str, pieces: Pieces) -> None: ...

    def discard(self, identity: str, error: Exception) -> None: ...


_STORES: list[Store] = []
_KNOWN: dict[str, Callee] = {}
"""What has an identity, and was compiled or loaded in this process."""


def keep_in(store: Store) -> None:
    """From now on, what is compiled is kept there, and looked for."""
    _STORES[:] = [store]


def keep(callee: Callee) -> None:
    """Keep a helper that was compiled, where another process can use it."""
    identity = callee.library.identity
    if identity is None:
        return
    _KNOWN[identity] = callee
    pieces = _taken_apart(callee) if _STORES else None
    if pieces is not None:
        _STORES[0].save(identity, pieces)


def kept(identity: str | None) -> Callee | None:
    """A helper that was compiled before; None where there is none, or it does not fit this process."""
    if identity is not None and identity not in _KNOWN and _STORES:
        pieces = _STORES[0].load(identity)
        try:
            callee = None if pieces is None else _put_together(identity, pieces)
        except Exception as error:
            _STORES[0].discard(identity, error)
            callee = None
        if callee is not None:
            _KNOWN[identity] = callee
    return None if identity is None else _KNOWN.get(identity)


def _taken_apart(callee: Callee) -> Pieces | None:
    """None for what calls functions that have no identity, whose names mean others in another process."""
    library, description = callee.library, callee.description
    libraries = set(library._linking_libraries) - {library, rtsys.library}
    identities = tuple(called.identity for called in libraries if isinstance(called, CalleeLibrary) and called.identity)
    if len(identities) < len(libraries) or library.has_dynamic_globals:
        return None
    description.typemap = description.calltypes = None  # what Numba does before it keeps one
    module = library._final_module
    symbols = [function.name for function in module.functions if function.is_declaration]
    return Pieces(
        callee.signature,
        description,
        library.optimised,
        library.is_finished,
        library.may_raise,
        module.as_bitcode(),
        tuple(library._reload_init),
        () if library.optimised else identities,
        tuple(name for name in symbols if llvm.address_of_symbol(name)),
    )


def _put_together(identity: str, pieces: Pieces) -> Callee | None:
    called = [kept(needed) for needed in pieces.needed]
    for prepare in pieces.prepare:
        prepare()
    if None in called or not all(map(llvm.address_of_symbol, pieces.symbols)):
        return None
    target = cpu_target.target_context
    library = CalleeLibrary(target.codegen(), pieces.description.qualname)
    library.optimised, library.is_finished, library.identity = pieces.optimised, pieces.is_finished, identity
    library.may_raise = pieces.may_raise
    library.take([c.library for c in called if c], pieces.module, pieces.prepare)
    return Callee(pieces.signature, pieces.description, library)
