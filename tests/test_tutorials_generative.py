"""The tutorials of TensorFlow's guide whose networks make texts and images, written anew, on data of scikit-learn.

What each network must reach is what an independent model of NumPy or scikit-learn reaches on the same data, and what
TensorFlow itself reaches by the same text (`tests/tutorials_beside_tensorflow.py`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import pullback.tf as tf
from tutorials_beside_tensorflow import assert_as_tensorflow

sklearn_datasets = pytest.importorskip("sklearn.datasets")
layers = tf.keras.layers


class Reader(tf.keras.Model):
    """What comes behind each letter of texts: a number for each letter there is, and the state behind the last."""

    def __init__(self, letters: int, embedding_dim: int, rnn_units: int) -> None:
        super().__init__()
        self.embedding = layers.Embedding(letters, embedding_dim)
        self.gru = layers.GRU(rnn_units, return_sequences=True, return_state=True)
        self.dense = layers.Dense(letters)

    def call(self, inputs: Any, states: Any = None, return_state: bool = False, training: bool = False) -> Any:
        x = self.embedding(inputs, training=training)
        x, states = self.gru(x, initial_state=states, training=training)
        x = self.dense(x, training=training)
        return (x, states) if return_state else x


class OneStep:
    """The next letters of texts, drawn as a model foresees them, and its states."""

    def __init__(self, model: Any, temperature: float) -> None:
        self.model, self.temperature = model, temperature

    @tf.function
    def generate_one_step(self, ids: Any, states: Any = None) -> Any:
        predicted, states = self.model(inputs=ids, states=states, return_state=True)
        drawn = tf.random.categorical(predicted[:, -1, :] / self.temperature, num_samples=1)
        return tf.squeeze(drawn, axis=-1), states


def test_text_generation_with_a_gru() -> None:
    """The next letter is foreseen better than by its frequencies behind the two letters before it.

    The pairs of letters in what the network writes are those of the text, which are seldom those of shuffled letters.
    """
    codes = letters_of_a_text()
    reached = text_generation(1)
    assert reached["loss"] < surprise_behind(codes, 2)
    known, shuffled = set(pairwise(codes)), np.random.default_rng(0).permutation(codes)
    assert reached["known pairs"] > 0.9 > np.mean([pair in known for pair in pairwise(shuffled)]) + 0.2
    assert_as_tensorflow("text_generation", reached)


def letters_of_a_text() -> Any:
    """Which of all its letters, in the order of the alphabet, stands at each place of a text."""
    text = sklearn_datasets.load_iris().DESCR[:1600].lower()
    letters = sorted(set(text))
    return np.array([letters.index(c) for c in text])


def text_generation(seed: int) -> dict[str, float]:
    """The loss of a network in the last epoch, and how many pairs of letters that it writes are in the text."""
    codes = letters_of_a_text()
    tf.keras.utils.set_random_seed(seed)
    model = Reader(int(codes.max()) + 1, 16, 64)
    model.optimizer, model.loss = tf.keras.optimizers.Adam(0.01), tf.keras.losses.SparseCategoricalCrossentropy(True)
    sequences = tf.data.Dataset.from_tensor_slices(codes).batch(26, drop_remainder=True)
    data = sequences.map(lambda row: (row[:-1], row[1:])).shuffle(100).batch(16, drop_remainder=True)
    for _ in range(60):
        losses = [train_step(model, *batch) for batch in data]
    step, states = OneStep(model, temperature=0.5), None
    next_ids = tf.constant(codes[:1])
    written = [codes[0]]
    for _ in range(100):
        next_ids, states = step.generate_one_step(tf.expand_dims(next_ids, 1), states)
        written.append(int(next_ids[0]))
    known = set(pairwise(codes))
    share = np.mean([pair in known for pair in pairwise(written)])
    return {"loss": float(np.mean(losses)), "known pairs": float(share)}


@tf.function
def train_step(model: Any, inputs: Any, labels: Any) -> float:
    with tf.GradientTape() as tape:
        loss = model.loss(labels, model(inputs, training=True))
    variables = model.trainable_variables
    model.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
    return float(loss)


def surprise_behind(codes: Any, order: int) -> float:
    """The mean of -log p of a letter, where p is its share among those that follow the same `order` letters."""
    rows = np.lib.stride_tricks.sliding_window_view(codes, order + 1)
    _, place, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    _, before, whole = np.unique(rows[:, :-1], axis=0, return_inverse=True, return_counts=True)
    return float(-np.mean(np.log(count[place] / whole[before])))


class CVAE(tf.keras.Model):
    """A convolutional autoencoder whose codes are drawn."""

    def __init__(self, latent_dim: int) -> None:
        super().__init__()
        self.latent_dim = latent_dim
        self.encoder = tf.keras.Sequential(
            [
                layers.InputLayer(input_shape=(8, 8, 1)),
                layers.Conv2D(filters=16, kernel_size=3, strides=(2, 2), padding="same", activation="relu"),
                layers.Conv2D(filters=32, kernel_size=3, strides=(2, 2), padding="same", activation="relu"),
                layers.Flatten(),
                layers.Dense(latent_dim + latent_dim),
            ]
        )
        self.decoder = tf.keras.Sequential(
            [
                layers.InputLayer(input_shape=(latent_dim,)),
                layers.Dense(units=2 * 2 * 32, activation=tf.nn.relu),
                layers.Reshape(target_shape=(2, 2, 32)),
                layers.Conv2DTranspose(filters=16, kernel_size=3, strides=2, padding="same", activation="relu"),
                layers.Conv2DTranspose(filters=1, kernel_size=3, strides=2, padding="same"),
            ]
        )

    @tf.function
    def sample(self, eps: Any) -> Any:
        return self.decode(eps, apply_sigmoid=True)

    def encode(self, x: Any) -> Any:
        mean, logvar = tf.split(self.encoder(x), num_or_size_splits=2, axis=1)
        return mean, logvar

    def reparameterize(self, mean: Any, logvar: Any) -> Any:
        return tf.random.normal(shape=mean.shape) * tf.exp(logvar * 0.5) + mean

    def decode(self, z: Any, apply_sigmoid: bool = False) -> Any:
        logits = self.decoder(z)
        return tf.sigmoid(logits) if apply_sigmoid else logits

    def bound(self, x: Any) -> Any:
        """The bound on the mean of log p(x), by one drawn code for each image."""
        mean, logvar = self.encode(x)
        z = self.reparameterize(mean, logvar)
        cross = tf.nn.sigmoid_cross_entropy_with_logits(logits=self.decode(z), labels=x)
        logpx_z = -tf.reduce_sum(cross, axis=[1, 2, 3])
        return tf.reduce_mean(logpx_z + log_normal_pdf(z, 0.0, 0.0) - log_normal_pdf(z, mean, logvar))


def log_normal_pdf(sample: Any, mean: Any, logvar: Any) -> Any:
    squares = (sample - mean) ** 2.0 * tf.exp(-logvar)
    return tf.reduce_sum(-0.5 * (squares + logvar + tf.math.log(2.0 * np.pi)), axis=1)


def test_variational_autoencoder() -> None:
    """Digits that were held back are likelier than by scikit-learn's naive Bayes, which knows what digits they are."""
    from sklearn.naive_bayes import BernoulliNB

    x, y = black_and_white_digits()
    reached, drawn = variational_autoencoder(0)
    peer = BernoulliNB().fit(x[:1400].reshape(-1, 64), y[:1400])
    likelihood = logsumexp(peer.predict_joint_log_proba(x[1400:].reshape(-1, 64)), axis=1).mean()
    assert reached["bound"] > likelihood
    assert reached["distance"] < 0.06
    assert len(set(peer.predict(drawn.reshape(-1, 64) > 0.5))) == 10
    assert_as_tensorflow("variational_autoencoder", reached)


