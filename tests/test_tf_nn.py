"""`tf.nn`: gradients at kinks, second derivatives as TensorFlow has them, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

X = np.array([[-2.0, 0.0, 0.5, 7.0], [3.0, -1.0, 6.0, 0.25]])
IMAGE = np.arange(48.0).reshape(1, 4, 4, 3) % 17


def derivatives(function: Callable[..., Any], x: np.ndarray) -> tuple[Any, Any]:
    """The gradient of the sum of the elements, and the gradient of the sum of the squares of that one."""
    given = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(given)
        with tf.GradientTape() as inner:
            inner.watch(given)
            y = tf.reduce_sum(function(given))
        first = inner.gradient(y, given)
        total = tf.reduce_sum(first**2)
    return first.numpy(), outer.gradient(total, given)


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (tf.nn.relu, X, X > 0),
        (tf.abs, X, np.sign(X)),
        (lambda x: tf.norm(x, ord=1), X, np.sign(X)),
        (tf.nn.relu6, X, (X > 0) & (X < 6)),
        (lambda x: tf.nn.leaky_relu(x, alpha=0.25), X, np.where(X > 0, 1, 0.25)),
        (tf.nn.crelu, X, np.sign(X)),
        (lambda x: tf.nn.max_pool2d(x, 4, 4, "VALID"), IMAGE, IMAGE.max(axis=(1, 2), keepdims=True) == IMAGE),
    ],
    ids=["relu", "abs", "norm", "relu6", "leaky_relu", "crelu", "max_pool2d"],
)
def test_a_second_derivative_between_kinks_is_0(function: Callable[..., Any], x: np.ndarray, slope: Any) -> None:
    first, second = derivatives(function, x)
    np.testing.assert_array_equal(first, slope)
    np.testing.assert_array_equal(second.numpy(), np.zeros(x.shape))


def test_the_axis_of_softmax_is_the_last_by_default() -> None:
    for function in (tf.nn.softmax, tf.nn.log_softmax):
        np.testing.assert_array_equal(function(X, axis=None), function(X, axis=-1))


def test_rectified_nan_is_nan_with_the_gradient_0() -> None:
    for function in (tf.nn.relu, tf.nn.relu6):
        assert np.isnan(function([np.nan]).numpy()).all()
        assert derivatives(function, np.array([np.nan]))[0].tolist() == [0]


def test_the_gradient_of_softsign_at_infinity_is_0() -> None:
    with np.errstate(invalid="ignore"):
        assert derivatives(tf.nn.softsign, np.array([np.inf, -np.inf]))[0].tolist() == [0, 0]


LABELS, LOGITS = np.array([[2.0, 1.0, 0.5], [0.0, 0.25, 0.0]]), np.array([[0.5, -1.0, 2.0], [0.0, 1.0, -2.0]])
WEIGHTS = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)


def test_cross_entropy_of_labels_that_do_not_add_up_to_1_has_the_gradient_of_tensorflow() -> None:
    first, _ = derivatives(lambda x: tf.nn.softmax_cross_entropy_with_logits(LABELS, x), LOGITS)
    np.testing.assert_allclose(first, WEIGHTS - LABELS)
    found = tf.nn.softmax_cross_entropy_with_logits(LABELS.T, LOGITS.T, axis=0)
    np.testing.assert_allclose(found, -np.sum(LABELS * np.log(WEIGHTS), axis=1))


def test_the_second_derivative_of_cross_entropy_by_labels_is_0_through_the_logits() -> None:
    labels, logits = tf.constant(LABELS), tf.constant(LOGITS)
    with tf.GradientTape() as outer:
        outer.watch([labels, logits])
        with tf.GradientTape() as inner:
            inner.watch(logits)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        total = tf.reduce_sum(inner.gradient(loss, logits) ** 2)
    by_labels, by_logits = outer.gradient(total, [labels, logits])
    assert not by_labels.numpy().any()
    cotangent = 2 * (WEIGHTS - LABELS)
    expected = (cotangent - np.sum(cotangent * WEIGHTS, axis=1, keepdims=True)) * WEIGHTS
    np.testing.assert_allclose(by_logits.numpy(), expected)


def test_labels_take_the_dtype_of_logits() -> None:
    assert tf.nn.softmax_cross_entropy_with_logits([[0, 1]], [[1.0, 2.0]]).dtype == np.float32


def test_the_mean_in_a_variance_is_a_constant() -> None:
    x = np.array([1.0, 2.0, 6.0])
    first, second = derivatives(lambda x: tf.nn.moments(x, [0])[1], x)
    np.testing.assert_allclose(first, (x - 3) * 2 / 3)
    np.testing.assert_allclose(second.numpy(), 2 * first * 2 / 3)


def test_moments_of_which_nothing_counts_are_0() -> None:
    mean, variance = tf.nn.weighted_moments(X, [0], np.zeros((2, 1)))
    assert not mean.numpy().any()
    assert not variance.numpy().any()


def test_weighted_cross_entropy_at_0_has_the_gradient_of_its_formula() -> None:
    first, _ = derivatives(lambda x: tf.nn.weighted_cross_entropy_with_logits(tf.constant([0.25]), x, 3.0), np.zeros(1))
    np.testing.assert_allclose(first, [0.75])


def test_a_negative_target_has_no_full_poisson_loss() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(tf.nn.log_poisson_loss([-1.0], [1.0], compute_full_loss=True).numpy()).all()


def test_a_list_of_tables_is_one_table() -> None:
    assert tf.nn.embedding_lookup([[1.0, 2.0], [3.0, 4.0]], [1, 2]).numpy().tolist() == [2, 3]


def test_the_norm_of_an_embedding_goes_over_all_of_its_axes() -> None:
    found = tf.nn.embedding_lookup(np.ones((3, 2, 2)), [[1, 2]], max_norm=1.0)
    np.testing.assert_array_equal(found, np.full((1, 2, 2, 2), 0.5))


def test_convolutions_take_stacks_of_batches_and_no_strides() -> None:
    x, w = np.stack([IMAGE, IMAGE + 1]), np.ones((2, 2, 3, 1))
    found = tf.nn.conv2d(x, w, None, "SAME")
    np.testing.assert_array_equal(found[1], tf.nn.conv2d(x[1], w, 1, "SAME"))
    first, _ = derivatives(lambda x: tf.nn.conv2d(x, w, 1, "VALID"), x)
    np.testing.assert_array_equal(first[0], derivatives(lambda x: tf.nn.conv2d(x, w, 1, "VALID"), IMAGE)[0])


def said(path: tuple[int, ...], blank: int) -> list[int]:
    """What a path of classes says: each run of a class once, without blanks."""
    return [k for place, k in enumerate(path) if k != blank and (not place or path[place - 1] != k)]


@pytest.mark.parametrize("blank", [0, 1, -1])
@pytest.mark.parametrize("labels", [[], [2], [2, 2], [2, 3, 2]])
def test_the_ctc_loss_is_that_of_all_paths(labels: list[int], blank: int) -> None:
    times, classes = 5, 5
    logits = np.random.default_rng(4).normal(size=(times, 1, classes))
    chances = np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(axis=1, keepdims=True)
    paths = itertools.product(range(classes), repeat=times)
    total = sum(np.prod(chances[np.arange(times), path]) for path in paths if said(path, blank % classes) == labels)
    padded = np.array([labels + [blank % classes] * (4 - len(labels))])
    found = tf.nn.ctc_loss(padded, logits, [len(labels)], [times], blank_index=blank)
    np.testing.assert_allclose(found, [-np.log(total)])


def test_the_ctc_loss_of_too_few_times_is_infinite_with_the_gradient_0() -> None:
    logits = np.random.default_rng(4).normal(size=(3, 2, 4))
    first, _ = derivatives(lambda x: tf.nn.ctc_loss([[2, 2], [2, 3]], x, [2, 2], [2, 3])[:1], logits)
    assert not first.any()
    loss = tf.nn.ctc_loss([[2, 2], [2, 3]], logits, [2, 2], [2, 3]).numpy()
    assert np.isinf(loss[0])
    assert np.isfinite(loss[1])


def test_classes_that_are_drawn_are_different_and_losses_have_a_number_for_each_row() -> None:
    weights, biases, inputs = np.ones((7, 4)), np.zeros(7), np.ones((3, 4))
    for loss in (tf.nn.sampled_softmax_loss, tf.nn.nce_loss):
        assert loss(weights, biases, [[1], [3], [0]], inputs, 7, 7).shape == (3,)


def test_logits_of_drawn_labels_do_not_count_twice() -> None:
    weights, biases, inputs = np.eye(3), np.array([0.5, -1.0, 2.0]), np.array([[1.0, 2.0, 3.0]])
    drawn = [0, 2], [[0.5]], [0.25, 0.125]
    of_true, of_other = 1 + 0.5 - np.log(0.5), 3 + 2 - np.log(0.125)
    found = tf.nn.sampled_softmax_loss(weights, biases, [[0]], inputs, 2, 3, sampled_values=drawn)
    np.testing.assert_allclose(found, [np.logaddexp(of_true, of_other) - of_true], rtol=1e-6)
    of_itself = 1 + 0.5 - np.log(0.25)
    found = tf.nn.nce_loss(weights, biases, [[0]], inputs, 2, 3, sampled_values=drawn)
    terms = [np.logaddexp(0, -of_true), np.logaddexp(0, of_itself), np.logaddexp(0, of_other)]
    np.testing.assert_allclose(found, [sum(terms)], rtol=1e-6)


def test_sequences_that_fall_or_rise() -> None:
    found = tf.nn.isotonic_regression([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 2.0, 1.0]])
    assert found.output.numpy().tolist() == [[3, 1.5, 1.5], [2, 2, 2], [2, 2, 1]]
    assert found.segments.numpy().tolist() == [[0, 1, 1], [0, 0, 0], [0, 1, 2]]
    assert tf.nn.isotonic_regression([3.0, 1.0, 2.0], decreasing=False).output.numpy().tolist() == [2, 2, 2]


def test_the_first_of_equal_sums_of_a_window_and_a_filter_has_the_gradient() -> None:
    first, _ = derivatives(
        lambda x: tf.nn.dilation2d(x, np.zeros((2, 2, 1)), [1] * 4, "VALID", "NHWC", [1] * 4), np.ones((1, 2, 2, 1))
    )
    assert first.ravel().tolist() == [1, 0, 0, 0]


W = np.ones((2, 2, 3, 1))
REFUSED = {
    "softmax of a number": lambda: tf.nn.softmax(1.0),
    "softmax of integers": lambda: tf.nn.softmax(np.array([1, 2])),
    "elu of integers": lambda: tf.nn.elu(np.array([1, 2])),
    "dropout of integers": lambda: tf.nn.dropout(np.array([1, 2]), 0.5),
    "labels in another shape": lambda: tf.nn.sigmoid_cross_entropy_with_logits([[1.0]], [1.0, 2.0]),
    "weighted labels in another shape": lambda: tf.nn.weighted_cross_entropy_with_logits([[1.0]], [1.0, 2.0], 2.0),
    "labels that are floats": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([1.0], [[1.0, 2.0]]),
    "targets in another shape": lambda: tf.nn.log_poisson_loss([[1.0]], [1.0, 2.0]),
    "fewer than no elements": lambda: tf.nn.top_k(X, -1),
    "more rows of labels": lambda: tf.nn.softmax_cross_entropy_with_logits(np.ones((2, 3)), np.ones((1, 3))),
    "bias of a number": lambda: tf.nn.bias_add(X, 1.0),
    "bias of one": lambda: tf.nn.bias_add(X, [1.0]),
    "bias of a vector": lambda: tf.nn.bias_add(X[0], X[0]),
    "bias of another format": lambda: tf.nn.bias_add(X, X[0], "foo"),
    "conv2d in another format": lambda: tf.nn.conv2d(IMAGE, W, 1, "SAME", "XYZ"),
    "conv2d with strides of rows": lambda: tf.nn.conv2d(IMAGE, W, [2, 1, 1, 1], "SAME"),
    "conv2d with margins of rows": lambda: tf.nn.conv2d(IMAGE, W, 1, [[1, 0], [0, 0], [0, 0], [0, 0]]),
    "conv2d with a larger filter": lambda: tf.nn.conv2d(IMAGE, np.ones((9, 9, 3, 1)), 1, "VALID"),
    "conv2d_transpose of another batch": lambda: tf.nn.conv2d_transpose(IMAGE, np.ones((2, 2, 5, 3)), [2, 8, 8, 5], 2),
    "pool over channels": lambda: tf.nn.max_pool2d(IMAGE, [1, 1, 1, 3], [1, 1, 1, 3], "VALID"),
    "pool over nothing": lambda: tf.nn.max_pool2d(IMAGE, 0, 1, "SAME"),
    "mean of integers": lambda: tf.nn.avg_pool2d(IMAGE.astype(int), 2, 2, "SAME"),
    "a label that says nothing": lambda: tf.nn.ctc_loss([[0]], np.ones((2, 1, 3)), [1], [2]),
    "a label that is no class": lambda: tf.nn.ctc_loss([[3]], np.ones((2, 1, 3)), [1], [2]),
    "more classes than there are": lambda: tf.nn.nce_loss(np.eye(3), np.ones(3), [[0]], np.ones((1, 3)), 4, 3),
    "channels that are no blocks": lambda: tf.nn.depth_to_space(IMAGE, 2),
    "space that is no blocks": lambda: tf.nn.space_to_depth(IMAGE, 3),
    "blocks of one": lambda: tf.nn.space_to_depth(IMAGE, 1),
    "filters of other channels": lambda: tf.nn.dilation2d(IMAGE, W[..., 0, :], [1] * 4, "SAME", "NHWC", [1] * 4),
    "dilated windows with margins": lambda: tf.nn.pool(IMAGE, [2, 2], "MAX", dilations=[2, 1], padding="SAME"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        REFUSED[name]()


def test_dropout_has_a_gradient_by_its_rate() -> None:
    x, rate = tf.ones([100]), tf.constant(0.2)
    with tf.GradientTape() as tape:
        tape.watch(rate)
        y = tf.nn.dropout(x, rate, seed=1)
    kept = float(tf.reduce_sum(tf.cast(y > 0.0, tf.float32)))
    assert float(tape.gradient(y, rate)) == pytest.approx(kept / 0.8**2, rel=1e-5)
