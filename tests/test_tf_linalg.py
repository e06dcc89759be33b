"""`tf.linalg`: what differs from NumPy's functions, in values, gradients and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

S = np.array([[2.0, 0.5, -0.3], [0.1, 1.5, 0.7], [0.4, -0.2, 3.0]])
M = np.arange(12.0).reshape(3, 4) / 5 - 1


def gradient(function: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = function(given)
    return tape.gradient(y, given).numpy()


@pytest.mark.parametrize(
    "total",
    [
        lambda x: tf.reduce_sum(tf.linalg.eigvalsh(x) * [1.0, 2.0, 4.0]),
        lambda x: tf.reduce_sum(tf.linalg.eigh(x)[1] ** 2 * S),
    ],
    ids=["values", "vectors"],
)
def test_gradients_of_eigenvalues_and_vectors_lie_in_the_lower_triangle(total: Callable[..., Any]) -> None:
    found, step = gradient(total, S), 1e-6
    assert not np.triu(found, 1).any()
    for i, j in [(0, 0), (1, 0), (2, 1), (2, 2)]:
        moved = [S + sign * step * np.eye(3)[:, [i]] * np.eye(3)[j] for sign in (1, -1)]
        slope = (float(total(tf.constant(moved[0]))) - float(total(tf.constant(moved[1])))) / (2 * step)
        np.testing.assert_allclose(found[i, j], slope, rtol=1e-6, atol=1e-8)


def test_a_trace_keeps_the_dtype_of_integers() -> None:
    assert tf.linalg.trace([[1, 2], [3, 4]]).dtype == np.int32


def test_least_squares_by_the_pseudoinverse_know_no_regularizer() -> None:
    found = tf.linalg.lstsq(M.T, M.T, l2_regularizer=0.5, fast=False)
    np.testing.assert_allclose(found, np.linalg.pinv(M.T) @ M.T)


def test_a_rank_counts_singular_values_above_a_tolerance() -> None:
    assert tf.linalg.matrix_rank(np.diag([1.0, 2.0, 4.0]), tol=[1.5]).numpy() == 2
    assert tf.linalg.matrix_rank(np.ones((2, 3, 3))).numpy().tolist() == [1, 1]


def test_the_norm_of_no_tensors_is_0() -> None:
    assert tf.linalg.global_norm([]).numpy() == 0
    assert tf.linalg.global_norm([None]).dtype == np.float32


def test_only_positive_definite_matrices_have_a_logdet() -> None:
    np.testing.assert_allclose(tf.linalg.logdet(np.diag([2.0, 4.0])), np.log(8))
    with pytest.raises(np.linalg.LinAlgError):
        tf.linalg.logdet(-np.eye(2))


def test_triangular_factors_and_their_order() -> None:
    a = np.stack([S[::-1], S[[1, 2, 0]]])
    factors, order = tf.linalg.lu(a)
    lower, upper = np.tril(factors.numpy(), -1) + np.eye(3), np.triu(factors.numpy())
    np.testing.assert_allclose(lower @ upper, np.take_along_axis(a, order.numpy()[..., None], axis=1), atol=1e-15)
    assert order.dtype == np.int32
    np.testing.assert_allclose(tf.linalg.lu_reconstruct(factors, order), a, atol=1e-15)
    np.testing.assert_allclose(tf.linalg.lu_solve(factors, order, M), np.linalg.solve(a, M))
    np.testing.assert_allclose(tf.linalg.lu_matrix_inverse(factors, order), np.linalg.inv(a))


def test_triangular_factors_have_no_gradient_as_in_tensorflow() -> None:
    with pytest.raises(LookupError):
        gradient(lambda x: tf.linalg.lu(x).lu, S)


def test_diagonals_of_a_band_that_is_solved() -> None:
    bands = np.array([[2.0, 3.0, 4.0], [9.0, 1.0, 2.0]])
    lower = np.linalg.inv(tf.linalg.banded_triangular_solve(bands, np.eye(3)))
    np.testing.assert_allclose(lower, [[2, 0, 0], [1, 3, 0], [0, 2, 4]], atol=1e-15)
    upper = np.linalg.inv(tf.linalg.banded_triangular_solve(bands[::-1], np.eye(3), lower=False))
    np.testing.assert_allclose(upper, [[2, 9, 0], [0, 3, 1], [0, 0, 4]], atol=1e-15)


def test_chosen_eigenvalues_of_three_diagonals() -> None:
    main, beside = [1.0, 2.0, 4.0], [0.5, 0.3]
    by_position = tf.linalg.eigh_tridiagonal(main, beside, select="i", select_range=(0, 1))
    np.testing.assert_allclose(by_position, [0.7887186, 2.1654508], rtol=1e-6)
    by_value = tf.linalg.eigh_tridiagonal(main, beside, select="v", select_range=(1.0, 3.0))
    np.testing.assert_allclose(by_value, [2.1654508], rtol=1e-6)
    values, vectors = tf.linalg.eigh_tridiagonal(main, beside, eigvals_only=False)
    matrix = np.diag(main) + np.diag(beside, 1) + np.diag(beside, -1)
    np.testing.assert_allclose(matrix @ vectors, values * vectors, atol=1e-5)


REFUSED = {
    "lu of a singular matrix": lambda: tf.linalg.lu(np.ones((2, 2))),
    "lu of no square": lambda: tf.linalg.lu(M),
    "det of integers": lambda: tf.linalg.det([[1, 2], [3, 4]]),
    "inv of integers": lambda: tf.linalg.inv(np.array([[1, 2], [3, 4]])),
    "l2_normalize of integers": lambda: tf.linalg.l2_normalize([3, 4]),
    "norm of integers": lambda: tf.norm([3, 4]),
    "pinv of integers": lambda: tf.linalg.pinv([[1, 2], [3, 4]]),
    "norm over one axis in a tuple": lambda: tf.norm(M, axis=(1,)),
    "norm over one axis twice": lambda: tf.norm(M, axis=(1, 1)),
    "solve for a vector": lambda: tf.linalg.solve(S, S[0]),
    "solve for another stack": lambda: tf.linalg.solve(S, np.stack([M, M])),
    "triangular_solve for a vector": lambda: tf.linalg.triangular_solve(S, S[0]),
    "matmul of booleans": lambda: tf.matmul([[True]], [[True]]),
    "matmul transposed twice": lambda: tf.matmul(S, S, transpose_a=True, adjoint_a=True),
    "matvec transposed twice": lambda: tf.linalg.matvec(S, S[0], transpose_a=True, adjoint_a=True),
    "diag without room": lambda: tf.linalg.diag([1.0, 2.0, 3.0], num_rows=2),
    "diag_part outside": lambda: tf.linalg.diag_part(M, k=9),
    "diag_part in falling order": lambda: tf.linalg.diag_part(M, k=(1, 0)),
    "set_diag of another length": lambda: tf.linalg.set_diag(M, [1.0, 2.0]),
    "set_diag without a stack": lambda: tf.linalg.set_diag(np.stack([M, M]), [1.0, 2.0, 3.0]),
    "band_part outside": lambda: tf.linalg.band_part(M, 9, 0),
    "tensor_diag of a number": lambda: tf.linalg.tensor_diag(1.0),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        REFUSED[name]()
