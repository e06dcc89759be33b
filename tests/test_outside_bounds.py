"""Integers from outside that bound loops: code is made for their first values, and serves all."""

import numpy as np
import pytest

import pullback as pb

RADIUS = 2
STEP = np.int64(2)
X = np.linspace(0.5, 1.5, 9)


def window(x):
    total = 0.0
    for i in range(x.shape[0]):
        for d in range(-RADIUS, RADIUS + 1):
            j = min(max(i + d, 0), x.shape[0] - 1)
            total += x[i] * x[j] * (d + 3)
    return total


def every(x):
    total = 0.0
    for i in range(0, x.shape[0], STEP):
        total += x[i] ** 3
    return total


def window_gradient(x, radius):
    gradient = np.zeros_like(x)
    for i in range(x.shape[0]):
        for d in range(-radius, radius + 1):
            j = min(max(i + d, 0), x.shape[0] - 1)
            gradient[i] += x[j] * (d + 3)
            gradient[j] += x[i] * (d + 3)
    return gradient


@pytest.mark.parametrize("jit", [True, False])
def test_a_bound_that_changes_between_calls(jit, monkeypatch):
    gradient = pb.grad(pb.differentiable(jit=jit)(window))
    for radius in (2, 1, 0, -1, 2, 20, 3):
        monkeypatch.setitem(globals(), "RADIUS", radius)
        np.testing.assert_allclose(gradient(X), window_gradient(X, radius), rtol=1e-12)


def test_a_step_of_another_type(monkeypatch):
    gradient = pb.grad(pb.differentiable(every))
    for step in (np.int64(2), np.int64(3), 2, 1):
        monkeypatch.setitem(globals(), "STEP", step)
        expected = np.where(np.arange(9) % int(step) == 0, 3 * X**2, 0.0)
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)


def test_the_compiled_text_is_for_the_first_value():
    text = pb.inspect_source(window, X, argnums=0)
    assert "if RADIUS != 2:" in text
    assert "range(-2, 3)" in text


def test_two_closures_of_one_function():
    def smoothed(count):
        def total(x):
            s = 0.0
            for k in range(count):
                s += np.sum(x ** (k + 1))
            return s

        return total

    for count in (1, 3, 0, 2):
        expected = sum((k + 1) * X**k for k in range(count)) * np.ones(9)
        np.testing.assert_allclose(pb.grad(smoothed(count))(X), expected, rtol=1e-12)


def test_an_attribute_that_changes():
    class Model:
        order = 2

        def loss(self, x):
            s = 0.0
            for k in range(self.order):
                s += np.sum(np.sin(x * (k + 1)))
            return s

    model = Model()
    gradient = pb.grad(lambda x: model.loss(x))
    for order in (2, 1, 3, 2):
        model.order = order
        expected = sum((k + 1) * np.cos(X * (k + 1)) for k in range(order))
        np.testing.assert_allclose(gradient(X), expected, rtol=1e-12)


STRIDE = 0


def strided(x, flag):
    s = 0.0
    if flag:
        for i in range(0, 5, STRIDE):
            s += x[i] * x[i]
            for _ in range(3):
                s += np.sin(s)
    else:
        s = x[0] ** 2
    return s


def test_a_step_of_zero_that_is_not_taken(monkeypatch):
    gradient = pb.value_and_grad(strided)
    assert gradient(X, False)[0] == X[0] ** 2
    with pytest.raises(ValueError, match="must not be zero"):
        gradient(X, True)
    for stride in (2, 1, 3):
        monkeypatch.setitem(globals(), "STRIDE", stride)
        assert gradient(X, True)[0] == pytest.approx(strided(X, True), rel=1e-13)