def black_and_white_digits() -> tuple[Any, Any]:
    data = sklearn_datasets.load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))
    return np.where(data.images[order] > 7.5, 1.0, 0.0).astype("float32")[..., None], data.target[order]


def variational_autoencoder(seed: int) -> tuple[dict[str, float], Any]:
    """The bound of digits that were held back, how far the mean of drawn ones is from that of all, and the drawn."""
    x, _ = black_and_white_digits()
    tf.keras.utils.set_random_seed(seed)
    model, optimizer = CVAE(8), tf.keras.optimizers.Adam(4e-3)
    batches = tf.data.Dataset.from_tensor_slices(x[:1400]).shuffle(1400).batch(50)
    for _ in range(28):
        for batch in batches:
            with tf.GradientTape() as tape:
                loss = -model.bound(batch)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    drawn = model.sample(tf.random.normal(shape=[500, 8])).numpy()
    distance = np.abs(drawn.mean(axis=0) - x.mean(axis=0)).mean()
    return {"bound": float(model.bound(x[1400:])), "distance": float(distance)}, drawn


def generator_model(noise_dim: int) -> Any:
    return tf.keras.Sequential(
        [
            layers.Dense(4 * 4 * 16, use_bias=False, input_shape=(noise_dim,)),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Reshape((4, 4, 16)),
            layers.Conv2DTranspose(8, (3, 3), strides=(1, 1), padding="same", use_bias=False),
            layers.BatchNormalization(),
            layers.LeakyReLU(),
            layers.Conv2DTranspose(1, (3, 3), strides=(2, 2), padding="same", use_bias=False, activation="tanh"),
        ]
    )


