"""Products, inverses and determinants of small matrices in loops, and rows and planes that are stored whole."""

import numpy as np

from collect import program

A = np.array([[0.9, -0.3, 0.2], [0.1, 1.1, -0.4], [-0.2, 0.3, 0.8]])
S = np.array([[1.0, 0.2, 0.0], [0.0, 0.3, 1.0]])
Z = np.array([[0.4, -0.2], [0.1, 0.5], [-0.3, 0.2]])
X = np.array([0.5, -1.3, 0.8])


@program(A, S, Z)
@program(np.asfortranarray(A), S, Z)
@program(A, np.repeat(S, 2, axis=1)[:, ::2], Z)
@program(A.astype(np.float32), S.astype(np.float32), Z.astype(np.float32))
def filtered(a, s, z):
    """A Kalman filter: a matrix is predicted from itself and corrected by a 2 × 2 inverse."""
    x, p, loss = s[0] * 0.1, a @ a.T, 0.0
    for t in range(z.shape[0]):
        x, p = a @ x, a @ p @ a.T
        y = z[t] - s @ x
        c = s @ p @ s.T + np.eye(2, dtype=a.dtype)
        inverse = np.linalg.inv(c)
        gain = p @ s.T @ inverse
        x, p = x + gain @ y, p - gain @ s @ p
        loss += y @ inverse @ y + np.log(np.linalg.det(c))
    return loss


@program(A, X)
def row_times_matrix(a, x):
    for _ in range(3):
        x = np.tanh(x @ a + np.dot(a, x)) * (x @ x)
    return np.sum(np.outer(x, x) @ a)


@program(A, X)
@program(np.asfortranarray(A), X[:1].copy())
def rows_stored_whole(a, x):
    """Rows from a product, from a broadcast value, and from a column."""
    y = np.zeros((4, 3))
    y[0] = x
    y[1] = a @ y[0]
    y[2] = a[:, 1] * y[1]
    y[3] = a.T[2]
    return np.sum(y[1:] * y[:-1])


@program(A, X)
def planes_stored_whole(a, x):
    y = np.zeros((3, 3, 3))
    for k in range(3):
        y[k] = a * x[k]
        y[k, 1] = x
        a = y[k].T @ a
    return np.sum(y**2)


@program(A)
def rows_of_itself(a):
    """The memory that is read is that which is written."""
    y = a.copy()
    y[0] = y[1]
    y[1] = y[2, ::-1]
    y[2] = y[2, ::-1]
    y[0] = y[:, 0]
    return np.sum(y * a)
