"""Keras's layers, optimizers, metrics, initialisers and data: values of Keras's own tests, gradients by differences."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import pullback.tf as tf
from test_tf_functions import differences, weighted

keras, layers = tf.keras, tf.keras.layers

ONE_STEP = {
    "SGD": [0.5, -1.0, -0.5, 3.0],
    "Adam": [0.5, 1.5, 2.5, 3.5],
    "Nadam": [0.4686, 1.4686, 2.4686, 3.4686],
    "Ftrl": [0.2218, 1.3954, 2.3651, 2.8814],
    "Adadelta": [0.9993, 1.9993, 2.9993, 3.9993],
    "Adagrad": [0.5233, 1.5007, 2.5005, 3.5061],
    "Adamax": [0.5, 1.5, 2.5, 3.5],
    "RMSprop": [-0.5811, 0.4189, 1.4189, 2.4189],
    "Lion": [0.5, 1.5, 2.5, 3.5],
    "AdamW": [0.498, 1.496, 2.494, 3.492],
}


@pytest.mark.parametrize("name", ONE_STEP)
def test_first_step_of_an_optimizer_is_that_of_keras(name: str) -> None:
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    getattr(keras.optimizers, name)(learning_rate=0.5).apply_gradients([([1.0, 6.0, 7.0, 2.0], x)])
    np.testing.assert_allclose(x.numpy(), ONE_STEP[name], atol=1e-4)


FIVE_STEPS = [
    (keras.optimizers.RMSprop, {"centered": True}, [0.9967, 0.9933, 0.9908, 0.9885, 0.9864]),
    (
        keras.optimizers.Adadelta,
        {"learning_rate": 1.0, "rho": 0.8, "epsilon": 1e-6},
        [0.9978, 0.9947, 0.9915, 0.9882, 0.9849],
    ),
    (
        keras.optimizers.Nadam,
        {"learning_rate": 0.5, "beta_1": 0.5, "beta_2": 0.67, "epsilon": 1e-5},
        [0.4281, -0.1738, -0.7115, -1.2335, -1.7492],
    ),
    (
        keras.optimizers.Ftrl,
        {
            "learning_rate": 0.05,
            "learning_rate_power": -0.2,
            "initial_accumulator_value": 0.4,
            "l1_regularization_strength": 0.05,
            "l2_regularization_strength": 0.15,
            "l2_shrinkage_regularization_strength": 0.01,
            "beta": 0.3,
        },
        [0.0, -0.0034, -0.0078, -0.0121, -0.0164],
    ),
]


@pytest.mark.parametrize(("kind", "settings", "expected"), FIVE_STEPS, ids=[row[0].__name__ for row in FIVE_STEPS])
def test_five_steps_of_an_optimizer_are_those_of_keras(kind: Any, settings: Any, expected: list[float]) -> None:
    x, optimizer = tf.Variable(1.0), kind(**settings)
    found = []
    for gradient in [0.01, 0.1, 0.1, 0.1, 0.1]:
        optimizer.apply_gradients([(gradient, x)])
        found.append(x.numpy())
    np.testing.assert_allclose(found, expected, atol=5e-4)


def test_settings_that_all_optimizers_have() -> None:
    x, y = tf.Variable(2.0, name="x"), tf.Variable(2.0, name="exclude")
    decaying = keras.optimizers.Adam(learning_rate=1.0, weight_decay=0.004)
    decaying.exclude_from_weight_decay(var_names=["exclude"])
    decaying.apply_gradients([(0.0, x), (0.0, y)])
    np.testing.assert_allclose([x.numpy(), y.numpy()], [1.992, 2.0], rtol=1e-6)
    for settings, step in (({"clipnorm": 1.0}, [0.6, 0.8]), ({"clipvalue": 5.0}, [5.0, 5.0]), ({}, [6.0, 8.0])):
        z = tf.Variable([0.0, 0.0])
        keras.optimizers.SGD(1.0, **settings).apply_gradients([([6.0, 8.0], z)])
        np.testing.assert_allclose(-z.numpy(), step, rtol=1e-6)
    z = tf.Variable(0.0)
    accumulated = keras.optimizers.SGD(1.0, gradient_accumulation_steps=2)
    seen = [(accumulated.apply_gradients([(g, z)]), z.numpy().item())[1] for g in (1.0, 3.0, 5.0, 7.0)]
    assert seen == [0.0, -2.0, -2.0, -8.0]
    averaged = keras.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
    z = tf.Variable(0.0)
    for _ in range(3):
        averaged.apply_gradients([(-1.0, z)])
    averaged.finalize_variable_values([z])
    assert z.numpy() == 2.25  # 1, then 1.5, then 2.25
    with pytest.raises(ValueError, match="only one of"):
        keras.optimizers.SGD(clipnorm=1.0, clipvalue=1.0)


def test_learning_rate_is_a_float32_that_may_change() -> None:
    x = tf.Variable(np.float64(0.0))
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.apply_gradients([(1.0, x)])
    assert x.numpy() == -float(np.float32(0.1))
    optimizer.learning_rate = 0.5
    assert optimizer.learning_rate.numpy() == 0.5
    optimizer.learning_rate.assign(0.25)
    optimizer.apply_gradients([(1.0, x)])
    np.testing.assert_allclose(x.numpy(), -0.35, rtol=1e-7)
    decayed = keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(1.0, 1, 0.5))
    y = tf.Variable(0.0)
    for _ in range(3):
        decayed.apply_gradients([(1.0, y)])
    assert (y.numpy(), int(decayed.iterations)) == (-1.75, 3)
    constrained = tf.Variable(1.0, constraint=lambda v: tf.maximum(v, 0.0))
    optimizer.apply_gradients([(100.0, constrained)])
    assert constrained.numpy() == 0.0


CONSTANT = {
    "kernel_initializer": tf.initializers.Constant(0.01),
    "recurrent_initializer": tf.initializers.Constant(0.02),
    "bias_initializer": tf.initializers.Constant(0.03),
}
RECURRENT = [
    (layers.GRU, {}, [0.5217289, 0.6371659, 0.39384964]),
    (layers.GRU, {"go_backwards": True}, [0.24406259, 0.611516, 0.3928808]),
    (layers.GRU, {"reset_after": False}, [0.51447755, 0.6426879, 0.40208298]),
    (layers.GRU, {"use_bias": False}, [0.49988455, 0.64701194, 0.4103359]),
    (layers.LSTM, {}, [0.6288687, 0.86899155, 0.9460773]),
    (layers.LSTM, {"go_backwards": True}, [0.35622165, 0.74789524, 0.8872726]),
    (layers.LSTM, {"unit_forget_bias": False}, [0.57019705, 0.8661914, 0.9459622]),
    (layers.LSTM, {"use_bias": False}, [0.54986924, 0.86226785, 0.9443936]),
]


@pytest.mark.parametrize(("kind", "settings", "expected"), RECURRENT)
def test_recurrent_layers_give_what_keras_does(kind: Any, settings: Any, expected: list[float]) -> None:
    sequence = np.arange(72).reshape((3, 6, 4)).astype("float32")
    found = kind(3, **CONSTANT, **settings)(sequence)
    np.testing.assert_allclose(found.numpy(), np.tile(np.array(expected)[:, None], 3), rtol=1e-5)


def test_states_and_masks_of_recurrent_layers_are_those_of_keras() -> None:
    layer = layers.GRU(4, stateful=True, **CONSTANT)
    sequence = np.arange(24).reshape((2, 3, 4)).astype("float32")
    for _ in range(2):
        layer(sequence)
        np.testing.assert_allclose(layer(sequence).numpy()[:, 0], [0.29542392, 0.5885018], rtol=1e-5)
        layer.reset_state()
    sequence, start = np.arange(24).reshape((2, 4, 3)).astype("float32"), np.arange(4.0).reshape(2, 2)
    found, state = layers.GRU(2, return_state=True, **CONSTANT)(sequence, initial_state=start.astype("float32"))
    np.testing.assert_allclose(found.numpy(), [[0.23774096, 0.33508456], [0.83659905, 1.0227708]], rtol=1e-5)
    assert np.array_equal(found.numpy(), state.numpy())
    mask = np.array([[True, True, False, True], [True, False, False, True]])
    masked = layers.GRU(2, **CONSTANT)(sequence, mask=mask)
    np.testing.assert_allclose(masked.numpy()[:, 0], [0.19393763, 0.30818558], rtol=1e-5)


RNG = np.random.default_rng(3)
IMAGE, SERIES = RNG.normal(size=(2, 6, 5, 3)), RNG.normal(size=(2, 4, 3))
LAYERS = [
    (layers.Dense(4, activation="tanh", dtype="float64"), SERIES),
    (layers.Conv1D(4, 3, padding="causal", dtype="float64"), SERIES),
    (layers.Conv2D(4, 3, strides=2, padding="same", activation="gelu", dtype="float64"), IMAGE),
    (layers.Conv2DTranspose(2, 3, strides=2, padding="same", dtype="float64"), IMAGE),
    (layers.Conv2DTranspose(2, 3, strides=2, padding="valid", output_padding=1, dtype="float64"), IMAGE),
    (layers.DepthwiseConv2D(2, depth_multiplier=2, dtype="float64"), IMAGE),
    (layers.BatchNormalization(dtype="float64"), IMAGE),
    (layers.LayerNormalization(axis=[1, 2], dtype="float64"), SERIES),
    (layers.AveragePooling2D(2, padding="same", dtype="float64"), IMAGE),
    (layers.GlobalMaxPooling2D(dtype="float64"), IMAGE),
    (layers.UpSampling2D((2, 3), dtype="float64"), IMAGE),
    (layers.PReLU(dtype="float64"), SERIES),
    (layers.SimpleRNN(2, dtype="float64"), SERIES),
    (layers.LSTM(2, return_sequences=True, dtype="float64"), SERIES),
    (layers.GRU(2, reset_after=False, dtype="float64"), SERIES),
    (layers.Bidirectional(layers.GRU(2, dtype="float64", return_sequences=True), dtype="float64"), SERIES),
    (layers.TimeDistributed(layers.Dense(2, dtype="float64"), dtype="float64"), SERIES),
]


@pytest.mark.parametrize(("layer", "array"), LAYERS, ids=[type(layer).__name__ for layer, _ in LAYERS])
def test_gradients_of_a_layer_are_those_of_differences(layer: Any, array: np.ndarray) -> None:
    layer(array)
    weights = layer.trainable_variables

    def outputs(x: Any, *values: Any) -> Any:
        for weight, value in zip(weights, values, strict=True):
            weight.assign(value.numpy())
        return layer(x, training=True)

    starts = tuple(RNG.normal(size=w.shape) for w in weights)
    outputs(tf.constant(array), *map(tf.constant, starts))
    total = weighted(outputs, (array, *starts))
    expected = differences(total, (array, *starts), 6)
    total(tf.constant(array), *map(tf.constant, starts))
    x = tf.constant(array)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x, *map(tf.constant, starts))
    found = tape.gradient(y, [x, *weights])
    for one, slopes in zip(found, expected, strict=True):
        at = [one.numpy()[place] for place, _ in slopes]
        np.testing.assert_allclose(at, [slope for _, slope in slopes], rtol=1e-6, atol=1e-8)


def test_shapes_of_transposed_convolutions() -> None:
    x = tf.ones([1, 5, 5, 2])
    for padding, extra, extent in (("same", None, 10), ("valid", None, 11), ("valid", 1, 12), ("same", 1, 10)):
        layer = layers.Conv2DTranspose(3, 3, strides=2, padding=padding, output_padding=extra)
        assert layer(x).shape == (1, extent, extent, 3), (padding, extra)


def test_variables_of_models_and_freezing() -> None:
    model = keras.Sequential(
        [keras.Input([8]), layers.Dense(4), layers.BatchNormalization(), layers.Dropout(0.5), layers.Dense(1)]
    )
    assert [v.name for v in model.trainable_variables] == ["kernel", "bias", "gamma", "beta", "kernel", "bias"]
    assert [v.name for v in model.non_trainable_variables] == ["moving_mean", "moving_variance"]
    model.layers[0].trainable = False
    assert len(model.trainable_variables) == 4
    with tf.GradientTape() as tape:
        model(tf.ones([3, 8]), training=True)
    assert len(tape.watched_variables()) == 4
    model.layers[0].trainable = True
    assert len(model.trainable_variables) == 6
    kept = model.get_weights()
    model.set_weights([0 * one for one in kept])
    assert model.count_params() == sum(one.size for one in kept) == 57
    assert float(model(tf.ones([1, 8]))[0, 0]) == 0.0


def test_training_is_passed_on_to_layers_inside() -> None:
    class Noisy(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = [keras.Sequential([layers.Dropout(0.5)])]

        def call(self, x: Any) -> Any:
            for block in self.blocks:
                x = block(x)
            return x

    model = Noisy()
    x = tf.ones([1000])
    assert float(tf.reduce_min(model(x))) == 1.0
    assert sorted(set(model(x, training=True).numpy().tolist())) == [0.0, 2.0]
    assert float(tf.reduce_min(model(x, training=False))) == 1.0


def test_functional_model_with_shared_layers_and_several_outputs() -> None:
    a, b = keras.Input([4]), keras.Input([4])
    shared = layers.Dense(3)
    joined = layers.Concatenate()([shared(a), shared(b)])
    model = keras.Model(inputs=[a, b], outputs={"sum": layers.Dense(2)(joined) * 2.0, "joined": joined})
    found = model([tf.ones([5, 4]), tf.zeros([5, 4])])
    assert {key: one.shape for key, one in found.items()} == {"sum": (5, 2), "joined": (5, 6)}
    assert len(model.trainable_variables) == 4


def test_regularisers_and_added_losses() -> None:
    layer = layers.Dense(2, kernel_regularizer="l2", activity_regularizer=keras.regularizers.L1(0.5))
    model = keras.Sequential([layer])
    with tf.GradientTape() as tape:
        model(tf.ones([4, 3]))
        loss = tf.add_n(model.losses)
    assert len(model.losses) == 2
    gradient = tape.gradient(loss, layer.kernel)
    signs = np.sign(np.sum(layer.kernel.numpy(), axis=0))
    np.testing.assert_allclose(gradient.numpy(), 0.02 * layer.kernel.numpy() + 0.5 * signs, rtol=1e-5)


def test_metrics_over_batches() -> None:
    accuracy = keras.metrics.SparseCategoricalAccuracy()
    accuracy.update_state([1, 0], [[0.1, 0.9], [0.2, 0.8]])
    accuracy.update_state([1], [[0.4, 0.6]], sample_weight=[2.0])
    assert float(accuracy.result()) == 0.75
    accuracy.reset_state()
    assert float(accuracy.result()) == 0.0
    assert float(keras.metrics.Precision()([0, 1, 1, 1], [1, 0, 1, 1])) == pytest.approx(2 / 3)
    assert float(keras.metrics.BinaryAccuracy()([[1], [1], [0], [0]], [[0.98], [1], [0], [0.6]])) == 0.75
    mean = keras.metrics.Mean()
    mean([1.0, 3.0, 5.0, 7.0], sample_weight=[1.0, 1.0, 0.0, 0.0])
    assert float(mean.result()) == 2.0


def test_probabilities_and_logits_give_the_same_losses() -> None:
    logits, labels = RNG.normal(size=(4, 3)), np.array([2, 0, 1, 1])
    shares = tf.nn.softmax(logits)
    by_logits = keras.losses.SparseCategoricalCrossentropy(from_logits=True)(labels, logits)
    for loss in (
        keras.losses.SparseCategoricalCrossentropy()(labels, shares),
        keras.losses.CategoricalCrossentropy()(np.eye(3)[labels], shares),
        keras.losses.CategoricalCrossentropy(reduction="sum")(np.eye(3)[labels], shares) / 4.0,
        tf.reduce_mean(keras.losses.SparseCategoricalCrossentropy(reduction="none")(labels, shares)),
    ):
        assert loss.dtype == by_logits.dtype == np.float32
        assert float(loss) == pytest.approx(float(by_logits), rel=4 * float(np.finfo(np.float32).eps))


def test_mean_loss_leaves_out_the_class_that_is_ignored() -> None:
    labels, logits = [[-1, 2]], tf.constant([[[0.854, 0.698, 0.598], [0.088, 0.86, 0.018]]])
    ignoring = functools.partial(keras.losses.SparseCategoricalCrossentropy, from_logits=True, ignore_class=-1)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = ignoring()(labels, logits)
    assert float(loss) == pytest.approx(1.48013, abs=1e-5)
    by_logits = tape.gradient(loss, logits).numpy()
    assert by_logits[0, 0].tolist() == [0.0, 0.0, 0.0]
    assert by_logits[0, 1].sum() == pytest.approx(0.0, abs=1e-6)
    assert float(ignoring(reduction="sum")(labels, logits)) == pytest.approx(1.48013, abs=1e-5)
    assert float(ignoring()(labels, logits, [[7.0, 2.0]])) == pytest.approx(2 * 1.48013, abs=1e-5)
    assert float(ignoring()([[-1, -1]], logits)) == 0.0
    masked = keras.layers.Masking()(tf.concat([logits, tf.zeros([1, 1, 3])], 1))
    assert float(ignoring()([[-1, 2, 1]], masked)) == pytest.approx(1.48013, abs=1e-5)


def test_datasets() -> None:
    x, y = np.arange(10.0), np.arange(10)
    data = tf.data.Dataset.from_tensor_slices((x, y))
    batches = list(data.shuffle(4, seed=1).batch(4, drop_remainder=True).repeat(2))
    assert [a.shape for a, _ in batches] == [(4,)] * 4
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in batches)
    shuffled = data.shuffle(100, seed=1)
    first, second = ([int(b) for _, b in shuffled] for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert [int(v) for v in data.map(lambda a, b: b * b).filter(lambda b: b > 10).take(2)] == [16, 25]
    pairs = tf.data.Dataset.zip((data, tf.data.Dataset.range(3))).enumerate(5)
    assert [(int(k), int(n)) for k, (_, n) in pairs] == [(5, 0), (6, 1), (7, 2)]
    assert [w.numpy().tolist() for w in data.map(lambda a, b: b).window(4, shift=3).flat_map(lambda d: d.batch(4))] == [
        [0, 1, 2, 3],
        [3, 4, 5, 6],
        [6, 7, 8, 9],
        [9],
    ]
    total = data.reduce(tf.constant(0, tf.int64), lambda s, pair: s + pair[1])
    assert int(total) == 45


def test_seeds_repeat_random_numbers() -> None:
    tf.random.set_seed(1)
    first = [tf.random.normal([3]), tf.random.uniform([3], seed=2), tf.random.uniform([3], seed=2)]
    tf.random.set_seed(1)
    again = [tf.random.normal([3]), tf.random.uniform([3], seed=2), tf.random.uniform([3], seed=2)]
    assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[1].numpy(), first[2].numpy())
    counts = np.bincount(tf.random.categorical(np.log([[0.2, 0.8]]), 4000).numpy()[0]) / 4000
    np.testing.assert_allclose(counts, [0.2, 0.8], atol=0.03)


def test_gamma_draws_have_the_slope_of_their_quantiles() -> None:
    """By differences of the quantile function at the probability of each draw."""
    from scipy import special

    alpha = tf.constant(np.array([0.7, 2.0, 5.5]))
    tf.random.set_seed(4)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        x = tf.random.gamma([2], alpha, dtype=tf.float64)
    slopes = tape.gradient(x, alpha)
    a, at = alpha.numpy(), x.numpy()
    p = special.gammainc(a, at)
    h = 1e-5
    expected = (special.gammaincinv(a + h, p) - special.gammaincinv(a - h, p)) / (2 * h)
    np.testing.assert_allclose(slopes.numpy(), expected.sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize("name", ["GlorotNormal", "HeUniform", "LecunNormal", "VarianceScaling", "TruncatedNormal"])
def test_initialisers_have_their_variance(name: str) -> None:
    start = (
        getattr(keras.initializers, name)(seed=1) if name != "TruncatedNormal" else tf.initializers.TruncatedNormal()
    )
    values = start([200, 300]).numpy()
    variance = {"GlorotNormal": 1 / 250, "HeUniform": 2 / 200, "TruncatedNormal": (0.05 * 0.8796256) ** 2}
    np.testing.assert_allclose(values.var(), variance.get(name, 1 / 200), rtol=0.02)
    assert values.dtype == np.float32
