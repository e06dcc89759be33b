"""Maxima and minima in loops: what NumPy makes of NaN, ties, infinities and empty axes, and how the loops look."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
from programs import reduced_maxima

A, V = reduced_maxima.A, reduced_maxima.V
Function = Callable[..., Any]


def of_all(x):
    return np.max(x * 2.0) - np.min(x + 1.0)


def of_rows(x):
    return np.sum(np.max(x * 2.0, axis=1) - np.min(x, axis=-1, keepdims=True)[:, 0])


def of_columns(x):
    return np.sum(np.max(x * 2.0, axis=0) - np.min(x, axis=-2))


def of_elements(x):
    return np.sum(np.max(x * x, axis=()) * x)


def with_hole(place, value):
    x = A.copy()
    x[place] = value
    return x


TIES = np.array([[1.0, 2.0, 2.0], [1.0, -3.0, 2.0], [1.0, -3.0, 0.0]])
SAMPLES = {
    "NaN first": with_hole((0, 0), np.nan),
    "NaN in the middle": with_hole((1, 2), np.nan),
    "NaN last": with_hole((2, 3), np.nan),
    "nothing but NaN": np.full((2, 3), np.nan),
    "infinities": with_hole((1, 1), np.inf),
    "nothing but -infinity": np.full((3, 2), -np.inf),
    "nothing but infinity": np.full((3, 2), np.inf),
    "ties": TIES,
    "zeros of both signs": np.array([[0.0, -0.0], [-0.0, 0.0]]),
    "strided": np.repeat(A, 3, axis=1)[::-1, ::2],
    "columns": np.asfortranarray(A),
    "float32": A.astype(np.float32),
    "float32 with NaN": with_hole((1, 2), np.nan).astype(np.float32),
    "long": np.sin(np.arange(5.0 * 67) ** 2).reshape(5, 67),
    "one row": A[:1],
    "one column": A[:, :1],
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "nothing": np.zeros((0, 0)),
}


def result_or_error(function: Function, x: Any) -> Any:
    try:
        return function(x.copy("K"))
    except ValueError as error:
        return type(error)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("function", [of_all, of_rows, of_columns, of_elements])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_values_and_gradients_are_those_of_the_array_statements(function: Function, sample: str) -> None:
    x = SAMPLES[sample]
    plain = pb.value_and_grad(pb.differentiable(function, optimisations=False, jit=False))
    expected, found = result_or_error(plain, x), result_or_error(pb.value_and_grad(function), x)
    if isinstance(expected, type):
        assert found is expected
        return
    assert found[1].dtype == expected[1].dtype == x.dtype
    rtol = 1e-12 if x.dtype == np.float64 else 1e-6
    np.testing.assert_allclose(found[0], expected[0], rtol=rtol)
    np.testing.assert_allclose(found[1], expected[1], rtol=rtol)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.max(x),
        lambda x: np.min(x, axis=0),
        lambda x: np.max(x, axis=1),
        lambda x: np.min(x, axis=1, keepdims=True),
        lambda x: np.max(x, axis=(0, 1), keepdims=True),
    ],
    ids=["all", "columns", "rows", "kept", "both"],
)
def test_results_are_numpys(function: Function, sample: str) -> None:
    x = SAMPLES[sample]
    expected, found = result_or_error(function, x), result_or_error(pb.differentiable(function), x)
    if isinstance(expected, type):
        assert found is expected
        return
    assert np.asarray(found).dtype == expected.dtype
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("sample", ["ties", "strided", "columns"])
@pytest.mark.parametrize("function", [of_all, of_rows, of_columns])
def test_forward_mode_agrees(function: Function, sample: str) -> None:
    x = SAMPLES[sample]
    direction = np.cos(np.arange(float(x.size))).reshape(x.shape)
    _, slope = pb.jvp(function, (x,), (direction,))
    np.testing.assert_allclose(slope, np.sum(pb.grad(function)(x) * direction), rtol=1e-12)


def test_second_derivatives_share_ties():
    def f(x):
        return np.sum(np.max(x**3, axis=1) ** 2)

    def slope(x):
        return np.sum(pb.grad(f)(x) * TIES)

    plain = pb.differentiable(slope, optimisations=False, jit=False)
    np.testing.assert_allclose(pb.grad(slope)(TIES), pb.grad(plain)(TIES), rtol=1e-12)


def test_integers_stay_calls():
    def f(n):
        return np.max(n, axis=0)

    n = np.array([[3, -1], [2, 7]])
    np.testing.assert_array_equal(pb.differentiable(f)(n), [3, 7])
    assert "max_over(n, 0, False)" in pb.inspect_source(f, n)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (reduced_maxima.the_largest_and_the_smallest, (A,)),
        (reduced_maxima.largest_of_columns, (A, V)),
        (reduced_maxima.softmax_of_squares, (A,)),
        (reduced_maxima.most_probable_path, (A, V, 4)),
    ],
)
@pytest.mark.parametrize("argnums", [(), 0])
def test_no_call_is_left(function: Function, arguments: tuple[Any, ...], argnums: Any) -> None:
    text = pb.inspect_source(function, *arguments, argnums=argnums)
    assert "_over(" not in text
    assert "greater_of(" in text


def test_what_makes_the_elements_is_in_the_same_nest():
    text = pb.inspect_source(reduced_maxima.smallest_of_rows, A, argnums=())
    assert text.count("for i in ") == 2  # the rows, and the sum of the minima
    assert "smallest = lesser_of(smallest, x[i, j] + 1.0)" in text


def test_sizes_that_only_the_run_knows_leave_the_call():
    def largest_part(x, n):
        return np.max(x[n:] * 2.0)

    assert "max_over(" in pb.inspect_source(largest_part, V, 2)


def test_threads_share_the_elements_of_a_maximum_over_everything():
    def f(x):
        return np.max(np.exp(x))

    text = pb.inspect_source(pb.differentiable(f, parallel=True), A, argnums=())
    assert "for i in prange(" in text or "for chunk in prange(" in text
    assert "max_over(" in text
