"""TensorFlow's functions: gradients by differences, second derivatives and forward mode of those that are our own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback.tf as tf
from tf_samples import ROWS_OF_ALL

IDS = [f"{k}-{name}" for k, (name, _, _) in enumerate(ROWS_OF_ALL)]


def weighted(function: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> Callable[..., Any]:
    """The sum of the elements of the result, each with a weight of its own."""
    shape = np.shape(function(*map(tf.constant, arrays)))
    weights = np.random.default_rng(3).normal(size=shape)
    return lambda *xs: tf.reduce_sum(function(*xs) * weights)


def differences(
    function: Callable[..., Any], arrays: tuple[np.ndarray, ...], most: int = 12, step: float = 1e-3
) -> list[list[tuple[Any, float]]]:
    """For each array, places drawn from it and the derivatives there, by differences of the sixth order."""
    rng, found = np.random.default_rng(1), []
    for k, array in enumerate(arrays):
        places = list(np.ndindex(array.shape))
        chosen = [places[p] for p in rng.permutation(len(places))[:most]]
        found.append([(place, slope(function, arrays, k, place, step)) for place in chosen])
    return found


def slope(function: Callable[..., Any], arrays: tuple[np.ndarray, ...], k: int, place: Any, step: float) -> float:
    """The derivative by an element of one of the arrays."""

    def at(t: float) -> float:
        moved = [a.copy() for a in arrays]
        moved[k][place] += t
        return float(function(*map(tf.constant, moved)))

    return sum(c * (at(j * step) - at(-j * step)) for j, c in enumerate((45, -9, 1), 1)) / (60 * step)


def gradients(function: Callable[..., Any], arrays: tuple[np.ndarray, ...]) -> list[np.ndarray]:
    xs = [tf.constant(one) for one in arrays]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    return [one.numpy() for one in tape.gradient(y, xs, unconnected_gradients="zero")]


@pytest.mark.drawn(59)
@pytest.mark.parametrize(("name", "function", "arrays"), ROWS_OF_ALL, ids=IDS)
def test_gradient_is_that_of_differences(name: str, function: Any, arrays: tuple[np.ndarray, ...]) -> None:
    total = weighted(function, arrays)
    for array, found, expected in zip(arrays, gradients(total, arrays), differences(total, arrays), strict=True):
        assert found.shape == array.shape
        at = [found[place] for place, _ in expected]
        np.testing.assert_allclose(at, [one for _, one in expected], rtol=1e-7, atol=2e-8)


OWN = "math.bessel_i0 math.bessel_i1e math.digamma math.erfinv math.igamma math.polygamma math.zeta math.special.spence"
OWN += " nn.ctc_loss nn.dilation2d nn.depthwise_conv2d_backprop_input"
OWN += " math.special.bessel_k1 math.special.dawsn linalg.expm linalg.sqrtm nn.conv2d nn.conv2d_transpose nn.conv1d"
OWN += " nn.avg_pool2d nn.max_pool2d scatter_nd tensor_scatter_nd_update math.segment_sum math.unsorted_segment_prod"
OWN += " math.cumulative_logsumexp linalg.diag sort gather math.lbeta nn.gelu math.multiply_no_nan"
TWICE = [row for row in ROWS_OF_ALL if row[0] in OWN.split()]


@pytest.mark.parametrize(("name", "function", "arrays"), TWICE, ids=[row[0] for row in TWICE])
def test_second_derivatives_by_both_modes_are_those_of_differences(name: str, function: Any, arrays: Any) -> None:
    if name == "math.igamma":  # along its order there is no second derivative
        function, arrays = (lambda x: tf.math.igamma(arrays_of_igamma[0], x)), arrays[1:]
    total = weighted(lambda *xs: tf.sin(function(*xs)), arrays)
    directions = [np.random.default_rng(5).normal(size=a.shape) for a in arrays]

    def along(*xs: Any) -> Any:
        """The derivative along the directions: a function of the same arrays."""
        with tf.GradientTape() as tape:
            tape.watch(list(xs))
            y = total(*xs)
        slopes = tape.gradient(y, list(xs), unconnected_gradients="zero")
        return sum(tf.reduce_sum(g * d) for g, d in zip(slopes, directions, strict=True))

    xs = [tf.constant(a) for a in arrays]
    with tf.autodiff.ForwardAccumulator(xs, [tf.constant(d) for d in directions]) as accumulator:
        y = total(*xs)
    np.testing.assert_allclose(accumulator.jvp(y).numpy(), along(*xs).numpy(), rtol=1e-10)
    for found, expected in zip(gradients(along, arrays), differences(along, arrays, 4), strict=True):
        at = [found[place] for place, _ in expected]
        np.testing.assert_allclose(at, [one for _, one in expected], rtol=1e-6, atol=1e-7)


arrays_of_igamma = next(arrays for name, _, arrays in ROWS_OF_ALL if name == "math.igamma")
