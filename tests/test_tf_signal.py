"""`tf.signal`: values and refusals."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

import pullback.tf as tf

X = np.array([[1.0, 4.0, -2.0, 0.5, 3.0], [0.0, 1.0, 2.0, 3.0, 4.0]])


def test_frames_and_their_sum() -> None:
    found = tf.signal.frame(X, 2, 2, pad_end=True, pad_value=9.0)
    assert found[0].numpy().tolist() == [[1, 4], [-2, 0.5], [3, 9]]
    assert tf.signal.frame(X, 2, 2).shape == (2, 2, 2)
    np.testing.assert_array_equal(tf.signal.overlap_and_add(tf.signal.frame(X, 1, 1), 1), X)
    assert tf.signal.overlap_and_add([[1, 2, 3], [10, 20, 30]], 1).numpy().tolist() == [1, 12, 23, 30]


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_cosine_transforms_are_those_of_scipy(kind: int) -> None:
    np.testing.assert_allclose(tf.signal.dct(X, kind), scipy.fft.dct(X, kind), atol=1e-14)
    factor = 8 if kind == 1 else 10
    np.testing.assert_allclose(tf.signal.idct(tf.signal.dct(X, kind), kind), factor * X, atol=1e-13)


def test_windows() -> None:
    np.testing.assert_allclose(tf.signal.hann_window(4), [0, 0.5, 1, 0.5], atol=1e-7)
    np.testing.assert_allclose(tf.signal.hann_window(5), np.hanning(5), atol=1e-7)
    np.testing.assert_allclose(tf.signal.hamming_window(6, periodic=False), np.hamming(6), rtol=1e-6)
    np.testing.assert_allclose(tf.signal.kaiser_window(5, 3.0), np.kaiser(5, 3.0), rtol=1e-6)
    np.testing.assert_allclose(tf.signal.vorbis_window(2), [np.sin(np.pi / 4)] * 2, rtol=1e-6)
    assert tf.signal.hann_window(1, dtype=tf.float64).dtype == np.float64


REFUSED = {
    "transform of type 5": lambda: tf.signal.dct(X, 5),
    "transform along another axis": lambda: tf.signal.dct(X, axis=0),
    "transform of integers": lambda: tf.signal.dct([1, 2]),
    "orthogonal transform of type 1": lambda: tf.signal.dct(X, 1, norm="ortho"),
    "frames at no distance": lambda: tf.signal.frame(X, 3, 0),
    "frames of a vector": lambda: tf.signal.overlap_and_add(X[0], 1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        REFUSED[name]()
