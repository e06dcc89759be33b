"""The C function between Numba's dispatcher and machine code: it looks at what only Python's own objects tell.

See `entrance` for who calls it.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from numba import intp
from numba.core.ccallback import CFunc

from pullback.compilation.cache.fingerprints import key_of
from pullback.compilation.cache.machine_code import keep as keep_on_disk
from pullback.runtime.codegen.compiled import kernel
from pullback.runtime.codegen.objects import (
    attribute,
    call,
    class_of,
    code_of,
    content,
    defaults_of,
    dtype_of,
    entry,
    forget_error,
    is_of_kind,
    item,
    keep,
    named_defaults_of,
    only_item,
    release,
    size,
)


@kernel
def functions_hold(functions: int, absent: int) -> bool:
    """Whether functions are made of the same code and defaults: four of each, itself where any defaults will do."""
    fits, k = True, 0
    while fits and k < size(functions):
        function, defaults, named = item(functions, k), item(functions, k + 2), item(functions, k + 3)
        there, there_named = defaults_of(function), named_defaults_of(function)
        fits = code_of(function) == item(functions, k + 1)
        fits = fits and (there == defaults or defaults == function or (there == 0 and defaults == absent))
        fits = fits and (there_named == named or named == function or (there_named == 0 and named == absent))
        k += 4
    return fits


@kernel
def entries_hold(dicts: int, absent: int) -> bool:
    """Whether objects stand in dicts under their keys: three of each."""
    fits, k = True, 0
    while fits and k < size(dicts):
        expected, found = item(dicts, k + 2), entry(item(dicts, k), item(dicts, k + 1))
        fits = found == expected or (found == 0 and expected == absent)
        k += 3
    return fits


@kernel
def others_hold(cells: int, objects: int) -> bool:
    """Whether cells have their contents, two of each, and objects their attributes, three of each."""
    fits, k = True, 0
    while fits and k < size(cells):
        found = content(item(cells, k))
        fits = found == item(cells, k + 1)
        if found != 0:
            release(found)
        k += 2
    k = 0
    while fits and k < size(objects):
        found = attribute(item(objects, k), item(objects, k + 1))
        fits = found == item(objects, k + 2)
        if found != 0:
            release(found)
        else:
            forget_error()
        k += 3
    return fits


@kernel
def types_fit(own: int, arguments: int) -> bool:
    """Whether arguments have the classes, and arrays the dtypes, that machine code was made for."""
    count = size(arguments)
    fits, k = 2 * count + FIRST == size(own), 0
    while fits and k < count:
        argument, kind, dtype = item(arguments, k), item(own, 2 * k + FIRST), item(own, 2 * k + FIRST + 1)
        fits = class_of(argument) == kind
        if fits and dtype != kind:
            fits = dtype_of(argument) == dtype
        k += 1
    return bool(fits)


def call_or_long_way(owns: int, arguments: int, keywords: int) -> int:
    """The body of a C function. `owns` is a list of one tuple: the machine code, the long way, `Checks`, what keeps the
    machine code in memory, and two for each argument.

    These are its class and, for an array, its dtype: to Numba's dispatcher, bytes in the other order may be the same.
    The tuple gives way to another one when something outside has changed, which may happen in the midst of a call. The
    long way repeats a call that raises, because it knows what to say of the error.
    """
    own = only_item(owns, 0)
    keep(own)
    checks, result = item(own, 2), 0
    absent = item(checks, 4)
    fits = keywords == 0 and types_fit(own, arguments) and functions_hold(item(checks, 0), absent)
    fits = fits and entries_hold(item(checks, 1), absent) and others_hold(item(checks, 2), item(checks, 3))
    if fits:
        result = call(item(own, 0), arguments, 0)
        fits = result != 0 or is_of_kind(item(checks, 5)) == 0  # an interrupt is not forgotten
        if not fits:
            forget_error()
    if not fits:
        result = call(item(own, 1), arguments, keywords)
    release(own)
    return int(result)


FIRST = 4
"""The number of the first item in the tuple that belongs to an argument."""


class Definition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


VARARGS_AND_KEYWORDS = 3


@functools.cache
def compiled_call() -> tuple[Definition, Any]:
    """`call_or_long_way` as CPython takes it, and what keeps its machine code."""
    signature = intp(intp, intp, intp)
    name = call_or_long_way.__name__
    made = keep_on_disk(CFunc(call_or_long_way, (signature.args, signature.return_type), {}, {}), name, key_of(name))
    made.compile()
    return Definition(b"call", made.address, VARARGS_AND_KEYWORDS, None), made


def builtin(definition: Definition, own: list[Any]) -> Any:
    """A built-in function that runs `call_or_long_way` with this list, as long as somebody keeps the definition."""
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    return make(ctypes.addressof(definition), own, None)
