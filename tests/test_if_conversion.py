"""Selections in place of branches: what both sides compute is there on every path."""

import numpy as np
import pytest

import pullback as pb


def roots_of_some(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        value = max(x[i], 0.0)
        total += np.sqrt(value) * w[i] if value > 0 else value * w[i]
    return total


def nested_roots(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            if w[i] > 0:
                total += np.sqrt(x[i] * w[i]) * x[i]
            else:
                total += np.sqrt(x[i]) - w[i]
        else:
            total += x[i] * w[i]
    return total


@pytest.mark.parametrize("function", [roots_of_some, nested_roots])
def test_what_selections_read_has_a_value_on_every_path(function, numba_off):
    x, w = np.array([-1.0, 4.0, 0.25, -2.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0, 2.0])
    expected = pb.value_and_grad(pb.differentiable(jit=False)(function), (0, 1))(x, w)
    value, gradients = pb.value_and_grad(function, (0, 1))(x, w)
    assert value == expected[0]
    np.testing.assert_allclose(gradients, expected[1], rtol=1e-14)