def discriminator_model() -> Any:
    return tf.keras.Sequential(
        [
            layers.Conv2D(16, (3, 3), strides=(2, 2), padding="same", input_shape=[8, 8, 1]),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Conv2D(32, (3, 3), strides=(2, 2), padding="same"),
            layers.LeakyReLU(),
            layers.Dropout(0.3),
            layers.Flatten(),
            layers.Dense(1),
        ]
    )


cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)


def adversarial_step(networks: Any, optimizers: Any, images: Any, noise_dim: int) -> float:
    """One step of both networks, and how often the discriminator was right before it."""
    generator, discriminator = networks
    noise = tf.random.normal([images.shape[0], noise_dim])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        made = generator(noise, training=True)
        real, fake = discriminator(images, training=True), discriminator(made, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake), fake)
        disc_loss = cross_entropy(tf.ones_like(real), real) + cross_entropy(tf.zeros_like(fake), fake)
    for tape, loss, network, optimizer in zip(
        (gen_tape, disc_tape), (gen_loss, disc_loss), networks, optimizers, strict=True
    ):
        gradients = tape.gradient(loss, network.trainable_variables)
        optimizer.apply_gradients(zip(gradients, network.trainable_variables, strict=True))
    return float(np.mean(real.numpy() > 0) + np.mean(fake.numpy() < 0)) / 2


def test_an_adversarial_pair() -> None:
    """A generator makes images whose means and deviations become those of the digits, so that its adversary errs.

    A linear model of scikit-learn tells all images apart from digits before the training, and misses some behind it.
    """
    reached = adversarial_pair(0)
    assert reached["means"] < 0.4
    assert reached["deviations"] < 0.4
    assert reached["told"] < reached["told before"] == 1.0
    assert reached["right"] < 0.62 < reached["right at most"] - 0.05
    assert_as_tensorflow("adversarial_pair", reached)


def adversarial_pair(seed: int) -> dict[str, float]:
    """How far images are from digits behind the training, by that before it, and how well they are told apart."""
    x = (sklearn_datasets.load_digits().images / 8 - 1).astype("float32")[..., None]
    tf.keras.utils.set_random_seed(seed)
    networks = generator_model(16), discriminator_model()
    optimizers = tf.keras.optimizers.Adam(2e-3, beta_1=0.5), tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
    before, right = quality(networks[0], x), []
    for _ in range(10):
        batches = tf.data.Dataset.from_tensor_slices(x).shuffle(len(x)).batch(64)
        right.append(float(np.mean([adversarial_step(networks, optimizers, images, 16) for images in batches])))
    after = quality(networks[0], x)
    return {
        "means": after[0] / before[0],
        "deviations": after[1] / before[1],
        "told": after[2],
        "told before": before[2],
        "right": right[-1],
        "right at most": max(right),
    }


def quality(generator: Any, x: Any) -> tuple[float, float, float]:
    """Distances of means and deviations of generated images from those of `x`, and how many a linear model tells."""
    from sklearn.linear_model import LogisticRegression

    made = generator(tf.random.normal([600, 16]), training=False).numpy()
    rows, is_real = np.concatenate([x[:600], made]).reshape(1200, -1), np.arange(1200) < 600
    told = LogisticRegression(max_iter=200).fit(rows[::2], is_real[::2]).score(rows[1::2], is_real[1::2])
    means, deviations = (float(np.abs(of(made, axis=0) - of(x, axis=0)).mean()) for of in (np.mean, np.std))
    return means, deviations, float(told)
