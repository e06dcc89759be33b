"""Products of matrices and vectors, as in PolyBench."""

import numpy as np

from real_programs import draw, real

N = 5
A, B, C, D = (draw(i, N, N, low=-1.0) for i in range(4))
R = draw(5, 4, 6, low=-1.0)
u1, v1, u2, v2, w0, x0, y0, z0 = (draw(10 + i, N, low=-1.0) for i in range(8))


@real(1.5, 1.2, C, A, B, wrt=(0, 1, 2, 3, 4))
def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C
    return C


@real(1.5, 1.2, A, u1, v1, u2, v2, w0, x0, y0, z0, wrt=(0, 2, 3, 8, 9))
def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x
    return A, w


@real(1.5, 1.2, A, B, x0, wrt=(0, 1, 2, 3, 4))
def gesummv(alpha, beta, A, B, x):
    return alpha * A @ x + beta * B @ x


@real(1.5, 1.2, C, A, B, wrt=(0, 2, 3, 4))
def symm(alpha, beta, C, A, B):
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2
    return C


@real(1.5, 1.2, C, A, wrt=(0, 1, 2, 3))
def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return C


@real(1.5, 1.2, C, A, B, wrt=(2, 3, 4))
def syr2k(alpha, beta, C, A, B):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += A[: i + 1, k] * alpha * B[i, k] + B[: i + 1, k] * alpha * A[i, k]
    return C


@real(1.5, A, B, wrt=(0, 1, 2))
def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha
    return B


@real(1.5, 1.2, A, B, C, D, wrt=(0, 1, 2, 3, 4, 5))
def k2mm(alpha, beta, A, B, C, D):
    D[:] = alpha * A @ B @ C + beta * D
    return D


@real(A, B, C, D, wrt=(0, 1, 2, 3))
def k3mm(A, B, C, D):
    return A @ B @ C @ D


@real(x0, y0, w0, z0, A, wrt=(0, 1, 2, 3, 4))
def mvt(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += y_2 @ A
    return x1, x2


@real(R, draw(20, 6), wrt=(0, 1))
def atax(A, x):
    return (A @ x) @ A


@real(R, draw(21, 6), draw(22, 4), wrt=(0, 1, 2))
def bicg(A, p, r):
    return r @ A, A @ p


@real(3, 4, 5, draw(23, 3, 4, 5), draw(24, 5, 5), wrt=(3, 4))
def doitgen(NR, NQ, NP, A, C4):
    A[:] = np.reshape(np.reshape(A, (NR, NQ, NP)) @ C4, (NR, NQ, NP))
    return A
