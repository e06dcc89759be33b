"""Gradients of the user's own, functions that run again, forward mode, and TensorFlow's names for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.tf as tf


def test_custom_gradient_is_checked() -> None:
    @pb.custom_gradient
    def wrong_shape(x: Any) -> Any:
        return np.sum(x), lambda y_bar: y_bar

    @pb.custom_gradient
    def plain(x: Any, scale: Any = 1.0) -> Any:
        return x * scale, lambda y_bar: y_bar * scale

    x = pb.Variable([1.0, 2.0])
    with pb.GradientTape(persistent=True) as tape:
        y = wrong_shape(x)
        z = plain(x, scale=3.0)
    with pytest.raises(pb.ShapeError, match=r"'wrong_shape' returned a cotangent of shape \(\) for \(2,\)"):
        tape.gradient(y, x)
    assert tape.gradient(z, x).numpy().tolist() == [3.0, 3.0]
    with pytest.raises(pb.TypingError, match="keyword"):
        plain(x, scale=pb.constant(2.0))


def test_custom_gradient_of_nested_results() -> None:
    @pb.custom_gradient
    def both(x: Any, y: Any) -> Any:
        def gradient(p_bar: Any, s_bar: Any) -> Any:  # in the order of the sorted keys
            return [s_bar + p_bar * y, s_bar + p_bar * x]

        return {"sum": x + y, "product": x * y}, gradient

    x, y = pb.Variable([1.0, 2.0]), pb.Variable([3.0, 4.0])
    with pb.GradientTape() as tape:
        results = both(x, y)
        z = np.sum(results["product"]) * 2.0
    assert [g.numpy().tolist() for g in tape.gradient(z, [x, y])] == [[6.0, 8.0], [2.0, 4.0]]


def test_recomputed_function_runs_with_the_values_it_had() -> None:
    w = pb.Variable([2.0, 3.0])
    block = pb.recompute_grad(lambda x: np.tanh(x * w))
    x = pb.Variable([0.5, 0.1])
    with pb.GradientTape() as tape:
        y = np.sum(block(x))
    w.assign([100.0, 100.0])
    g = tape.gradient(y, [x, w])
    slope = 1 - np.tanh(np.array([1.0, 0.3])) ** 2
    np.testing.assert_allclose(g[0].numpy(), [2.0, 3.0] * slope)
    np.testing.assert_allclose(g[1].numpy(), [0.5, 0.1] * slope)
    assert w.numpy().tolist() == [100.0, 100.0]


def test_recomputed_function_runs_with_what_its_arguments_were() -> None:
    x = pb.Variable([1.0, 2.0, 3.0])
    cubes = pb.recompute_grad(lambda z: z**3)
    with pb.GradientTape() as tape:
        h = x[1:] * 2.0
        y = np.sum(cubes(h)) + np.sum(cubes(x[:2]))
        h += 100.0
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 2 * 3 * 16.0 + 12.0, 2 * 3 * 36.0]


def test_recomputed_function_keeps_nothing_of_the_inside() -> None:
    import tracemalloc

    x = pb.Variable(np.ones(10_000))

    def long_way(x: Any) -> Any:
        for _ in range(50):
            x = np.sin(x) * 1.5
        return x

    tracemalloc.start()
    with pb.GradientTape() as tape:
        y = pb.recompute_grad(long_way)(x)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 10 * 80_000
    with pb.GradientTape() as plain:
        z = long_way(x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), plain.gradient(z, x).numpy())


def test_tangents_are_checked() -> None:
    x = pb.constant([1.0, 2.0])
    with pytest.raises(pb.ShapeError, match=r"a tangent has shape \(3,\), its primal \(2,\)"):
        pb.ForwardAccumulator(x, np.ones(3))
    with pytest.raises(ValueError, match="a tangent is of float32, its primal of float64: cast it"):
        pb.ForwardAccumulator(x, pb.constant([1.0, 1.0], np.float32))
    accumulator = pb.ForwardAccumulator(x, np.ones(2, np.float32))
    with accumulator, pytest.raises(ValueError, match="recording already"):
        accumulator.__enter__()


def test_registered_gradient_takes_the_place_of_an_operation_s_own() -> None:
    @tf.RegisterGradient("TestDoubled")
    def doubled(op: Any, dy: Any) -> Any:
        assert op.type == "Relu"
        assert op.outputs[0].shape == op.inputs[0].shape
        return 2.0 * dy

    x = tf.Variable([-1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        plain = tf.nn.relu(x)
        with tf.gradient_override_map({"Relu": "TestDoubled"}):
            overridden = tf.nn.relu(x)
        with tf.gradient_override_map({"Relu": "Unheard"}), pytest.raises(LookupError, match="Unheard"):
            tf.nn.relu(x)
    assert tape.gradient(plain, x).numpy().tolist() == [0.0, 1.0]
    assert tape.gradient(overridden, x).numpy().tolist() == [2.0, 2.0]
    with pytest.raises(KeyError, match="already"):
        tf.RegisterGradient("TestDoubled")(doubled)


@pytest.mark.parametrize("name", ["log_softmax", "softmax", "softplus", "selu", "silu", "softsign", "elu"])
def test_function_for_networks_against_differences(name: str) -> None:
    function = getattr(tf.nn, name)
    x, direction = np.array([[0.3, -1.2, 0.8]]), np.array([[0.5, 1.0, -0.7]])

    def value(x: Any) -> Any:
        return tf.reduce_sum(tf.sin(function(tf.constant(x, tf.float64))) * [1.0, 2.0, 3.0]).item()

    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.reduce_sum(tf.sin(function(given)) * [1.0, 2.0, 3.0])
    slope = np.sum(tape.gradient(y, given).numpy() * direction)
    assert slope == pytest.approx((value(x + 1e-6 * direction) - value(x - 1e-6 * direction)) / 2e-6, rel=1e-7)


def test_dtypes_of_tensorflow() -> None:
    assert tf.constant([1.0, 2]).dtype == np.float32
    assert tf.constant([1, 2]).dtype == np.int32
    assert tf.constant(np.ones(2)).dtype == np.float64
    assert tf.multiply(tf.constant(np.ones(2)), 2.5).dtype == np.float64
    assert tf.matmul([[1.0]], [[2.0]]).dtype == np.float32
    assert (tf.range(3).dtype, tf.range(0.0, 1.0, 0.5).dtype) == (np.int32, np.float32)
    assert tf.reshape(tf.range(6), [2, -1]).shape == (2, 3)
    assert tf.Variable(lambda: [1.0]).shape == (1,)


def weighted(x):
    y = pb.stop_gradient(x * x)
    return np.sum(y * x) + x[0] * pb.stop_gradient(x[0])


@pytest.mark.parametrize("options", [{"jit": False}, {"jit": False, "fuse": True}, {}], ids=["plain", "loops", "jit"])
def test_stop_gradient_in_a_differentiated_function(options: dict[str, bool]) -> None:
    x = np.array([1.0, -2.0, 0.5])
    value, gradient = pb.value_and_grad(pb.differentiable(**options)(weighted))(x)
    assert value == pytest.approx(np.sum(x**3) + x[0] ** 2)
    np.testing.assert_allclose(gradient, x * x + [x[0], 0, 0])
    tensor = pb.constant(x)
    with pb.GradientTape() as tape:
        tape.watch(tensor)
        y = weighted(tensor)
    np.testing.assert_allclose(tape.gradient(y, tensor).numpy(), gradient)


def test_what_stop_gradient_returns_is_written_apart() -> None:
    def written(x):
        y = pb.stop_gradient(x)
        y[0] = 5.0
        return np.sum(y * x)

    x = np.array([1.0, -2.0, 0.5])
    for jit in (False, True):
        np.testing.assert_array_equal(pb.grad(pb.differentiable(jit=jit)(written))(x), [5.0, -2.0, 0.5])
    np.testing.assert_array_equal(x, [1.0, -2.0, 0.5])
