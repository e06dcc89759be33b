"""Recursion that is too deep for the stack raises RecursionError, where compiled code would crash the process.

On Linux. A thread that was started has its record, to which `pthread_self` points, at the beginning of its stack. The
stack of the main thread is found among the maps of memory. Where Python's own recursion limit has been raised, a call
that was too deep runs again in a thread with a stack for so many calls.
"""

from __future__ import annotations

import contextvars
import ctypes
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from llvmlite import binding, ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable

_NEAR = 2**28
_USUAL = 8 * 2**20
_RAISED = 20_000
_BYTES_A_CALL = 2**10
_MOST = 2**31
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
        binding.add_symbol(name, ctypes.addressof(_STACKS))
    return name


_STACKS = (ctypes.c_int64 * 4)(*((_main_stack(), _largest(), 0, 0) if sys.platform == "linux" else ()))
"""Where the main stack begins, and how much of a stack recursion may use; the same of the one deep stack."""
_SYMBOL = _known_to_llvm("pullback_stack")
_ONE = threading.Lock()
_NAME = "deep recursion"


def _own_record() -> int:
    """The address of the record of the present thread."""
    function = ctypes.CDLL(None).pthread_self
    function.restype = ctypes.c_size_t
    record: int = function()
    return record


def can_go_deeper() -> bool:
    """Whether a call that was too deep may run again, as Python's recursion limit has been raised."""
    return sys.platform == "linux" and sys.getrecursionlimit() > _RAISED and threading.current_thread().name != _NAME


def on_deep_stack(call: Callable[[], Any]) -> Any:
    """What a call returns or raises that runs on a stack for as many calls as Python's recursion limit allows."""
    size = min(_MOST, _BYTES_A_CALL * sys.getrecursionlimit())
    done: Future[Any] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        _STACKS[2:4] = [_own_record(), 3 * size // 4]
        try:
            done.set_result(context.run(call))
        except BaseException as error:
            done.set_exception(error)
        finally:
            _STACKS[2:4] = [0, 0]

    with _ONE:
        before = threading.stack_size(size)
        thread = threading.Thread(target=run, name=_NAME)
        try:
            thread.start()
        except RuntimeError:  # there is no memory for the stack
            raise RecursionError("maximum recursion depth exceeded") from None
        finally:
            threading.stack_size(before)
        thread.join()
        return done.result()


@type_callable(check_depth)
def _type_of_check(context: Any) -> Any:
    return lambda: types.none


@lower_builtin(check_depth)
def _check(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    if sys.platform == "linux":
        with cgutils.if_unlikely(builder, _is_too_deep(builder)):
            context.call_conv.return_user_exc(builder, RecursionError, ("maximum recursion depth exceeded",))
    return context.get_dummy_value()


def _is_too_deep(builder: Any) -> Any:
    """Whether more bytes of the present stack are used than may be."""
    stack = builder.module.globals.get(_SYMBOL)
    if stack is None:
        stack = ir.GlobalVariable(builder.module, ir.ArrayType(_WORD, 4), _SYMBOL)
    main, largest, deep, most = (builder.load(builder.gep(stack, [_WORD(0), _WORD(k)])) for k in range(4))
    own = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORD, []), "pthread_self")
    here = builder.ptrtoint(cgutils.alloca_once(builder, ir.IntType(8)), _WORD)
    record = builder.call(own, [])
    from_record = builder.sub(record, here)
    is_deep = builder.icmp_unsigned("==", record, deep)
    started = builder.icmp_unsigned("<", from_record, _WORD(_NEAR))
    used = builder.select(started, from_record, builder.sub(main, here))
    usual = builder.and_(builder.icmp_unsigned(">", used, largest), builder.icmp_unsigned("<", used, _WORD(_NEAR)))
    return builder.select(is_deep, builder.icmp_unsigned(">", from_record, most), usual)
