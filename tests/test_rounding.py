"""Rounding into arrays, of complex numbers, integers and lists: the slope is 0, the other factor is the gradient."""

import numpy as np
import pytest

import pullback as pb

D = np.random.default_rng(64).uniform(-4.0, 4.0, 6)


def into_an_array(d):
    e = np.empty_like(d)
    np.round(d * 1.3, out=e)
    return np.sum(e * d)


def of_complex_numbers(d):
    return np.sum(d * np.round(d * (1 + 0.6j)).imag)


def of_integers(d):
    return np.sum(np.round(np.arange(6)) * d)


def of_a_list(d):
    return np.sum(np.round([1.4, 2.6, 3.7, -0.5, 0.5, 1.5]) * d)


def with_signs_of_zero(d):
    return np.sum(d * np.copysign(1.0, np.round(d / 10)) * np.copysign(1.0, np.fix(d / 10)))


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(
    ("function", "gradient"),
    [
        (into_an_array, np.round(D * 1.3)),
        (of_complex_numbers, np.round(D * 0.6)),
        (of_integers, np.arange(6.0)),
        (of_a_list, np.array([1.0, 3.0, 4.0, -0.0, 0.0, 2.0])),
        (with_signs_of_zero, np.ones(6)),
    ],
)
def test_rounded_factors(function, gradient, jit):
    value, found = pb.value_and_grad(pb.differentiable(jit=jit)(function))(D)
    assert value == pytest.approx(function(D), rel=1e-14)
    np.testing.assert_array_equal(found, gradient)


def test_what_an_array_does_not_round_to_is_refused():
    with pytest.raises(pb.PullbackError, match="round"):
        pb.grad(lambda d: np.sum(np.round(d, size=3) * d))(D)


@pytest.mark.parametrize("jit", [True, False])
def test_numbers(jit):
    gradient = pb.grad(pb.differentiable(jit=jit)(lambda d: np.fix(d[0]) * d[1] + np.round(d[2]) * d[3]))
    np.testing.assert_array_equal(gradient(D), [0.0, np.fix(D[0]), 0.0, np.round(D[2]), 0.0, 0.0])
