"""Factorisations and linear systems, as in PolyBench, and two iterations."""

import numba as nb
import numpy as np

from real_programs import draw, real

N = 5
M = draw(0, N, N, low=-1.0)
S = M @ M.T + N * np.eye(N)
L = np.tril(M) + 3.0 * np.eye(N)
G = M + 4.0 * np.eye(N)
b0 = draw(1, N)


@real(S)
def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


@real(S, symmetric=(0,))
def cholesky2(A):
    A[:] = np.linalg.cholesky(A) + np.triu(A, k=1)
    return A


@real(draw(2, 6, low=-0.4, high=0.4))
def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@real(draw(3, 6, 4))
def gramschmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@real(G)
def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


@real(G, b0, wrt=(0, 1))
def ludcmp(A, b):
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(A.shape[0]):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(A.shape[0] - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y


@real(L, b0, wrt=(0, 1))
def trisolv(L, b):
    x = np.empty_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@real(S, b0, 12, wrt=(0, 1), symmetric=(0,))
def conjugate_gradient(A, b, maxiter, tol=1e-9):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r
    rs_old = r @ r
    for _ in range(maxiter):
        if np.sqrt(rs_old) < tol:
            break
        Ap = A @ p
        alpha = rs_old / (p @ Ap)
        x = x + alpha * p
        r = r - alpha * Ap
        rs_new = r @ r
        p = r + (rs_new / rs_old) * p
        rs_old = rs_new
    return x


@nb.njit(parallel=True, fastmath=True)
def _sweep(A, b, x, x_new):
    for i in nb.prange(A.shape[0]):
        sigma = 0.0
        for j in range(A.shape[1]):
            if j != i:
                sigma += A[i, j] * x[j]
        x_new[i] = (b[i] - sigma) / A[i, i]


@real(G, b0, wrt=(0, 1))
def jacobi_solver(A, b):
    x = np.zeros_like(b)
    for _ in range(6):
        x_new = np.empty_like(x)
        _sweep(A, b, x, x_new)
        x, x_new = x_new, x
    return x


@real(draw(5, 6), draw(6, 6) + 3.0, draw(7, 6), draw(8, 6), wrt=(0, 1, 2, 3))
def thomas(lower, diag, upper, rhs):
    """Solves a tridiagonal system."""
    n = len(rhs)
    diag, rhs = map(np.array, (diag, rhs))
    for i in range(1, n):
        m = lower[i - 1] / diag[i - 1]
        diag[i] -= m * upper[i - 1]
        rhs[i] -= m * rhs[i - 1]
    x = diag
    x[-1] = rhs[-1] / diag[-1]
    for i in reversed(range(n - 1)):
        x[i] = (rhs[i] - upper[i] * x[i + 1]) / diag[i]
    return x
