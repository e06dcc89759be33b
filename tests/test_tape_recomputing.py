"""Functions that run again for their gradient, and what functions with a gradient of the user's own read."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.tf as tf

scale = pb.Variable(3.0, name="scale")
X = pb.constant([1.0, 2.0])


@pytest.fixture(autouse=True)
def values() -> None:
    scale.assign(3.0)


@pb.differentiable(jit=False)
def scaled_squares(x: Any) -> Any:
    return np.sum(x * x) * scale


def followed(function: Any, *arguments: Any, **keywords: Any) -> tuple[pb.GradientTape, Any]:
    """The tape and the result of a call that runs again."""
    with pb.GradientTape() as tape:
        tape.watch([x for x in (*arguments, *keywords.values()) if isinstance(x, pb.Tensor)])
        y = pb.recompute_grad(function)(*arguments, **keywords)
    return tape, y


@pytest.mark.parametrize("function", [scaled_squares, lambda q: scaled_squares(q)])
def test_variables_that_a_differentiable_function_reads_are_held_and_get_gradients(function: Any) -> None:
    tape, y = followed(function, X)
    scale.assign(100.0)
    by_x, by_scale = tape.gradient(y, [X, scale])
    assert by_x.numpy().tolist() == [6.0, 12.0]
    assert by_scale.item() == 5.0
    assert scale.numpy() == 100.0


def test_variables_given_to_a_differentiable_function_are_seen() -> None:
    @pb.differentiable(jit=False)
    def product(a: Any, b: Any) -> Any:
        return np.sum(a * b)

    tape, y = followed(lambda q: product(q, scale), X)
    assert tape.gradient(y, scale).item() == 3.0


def test_second_derivatives_of_what_runs_again() -> None:
    def second(function: Any) -> list[Any]:
        with pb.GradientTape() as outer:
            outer.watch(X)
            with pb.GradientTape() as inner:
                inner.watch(X)
                y = function(X)
            first = inner.gradient(y, [X, scale])
        return [g.numpy().tolist() for g in (*first, *outer.gradient(first, [X, scale]))]

    def twice(q: Any) -> Any:
        return scaled_squares(q) * scale

    assert second(pb.recompute_grad(twice)) == second(twice)


@pytest.mark.parametrize("under_a_tape", [True, False])
def test_variables_in_differentiable_functions_ask_for_gradients(under_a_tape: bool) -> None:
    custom = pb.custom_gradient(lambda q: (scaled_squares(q), lambda y_bar: y_bar * q))
    if not under_a_tape:
        with pytest.raises(TypeError, match="reads the variables 'scale'"):
            custom(X)
        return
    with pb.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(X)
        with pytest.raises(TypeError, match="reads the variables 'scale'"):
            custom(X)


def test_arrays_count_as_they_were_at_the_call() -> None:
    a, b, c = (np.full(2, k) for k in (1.0, 2.0, 5.0))
    tape, y = followed(lambda q, a, pair, c: np.sum(q * a * pair[0] * c), X, a, [b], c=c)
    for array in (a, b, c):
        array[:] = 77.0
    assert tape.gradient(y, X).numpy().tolist() == [10.0, 10.0]


READINGS = {
    "in operators": lambda v, x: x * v,
    "as an array": lambda v, x: x * v.numpy(),
    "as a number": lambda v, x: x * v.item(),
    "as a number of Python": lambda v, x: x * float(v),
    "as a condition": lambda v, x: x * 2.0 if v else x,
    "as a position": lambda v, x: x * np.array([7.0, 8.0, 2.0, 9.0])[v.numpy().astype(int)],
    "in an index": lambda v, x: x * pb.constant([7.0, 8.0, 2.0, 9.0])[np.floor(v).astype(int)],
    "in an array of NumPy": lambda v, x: x * np.asarray(v),
    "after a change": lambda v, x: x * (v.assign_add(1.0) - 1.0),
}


@pytest.mark.parametrize("name", READINGS)
def test_variables_that_are_not_trained_are_held(name: str) -> None:
    v = pb.Variable(2.0, trainable=False)
    tape, y = followed(lambda q: READINGS[name](v, q), X)
    v.assign(0.0)
    assert tape.gradient(y, X).numpy().tolist() == [2.0, 2.0]
    assert v.item() == 0.0


def test_function_that_changes_a_variable_changes_it_once() -> None:
    count = tf.Variable([1.0, 0.0], trainable=False)

    def counted(q: Any) -> Any:
        count.scatter_nd_add([[0]], [1.0])
        return q * count[0]

    tape, y = followed(counted, X)
    assert tape.gradient(y, X).numpy().tolist() == [2.0, 2.0]
    assert count.numpy().tolist() == [2.0, 0.0]


def test_tensors_in_keywords_and_from_outside_get_gradients() -> None:
    outside, factor = pb.constant(5.0), pb.constant(2.0)
    with pb.GradientTape() as tape:
        tape.watch([X, outside, factor])
        y = pb.recompute_grad(lambda q, pairs: np.sum(q * pairs["factor"] * outside))(X, pairs={"factor": factor})
    by_x, by_outside, by_factor = tape.gradient(y, [X, outside, factor])
    assert by_x.numpy().tolist() == [10.0, 10.0]
    assert by_outside.item() == 6.0
    assert by_factor.item() == 15.0


def test_functions_that_run_again_in_one_another() -> None:
    outside = pb.constant(5.0)

    def inner(q: Any) -> Any:
        h = q * 2.0
        return pb.recompute_grad(lambda r: r * h * outside * scale)(q)

    with pb.GradientTape() as tape:
        tape.watch([X, outside])
        y = pb.recompute_grad(inner)(X)
    by_x, by_outside, by_scale = tape.gradient(y, [X, outside, scale])
    assert by_x.numpy().tolist() == [60.0, 120.0]
    assert by_outside.item() == 30.0
    assert by_scale.item() == 50.0


def test_tensors_nested_in_keywords_of_custom_gradients_are_refused() -> None:
    custom = pb.custom_gradient(lambda q, pairs: (q * pairs["a"], lambda y_bar: y_bar))
    with pytest.raises(TypeError, match="keyword"):
        custom(X, pairs={"a": X})


def test_arguments_without_influence_have_zeros() -> None:
    a, b = tf.constant(1.0), tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.recompute_grad(lambda a, b: a * 2.0)(a, b)
    assert [g.numpy().tolist() for g in tape.gradient(y, [a, b])] == [2.0, [0.0, 0.0]]


def test_integers_and_constant_results_run_again() -> None:
    tape, (y, one) = followed(lambda q, k: (q * k, 1.0), X, np.array(3))
    assert tape.gradient([y, one], X).numpy().tolist() == [3.0, 3.0]
    with pb.GradientTape() as tape:
        tape.watch(X)
        y = pb.recompute_grad(lambda q, k: q * k)(X, pb.constant(3))
    assert tape.gradient(y, X).numpy().tolist() == [3.0, 3.0]


class Doubling:
    """An object that is called."""

    def __call__(self, q: Any) -> Any:
        return q * 2.0, lambda y_bar: y_bar * 2.0


doubled = pb.custom_gradient(Doubling())


def calls_an_object(q: Any) -> Any:
    return np.sum(doubled(q))


class Scaling:
    def __call__(self, q: Any) -> Any:
        return q * scale, lambda y_bar: y_bar * scale


def test_objects_that_are_called() -> None:
    with pb.GradientTape() as tape:
        tape.watch(X)
        y = pb.custom_gradient(Doubling())(X) + pb.recompute_grad(functools.partial(np.multiply, 3.0))(X)
    assert tape.gradient(y, X).numpy().tolist() == [5.0, 5.0]
    with pytest.raises(TypeError, match="'Scaling' reads"):
        pb.custom_gradient(Scaling())(X)
    with pytest.raises(pb.LanguageError, match="'Doubling', whose derivative is a rule, is no function of Python"):
        pb.grad(calls_an_object)(np.ones(2))
    dense = tf.keras.layers.Dense(2)
    x = tf.ones([1, 2])
    with tf.GradientTape() as tape:
        z = tf.recompute_grad(dense)(x)
    kernel, bias = tape.gradient(z, dense.trainable_variables)
    assert kernel.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert bias.numpy().tolist() == [1.0, 1.0]


def test_identity_s_gradient_leaves_variables_without_one() -> None:
    w, z = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(lambda q: q * w)(z)
    by_z, by_w = tape.gradient(y, [z, w])
    assert y.numpy() == 6.0
    assert by_z.numpy() == 1.0
    assert by_w is None


def test_arrays_of_custom_gradients_are_copied() -> None:
    value, cotangent = np.array([1.0, 1.0]), np.array([2.0, 2.0])
    with pb.GradientTape() as tape:
        tape.watch(X)
        y = pb.custom_gradient(lambda q: (value, lambda y_bar: cotangent))(X)
    g = tape.gradient(y, X)
    value[:] = cotangent[:] = 9.0
    assert y.numpy().tolist() == [1.0, 1.0]
    assert g.numpy().tolist() == [2.0, 2.0]
