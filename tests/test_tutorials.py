"""Programs in the manner of TensorFlow's tutorials, on data that scikit-learn ships."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

sklearn_datasets = pytest.importorskip("sklearn.datasets")
layers = tf.keras.layers


def digits() -> tuple[Any, Any, Any, Any]:
    """Images and labels to train with, and to test with."""
    data = sklearn_datasets.load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    x, y = (data.images[order] / 16).astype("float32")[..., None], data.target[order]
    return x[:1400], y[:1400], x[1400:], y[1400:]


def classifier() -> tuple[Any, float]:
    """A network for the digits, after fourteen epochs of a loop with a tape, and its accuracy."""
    x, y, x_test, y_test = digits()
    tf.keras.utils.set_random_seed(0)
    model = tf.keras.Sequential(
        [
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.1),
            layers.Dense(10),
        ]
    )
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.005)
    data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1400, seed=0).batch(100)
    for _ in range(14):
        for images, labels in data:
            with tf.GradientTape() as tape:
                loss = loss_of(labels, model(images, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
    return model, float(accuracy(y_test, model(x_test)))


def test_custom_training_loop_and_an_adversarial_step() -> None:
    """The images, moved by the sign of the loss's gradient, are misread by the network that reads them well."""
    model, accuracy = classifier()
    assert accuracy > 0.94
    _, _, x_test, y_test = digits()
    x = tf.constant(x_test)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)(y_test, model(x))
    moved = tf.clip_by_value(x + 0.2 * tf.sign(tape.gradient(loss, x)), 0.0, 1.0)
    fooled = tf.keras.metrics.SparseCategoricalAccuracy()(y_test, model(moved))
    assert float(fooled) < accuracy - 0.3


def test_text_generation_with_a_gru() -> None:
    """A network that reads characters foresees the next one of a text far better than their frequencies do."""
    text = sklearn_datasets.load_iris().DESCR[:1200].lower()
    letters = sorted(set(text))
    codes = np.array([letters.index(c) for c in text])
    tf.keras.utils.set_random_seed(1)
    embedding, gru = layers.Embedding(len(letters), 16), layers.GRU(48, return_sequences=True, return_state=True)
    dense = layers.Dense(len(letters))
    rows = codes[: len(codes) // 25 * 25].reshape(-1, 25)
    optimizer = tf.keras.optimizers.Adam(0.02)
    for _ in range(60):
        with tf.GradientTape() as tape:
            outputs, _ = gru(embedding(rows[:, :-1]))
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(rows[:, 1:], dense(outputs))
            loss = tf.reduce_mean(losses)
        variables = [v for layer in (embedding, gru, dense) for v in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    shares = np.bincount(codes) / len(codes)
    assert float(loss) < 0.5 * -np.sum(shares * np.log(shares))
    state, written = None, [letters.index("i")]
    for _ in range(20):
        outputs, state = gru(embedding(np.array([written[-1:]])), initial_state=state)
        written.append(int(tf.random.categorical(dense(outputs[:, 0]), 1)[0, 0]))
    assert len(written) == 21


def test_variational_autoencoder() -> None:
    """The bound on the likelihood of the digits rises by the reparametrised gradient."""
    x = digits()[0][:500].reshape(-1, 64)
    tf.keras.utils.set_random_seed(2)
    encoder = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(8)])
    decoder = tf.keras.Sequential([layers.Dense(32, activation="relu"), layers.Dense(64)])
    optimizer, bounds = tf.keras.optimizers.Adam(0.005), []
    for _ in range(120):
        with tf.GradientTape() as tape:
            mean, logvar = tf.split(encoder(x), 2, axis=1)
            z = mean + tf.exp(0.5 * logvar) * tf.random.normal(mean.shape)
            cross = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(x, decoder(z)), axis=1)
            divergence = -0.5 * tf.reduce_sum(1.0 + logvar - mean**2 - tf.exp(logvar), axis=1)
            loss = tf.reduce_mean(cross + divergence)
        variables = encoder.trainable_variables + decoder.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        bounds.append(float(loss))
    assert bounds[-1] < 0.72 * bounds[0]


def test_automatic_differentiation_and_its_advanced_uses() -> None:
    """Layers, intermediate results, gradients of one's own, recording that stops, and Hessians."""
    layer = layers.Dense(2, activation="relu")
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(tf.constant([[1.0, 2.0, 3.0]])) ** 2)
    assert [g.shape for g in tape.gradient(loss, layer.trainable_variables)] == [(3, 2), (2,)]

    @tf.custom_gradient
    def bounded(y: Any) -> Any:
        return y, lambda dy: tf.clip_by_norm(dy, 0.5)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        output = bounded(v * v)
    assert tape.gradient(output, v).numpy() == 2.0
    with tf.GradientTape() as tape:
        squared = v * v
        with tape.stop_recording():
            constant = v * 10.0
        total = squared + constant
    assert tape.gradient(total, v).numpy() == 4.0
    x = tf.random.normal([5, 3], seed=1)
    dense = layers.Dense(1)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = tf.reduce_mean(dense(x) ** 2)
        slope = inner.gradient(loss, dense.kernel)
    hessian = tf.reshape(outer.jacobian(slope, dense.kernel), [3, 3])
    np.testing.assert_allclose(hessian.numpy(), 2 / 5 * x.numpy().T @ x.numpy(), rtol=1e-5)
