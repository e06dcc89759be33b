"""Recursion that is too deep for the stack raises RecursionError, where compiled code would crash the process.

On Linux. A thread that was started has its record, to which `pthread_self` points, at the beginning of its stack. The
stack of the main thread is found among the maps of memory.
"""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable

_NEAR = 2**28
_USUAL = 8 * 2**20
_WORD = ir.IntType(64)


def check_depth() -> None:
    """RecursionError if compiled code has used up most of its stack; Python looks after its own."""


def _largest() -> int:
    """How many bytes of a stack recursion may use: three quarters of what threads have."""
    import resource

    limit = resource.getrlimit(resource.RLIMIT_STACK)[0]
    return 3 * (min(limit, _USUAL) if limit > 0 else _USUAL) // 4


def _main_stack() -> int:
    """The address at which the stack of the main thread begins; 0 if that is not known."""
    try:
        found = re.search(r"^[0-9a-f]+-([0-9a-f]+) .*\[stack\]$", Path("/proc/self/maps").read_text(), re.M)
    except (OSError, UnicodeDecodeError):
        return 0
    return int(found[1], 16) if found else 0


def _known_to_llvm(name: str) -> str:
    """The name under which LLVM finds where the main stack begins, and how much of a stack recursion may use."""
    if sys.platform == "linux":
        stack = (ctypes.c_int64 * 2)(_main_stack(), _largest())
        binding.add_symbol(name, ctypes.addressof(stack))
        _KEPT.append(stack)
    return name


_KEPT: list[Any] = []
_SYMBOL = _known_to_llvm("pullback_stack")


@type_callable(check_depth)
def _type_of_check(context: Any) -> Any:
    return lambda: types.none


@lower_builtin(check_depth)
def _check(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    if sys.platform == "linux":
        used, largest = _used(builder)
        deep = builder.and_(builder.icmp_unsigned(">", used, largest), builder.icmp_unsigned("<", used, _WORD(_NEAR)))
        with cgutils.if_unlikely(builder, deep):
            context.call_conv.return_user_exc(builder, RecursionError, ("maximum recursion depth exceeded",))
    return context.get_dummy_value()


def _used(builder: Any) -> tuple[Any, Any]:
    """The bytes of the present stack that are used, and how many may be."""
    stack = builder.module.globals.get(_SYMBOL)
    if stack is None:
        stack = ir.GlobalVariable(builder.module, ir.ArrayType(_WORD, 2), _SYMBOL)
    main, largest = (builder.load(builder.gep(stack, [_WORD(0), _WORD(k)])) for k in range(2))
    own = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, []), "pthread_self")
    here = builder.ptrtoint(cgutils.alloca_once(builder, ir.IntType(8)), _WORD)
    from_record = builder.sub(builder.call(own, []), here)
    started = builder.icmp_unsigned("<", from_record, _WORD(_NEAR))
    return builder.select(started, from_record, builder.sub(main, here)), largest
