"""The tutorials of TensorFlow's guide, written anew, on data that scikit-learn ships.

What each network must reach is what an independent model of NumPy or scikit-learn reaches on the same data, and what
TensorFlow itself reaches by the same text (`tests/tutorials_beside_tensorflow.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.tf as tf
from tutorials_beside_tensorflow import assert_as_tensorflow

sklearn_datasets = pytest.importorskip("sklearn.datasets")
layers = tf.keras.layers


def digits() -> tuple[Any, Any, Any, Any]:
    """Images from 0 to 1 and labels to train with, and to test with."""
    data = sklearn_datasets.load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    x, y = (data.images[order] / 16).astype("float32")[..., None], data.target[order]
    return x[:1400], y[:1400], x[1400:], y[1400:]


def test_automatic_differentiation() -> None:
    """What a tape watches, persistent tapes, control flow, targets of many elements, and what has no gradient.

    A line found by its gradients is that of `np.linalg.lstsq`.
    """
    w, b = tf.Variable(tf.random.normal((3, 2), seed=0), name="w"), tf.Variable(tf.zeros(2), name="b")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    by_name = tape.gradient(loss, {"w": w, "b": b})
    np.testing.assert_allclose(by_name["w"].numpy(), x.numpy().T @ y.numpy(), rtol=1e-6)
    np.testing.assert_allclose(tape.gradient(loss, [w, b])[1].numpy(), y.numpy()[0], rtol=1e-6)
    x0, x1 = tf.Variable(3.0, name="x0"), tf.Variable(3.0, name="x1", trainable=False)
    x2, x3 = tf.Variable(2.0, name="x2") + 1.0, tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    assert [None if g is None else g.numpy() for g in tape.gradient(y, [x0, x1, x2, x3])] == [6.0, None, None, None]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x3)
        y = tf.nn.softplus(x3) * x0
    slope, nothing = tape.gradient(y, [x3, x0])
    np.testing.assert_allclose(slope.numpy(), 3.0 * tf.sigmoid(3.0).numpy(), rtol=1e-6)
    assert nothing is None
    with tf.GradientTape(persistent=True) as tape:
        for selected, other in ((x0, x1), (x1, x0)):
            tape.watch(selected)
            result = selected if selected > 2.0 else other**2
        both = {"y0": x0**2, "y1": 1 / x0}
    np.testing.assert_allclose(tape.gradient(both, x0).numpy(), 6.0 - 1 / 9, rtol=1e-6)
    assert tape.gradient(result, x0, unconnected_gradients=tf.UnconnectedGradients.ZERO).numpy() == 0.0
    with tf.GradientTape() as tape:
        rounded = tf.cast(tf.cast(x0, tf.int32), tf.float32) * 2.0
    assert tape.gradient(rounded, x0) is None
    steps = np.linspace(-2.0, 2.0, 201).astype("float32")
    with tf.GradientTape() as tape:
        tape.watch(points := tf.constant(steps))
        y = tf.nn.sigmoid(points)
    np.testing.assert_allclose(tape.gradient(y, points).numpy(), (y * (1 - y)).numpy(), rtol=1e-5)
    noise = np.random.default_rng(0).normal(size=201).astype("float32")
    rows, wanted = np.stack([steps, np.ones_like(steps)], axis=1), 3.0 * steps + 2.0 + noise
    line = tf.Variable([[5.0], [0.0]])
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(wanted - tf.squeeze(rows @ line)))
        line.assign_sub(0.3 * tape.gradient(loss, line))
    np.testing.assert_allclose(line.numpy()[:, 0], np.linalg.lstsq(rows, wanted, rcond=None)[0], rtol=1e-4)


def test_advanced_automatic_differentiation() -> None:
    """Recording that stops, gradients of one's own, several tapes, Jacobians, and Hessians.

    Newton's method with a tape's Hessian finds the weights that scikit-learn's logistic regression finds.
    """
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        squared = x * x
        with tape.stop_recording():
            unseen = x * y
        total = squared + unseen + tf.stop_gradient(y) * x
    assert [None if g is None else g.numpy() for g in tape.gradient(total, [x, y])] == [7.0, None]
    with tf.GradientTape() as tape:
        squared = x * x
        tape.reset()
        total = y * y
    assert [None if g is None else g.numpy() for g in tape.gradient(total, [x, y])] == [None, 6.0]

    @tf.custom_gradient
    def bounded(y: Any) -> Any:
        return y, lambda dy: tf.clip_by_norm(dy, 0.5)

    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        output = bounded(x * x)
        cube = x * x * x
    assert (inner.gradient(output, x).numpy(), outer.gradient(cube, x).numpy()) == (2.0, 12.0)

    reached = gradient_penalty(1)
    assert reached["penalty"] < 0.7
    assert_as_tensorflow("gradient_penalty", reached)
    newtons_method()


def gradient_penalty(seed: int) -> dict[str, float]:
    """The norm of a loss's gradient with respect to images, behind ten steps that made it less, by that before them.

    The Jacobian of the network then is that of each image alone.
    """
    tf.keras.utils.set_random_seed(seed)
    images = tf.random.normal([7, 5])
    hidden, dense = layers.Dense(8, activation=tf.nn.elu), layers.Dense(6)
    penalties = []
    for _ in range(10):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(images)
                loss = tf.reduce_sum(dense(hidden(images)) ** 2)
            penalties.append(tf.norm(inner.gradient(loss, images)))
        variables = hidden.trainable_variables + dense.trainable_variables
        for variable, slope in zip(variables, outer.gradient(penalties[-1], variables), strict=True):
            variable.assign_sub(0.01 * slope)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(images)
        said = dense(hidden(images))
    whole, batched = tape.jacobian(said, images), tape.batch_jacobian(said, images)
    assert whole.shape == (7, 6, 7, 5)
    np.testing.assert_allclose(tf.einsum("bxby->bxy", whole).numpy(), batched.numpy(), rtol=1e-4, atol=1e-6)
    return {"penalty": float(penalties[-1] / penalties[0])}


def newtons_method() -> None:
    from sklearn.linear_model import LogisticRegression

    data = sklearn_datasets.load_breast_cancer()
    rows = (data.data[:, :5] - data.data[:, :5].mean(axis=0)) / data.data[:, :5].std(axis=0)
    weights = tf.Variable(np.zeros((5, 1)))
    for _ in range(8):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                logits = tf.squeeze(rows @ weights)
                cross = tf.nn.sigmoid_cross_entropy_with_logits(data.target.astype(float), logits)
                loss = tf.reduce_sum(cross) + tf.reduce_sum(weights**2) / 2
            slope = inner.gradient(loss, weights)
        hessian = tf.reshape(outer.jacobian(slope, weights), [5, 5])
        weights.assign_sub(tf.linalg.solve(hessian, tf.reshape(slope, [5, 1])))
    peer = LogisticRegression(fit_intercept=False, tol=1e-10, max_iter=1000).fit(rows, data.target)
    np.testing.assert_allclose(weights.numpy()[:, 0], peer.coef_[0], rtol=1e-5)


def test_custom_training_loop() -> None:
    """As many digits are told as by scikit-learn's network of the same layers."""
    from sklearn.neural_network import MLPClassifier

    x, y, x_test, y_test = digits()
    peer = MLPClassifier((64, 64), batch_size=64, learning_rate_init=1e-3, alpha=0.0, max_iter=20, random_state=0)
    with pytest.warns(UserWarning, match="converged"):
        peer.fit(x.reshape(-1, 64), y)
    reached = custom_training_loop(0)
    assert reached["seen"] > peer.score(x.reshape(-1, 64), y) - 0.01
    assert reached["held back"] > peer.score(x_test.reshape(-1, 64), y_test) - 0.02
    assert_as_tensorflow("custom_training_loop", reached)


