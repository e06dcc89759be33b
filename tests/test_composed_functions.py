"""Functions that are made of others: what their texts do not know is refused; second derivatives."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oracle
import pullback as pb
from pullback.functions import RECORDS
from rule_samples import is_of_scipy

X = np.array([2.0, 0.0, 3.0, 0.0, 0.5])


def rule_of_bins(x):
    return np.sum(np.histogram(x, bins="auto", weights=x)[0])


def taken_in_another_mode(x):
    return np.sum(np.take(x, np.array([7]), mode="turn"))


def positions_of_another_rank(x):
    return np.sum(np.take_along_axis(x, np.array([[0]]), 0))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (rule_of_bins, "the number of bins that a rule chooses"),
        (taken_in_another_mode, "clipmode must be one of"),
        (positions_of_another_rank, "same number of dimensions"),
    ],
)
def test_what_a_text_does_not_know_is_refused_at_its_place(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(pb.PullbackError, match=message) as caught:
        pb.grad(pb.differentiable(function, jit=False))(X)
    error: Any = caught.value
    line = error.lineno if isinstance(error, pb.LanguageError) else error.location.line
    assert line == function.__code__.co_firstlineno + 1


def test_tensors_get_numpys_value_where_a_text_does_not_know_an_argument() -> None:
    x = pb.constant(X)
    with pb.GradientTape() as tape:
        tape.watch(x)
        y = np.unique(np.stack((x, x)), axis=0)
    np.testing.assert_array_equal(y.numpy(), X[None])
    with pytest.raises(pb.MissingRuleError):
        tape.gradient(y, x)


def test_a_text_of_a_function_with_a_rule_knows_more_than_the_rule_or_says_when_it_stands() -> None:
    both = [
        record
        for f, record in RECORDS.items()
        if record.text and record.rule and record.text_when is None and not is_of_scipy(f)
    ]
    parameters = [(set(inspect.signature(f).parameters) for f in (r.text, r.rule.body)) for r in both]
    assert all(text - rule for text, rule in parameters)


def products_so_far(x):
    return np.sum(np.sin(np.cumprod(x)) * np.cumprod(x[::-1]))


def products_so_far_behind_a_choice(x):
    return np.sum(np.where(x > 0.3, np.cumprod(x) ** 2, 0.0))


@pytest.mark.parametrize("function", [products_so_far, products_so_far_behind_a_choice])
@pytest.mark.parametrize("x", [X, np.array([0.4, 1.7, -0.3]), np.ones(0)])
def test_second_derivatives_of_running_products_are_the_oracles(function: Callable[..., Any], x: Any) -> None:
    direction = np.cos(np.arange(1.0, 1.0 + x.size))
    _, (expected,) = oracle.hvp(function, (x,), (direction,))
    t = pb.constant(x)
    with pb.GradientTape() as outer:
        outer.watch(t)
        with pb.GradientTape() as inner:
            inner.watch(t)
            y = function(t)
        slope = np.sum(inner.gradient(y, t) * direction)
    found = outer.gradient(slope, t, unconnected_gradients="zero")
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("jit", [False, True])
def test_squeeze_without_axes_drops_those_that_the_view_was_made_with(jit: bool) -> None:
    squeezed = pb.differentiable(lambda x: np.squeeze(x[:, None]) ** 2, jit=jit)
    value, pullback = pb.vjp(squeezed)(X)
    assert np.array_equal(value, X**2)
    assert np.array_equal(pullback(np.ones(5)), 2 * X)
    with pytest.raises(pb.ShapeError, match="axis 0 has one element"):
        squeezed(X[:1])


def first_of_a_partition(x):
    return np.sum(np.partition(x, 2)[:2])


@pytest.mark.parametrize("jit", [True, False])
def test_a_partition_of_nothing_looks_at_no_position(jit: bool) -> None:
    function = pb.differentiable(first_of_a_partition, jit=jit)
    value, slope = pb.value_and_grad(function)(np.zeros(0))
    assert (value, slope.shape) == (0.0, (0,))
    with pytest.raises(ValueError, match="kth"):
        function(np.zeros(2))


def weighted_line(x, y, w):
    return np.polyfit(x, y, 1, w=w)[0]


@pytest.mark.parametrize("jit", [True, False])
def test_a_fit_has_as_many_weights_as_points(jit: bool) -> None:
    x, w = np.ones(1), np.ones(3)
    for function in (weighted_line, pb.differentiable(weighted_line, jit=jit)):
        with pytest.raises(TypeError, match="same length"):
            function(x, x, w)


@pytest.mark.parametrize("jit", [False, True])
def test_a_row_beside_columns_is_one_variable(jit):
    """np.cov turns its second argument with `rowvar=False` unless that has one row."""

    def covariances(a, b):
        return np.sum(np.cov(a, b, rowvar=False) ** 2)

    a, b = np.cos(np.arange(8.0)).reshape(4, 2), np.sin(np.arange(4.0)).reshape(1, 4)
    derivative = pb.value_and_grad(pb.differentiable(jit=jit)(covariances), argnums=(0, 1))
    value, (_, by_row) = derivative(a, b)
    same, (_, by_column) = derivative(a, b.T)
    assert value == pytest.approx(covariances(a, b), rel=1e-14) == pytest.approx(same, rel=1e-14)
    np.testing.assert_allclose(by_row, by_column.T, rtol=1e-12)
