"""Sums of products along axes that both operands keep others of, for rows and matrices of any length."""

import numpy as np

from collect import failing, program

random = np.random.default_rng(12)
A, B, C, D = (random.uniform(-1.0, 1.0, shape) for shape in ((4, 3), (4, 3, 5), (4, 5), (4, 3, 2, 5)))


@program(A, B, C)
@program(A.astype(np.float32), B.astype(np.float32), C.astype(np.float32))
@program(A[:0], B[:0], C[:0])
@program(A[:, :1], B[:, :1], C[:1])
def rows_and_matrices(a, b, c):
    rows = np.einsum("ij,ij->i", a, a)
    columns = np.einsum("ij,ijk->ik", a, b)
    turned = np.einsum("ijk,ik->ij", b, c)
    forms = np.einsum("ij,ijk,ik->i", a, b, c)
    return np.sum(np.sin(rows) * forms) + np.sum(columns**2) + np.sum(turned * a)


@program(A, B, C, D)
def several_axes(a, b, c, d):
    kept = np.einsum("ijkl,il->ijk", d, c)
    front = np.einsum("ijkl,ij->ikl", d, a)
    both = np.einsum("ijkl,ijl->ik", d, b)
    dots = np.einsum("...j,...j->...", b, b * b)
    return np.sum(np.tanh(kept)) + np.sum(front * front) + np.sum(both) + np.sum(np.sin(dots))


@program(A)
def one_row_for_all(a):
    return np.sum(np.exp(np.einsum("ij,ij->i", a[:1], a))) + np.einsum("ij,ij->", a, a)


@failing(A, C, error=ValueError)
def rows_of_other_lengths(a, c):
    return np.sum(np.einsum("ij,ij->i", a, c))
