"""The types of values: scalars, arrays, and what is known before the program runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pullback.ir.classes import changes_meaning


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number. `weak` marks Python's own numbers, which take the dtype of what they meet (NumPy 2, NEP 50)."""

    dtype: str
    weak: bool = False

    def __str__(self) -> str:
        return f"{self.dtype}{'*' if self.weak else ''}"


@dataclass(frozen=True, slots=True)
class Array:
    """An array of known dtype and rank; sizes are a matter of the run."""

    dtype: str
    ndim: int

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(':' * self.ndim)}]"


@dataclass(frozen=True, slots=True)
class Stack(Array):
    """Room for values of one dtype that grows in place: no array to read until `contents` has made it one."""

    def __str__(self) -> str:
        return f"stack of {self.dtype}"


def axis_noun(type_: Any, axis: int) -> str:
    """What the size of an array along an axis is called.

    >>> axis_noun(Array("float64", 2), 1), axis_noun(Array("float64", 1), 0)
    ('columns', 'size')
    """
    return ("rows", "columns")[axis] if getattr(type_, "ndim", 0) == 2 else "size"


Type = Scalar | Array

FLOAT = Scalar("float64", weak=True)
INT = Scalar("int64", weak=True)
BOOL = Scalar("bool", weak=True)
COMPLEX = Scalar("complex128", weak=True)


def is_float(type_: Type) -> bool:
    """Whether values of the type can carry a derivative: floats, and complex numbers, which are made of two."""
    return type_.dtype.startswith(("float", "complex"))


def is_complex(type_: Type) -> bool:
    return type_.dtype.startswith("complex")


def is_real_float(type_: Type) -> bool:
    """Whether values of the type are floats on the real line.

    >>> is_real_float(FLOAT), is_real_float(COMPLEX), is_float(COMPLEX)
    (True, False, True)
    """
    return type_.dtype.startswith("float")


def zero_in(dtype: str) -> float:
    """0 as a number of Python's for values of a dtype.

    >>> zero_in("int64"), zero_in("float32"), zero_in("complex128")
    (0, 0.0, 0j)
    """
    zeros: dict[str, Any] = {"f": 0.0, "c": 0j}
    number: float = zeros.get(dtype[0], 0)
    return number


def real_of(dtype: str) -> str:
    """The dtype of the real part of what has a dtype.

    >>> real_of("complex64"), real_of("float64")
    ('float32', 'float64')
    """
    return {"complex128": "float64", "complex64": "float32"}.get(dtype, dtype)


def is_integer(type_: Type) -> bool:
    return type_.dtype.startswith(("int", "uint"))


def with_precision_of(dtype: str, other: str) -> str:
    """A dtype of floats or complex numbers with as many bits for a part as another one.

    >>> with_precision_of("complex128", "float32"), with_precision_of("float64", "complex64")
    ('complex64', 'float32')
    """
    narrow = real_of(other) == "float32"
    alike = {"f": "float32" if narrow else "float64", "c": "complex64" if narrow else "complex128"}
    return alike.get(dtype[0], dtype)


_PLAIN = (np.ndarray, float, int, bool, complex, np.float64, np.complex128)
_KINDS = "fiubc"


def type_of(value: Any) -> Type | None:
    """The type of a Python or NumPy value, or None where it is not a number or an array of numbers.

    >>> str(type_of(1.5)), str(type_of(np.float32(1))), str(type_of(np.zeros((2, 3))))
    ('float64*', 'float32', 'float64[:, :]')
    """
    if type(value) not in _PLAIN and changes_meaning(type(value)):
        return None
    if isinstance(value, np.ndarray):
        return Array(value.dtype.name, value.ndim) if value.dtype.kind in _KINDS else None
    if isinstance(value, np.generic):
        return Scalar(value.dtype.name) if value.dtype.kind in _KINDS else None
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    if isinstance(value, complex):
        return COMPLEX
    return FLOAT if isinstance(value, float) else None


def sample_of(type_: Type) -> Any:
    """A one-element value of the type: what NumPy is asked with.

    >>> sample_of(Array("float32", 2))
    array([[1.]], dtype=float32)
    """
    if isinstance(type_, Array):
        return np.ones((1,) * type_.ndim, type_.dtype)
    if type_.weak:
        return {"float64": 1.0, "int64": 1, "bool": True, "complex128": 1 + 0j}[type_.dtype]
    return np.dtype(type_.dtype).type(1)


def join(a: Type, b: Type) -> Type | None:
    """The common type of a value that is sometimes `a` and sometimes `b`, None where there is none.

    >>> str(join(INT, FLOAT)), str(join(FLOAT, Scalar("float32"))), join(FLOAT, Array("float64", 1))
    ('float64*', 'float32', None)
    """
    if a == b:
        return a
    if isinstance(a, Array) and isinstance(b, Array):
        if a.ndim != b.ndim:
            return None
        return Array(np.result_type(a.dtype, b.dtype).name, a.ndim)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        dtype = np.result_type(sample_of(a), sample_of(b)).name
        return Scalar(dtype, a.weak and b.weak)
    return None


def is_wide(dtype: str) -> bool:
    """Whether numbers of this dtype are made of 64 bits, the most there are."""
    return np.dtype(real_of(dtype)).itemsize == 8


def within(number: int, dtype: str) -> int:
    """The nearest integer that a dtype of integers can hold."""
    bounds = np.iinfo(dtype)
    return min(max(number, int(bounds.min)), int(bounds.max))
