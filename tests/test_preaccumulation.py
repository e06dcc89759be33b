"""Partial derivatives that are computed along with a value are those of its rule."""

import itertools

import numpy as np
import pytest

import pullback as pb
from programs import log_sums
from pullback.functions.record import RECORDS

WITHOUT = pb.OPTIMISATIONS - {"preaccumulation"}
POINTS = [0.0, -0.0, 1.0, -1.5, 3.0, 40.0, -40.0, 800.0, -800.0, np.inf, -np.inf, np.nan]
RULES = [record.rule for record in RECORDS.values() if record.rule and record.rule.preaccumulated]


def log_of_sum(x, y):
    return np.logaddexp(x, y)


def test_there_are_such_rules():
    assert [rule.function for rule in RULES] == [np.logaddexp]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.function.__name__)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_they_are_those_of_the_rule(rule):
    for x1, x2 in itertools.product(map(np.float64, POINTS), repeat=2):
        expected = rule.body(x1, x2, y=rule.function(x1, x2))
        np.testing.assert_allclose(rule.preaccumulated(x1, x2), expected, rtol=1e-12, atol=1e-300)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_value_and_the_gradient_are_those_of_the_interpreted_function_at_all_points():
    compiled = pb.value_and_grad(log_of_sum, argnums=(0, 1))
    plain = pb.value_and_grad(pb.differentiable(log_of_sum, jit=False), argnums=(0, 1))
    assert "sigmoid" in pb.inspect_source(compiled, 1.0, 2.0)
    for x, y in itertools.product(POINTS, repeat=2):
        value, gradient = compiled(x, y)
        np.testing.assert_allclose(value, np.logaddexp(x, y), rtol=1e-14)
        np.testing.assert_allclose(gradient, plain(x, y)[1], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_gradient_is_the_same_without(dtype):
    x, y = log_sums.X.astype(dtype), log_sums.Y.astype(dtype)
    compiled = pb.grad(log_sums.sums_of_rows)
    without = pb.grad(pb.differentiable(log_sums.sums_of_rows, optimisations=WITHOUT))
    assert ("sigmoid" in pb.inspect_source(compiled, x, y)) == (dtype == np.float64)
    found, expected = compiled(x, y), without(x, y)
    assert found.dtype == expected.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == np.float64 else 1e-5)


def test_the_readable_derivative_has_the_rule():
    assert "np.exp(total" in pb.source(pb.grad(log_sums.running_sum), log_sums.X)


def test_a_derivative_of_a_derivative_is_the_same():
    found = pb.hessian(log_sums.running_sum)(log_sums.X)
    expected = pb.hessian(pb.differentiable(log_sums.running_sum, optimisations=False, jit=False))(log_sums.X)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-14)


def test_a_cotangent_of_zero_behind_a_choice_stays_zero():
    def chosen(x, y):
        total = 0.0
        for i in range(x.shape[0]):
            v = np.logaddexp(x[i], y[i])
            total += np.where(x[i] > -10.0, v, 1.0)
        return total

    x, y = np.array([1.0, -np.inf, 2.0]), np.array([0.5, -np.inf, 1.0])
    found = pb.grad(chosen, argnums=(0, 1))(x, y)
    expected = pb.grad(pb.differentiable(chosen, optimisations=False, jit=False), argnums=(0, 1))(x, y)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert found[0][1] == 0.0


def test_only_what_is_differentiated_has_partial_derivatives():
    def of_one(x, y):
        return np.sum(np.logaddexp(x, y))

    text = pb.inspect_source(pb.grad(of_one), log_sums.X, log_sums.Y)
    assert text.count("sigmoid") == 1
