"""Every function of NumPy whose result shares memory with its argument, or that writes to it, is followed or refused;
so is what is a copy.

What NumPy has is asked of NumPy: each function and method is called in many ways, and those calls become programs that
write to one array and read the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

import cells
import pullback as pb

SHAPES = [(4,), (2, 2)]
REST = [
    *("", "0", "1", "-1", "(4,)", "(2, 2)", "0, 1", "(1, 0)", "axis=0", "None", "np.float64", "dtype=np.float64"),
    *("copy=True", "order='C'", "order='K'", "copy=False", "np.float64, copy=False", "copy=None", "y", "k=1"),
    *("offset=1", "2, axis=0", "out=y", "y, out=y"),
]
LEFT_OUT = {"fromfile", "load", "loadtxt", "memmap", "resize", "save", "savetxt", "savez", "savez_compressed"} | {
    *("dump", "tofile", "set_printoptions", "setbufsize", "seterr", "seterrcall", "show_config", "show_runtime"),
    *("info", "test", "empty_like"),
}
OF_COPIES = ("()", "(y)", "(y, 0)", "0)", "copy=True)", "order='C')", "order='K')")
"""Ends of the calls of which also those are tried whose results are copies."""
OVERLAPPING = {"np.vecdot(y, y, out=y)"}
"""Calls in which NumPy itself reads elements that it has written."""
WRITTEN_BEFORE = ["y[...] = y * y + 0.5", "return np.sum({v} * {v})"]
WRITTEN_BEHIND = ["w = {v}", "w[...] = w * w + 0.5", "return np.sum(y * y)"]
WRITTEN_BY_THE_CALL = ["return np.sum(y * y)"]


def calls() -> Iterator[str]:
    """The calls of functions and methods whose names begin with a small letter."""
    for module, prefix in ((np, "np."), (np.linalg, "np.linalg.")):
        for name in sorted(set(dir(module)) - LEFT_OUT):
            is_function = callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
            if name[0] in ascii_lowercase and is_function:
                yield from (f"{prefix}{name}(y{', ' if rest else ''}{rest})" for rest in REST)
    for name in sorted(set(dir(np.ndarray)) - LEFT_OUT):
        if name[0] in ascii_lowercase:
            yield f"y.{name}"
            yield from (f"y.{name}({rest})" for rest in REST)


def programs(call: str, x: Any) -> Iterator[Callable[..., Any]]:
    """The functions that show what the call does to memory."""
    y = x.copy()
    try:
        result = eval(call, {"np": np, "y": y})
    except Exception:  # NumPy has no such call
        return
    parts = [
        part for part in (result if isinstance(result, tuple | list) else (result,)) if isinstance(part, np.ndarray)
    ]
    of_copies = call.endswith(OF_COPIES)
    shared = [part for part in parts if part.dtype == x.dtype and (of_copies or np.shares_memory(part, y))]
    name = "v" if isinstance(result, np.ndarray) else "v[0]"
    if shared:
        yield loaded(call, [line.format(v=name) for line in WRITTEN_BEFORE])
    if shared and shared[0].flags.writeable:
        yield loaded(call, [line.format(v=name) for line in WRITTEN_BEHIND])
    if not np.array_equal(x, y):
        yield loaded(call, WRITTEN_BY_THE_CALL)


def loaded(call: str, lines: list[str]) -> Callable[..., Any]:
    text = "\n    ".join(["def f(x):", "y = x * 1.0", f"v = {call}", *lines]) + "\n"
    return cells.run(text, np=np)["f"]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("block", range(12))
@pytest.mark.filterwarnings("ignore")  # NumPy's, about values and about ways to call it
def test_memory_that_is_shared_is_followed_or_refused(block: int) -> None:
    followed, refused = 0, 0
    for call in [call for call in calls() if call not in OVERLAPPING][block::12]:
        for shape in SHAPES:
            x = np.array([0.37, -0.74, 1.11, 1.48]).reshape(shape)
            for function in programs(call, x):
                try:
                    plain = function(x.copy())
                except (ValueError, TypeError, IndexError):
                    continue
                try:
                    value = pb.differentiable(jit=False)(function)(x.copy())
                except pb.PullbackError:
                    refused += 1
                    continue
                followed += 1
                np.testing.assert_allclose(value, plain, rtol=1e-12, err_msg=call)
    assert followed + refused > 20


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda y: np.sum(np.nan_to_num(y, copy=False)), "a copy that is not always made"),
        (lambda y: np.sum(y.astype(np.float64, copy=False)), "a copy that is not always made"),
    ],
)
def test_results_in_arguments_are_refused_with_a_remedy(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(pb.LanguageError, match=reason) as caught:
        pb.grad(function)(np.ones(3))
    assert caught.value.problems[0].remedy


def type_called_with_an_array_of_it(x: Any) -> Any:
    z = x * 2.0
    y = np.float64(z)
    y[0] = 9.0 * x[1]
    return np.sum(z * z)


@pytest.mark.parametrize("jit", [False, True])
def test_a_type_that_is_called_gives_an_array_of_it_itself(jit: bool) -> None:
    function = pb.differentiable(type_called_with_an_array_of_it, jit=jit)
    value, gradient = pb.value_and_grad(function)(np.array([1.0, 2.0, 3.0]))
    assert value == 376.0
    assert gradient.tolist() == [0.0, 340.0, 24.0]


def number_in_an_array_written_through_an_axis(x: Any) -> Any:
    y = np.atleast_1d(x)
    y[0] = 9.0 * x
    return x * x


@pytest.mark.parametrize("jit", [False, True])
def test_the_number_of_an_argument_is_written_through_an_axis(jit: bool) -> None:
    function = pb.differentiable(number_in_an_array_written_through_an_axis, jit=jit)
    x = np.array(0.75)
    assert function(x) == 6.75**2
    assert x == 6.75
    assert pb.grad(function)(np.array(0.75)) == 2 * 9.0 * 6.75


def diagonal_written_behind(x: Any) -> Any:
    m = x * 2.0
    d = np.rot90(m)
    m[0, 0] = 3.0
    return np.sum(d * d)


def test_a_turned_array_shows_what_is_written_later() -> None:
    x = np.ones((2, 2))
    value, gradient = pb.value_and_grad(pb.differentiable(diagonal_written_behind, jit=False))(x)
    assert value == diagonal_written_behind(x)
    assert gradient.tolist() == [[0.0, 8.0], [8.0, 8.0]]
