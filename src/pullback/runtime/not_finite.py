"""Which elements are NaN or infinite, and which of them are so although what they were computed from is not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from pullback.runtime.codegen.compiled import compiled, is_array
from pullback.runtime.memory.strided import flat, flat_to


def is_finite(x: Any) -> bool:
    """Whether a number, every element of an array, or all of these in a tuple are finite.

    >>> is_finite(1.0), is_finite((1.0, np.array([1.0, np.inf])))
    (True, False)
    """
    return all(map(is_finite, x)) if isinstance(x, tuple) else bool(np.all(np.isfinite(x)))


@compiled(is_finite, prefer_literal=False)
def _is_finite(x: Any) -> Any:
    def of_number(x: Any) -> Any:
        return np.isfinite(x)

    def of_array(x: Any) -> Any:
        y = flat(x)
        others = 0  # counted, so that LLVM makes vectors of the loop
        for k in range(y.size):
            others += not np.isfinite(y[k])
        return others == 0

    if isinstance(x, types.BaseTuple):
        return (lambda x: is_finite(x[0]) and is_finite(x[1:])) if len(x) else (lambda x: True)
    return of_array if is_array(x) else of_number


def first_not_finite(x: np.ndarray) -> int:
    """The number of the first element that is not finite, counted along the last axis first; -1 where all are.

    >>> first_not_finite(np.array([[1.0, 2.0], [np.inf, np.nan]])), first_not_finite(np.ones(2))
    (2, -1)
    """
    found = np.flatnonzero(~np.isfinite(x))
    return int(found[0]) if found.size else -1


@compiled(first_not_finite, prefer_literal=False)
def _first_not_finite(x: Any) -> Any:
    def find(x: Any) -> Any:
        y = flat(x)
        for k in range(y.size):
            if not np.isfinite(y[k]):
                return k
        return -1

    return find


def element_of(x: np.ndarray, number: int) -> float:
    """The element with this number, counted along the last axis first; 0 for the number -1.

    Of a complex number, its absolute value.
    """
    found = np.ravel(x)[number] if number >= 0 else 0.0
    return float(np.abs(found) if np.iscomplexobj(x) else found)


@compiled(element_of, prefer_literal=False)
def _element_of(x: Any, number: Any) -> Any:
    def element(x: Any, number: Any) -> Any:
        return np.float64(flat(x)[number]) if number >= 0 else 0.0

    def absolute(x: Any, number: Any) -> Any:
        return np.float64(abs(flat(x)[number])) if number >= 0 else 0.0

    return absolute if isinstance(x.dtype, types.Complex) else element


def unexplained(y: Any, x: Any) -> Any:
    """`y` with 0 for what is not finite because any element of its operand `x` is not.

    NaN follows from NaN alone, and an infinity from either.

    >>> float(unexplained(np.inf, np.array([1.0, np.inf]))), float(unexplained(np.nan, np.array([1.0, np.inf])))
    (0.0, nan)
    """
    return unexplained_by_elements(y, np.sum(np.where(np.isfinite(x), 0.0, np.abs(x))))


@compiled(unexplained, prefer_literal=False)
def _unexplained(y: Any, x: Any) -> Any:
    def by_array(y: Any, x: Any) -> Any:
        total = 0.0
        for element in flat(x):
            if not np.isfinite(element):
                total += abs(element)
        return unexplained_by_elements(y, total)

    return by_array if is_array(x) else lambda y, x: unexplained_by_elements(y, x)


def unexplained_by_elements(y: Any, x: Any) -> Any:
    """`y` with 0 for what is not finite because the same element of its operand `x` is not; see `unexplained`.

    >>> unexplained_by_elements(np.array([np.inf, np.inf, np.nan]), np.array([1.0, np.inf, np.inf]))
    array([inf,  0., nan])
    """
    explained = np.isnan(x) | (np.isinf(x) & np.isinf(y))
    return np.where(explained, 0.0, y)[()]


@compiled(unexplained_by_elements, prefer_literal=False)
def _unexplained_by_elements(y: Any, x: Any) -> Any:
    def by_array(y: Any, x: Any) -> Any:
        made = np.empty(y.shape, y.dtype)
        elements, into = flat_to(x, y.shape), flat(made)
        for k, element in enumerate(flat(y)):
            explained = np.isnan(elements[k]) or (np.isinf(elements[k]) and np.isinf(element))
            into[k] = 0.0 if explained else element
        return made

    def by_number(y: Any, x: Any) -> Any:
        made = np.empty(y.shape, y.dtype)
        into = flat(made)
        for k, element in enumerate(flat(y)):
            into[k] = 0.0 if np.isnan(x) or (np.isinf(x) and np.isinf(element)) else element
        return made

    def of_number(y: Any, x: Any) -> Any:
        return 0.0 if np.isnan(x) or (np.isinf(x) and np.isinf(y)) else np.float64(y)

    def of_complex_number(y: Any, x: Any) -> Any:
        return 0j if np.isnan(x) or (np.isinf(x) and np.isinf(y)) else np.complex128(y)

    if not is_array(y):
        return of_complex_number if isinstance(y, types.Complex) else of_number
    return by_array if is_array(x) else by_number
