"""Linear algebra of NumPy and `scipy.linalg` by programs: derivatives are those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import pullback as pb
from differences import assert_slopes, weighted

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 3)) + 3 * np.eye(3)
B, C, TALL = RNG.normal(size=(3, 2)), RNG.normal(size=(3, 3)), RNG.normal(size=(5, 3))
STACK, V = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3), RNG.normal(size=3)
BANDS = np.array([[0, 1.0, 0.3, -0.2, 0.5], [4, 5, 6, 5, 4.0], [0.3, 0.2, -0.1, 0.7, 0], [0.1, 0.2, 0.3, 0, 0]])

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "singular values": (lambda a: np.sum(np.linalg.svdvals(a) ** 3), (STACK,)),
    "wide qr": (lambda a: np.sum(np.linalg.qr(a)[0] * C) + np.sum(np.linalg.qr(a)[1] ** 3), (TALL.T.copy(),)),
    "norm 2": (lambda a: np.sum(np.linalg.norm(a, 2, axis=(0, 2)) ** 2), (STACK,)),
    "norm nuc": (lambda a: np.linalg.norm(a, "nuc") ** 2, (TALL,)),
    "norm 1": (lambda a: np.sum(np.linalg.norm(a, 1, axis=(2, 0), keepdims=True) * a), (STACK,)),
    "cond": (lambda a: np.sum(np.linalg.cond(a)), (STACK,)),
    "vector norm": (lambda a: np.sum(np.linalg.vector_norm(a, axis=(0, 2), keepdims=True) * a), (STACK,)),
    "multi dot": (lambda a, b: np.sum(np.linalg.multi_dot([a, b, b]) ** 2), (TALL, A)),
    "eig": (lambda a: np.sum(np.linalg.eig(a @ a.T)[1] ** 2 * C), (A,)),
    "lstsq": (lambda a, b: np.sum(np.linalg.lstsq(a, b)[0] ** 2) + np.sum(np.linalg.lstsq(a, b)[1]), (TALL, TALL**2)),
    "solve": (lambda a, b: np.sum(linalg.solve(a, b) ** 3), (A, B)),
    "solve pos": (lambda a, b: np.sum(linalg.solve(a @ a.T, b, assume_a="pos") ** 3), (A, B)),
    "triangular": (lambda a, b: np.sum(linalg.solve_triangular(a, b, trans=1, lower=True) ** 2), (A, V)),
    "cho": (lambda a, b: np.sum(linalg.cho_solve(linalg.cho_factor(a @ a.T, lower=True), b) ** 2), (A, V)),
    "lu": (lambda a, b: np.sum(linalg.lu_solve(linalg.lu_factor(a), b) ** 2), (C, V)),
    "three of lu": (lambda a: np.sum(linalg.lu(a)[1] * A) + np.sum(linalg.lu(a)[2] ** 2), (C,)),
    "eigh of two": (lambda a, b: np.sum(linalg.eigh(a + a.T, b @ b.T + np.eye(3))[1] ** 2 * C), (A, B @ B.T + C)),
    "polar": (lambda a: np.sum(linalg.polar(a)[0] * TALL) + np.sum(linalg.polar(a)[1] * C), (TALL + 0.1,)),
    "expm": (lambda a: np.sum(linalg.expm(a) * C), (0.3 * A,)),
    "logm": (lambda a: np.sum(linalg.logm(a @ a.T) * C), (A,)),
    "sqrtm": (lambda a: np.sum(linalg.sqrtm(a @ a.T) * C), (A,)),
    "sylvester": (lambda a, q: np.sum(linalg.solve_sylvester(a, a, q) ** 2), (A, C)),
    "riccati": (lambda a, b: np.sum(linalg.solve_continuous_are(a, b, np.eye(3), np.eye(2)) * C), (C, B)),
    "toeplitz": (lambda c, r: np.sum(linalg.toeplitz(c, r) ** 2 * C), (V, C[0])),
    "block_diag": (lambda a, b: np.sum(linalg.block_diag(a, b) ** 3), (A, B)),
    "banded": (lambda ab, b: np.sum(linalg.solve_banded((2, 1), ab, b) ** 2), (BANDS, TALL)),
    "least squares": (lambda a, b: np.sum(linalg.lstsq(a, b)[0] ** 2) + np.sum(linalg.lstsq(a, b)[1]), (TALL, TALL**2)),
    "least squares of one": (
        lambda a, b: linalg.lstsq(a, b)[1] ** 2 + np.sum(linalg.lstsq(a, b)[0]),
        (TALL, TALL[:, 0] ** 2),
    ),
    "banded factor": (lambda ab: np.sum(linalg.cholesky_banded(ab) ** 3), (BANDS[:2],)),
    "lower banded factor": (lambda ab: np.sum(linalg.cholesky_banded(ab, lower=True) ** 3), (BANDS[1:],)),
    "by a banded factor": (
        lambda ab, b: np.sum(linalg.cho_solve_banded((linalg.cholesky_banded(ab), False), b) ** 2),
        (BANDS[:2], TALL),
    ),
    "by a lower banded factor": (
        lambda ab, b: np.sum(linalg.cho_solve_banded((linalg.cholesky_banded(ab, lower=True), True), b) ** 2),
        (BANDS[1:], TALL[:, 0]),
    ),
    "tridiagonal eigenvalues": (
        lambda d, e: np.sum(linalg.eigvalsh_tridiagonal(d, e) ** 3),
        (TALL[:, 0], BANDS[0, 1:]),
    ),
    "banded eigenvalues": (lambda ab: np.sum(linalg.eigvals_banded(ab) ** 3), (BANDS[:2],)),
    "tanm": (lambda a: np.sum(linalg.tanm(a) * C) + np.sum(linalg.tanhm(a) * A), (0.3 * C,)),
    "fractional power": (lambda a: np.sum(linalg.fractional_matrix_power(a @ a.T, 0.3) * C), (A,)),
    "procrustes": (lambda a, b: np.sum(linalg.orthogonal_procrustes(a, b)[0] * C), (TALL + 0.1, TALL**2)),
    "matmul_toeplitz": (lambda c, x: np.sum(linalg.matmul_toeplitz(c, x) ** 2), (V, C)),
    "circulant": (lambda c, b: np.sum(linalg.solve_circulant(c, b) ** 2), (V, V + 1)),
    "companion": (lambda a: np.sum(linalg.companion(a) ** 3), (V,)),
    "leslie": (lambda f, s: np.sum(linalg.leslie(f, s) ** 3), (V, V[:2] + 1)),
    "fiedler": (lambda a: np.sum(linalg.fiedler(a) * C), (V,)),
    "convolution matrix": (lambda a: np.sum(linalg.convolution_matrix(a, 4, "same") ** 3), (V,)),
    "diagonals on both sides": (lambda e: np.sum((np.diag(e, 1) + np.diag(e, -1)) ** 3), (V,)),
    "symmetric banded": (lambda ab, b: np.sum(linalg.solveh_banded(ab, b) ** 2), (BANDS[:2], TALL[:, 0])),
}


@pytest.mark.drawn(8)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compiled_gradient_is_that_of_differences(name: str) -> None:
    compare(name, jit=True)


def compare(name: str, jit: bool) -> None:
    function, arguments = PROGRAMS[name]
    call = pb.differentiable(jit=jit)(function)
    value, x_bars = pb.value_and_grad(call, argnums=tuple(range(len(arguments))))(*arguments)
    np.testing.assert_allclose(value, function(*arguments), 1e-10)
    for k, x_bar in enumerate(x_bars):
        assert_slopes(x_bar, weighted(function, arguments, 1.0), arguments, k)
