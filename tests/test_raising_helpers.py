"""Helpers that cannot raise are called without a look at their code; errors of the others arrive."""

from typing import Any

import numpy as np
import pytest
from numba import njit, types

from pullback.runtime.codegen import kept_callees
from pullback.runtime.codegen.callees import OPTIONS, compiled_callee
from pullback.runtime.codegen.compiled import kernel


@kernel
def doubled(n):
    return 2 * n


@kernel
def nothing(n):
    return None


@kernel
def halved(n):
    if n % 2:
        raise ValueError("an odd number has no half")
    return n // 2


@kernel
def doubled_twice(n):
    nothing(n)
    return doubled(doubled(n))


@kernel
def halved_twice(n):
    return halved(doubled_twice(halved(n)))


@kernel
def found_in(array, n):
    return array[n] if n < array.size else array[-1]


RAISING = [(doubled, False), (nothing, False), (halved, True), (doubled_twice, False), (halved_twice, True)]


def callee_of(function: Any, *given: Any) -> Any:
    return compiled_callee(function, given, OPTIONS)


@pytest.mark.parametrize(("function", "may_raise"), RAISING)
def test_what_may_raise_is_known(function: Any, may_raise: bool) -> None:
    assert callee_of(function, types.int64).library.may_raise is may_raise


@pytest.mark.parametrize("function", [doubled, halved])
def test_what_may_raise_is_kept(function: Any) -> None:
    made = callee_of(function, types.int64)
    pieces = kept_callees._taken_apart(made)
    again = kept_callees._put_together("of a test", pieces)
    assert pieces.may_raise is again.library.may_raise is made.library.may_raise


def test_errors_arrive_through_helpers() -> None:
    @njit
    def whole(n):
        return halved_twice(n) + doubled_twice(n)

    assert whole(4) == 4 + 16
    with pytest.raises(ValueError, match="an odd number has no half"):
        whole(3)


def test_arrays_are_given_back() -> None:
    @njit
    def whole(array, n):
        return found_in(array, n) + doubled(n)

    array = np.arange(4.0)
    assert whole(array, 2) == 6.0
    assert whole(array, 9) == 21.0


def test_calls_of_what_cannot_raise_compare_no_codes() -> None:
    @njit
    def silent(n):
        return doubled_twice(n)

    @njit
    def loud(n):
        return halved_twice(n)

    silent(2), loud(4)
    codes = {f.py_func.__name__: f.inspect_llvm(f.signatures[0]).count("label %") for f in (silent, loud)}
    text = callee_of(doubled_twice, types.int64).library._final_module
    assert "br i1" not in str(text), "there is a way out of a function that has none"
    assert codes["silent"] < codes["loud"]
