"""Python's objects as compiled code sees them: addresses, what CPython's functions say of them, and words in memory."""

from __future__ import annotations

import ctypes
from typing import Any

from numba import int32, intp, types, void
from numba.extending import intrinsic

from pullback.runtime.codegen.compiled import kernel

only_item = types.ExternalFunction("PyList_GetItem", intp(intp, intp))
entry = types.ExternalFunction("PyDict_GetItem", intp(intp, intp))
content = types.ExternalFunction("PyCell_Get", intp(intp))
code_of = types.ExternalFunction("PyFunction_GetCode", intp(intp))
defaults_of = types.ExternalFunction("PyFunction_GetDefaults", intp(intp))
named_defaults_of = types.ExternalFunction("PyFunction_GetKwDefaults", intp(intp))
keep = types.ExternalFunction("Py_IncRef", void(intp))
attribute = types.ExternalFunction("PyObject_GetAttr", intp(intp, intp))
release = types.ExternalFunction("Py_DecRef", void(intp))
call = types.ExternalFunction("PyObject_Call", intp(intp, intp, intp))
is_of_kind = types.ExternalFunction("PyErr_ExceptionMatches", int32(intp))
forget_error = types.ExternalFunction("PyErr_Clear", void())

WORD = ctypes.sizeof(ctypes.c_void_p)
CLASS, SIZE, ITEMS = object.__basicsize__ - WORD, object.__basicsize__, tuple.__basicsize__
"""Where the class of an object, the size of a tuple and its items stand, in bytes from the address."""
DTYPE = object.__basicsize__ + 5 * WORD
"""Where the dtype of an array of NumPy stands: behind its data, rank, sizes, strides and base."""


@intrinsic
def word(context: Any, address: Any) -> Any:
    """The word in memory at an address."""

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (place,) = arguments
        return builder.load(builder.inttoptr(place, place.type.as_pointer()))

    return intp(intp), load


@kernel
def class_of(value):
    """The class of an object."""
    return word(value + CLASS)


@kernel
def dtype_of(array):
    """The dtype of an array."""
    return word(array + DTYPE)


@kernel
def size(objects):
    """The size of a tuple."""
    return word(objects + SIZE)


@kernel
def item(objects, k):
    """An item of a tuple, as long as somebody keeps it."""
    return word(objects + ITEMS + WORD * k)
