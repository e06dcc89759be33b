"""A value's class becomes the reason why the value cannot be differentiated, and what to pass in its place.

Differentiated code computes what arrays and numbers compute. Where a class gives operations another meaning, or belongs
to another package, that would be something else than what the program says.
"""

from __future__ import annotations

import dataclasses
import numbers
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

from pullback.functions import record_in_place_of
from pullback.functions.objects import fields_of, part_of

Answer = TypeVar("Answer")

MOST_AXES = 32
"""Numba's arrays have no more."""

_HARMLESS = {
    *("__new__", "__init__", "__repr__", "__str__", "__format__", "__doc__", "__hash__", "__dir__", "__sizeof__"),
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__getnewargs__", "__copy__", "__deepcopy__"),
    *("__init_subclass__", "__subclasshook__", "__class__", "__class_getitem__", "__array_finalize__", "__setattr__"),
    *("__delattr__", "__array_priority__", "__buffer__"),
}
_OPERATIONS = {"__array_ufunc__", "__array_function__", *dir(np.ndarray), *dir(float), *dir(int)} - _HARMLESS

_PLAIN = (np.ndarray, np.memmap, float, int, bool, complex)

_REMEDIES = {
    "torch": "{}.detach().cpu().numpy()",
    "jax": "np.asarray({})",
    "jaxlib": "np.asarray({})",
    "tensorflow": "{}.numpy()",
    "cupy": "cupy.asnumpy({})",
    "pandas": "{}.to_numpy()",
    "xarray": "{}.to_numpy()",
    "polars": "{}.to_numpy()",
    "dask": "{}.compute()",
    "scipy": "{}.toarray()",
}
"""What makes an array of NumPy out of those of other packages."""

_ARRAYS = ("__array__", "__array_ufunc__", "__array_function__", "__array_interface__", "__dlpack__")


@dataclasses.dataclass(frozen=True, slots=True)
class Obstacle:
    """What a value is, and what takes its place; `{}` stands for the text that means the value."""

    reason: str
    remedy: str


def of_class(question: Callable[[type], Answer]) -> Callable[[type], Answer]:
    """A question that is answered once for each class."""
    return cache(question)


@of_class
def changes_meaning(kind: type) -> bool:
    """Whether a subclass of arrays or numbers defines an operation, so that it may mean something else.

    >>> changes_meaning(np.matrix), changes_meaning(np.memmap), changes_meaning(np.float32)
    (True, False, False)
    """
    for base in kind.__mro__:
        if base in _PLAIN or (issubclass(base, np.generic) and base.__module__ == "numpy"):
            return False
        if not _OPERATIONS.isdisjoint(vars(base)):
            return True
    return False


@of_class
def obstacle_of(kind: type) -> Obstacle | None:
    """Why no value of a class can be differentiated; None for numbers, arrays, and what is neither."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if issubclass(kind, np.ndarray):
        remedy = "np.asarray({})"
    elif issubclass(kind, int | float | complex):
        remedy = f"{next(base for base in (int, float, complex) if issubclass(kind, base)).__name__}({{}})"
    elif issubclass(kind, np.generic):
        return None
    elif issubclass(kind, list | tuple | dict):
        return _container(kind, name)
    elif issubclass(kind, numbers.Number):
        return Obstacle(f"is a {name}, which is no number that NumPy computes with", "pass float({})")
    else:
        return _foreign(kind, name)
    if not changes_meaning(kind):
        return None
    return Obstacle(
        f"is of class {name}, whose operations are not those of NumPy's arrays and numbers", f"pass {remedy}"
    )


def _container(kind: type, name: str) -> Obstacle | None:
    """Of a list, tuple or dict with operations of its own; the operators of namedtuples are followed."""
    plain = next(base for base in (list, tuple, dict) if issubclass(kind, base))
    told = {"__iter__"} if hasattr(kind, "_fields") else set(dir(plain)) - _HARMLESS
    for base in kind.__mro__:
        if base.__module__.partition(".")[0] in sys.stdlib_module_names:
            return None
        if any(isinstance(member, FunctionType) for key, member in vars(base).items() if key in told):
            reason = f"is of class {name}, whose operations are not those of a {plain.__name__}"
            return Obstacle(reason, f"pass {plain.__name__}({{}})")
    return None


def _foreign(kind: type, name: str) -> Obstacle | None:
    """Of arrays that are not NumPy's, and not tensors of ours."""
    root = kind.__module__.partition(".")[0]
    known = root in _REMEDIES and (root != "scipy" or kind.__module__.startswith("scipy.sparse"))
    if record_in_place_of(kind) is not None:
        return None
    is_array = any(hasattr(kind, name) for name in _ARRAYS) or (known and hasattr(kind, "shape"))
    if not is_array or hasattr(kind, "__pullback_elements__"):
        return None
    remedy = _REMEDIES[root] if known else "np.asarray({})"
    return Obstacle(f"is of class {name}, which is not an array of NumPy", f"pass {remedy}")


def as_number(value: Any) -> Any:
    """A member of an enum, or a number of another subclass that computes like its class, as a number of Python's."""
    if type(value) in (float, int, bool, complex) or isinstance(value, np.generic):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, complex):
        return complex(value)
    return float(value) if isinstance(value, float) else value


def obstacle(value: Any) -> Obstacle | None:
    """Why a value can be no argument of a differentiated function; None where it can.

    >>> obstacle(np.ma.array([1.0])).remedy
    'pass np.asarray({})'
    """
    found = obstacle_of(type(value))
    if found is None and getattr(value, "ndim", 2) != 2 and record_in_place_of(type(value)) is not None:
        return Obstacle("is a sparse array that is no matrix", "pass {}.toarray()")
    if found is not None or not isinstance(value, np.ndarray | np.generic):
        return found
    dtype, what = value.dtype, "an array of" if isinstance(value, np.ndarray) else "a number of"
    if isinstance(value, np.str_ | np.bytes_):
        return None
    if dtype.kind not in "fiubc":
        return Obstacle(f"is {what} {dtype}", "pass real numbers")
    if dtype.kind in "fc" and dtype.char not in "fdFD":
        wide = "complex128" if dtype.kind == "c" else "float64"
        return Obstacle(f"is {what} {dtype}, which cannot be differentiated", f"pass {{}}.astype(np.{wide})")
    if value.ndim > MOST_AXES:
        return Obstacle(f"has {value.ndim} axes, and compiled code knows {MOST_AXES}", "pass {}.reshape(...)")
    return None


def obstacle_of_class(value: Any) -> Obstacle | None:
    """The obstacle that a value's class is, whatever its dtype."""
    return obstacle_of(type(value))


def obstacles_in(
    value: Any, path: str, obstacle: Callable[[Any], Obstacle | None] = obstacle
) -> Iterator[tuple[str, Obstacle]]:
    """(path, obstacle) for what cannot be differentiated in a nested structure: `params['b']`, `points[0].x`."""
    found = obstacle(value)
    if found is not None:
        yield path, found
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from obstacles_in(item, f"{path}[{key!r}]", obstacle)
    elif isinstance(value, list | tuple):
        names = getattr(value, "_fields", None)
        for k, item in enumerate(value):
            yield from obstacles_in(item, f"{path}.{names[k]}" if names else f"{path}[{k}]", obstacle)
    elif (record := record_in_place_of(type(value))) is not None:
        for name in fields_of(record):
            yield from obstacles_in(part_of(record, value, name), f"{path}.{name}", obstacle)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from obstacles_in(getattr(value, field.name), f"{path}.{field.name}", obstacle)
