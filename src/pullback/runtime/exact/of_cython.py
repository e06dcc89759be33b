"""Functions of C that SciPy exports for Cython, under names by which compiled code finds them in any process.

>>> import numpy as np
>>> chosen_of_c("jv", (np.dtype("f8"), np.dtype("f8")), np.dtype("f8"))[2]
'__pyx_fuse_1jv'
"""

from __future__ import annotations

import ctypes
import operator
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir

from pullback.runtime.exact.native import place, word

SPECIAL = "pullback_special_"
"""The beginning of the names of functions of `scipy.special.cython_special`."""

_DTYPES = {"double": "f8", "float": "f4", "long": "i8" if ctypes.sizeof(ctypes.c_long) == 8 else "i4"}
Signature = tuple[tuple[np.dtype[Any], ...], np.dtype[Any], str]


@cache
def _exported() -> dict[str, list[Signature]]:
    """By the name of a ufunc: what the functions of numbers take and give, and the names that these have."""
    from scipy.special import cython_special

    found: dict[str, list[Signature]] = {}
    for name, capsule in cython_special.__pyx_capi__.items():
        text = _name_of_capsule(capsule).decode().removesuffix("int __pyx_skip_dispatch)")
        returned, _, taken = text.partition(" (")
        kinds = [_DTYPES.get(kind) for kind in (*taken.rstrip(", ").split(", "), returned)]
        own = re.sub(r"^__pyx_fuse_\d+(_\d+)*", "", name)
        if all(kinds):
            *first, last = (np.dtype(kind) for kind in kinds)
            found.setdefault(own, []).append((tuple(first), last, name))
    return found


def _name_of_capsule(capsule: Any) -> bytes:
    get_name = ctypes.pythonapi.PyCapsule_GetName
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    name: bytes = get_name(capsule)
    return name


def chosen_of_c(name: str, taken: tuple[np.dtype[Any], ...], returned: np.dtype[Any]) -> Signature | None:
    """What stands for a loop of a ufunc: a function of the same numbers, or else of wider ones; None without one."""
    fitting = [
        signature
        for signature in _exported().get(name, ())
        if len(signature[0]) == len(taken)
        and all(
            _is_as_wide(own, asked)
            for own, asked in zip((*signature[0], signature[1]), (*taken, returned), strict=True)
        )
    ]
    if not fitting:
        return None
    chosen = min(fitting, key=lambda signature: sum(map(operator.ne, signature[0], taken)))
    place_special(chosen[2])
    return chosen


def _is_as_wide(own: np.dtype[Any], asked: np.dtype[Any]) -> bool:
    return own == asked or (own.kind == asked.kind and own.itemsize > asked.itemsize)


@cache
def place_special(name: str) -> bool:
    """Let compiled code find an exported function; False where there is none of this name."""
    from scipy.special import cython_special

    capsule = cython_special.__pyx_capi__.get(name)
    if capsule is None:
        return False
    get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    place(SPECIAL + name, get_pointer(capsule, _name_of_capsule(capsule)), None)
    return True


def call_c(context: Any, builder: Any, name: str, numbers: Sequence[Any], returned: Any) -> Any:
    """The number that an exported function returns; the last argument of such functions is a 0."""
    given = [*numbers, ir.Constant(ir.IntType(32), 0)]
    kind = ir.FunctionType(context.get_value_type(returned), [value.type for value in given])
    return builder.call(builder.bitcast(word(builder, SPECIAL + name, 0), kind.as_pointer()), given)
