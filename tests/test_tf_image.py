"""`tf.image`: values and gradients that TensorFlow 2.21 gave, dtypes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

Y = (np.arange(288) * 53 % 97 / 97).reshape(1, 12, 12, 2).astype(np.float32)
X = (np.arange(288) * 37 % 101 / 101).reshape(1, 12, 12, 2).astype(np.float32) / 2 + Y / 2
SMALL = (np.arange(12) * 5 % 12 / 12).reshape(1, 3, 4, 1).astype(np.float32)
BYTES = np.array([[[0, 100, 255], [7, 128, 30]]], np.uint8)


def value_and_gradient(function: Callable[..., Any], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(given)
    return y.numpy(), tape.gradient(y, given).numpy()


@pytest.mark.parametrize(
    ("function", "value", "slopes"),
    [
        (lambda x: tf.image.ssim(x, Y, 1.0), 0.67027354, [-0.05184166, -0.00424866]),
        (
            lambda x: tf.image.ssim_multiscale(x, Y, 1.0, (0.4, 0.6), filter_size=5),
            0.70350552,
            [-0.02715681, 0.00574074],
        ),
        (lambda x: tf.image.psnr(x, Y, 2.0), 20.1333046, [-0.09046988, -0.0204748]),
    ],
    ids=["ssim", "ssim_multiscale", "psnr"],
)
def test_likenesses_of_images(function: Callable[..., Any], value: float, slopes: list[float]) -> None:
    found, gradient = value_and_gradient(function, X)
    np.testing.assert_allclose(found, [value], rtol=2e-6)
    np.testing.assert_allclose(gradient[0, 5, 6], slopes, rtol=2e-5)


RESIZED = {
    ("bilinear", False): ([2.5, 3.5, 4.222222, 2.75, 4.583333, 7.333333], [2.0, 3.58333, 8.75]),
    ("bilinear", True): ([2.75, 3.354167, 3.722222, 2.9375, 5.0, 7.791667], [1.66667, 5.375, 7.29167]),
    ("lanczos3", False): ([2.45708, 3.941568, 4.414454, 1.9326, 4.274624, 8.160872], [1.4635, 3.53342, 9.28984]),
    ("lanczos5", True): ([2.910603, 3.887594, 3.394616, 1.929877, 5.062844, 9.005758], [0.83355, 6.32246, 7.53307]),
    ("gaussian", True): ([2.684707, 3.259609, 3.609626, 3.343354, 5.067076, 7.373304], [1.99011, 5.34637, 6.92759]),
    ("mitchellcubic", False): (
        [2.521547, 3.595484, 4.220578, 2.674877, 4.515714, 7.423614],
        [1.80971, 3.52981, 8.76775],
    ),
    ("nearest", False): ([2.0, 5.25, 6.0, 1.5, 5.833333, 6.416666], [3.0, 0.0, 15.0]),
}


@pytest.mark.parametrize(("method", "antialias"), RESIZED)
def test_images_in_another_size(method: str, antialias: bool) -> None:
    weights = np.arange(12, dtype=np.float32).reshape(1, 2, 6, 1)
    found, gradient = value_and_gradient(
        lambda x: tf.image.resize(x, [2, 6], method, antialias=antialias) * weights, SMALL
    )
    row, column = RESIZED[method, antialias]
    np.testing.assert_allclose(found[0, 1, :, 0], row, rtol=3e-6)
    np.testing.assert_allclose(gradient[0, :, 1, 0], column, rtol=2e-5)


def test_only_the_nearest_elements_keep_their_dtype() -> None:
    assert tf.image.resize(BYTES, [3, 3], "nearest").dtype == np.uint8
    assert tf.image.resize(BYTES, [1, 2]).dtype == np.float32
    assert tf.image.resize(SMALL, [6, 6], preserve_aspect_ratio=True).shape == (1, 4, 6, 1)


def test_standardised_images() -> None:
    weights = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    found, gradient = value_and_gradient(lambda x: tf.image.per_image_standardization(x) * weights, SMALL)
    np.testing.assert_allclose(found.ravel()[:4], [0, -0.144338, 2.598076, -2.165064], atol=1e-6)
    np.testing.assert_allclose(gradient.ravel()[:4], [-19.05256, -15.58846, -12.12436, -8.66025], rtol=1e-5)


def test_images_of_integers_are_computed_as_floats_from_0_to_1() -> None:
    assert tf.image.rgb_to_grayscale(BYTES).numpy().ravel().tolist() == [87, 80]
    assert tf.image.adjust_brightness(BYTES, 0.1).numpy()[0, 0].tolist() == [25, 125, 255]
    assert tf.image.convert_image_dtype(BYTES, tf.int16).numpy()[0, 0].tolist() == [0, 12800, 32640]
    found = tf.image.convert_image_dtype([-1.0, 0.5, 2.0], tf.uint8, saturate=True)
    assert found.numpy().tolist() == [0, 127, 255]


REFUSED = {
    "flip of a matrix": lambda: tf.image.flip_left_right(np.ones((2, 3))),
    "crop of nothing": lambda: tf.image.central_crop(SMALL, 0.0),
    "crop outside": lambda: tf.image.crop_to_bounding_box(SMALL, 2, 0, 2, 2),
    "crop before": lambda: tf.image.crop_to_bounding_box(SMALL, -1, 0, 2, 2),
    "pad without room": lambda: tf.image.pad_to_bounding_box(SMALL, 0, 0, 2, 9),
    "negative gamma": lambda: tf.image.adjust_gamma(SMALL, -1.0),
    "colours of two channels": lambda: tf.image.rgb_to_grayscale(X),
    "three channels as one": lambda: tf.image.grayscale_to_rgb(BYTES),
    "one number for a size": lambda: tf.image.resize(SMALL, [3]),
    "no size": lambda: tf.image.resize(SMALL, [0, 3]),
    "no method": lambda: tf.image.resize(SMALL, [3, 3], "foo"),
    "likeness of small images": lambda: tf.image.ssim(SMALL, SMALL, 1.0),
    "likeness of other sizes": lambda: tf.image.psnr(X, X[:, 1:], 1.0),
    "edges of integers": lambda: tf.image.sobel_edges(BYTES[None]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        REFUSED[name]()
