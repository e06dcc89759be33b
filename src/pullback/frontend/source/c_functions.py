"""Functions of C: their addresses, and the numbers that they take and give: of ctypes, cffi, Cython and Numba.

>>> import ctypes
>>> twice = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: 2.0 * x)
>>> c_function(twice).signature
'(float64) -> float64'
"""

from __future__ import annotations

import _ctypes
import ctypes
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_DTYPES = ("float64", "float32", "int64", "int32")
"""What is passed to C and taken from there as it is; anything else is called by Python."""


@dataclass(frozen=True, slots=True)
class CFunction:
    """Machine code that takes and gives numbers of these dtypes.

    result: None for nothing. hidden: whether it takes a 0 behind its arguments. locked: whether it may use Python.
    """

    address: int
    result: str | None
    arguments: tuple[str, ...]
    hidden: bool = False
    locked: bool = False

    @property
    def signature(self) -> str:
        taken = ", ".join((*self.arguments, "0") if self.hidden else self.arguments)
        return f"{'locked ' if self.locked else ''}({taken}) -> {self.result or '()'}"


def c_function(function: Any) -> CFunction | None:
    """What is behind a function of ctypes, cffi, Cython (a capsule or `LowLevelCallable`) or `numba.cfunc`.

    None where it is none of these, or takes or gives something else than numbers.
    """
    made = None
    if isinstance(function, ctypes._CFuncPtr):  # type: ignore[attr-defined]
        made = _of_ctypes(function)
    elif type(function).__name__ == "CFunc" and type(function).__module__.startswith("numba."):
        made = _of_ctypes(function.ctypes)
    elif type(function).__name__ == "PyCapsule":
        made = _of_capsule(function)
    elif type(function).__name__ == "LowLevelCallable" and function.user_data is None:
        made = c_function(function.function)
    elif type(function).__module__ == "_cffi_backend":
        made = _of_cffi(function)
    return made


def _made(
    address: int | None, result: str | None, arguments: Sequence[str | None], hidden: bool = False, locked: bool = False
) -> CFunction | None:
    known = tuple(a for a in arguments if a in _DTYPES)
    if not address or len(known) != len(arguments) or result not in (*_DTYPES, "None"):
        return None
    return CFunction(address, None if result == "None" else result, known, hidden, locked)


# ctypes


def _of_ctypes(function: Any) -> CFunction | None:
    if function.argtypes is None or getattr(function, "errcheck", None) or function._flags_ != _ctypes.FUNCFLAG_CDECL:
        return None  # Python does more for such a call
    result = "None" if function.restype is None else _of_ctype(function.restype)
    address = ctypes.cast(function, ctypes.c_void_p).value
    return _made(address, result, [_of_ctype(one) for one in function.argtypes])


def _of_ctype(kind: Any) -> str | None:
    """The dtype of a type of ctypes; None for pointers, structures and subclasses with meanings of their own."""
    is_plain = isinstance(kind, type) and kind.__base__ is ctypes._SimpleCData
    return next((name for name in _DTYPES if is_plain and kind is np.ctypeslib.as_ctypes_type(name)), None)


# cffi


def _of_cffi(function: Any) -> CFunction | None:
    ffi = sys.modules["_cffi_backend"].FFI()
    try:
        kind = ffi.typeof(function)
        if kind.kind != "function" or kind.ellipsis:
            return None
        address = int(ffi.cast("uintptr_t", function))
    except (TypeError, AttributeError):
        return None
    return _made(address, _of_text(kind.result.cname), [_of_text(one.cname) for one in kind.args])


# Capsules of Cython

_WIDTHS = {
    "double": "float64",
    "float": "float32",
    "int": f"int{8 * ctypes.sizeof(ctypes.c_int)}",
    "long": f"int{8 * ctypes.sizeof(ctypes.c_long)}",
    "long long": "int64",
    "ssize_t": f"int{8 * ctypes.sizeof(ctypes.c_ssize_t)}",
    "int32_t": "int32",
    "int64_t": "int64",
    "void": "None",
}


def _of_text(text: str) -> str | None:
    """The dtype of a type as C writes it."""
    return _WIDTHS.get(text.replace("Py_ssize_t", "ssize_t").strip())


def _of_capsule(capsule: Any) -> CFunction | None:
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = get_name(capsule)
    found = re.fullmatch(r"(?P<result>[^(]*)\((?P<arguments>.*)\)", (name or b"").decode())
    if found is None:
        return None
    arguments = found["arguments"].split(", ") if found["arguments"] else []
    hidden = bool(arguments) and arguments[-1].endswith("skip_dispatch")
    shown = [_of_text(one) for one in (arguments[:-1] if hidden else arguments)]
    return _made(get_pointer(capsule, name), _of_text(found["result"]), shown, hidden, locked=True)