def custom_training_loop(seed: int) -> dict[str, float]:
    """The digits, by the layers and the loop of the guide: the share of images that is told."""
    x, y, x_test, y_test = digits()
    tf.keras.utils.set_random_seed(seed)
    inputs = tf.keras.Input(shape=(64,), name="digits")
    hidden = layers.Dense(64, activation="relu", name="dense_1")(inputs)
    hidden = layers.Dense(64, activation="relu", name="dense_2")(hidden)
    model = tf.keras.Model(inputs=inputs, outputs=layers.Dense(10, name="predictions")(hidden))
    optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    seen, held_back = (tf.keras.metrics.SparseCategoricalAccuracy() for _ in range(2))
    train = tf.data.Dataset.from_tensor_slices((x.reshape(-1, 64), y)).shuffle(1400).batch(64)
    test = tf.data.Dataset.from_tensor_slices((x_test.reshape(-1, 64), y_test)).batch(64)
    for _ in range(20):
        seen.reset_state()
        for rows, labels in train:
            with tf.GradientTape() as tape:
                logits = model(rows, training=True)
                loss = loss_of(labels, logits)
            optimizer.apply_gradients(
                zip(tape.gradient(loss, model.trainable_weights), model.trainable_weights, strict=True)
            )
            seen.update_state(labels, logits)
    for rows, labels in test:
        held_back.update_state(labels, model(rows, training=False))
    return {"seen": float(seen.result()), "held back": float(held_back.result())}


def test_adversarial_examples() -> None:
    reached = adversarial_examples(0)
    assert reached["told"] > 0.93
    assert reached["told when moved"] < reached["told"] - 0.3
    assert_as_tensorflow("adversarial_examples", reached)


def adversarial_examples(seed: int) -> dict[str, float]:
    """Images moved by the sign of the loss's gradient are misread by the network that reads them well."""
    x, y, x_test, y_test = digits()
    tf.keras.utils.set_random_seed(seed)
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
    for _ in range(10):
        for images, labels in tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1400, seed=0).batch(100):
            with tf.GradientTape() as tape:
                loss = loss_of(labels, model(images, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    accuracy = float(tf.keras.metrics.SparseCategoricalAccuracy()(y_test, model(x_test)))
    with tf.GradientTape() as tape:
        tape.watch(given := tf.constant(x_test))
        loss = loss_of(y_test, model(given))
    moved = tf.clip_by_value(given + 0.2 * tf.sign(tape.gradient(loss, given)), 0.0, 1.0)
    fooled = tf.keras.metrics.SparseCategoricalAccuracy()(y_test, model(moved))
    return {"told": accuracy, "told when moved": float(fooled)}
