"""Layers of attention, of separable convolutions and of groups, beside formulas in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

layers = tf.keras.layers
RNG = np.random.default_rng(5)


def numbers(*shape: int) -> np.ndarray:
    """Normally distributed numbers of a shape."""
    return RNG.normal(size=shape).astype(np.float32)


def drawn(layer: Any, *inputs: Any) -> list[np.ndarray]:
    """New weights of a layer."""
    layer(*inputs)
    layer.set_weights([numbers(*w.shape) for w in layer.get_weights()])
    return layer.get_weights()


def softmax(x: np.ndarray) -> np.ndarray:
    """Along the last axis."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


Q, V = numbers(2, 3, 4), numbers(2, 5, 4)


@pytest.mark.parametrize("causal", [False, True])
def test_attention_of_several_heads(causal: bool) -> None:
    layer = layers.MultiHeadAttention(2, 3, value_dim=2, output_shape=6)
    wq, bq, wk, bk, wv, bv, wo, bo = drawn(layer, Q, V)
    q, k, v = (
        np.einsum("abc,cnh->anbh", x, w) + b[None, :, None] for x, w, b in ((Q, wq, bq), (V, wk, bk), (V, wv, bv))
    )
    shown = np.tri(3, 5, dtype=bool) if causal else np.array([1, 1, 0, 1, 0], bool)[None]
    weights = softmax(np.where(shown, q @ np.swapaxes(k, 2, 3) / np.sqrt(3), -1e30))
    expected = np.einsum("anbh,nhd->abd", weights @ v, wo) + bo
    mask = None if causal else np.broadcast_to(shown, (2, 3, 5))
    found, scores = layer(Q, V, attention_mask=mask, use_causal_mask=causal, return_attention_scores=True)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(scores, weights, rtol=1e-4, atol=1e-6)
    by_name = layer(query=Q, value=V, key=V, attention_mask=mask, use_causal_mask=causal)
    np.testing.assert_allclose(by_name, expected, rtol=1e-4, atol=1e-5)


def test_attention_sees_what_masks_of_its_inputs_show() -> None:
    layer = layers.MultiHeadAttention(2, 3)
    drawn(layer, V, V)
    table = layers.Embedding(5, 4, mask_zero=True)
    x = table(np.array([[1, 2, 3, 0, 0]]))
    alone = layer(x.numpy()[:, :3], x.numpy()[:, :3])
    found = layer(x, x)
    np.testing.assert_allclose(found[:, :3], alone, rtol=1e-5)
    assert found._mask.tolist() == [[True, True, True, False, False]]


