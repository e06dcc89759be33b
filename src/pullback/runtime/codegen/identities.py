"""Names for helpers that are the same in every process: what one has compiled is found by the next.

A helper is told by where it stands in the package, by its code, and by what its closure holds; the text of the package
is not looked at, and must be compared elsewhere.

    >>> identity_of(_is_ours, (types.int64,), "") == identity_of(_is_ours, (types.int64,), "")
    True
    >>> identity_of(_is_ours, (types.int64,), "") == identity_of(_is_ours, (types.int32,), "")
    False
    >>> print(identity_of(lambda x: x, (types.int64,), ""))
    None
"""

from __future__ import annotations

import hashlib
import sys
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

import numpy as np
from numba import types

Words = tuple[Any, ...]

_PACKAGE = __name__.partition(".")[0] + "."
_LIBRARIES = {"builtins", "cmath", "math", "numba", "numpy", "operator", "_operator", "scipy", "pullback"}
_PLAIN = (int, float, complex, str, bytes, bool, type(None), type(...), np.generic)
_TOLD_BY_NAME = (
    types.Number,
    types.Boolean,
    types.NumberClass,
    types.DType,
    types.NoneType,
    types.EllipsisType,
    types.UnicodeType,
    types.SliceType,
    types.IntegerLiteral,
    types.BooleanLiteral,
    types.StringLiteral,
)


class Indescribable(Exception):
    """Another process could not tell whether an object is the same."""


def identity_of(function: Any, arguments: tuple[Any, ...], options: str) -> str | None:
    """A hash that tells a helper, compiled for these types, from all others; None where nothing does.

    options: a text that tells the options of the compiler.
    """
    try:
        words = _words(function), tuple(map(_type_words, arguments)), options
    except (Indescribable, RecursionError):
        return None
    return hashlib.sha256(repr(words).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _words(value: Any) -> Words:
    """A description of a function, or of what its closure holds. Raises Indescribable."""
    match value:
        case FunctionType() if _is_ours(value):
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
            defaults = value.__defaults__, tuple(sorted((value.__kwdefaults__ or {}).items()))
            return "function", value.__module__, _code_words(value.__code__), _words(cells), _words(defaults)
        case FunctionType() | BuiltinFunctionType() | type() | np.ufunc():
            return _names(value)
        case types.Type():
            return _type_words(value)
        case np.dtype() if value.fields is None:
            return "dtype", value.str
        case CodeType():
            return _code_words(value)
        case tuple() if type(value) is tuple:
            return "tuple", *map(_words, value)
        case frozenset():
            return "frozenset", *sorted(map(repr, map(_words, value)))
    if isinstance(value, _PLAIN):
        return type(value).__name__, repr(value)
    raise Indescribable


def _is_ours(function: FunctionType) -> bool:
    """Whether a function stands in a file of the package, which text that was made while running does not."""
    module = str(function.__module__)
    there = sys.modules.get(module)
    return module.startswith(_PACKAGE) and getattr(there, "__file__", None) == function.__code__.co_filename


def _code_words(code: CodeType) -> Words:
    constants = tuple(map(_words, code.co_consts))
    return code.co_qualname, code.co_firstlineno, code.co_code, code.co_names, code.co_freevars, constants


def _names(value: Any) -> Words:
    """Where a library has a function or class under its name. Raises Indescribable."""
    name = getattr(value, "__qualname__", None) or value.__name__
    own = str(getattr(value, "__module__", None))
    for module in (own, "numpy", "scipy.special") if own.partition(".")[0] in {"None", *_LIBRARIES} else ():
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is value:
            return "named", module, name
    raise Indescribable


def _type_words(t: Any) -> Words:
    """A description of one of Numba's types. Raises Indescribable, such as for one that stands for a function."""
    match t:
        case types.Array():
            return "array", str(t), _type_words(t.dtype)
        case types.BaseNamedTuple():
            raise Indescribable
        case types.BaseTuple():
            return type(t).__name__, *map(_type_words, t)
        case types.Omitted():
            return "omitted", _words(t.value)
        case types.Optional():
            return "optional", _type_words(t.type)
    if isinstance(t, _TOLD_BY_NAME):
        return type(t).__name__, str(t)
    raise Indescribable
