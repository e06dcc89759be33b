"""What a compiled function holds when it raises is released: failing calls leave as many allocations as there were."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python, rtsys

import pullback as pb


def index_in_a_loop(x, n):
    y = x * 2.0
    z = np.exp(y)
    s = 0.0
    for k in range(n):
        s += z[k] * y[k]
    return s


def sizes_of_a_product(x, n):
    y = np.zeros(len(x)) + x
    return (y @ y[:n]) * np.sum(y)


def raised_in_a_loop(x, n):
    y = x.copy()
    for k in range(5):
        y = y * x
        if k == n:
            raise ValueError("no")
    return np.sum(y)


def list_of_arrays(x, n):
    rows = []
    for k in range(5):
        rows.append(x[k] * x)
    A = np.outer(x, x)
    return np.sum(A @ rows[n])


def sizes_of_a_sum(x, n):
    b = np.concatenate((x, x))
    return np.sum(b[n:] * x)


def factorisation(x, n):
    s = 0.0
    for k in range(n):
        A = np.outer(x, x)
        A[k] = x
        s += np.sum(np.linalg.inv(A - A))
    return s


def held_on_one_path(x, n):
    y = x
    if n > 2:
        y = np.sin(x)
        z = np.outer(y, x)
    if n > 3:
        y = z[n] * x
    return np.sum(y) + z[n, n]


def buffers_in_turn(x, n):
    a = x.copy()
    b = np.zeros_like(x)
    k = 0
    while k < n:
        b = a * x + b[k]
        a, b = b, a
        k += 1
    return np.sum(a)


def helper(y, n):
    w = y * y
    if n > 3:
        raise ArithmeticError("in the helper")
    return w


def raised_by_a_helper(x, n):
    y = np.cos(x)
    return np.sum(helper(y, n) * y)


def power(x, n):
    y = x * 1.5
    if n > 10:
        raise RuntimeError("deep")
    return y if n == 0 else y * power(x, n + 1)


def raised_by_recursion(x, n):
    return np.sum(power(x, n))


def whole_number_too_large(x, n):
    y = x * x
    return np.sum(y) * (n * n * n * n * n * n * n * n * n * 10**18)


def pairs(x, n):
    both = (x * 2.0, x + 1.0)
    t = both[0][n]
    both = (both[1], both[0] * t)
    return np.sum(both[1]) * both[0][n + 1]


FAILING: list[tuple[Callable[..., Any], int]] = [
    (index_in_a_loop, 40),
    (sizes_of_a_product, 3),
    (raised_in_a_loop, 3),
    (list_of_arrays, 7),
    (sizes_of_a_sum, 3),
    (factorisation, 2),
    (held_on_one_path, 9),
    (buffers_in_turn, 12),
    (raised_by_a_helper, 4),
    (raised_by_recursion, 1),
    (whole_number_too_large, 9),
    (pairs, 5),
]

x = np.linspace(1.0, 2.0, 6)


@pytest.fixture(autouse=True)
def counting() -> Iterator[None]:
    """Numba counts its allocations."""
    was_on = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not was_on:
        _nrt_python.memsys_disable_stats()


def allocations() -> int:
    """How many arrays compiled code has made that nobody has released."""
    gc.collect()
    stats = rtsys.get_allocation_stats()
    alive: int = stats.mi_alloc - stats.mi_free
    return alive


def failing(call: Callable[..., Any], arguments: tuple[Any, ...], calls: int) -> None:
    """Call again and again what must raise."""
    failed = 0
    for _ in range(calls):
        try:
            call(*arguments)
        except Exception:
            failed += 1
    assert failed == calls


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("function", "n"), FAILING, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("form", ["value", "gradient", "pullback"])
def test_failing_calls_keep_nothing(function: Callable[..., Any], n: int, form: str) -> None:
    differentiable = pb.differentiable(function)
    forms = {
        "value": differentiable,
        "gradient": pb.grad(differentiable),
        "pullback": lambda x, n: pb.vjp(differentiable, x, n),
    }
    failing(forms[form], (x, n), 1)
    before = allocations()
    failing(forms[form], (x, n), 20)
    assert allocations() == before


def test_failing_calls_from_compiled_code_keep_no_more_than_numba_does() -> None:
    gradient = pb.grad(factorisation)

    @njit
    def caller(x: Any, n: int) -> Any:
        return gradient(x, n)

    failing(caller, (x, 2), 1)
    before = allocations()
    failing(caller, (x, 2), 20)
    assert allocations() - before <= 20, "Numba itself keeps the argument of the caller"
