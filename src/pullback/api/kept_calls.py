"""Compiled code of a user's that calls ours, kept by Numba, becomes code for another process, or is compiled anew.

What Numba keeps of an `@njit(cache=True)` function contains the machine code of what it calls, and looks at no file but
the function's own. So a `Kept` goes with it into Numba's file. When the file is read, it asks what the callable of ours
now stands for. If that is another text, the file counts as missing: Numba takes an OSError for that.
"""

from __future__ import annotations

import sys
from typing import Any

from numba import types
from numba.extending import intrinsic

from pullback.api.numba_calls import key_for


class Stale(OSError):
    """What Numba has kept does not fit what is called now."""


class Kept:
    """What Numba runs when it has loaded a function that calls one of ours: nothing, but it is restored before."""

    def __init__(self, callable_: Any, arguments: tuple[Any, ...], key: str | None) -> None:
        """`key` is a hash of what was compiled for arguments of these Numba types."""
        self.callable, self.arguments, self.key = callable_, arguments, key

    def __call__(self) -> None:
        """Nothing is left to do."""

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (tuple(names_of(self.callable)), self.arguments, self.key)


def restored(names: tuple[tuple[str, str], ...], arguments: tuple[Any, ...], key: str | None) -> Kept:
    """The Kept for what these names now stand for. Raises Stale unless it is what was compiled, under all of them.

    The generated modules are loaded then, which the machine code looks for.
    """
    found = [getattr(sys.modules[module], name) for module, name in names if hasattr(sys.modules.get(module), name)]
    if key is None or not found:
        raise Stale("the function has no name under which it is found again")
    try:
        same = all(key_for(callable_, arguments) == key for callable_ in found)
    except Exception as error:
        raise Stale(str(error)) from error
    if not same:
        raise Stale("the function, or what it uses, has changed")
    return Kept(found[0], arguments, key)


def names_of(callable_: Any) -> list[tuple[str, str]]:
    """The modules, and the names in them, that stand for an object; those of the script if there are no others."""
    # A module may have further names, which other processes lack.
    modules = [(name, m) for name, m in list(sys.modules.items()) if getattr(m, "__name__", None) == name]
    found = [
        (module, name)
        for module, holder in modules
        for name, value in list(getattr(holder, "__dict__", {}).items())
        if value is callable_ and isinstance(name, str)
    ]
    return [names for names in found if names[0] != "__main__"] or found


def remembering(kept: Kept) -> Any:
    """A function for compiled code that does nothing but give its callers' libraries a Kept."""

    def typed(context: Any) -> Any:
        def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            context.active_code_library._reload_init.add(kept)
            return context.get_dummy_value()

        return types.none(), write

    return intrinsic(typed)