def test_attention_by_products_and_by_sums() -> None:
    mask = np.array([[1, 1, 0, 1, 0], [1, 0, 0, 0, 0]], bool)
    low = np.where(mask[:, None], 0, -1e9)
    expected = softmax(Q @ np.swapaxes(V, 1, 2) + low) @ V
    np.testing.assert_allclose(layers.Attention()([Q, V], mask=[None, mask]), expected, rtol=1e-5, atol=1e-6)
    sums = np.tanh(Q[:, :, None] + V[:, None])
    for layer, scores in (
        (layers.Attention(score_mode="concat"), sums.sum(-1)),
        (layers.AdditiveAttention(use_scale=False), sums.sum(-1)),
    ):
        np.testing.assert_allclose(layer([Q, V]), softmax(scores) @ V, rtol=1e-5, atol=1e-6)
    layer = layers.AdditiveAttention()
    (scale,) = drawn(layer, [Q, V])
    found, weights = layer([Q, V], return_attention_scores=True)
    np.testing.assert_allclose(weights, softmax((scale * sums).sum(-1)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found, weights.numpy() @ V, rtol=1e-5)


@pytest.mark.parametrize(
    ("equation", "shape", "bias"),
    [
        ("abc,cd->abd", (None, 7), "d"),
        ("...c,cd->...d", 7, "d"),
        ("abc,bd->adc", (7, 4), "d"),
        ("abc,cde->abde", (5, 2, 3), "de"),
    ],
)
def test_products_of_tensors(equation: str, shape: Any, bias: str) -> None:
    layer = layers.EinsumDense(equation, shape, "relu", bias)
    kernel, b = drawn(layer, V)
    np.testing.assert_allclose(layer(V), np.maximum(np.einsum(equation, V, kernel) + b, 0), rtol=1e-4, atol=1e-5)


def test_separable_convolutions() -> None:
    x = numbers(2, 6, 6, 3)
    layer = layers.SeparableConv2D(4, 3, strides=2, padding="same", depth_multiplier=2)
    depth, point, bias = drawn(layer, x)
    alone = layers.DepthwiseConv2D(3, strides=2, padding="same", depth_multiplier=2, use_bias=False)
    alone(x)
    alone.set_weights([depth])
    np.testing.assert_allclose(layer(x), alone(x).numpy() @ point[0, 0] + bias, rtol=1e-4, atol=1e-5)
    signal = numbers(2, 6, 3)
    layer = layers.DepthwiseConv1D(2, depth_multiplier=2)
    depth, bias = drawn(layer, signal)
    expected = sum(np.einsum("bnc,cm->bncm", signal[:, k : 5 + k], depth[k]) for k in range(2))
    np.testing.assert_allclose(layer(signal), expected.reshape(2, 5, 6) + bias, rtol=1e-4, atol=1e-5)


def test_normalisation_of_groups_and_by_the_root_mean_square() -> None:
    x = numbers(2, 3, 3, 4)
    layer = layers.GroupNormalization(2, epsilon=0.1)
    gamma, beta = drawn(layer, x)
    parts = x.reshape(2, 3, 3, 2, 2)
    over = (1, 2, 4)
    expected = (parts - parts.mean(over, keepdims=True)) / np.sqrt(parts.var(over, keepdims=True) + 0.1)
    np.testing.assert_allclose(layer(x), expected.reshape(x.shape) * gamma + beta, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="groups"):
        layers.GroupNormalization(3)(x)
    layer = layers.RMSNormalization()
    (scale,) = drawn(layer, Q)
    np.testing.assert_allclose(layer(Q), Q / np.sqrt((Q**2).mean(-1, keepdims=True) + 1e-6) * scale, rtol=1e-5)


def test_layers_that_move_scale_and_cut() -> None:
    x = numbers(5, 3)
    layer = layers.Normalization()
    layer.adapt(tf.data.Dataset.from_tensor_slices(x).batch(2))
    np.testing.assert_allclose(layer(x), (x - x.mean(0)) / x.std(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(layers.Normalization(None, mean=2.0, variance=4.0)(x), (x - 2) / 2, rtol=1e-6)
    np.testing.assert_allclose(layers.Normalization(mean=2.0, variance=4.0, invert=True)(x), x * 2 + 2, rtol=1e-6)
    assert layers.Rescaling(0.5, 1.0)(np.arange(3)).numpy().tolist() == [1.0, 1.5, 2.0]
    sequence = tf.reshape(tf.range(3.0), (1, 3, 1))
    assert layers.ZeroPadding1D((1, 0))(sequence).numpy().ravel().tolist() == [0, 0, 1, 2]
    assert layers.Cropping1D((1, 0))(sequence).numpy().ravel().tolist() == [1, 2]
    assert layers.UpSampling1D(2)(sequence).numpy().ravel().tolist() == [0, 0, 1, 1, 2, 2]


def test_dropout_of_channels_and_by_gaussian_numbers() -> None:
    tf.random.set_seed(1)
    found = layers.SpatialDropout2D(0.5)(tf.ones((50, 3, 3, 40)), training=True).numpy()
    assert set(found.ravel()) == {0.0, 2.0}
    assert (found == found[:, :1, :1]).all()
    many = tf.random.normal((400, 400))
    for layer, mean, std in ((layers.AlphaDropout(0.3), 0.0, 1.0), (layers.GaussianDropout(0.5), 0.0, 2**0.5)):
        drawn_numbers = layer(many, training=True).numpy()
        np.testing.assert_allclose([drawn_numbers.mean(), drawn_numbers.std()], [mean, std], atol=0.02)
        assert layer(many) is many


def test_functions_of_several_inputs() -> None:
    for name, expected in (
        ("average", Q),
        ("maximum", np.maximum(Q, -Q) * 2),
        ("subtract", 4 * Q),
        ("multiply", -3 * Q**2),
    ):
        pair = [2 * Q, -2 * Q] if name == "maximum" else [3 * Q, -Q]
        np.testing.assert_allclose(getattr(layers, name)(pair), expected, rtol=1e-6)
    np.testing.assert_allclose(layers.dot([Q, V], axes=2), Q @ np.swapaxes(V, 1, 2), rtol=1e-5, atol=1e-6)
