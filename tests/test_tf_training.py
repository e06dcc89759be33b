"""What training loops with Keras's names compute: masks, reductions of losses, steps made of several calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

keras, layers = tf.keras, tf.keras.layers
RNG = np.random.default_rng(2)
SEQUENCES = RNG.normal(size=(2, 5, 3)).astype(np.float32)


def drawn(layer: Any, x: Any) -> Any:
    """The layer, built, with other weights than zeros and ones: the same ones whatever other tests have drawn."""
    draw = np.random.default_rng(4)
    layer(x)
    layer.set_weights([draw.normal(size=w.shape) for w in layer.get_weights()])
    return layer


@pytest.mark.parametrize("kind", [layers.LSTM, layers.GRU, layers.SimpleRNN, "both directions"])
def test_masked_times_are_as_if_they_were_not_there(kind: Any) -> None:
    layer = layers.Bidirectional(layers.GRU(4)) if kind == "both directions" else kind(4)
    x = SEQUENCES.copy()
    x[0, 3:] = 0.0
    model = drawn(keras.Sequential([layers.Masking(), layer]), x)
    np.testing.assert_allclose(model(x)[0].numpy(), layer(x[:1, :3])[0].numpy(), rtol=1e-5)
    np.testing.assert_allclose(model(x)[1].numpy(), layer(x[1:])[0].numpy(), rtol=1e-5)


def test_a_mask_goes_through_layers_to_the_loss_and_to_metrics() -> None:
    tokens, labels = np.array([[1, 2, 0], [3, 0, 0]]), np.array([[1, 2, 0], [0, 1, 1]])
    model = keras.Sequential(
        [layers.Embedding(5, 3, mask_zero=True), layers.Dropout(0.5), layers.LSTM(4, return_sequences=True)]
    )
    model = drawn(keras.Sequential([model, layers.LayerNormalization(), layers.Dense(3)]), tokens)
    said, shown = model(tokens), tokens != 0
    of_each = keras.losses.sparse_categorical_crossentropy(labels, said.numpy(), from_logits=True).numpy()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    np.testing.assert_allclose(loss(labels, said), of_each[shown].mean(), rtol=1e-6)
    weighted = loss(labels, said, sample_weight=[[1.0, 2.0, 9.0], [3.0, 9.0, 9.0]])
    np.testing.assert_allclose(weighted, (of_each[shown] * [1, 2, 3]).sum() / 3, rtol=1e-6)
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    hits = said.numpy().argmax(-1) == labels
    np.testing.assert_allclose(accuracy(labels, said), hits[shown].mean(), rtol=1e-6)
    mean = layers.GlobalAveragePooling1D()(said).numpy()
    np.testing.assert_allclose(mean, [said.numpy()[0, :2].mean(0), said.numpy()[1, 0]], rtol=1e-6)


def test_masks_of_layers_of_several_inputs_and_of_ones_own() -> None:
    class Tail(layers.Layer):
        def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
            return None if mask is None else mask[:, 1:]

        def call(self, inputs: Any, mask: Any = None) -> Any:
            assert mask is not None
            return inputs[:, 1:]

    table = layers.Embedding(5, 3, mask_zero=True)
    a, b = table(np.array([[1, 0, 0]])), table(np.array([[0, 2, 0]]))
    for layer, expected in ((layers.Add(), [[True, True, False]]), (layers.Concatenate(), [[False, False, False]])):
        assert layer([a, b])._mask.tolist() == expected
    assert Tail()(b)._mask.tolist() == [[True, False]]
    assert not hasattr(layers.Flatten()(a), "_mask")


def test_batch_normalisation_sees_what_a_mask_shows() -> None:
    layer = layers.BatchNormalization(momentum=0.0)
    mask = np.array([[True, True, False, False, False], [True] * 5])
    layer(SEQUENCES, training=True, mask=mask)
    np.testing.assert_allclose(layer.moving_mean.numpy(), SEQUENCES[mask].mean(0), rtol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), SEQUENCES[mask].var(0), rtol=1e-5)


def test_weights_of_losses_belong_to_the_last_axes() -> None:
    of_each = np.mean(SEQUENCES[:, :2] ** 2, axis=-1)
    loss = keras.losses.MeanSquaredError()
    np.testing.assert_allclose(
        loss(0 * SEQUENCES[:, :2], SEQUENCES[:, :2], sample_weight=[1.0, 5.0]), np.mean(of_each * [1, 5]), rtol=1e-6
    )
    with pytest.raises(ValueError, match="broadcast"):
        loss(0 * SEQUENCES, SEQUENCES, sample_weight=[1.0, 5.0])
    weighted = keras.losses.MeanSquaredError(reduction="mean_with_sample_weight")
    np.testing.assert_allclose(weighted([[1.0], [3.0]], [[0.0], [0.0]], sample_weight=2.0), 10.0)
    assert loss(np.zeros(2), np.ones(2)).dtype == np.float32
    assert keras.losses.MeanSquaredError(dtype="float64")(np.zeros(2), np.ones(2)).dtype == np.float64


def test_labels_of_another_rank_stand_beside_rows_of_one() -> None:
    assert keras.losses.mean_squared_error([[1.0], [2.0]], [0.0, 0.0]).numpy().tolist() == [1.0, 4.0]
    np.testing.assert_allclose(keras.losses.cosine_similarity([[3.0, 4.0]], [[3.0, 4.0]]), [-1.0], rtol=1e-6)
    np.testing.assert_allclose(keras.metrics.CosineSimilarity()([[3.0, 4.0]], [[3.0, 4.0]]), 1.0, rtol=1e-6)


def test_slopes_at_ties_and_of_labels_that_do_not_sum_to_one() -> None:
    x = tf.Variable([[1.0, 0.0]])
    with tf.GradientTape() as tape:
        loss = keras.losses.hinge([[1.0, 1.0]], x)
    assert tape.gradient(loss, x).numpy().tolist() == [[-0.5, -0.5]]
    with tf.GradientTape() as tape:
        loss = tf.nn.softmax_cross_entropy_with_logits([[1.0, 1.0]], x)
    share = 1 / (1 + np.exp(-1.0))
    np.testing.assert_allclose(loss, [-np.log(share) - np.log(1 - share)], rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(loss, x), [[share - 1, -share]], rtol=1e-6)


def test_means_of_metrics_count_rows() -> None:
    metric = keras.metrics.Mean()
    metric.update_state([[1.0, 3.0, 2.0]])
    metric.update_state([[4.0]])
    assert float(metric.result()) == 3.0
    assert keras.metrics.TruePositives().name.startswith("true_positives")


def test_several_calls_that_make_one_step_count_as_one() -> None:
    x, y = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    often = keras.optimizers.Adam(0.1, gradient_accumulation_steps=2)
    once = keras.optimizers.Adam(0.1)
    for k in range(6):
        often.apply_gradients([([1.0 + k, 2.0 * k], x)])
    for k in (0, 2, 4):
        once.apply_gradients([([1.5 + k, 2.0 * k + 1], y)])
    np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-6)
    assert int(often.iterations) == int(once.iterations) == 3
    assert float(keras.optimizers.SGD(loss_scale_factor=8.0).scale_loss(tf.constant(2.0))) == 16.0


def test_settings_of_an_optimizer_make_another_one() -> None:
    first = keras.optimizers.RMSprop(0.25, rho=0.3)
    second = keras.optimizers.RMSprop.from_config(first.get_config())
    assert (second.rho, float(second.learning_rate)) == (0.3, 0.25)


def test_losses_take_the_logits_of_probabilities_that_were_just_made_of_them() -> None:
    x = np.array([[30.0], [-200.0]])
    model = keras.Sequential([layers.Dense(1, "sigmoid", kernel_initializer="ones")])
    with tf.GradientTape() as tape:
        loss = keras.losses.BinaryCrossentropy()(np.array([[0.0], [1.0]]), model(x))
    assert float(loss) == 115.0
    assert tape.gradient(loss, model.trainable_variables)[1].numpy().tolist() == [0.0]
    said = keras.activations.softmax([[100.0, -100.0]])
    assert keras.losses.sparse_categorical_crossentropy([1], said).numpy().tolist() == [200.0]
    np.testing.assert_allclose(keras.losses.sparse_categorical_crossentropy([1], 1.0 * said), [16.118095], rtol=1e-6)
    focal = keras.losses.BinaryFocalCrossentropy(gamma=0.0)
    assert float(focal([[0.0]], keras.activations.sigmoid([[50.0]]))) == 50.0


W = np.array([[1.0, -2.0], [3.0, 0.5], [0.0, 0.0]], np.float32)
CONSTRAINED = [
    (keras.constraints.MaxNorm(1.0), np.minimum(np.linalg.norm(W, axis=0), 1) * W / np.linalg.norm(W, axis=0)),
    (keras.constraints.get("unit_norm"), W / np.linalg.norm(W, axis=0)),
    (keras.constraints.UnitNorm(axis=[0, 1]), W / np.linalg.norm(W)),
    (keras.constraints.NonNeg(), np.maximum(W, 0)),
    (keras.constraints.MinMaxNorm(4.0, 5.0, rate=0.5), W * (2 + 0.5 * (n := np.linalg.norm(W, axis=0))) / n),
]


@pytest.mark.parametrize(("constraint", "expected"), CONSTRAINED)
def test_constraints(constraint: Any, expected: Any) -> None:
    np.testing.assert_allclose(constraint(W), expected, rtol=1e-6, atol=1e-7)


def test_optimizers_keep_weights_of_layers_to_their_constraints() -> None:
    layer = layers.GRU(2, kernel_constraint="max_norm", recurrent_constraint=keras.constraints.NonNeg())
    drawn(layer, SEQUENCES)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(SEQUENCES))
    weights = layer.trainable_variables
    keras.optimizers.SGD(9.0).apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
    assert np.linalg.norm(weights[0], axis=0).max() <= 2.0
    assert weights[1].numpy().min() == 0.0


def test_orthogonal_regularizer_is_the_mean_cosine() -> None:
    a, b = W[0], W[1]
    cosine = abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b)
    np.testing.assert_allclose(keras.regularizers.OrthogonalRegularizer(0.3)(W[:2]), 0.15 * cosine * 2 / 1, rtol=1e-6)


ACTIVATED = {
    "celu": [-0.98168436, -0.39346934, 0.0, 0.5, 3.0],
    "hard_tanh": [-1.0, -0.5, 0.0, 0.5, 1.0],
    "hard_shrink": [-4.0, 0.0, 0.0, 0.0, 3.0],
    "soft_shrink": [-3.5, 0.0, 0.0, 0.0, 2.5],
    "tanh_shrink": [-3.0006707, -0.03788284, 0.0, 0.03788284, 2.0049453],
    "squareplus": [0.23606798, 0.7807764, 1.0, 1.2807764, 3.3027756],
    "sparse_plus": [0.0, 0.0625, 0.25, 0.5625, 3.0],
    "sparse_sigmoid": [0.0, 0.25, 0.5, 0.75, 1.0],
    "hard_silu": [0.0, -0.20833333, 0.0, 0.29166666, 3.0],
    "log_sigmoid": [-4.01815, -0.974077, -0.6931472, -0.47407699, -0.04858735],
}


@pytest.mark.parametrize("name", ACTIVATED)
def test_activations_by_name(name: str) -> None:
    found = layers.Activation(name)(tf.constant([-4.0, -0.5, 0.0, 0.5, 3.0]))
    np.testing.assert_allclose(found, ACTIVATED[name], rtol=2e-6)
    assert found.dtype == np.float32


def test_losses_of_overlaps() -> None:
    y, p = np.array([[1.0, 0.0], [1.0, 1.0]], np.float32), np.array([[0.5, 0.25], [0.75, 1.0]], np.float32)
    both, missed, false = (y * p).sum(1), (y * (1 - p)).sum(1), ((1 - y) * p).sum(1)
    np.testing.assert_allclose(keras.losses.dice(y, p), 1 - 2 * (y * p).sum() / (y.sum() + p.sum()), rtol=1e-6)
    np.testing.assert_allclose(keras.losses.Dice(None, axis=1)(y, p), 1 - 2 * both / (y + p).sum(1), rtol=1e-5)
    expected = 1 - both / (both + 0.3 * missed + 0.6 * false)
    np.testing.assert_allclose(keras.losses.tversky(y, p, 0.3, 0.6, axis=(1,)), expected, rtol=1e-5)
    share = p / p.sum(1, keepdims=True)
    focal = -(np.array([0.2, 0.7]) * (1 - share) ** 1.5 * y * np.log(share)).sum(1)
    loss = keras.losses.CategoricalFocalCrossentropy([0.2, 0.7], 1.5)
    np.testing.assert_allclose(loss(y, p), focal.mean(), rtol=1e-6)


THREE_STEPS: list[tuple[str, dict[str, Any], list[list[float]]]] = [
    ("Lamb", {"learning_rate": 0.1}, [[0.227953, 1.183697], [2.174191, -4.837383]]),
    ("Adafactor", {"learning_rate": 0.1}, [[0.594896, 1.249345], [2.244662, -4.855774]]),
]


@pytest.mark.parametrize(("name", "settings", "expected"), THREE_STEPS)
def test_three_steps_of_optimizers_that_scale_by_the_variable(name: str, settings: Any, expected: Any) -> None:
    x = tf.Variable([[1.0, 2.0], [3.0, -4.0]])
    optimizer = getattr(keras.optimizers, name)(**settings)
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(x**3 / 3.0), [x])
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-5)


def test_scores_of_classes_and_of_regressions() -> None:
    y = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.6]], np.float32)
    expected = [2 / (2 + 2), 2 / (2 + 1)]  # 2 tp / (2 tp + fp + fn)
    np.testing.assert_allclose(keras.metrics.F1Score()(y, p), expected, rtol=1e-5)
    np.testing.assert_allclose(keras.metrics.F1Score("macro")(y, p), np.mean(expected), rtol=1e-5)
    np.testing.assert_allclose(keras.metrics.F1Score("micro", 0.5)(y, p), 4 / (4 + 1 + 2), rtol=1e-5)
    np.testing.assert_allclose(keras.metrics.FBetaScore(beta=2.0)(y, p), [0.5, 5 / (5 + 4)], rtol=1e-5)
    r2 = 1 - ((y - p) ** 2).sum(0) / ((y - y.mean(0)) ** 2).sum(0)
    metric = keras.metrics.R2Score(None)
    metric.update_state(y[:1], p[:1])
    np.testing.assert_allclose(metric(y[1:], p[1:]), r2, rtol=1e-5)
    np.testing.assert_allclose(keras.metrics.R2Score()(y, p), r2.mean(), rtol=1e-5)


def test_areas_under_curves_of_precision_and_recall() -> None:
    labels, said = [0, 0, 1, 1], [0.0, 0.5, 0.3, 0.9]
    for settings, expected in (
        ({"curve": "PR"}, 0.7972674),
        ({"curve": "PR", "summation_method": "minoring"}, 0.25),
        ({"curve": "PR", "summation_method": "majoring"}, 0.8333334),
        ({"thresholds": [0.2, 0.4, 0.6]}, 0.75),
    ):
        np.testing.assert_allclose(keras.metrics.AUC(**settings)(labels, said), expected, rtol=1e-5)


def test_precision_and_recall_of_the_largest_and_of_a_class() -> None:
    y = np.array([[1, 0, 1], [0, 1, 1]], np.float32)
    p = np.array([[0.4, 0.3, 0.2], [0.8, 0.1, 0.6]], np.float32)
    assert float(keras.metrics.Precision(top_k=1)(y, p)) == 0.5
    assert float(keras.metrics.Recall(top_k=2)(y, p)) == 0.5
    assert float(keras.metrics.Precision(class_id=2)(y, p)) == 1.0
    assert float(keras.metrics.Recall(class_id=2)(y, p)) == 0.5
    assert keras.metrics.mse is keras.losses.mean_squared_error
    assert float(keras.metrics.get("mse")([1.0], [3.0])) == 4.0
