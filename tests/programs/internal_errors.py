"""Forms of NumPy's functions that compiled code once had no text for."""

import numpy as np

from collect import program

VECTOR = np.array([1.0, 2.0, -3.0, 0.5])
MATRIX = np.array([[1.0, -2.0, 0.5], [4.0, 3.0, -1.0]])


@program(VECTOR)
def rolled_vector(x):
    return np.sum(np.roll(x, 1) * x * x + np.roll(x, -5) * x)


@program(MATRIX)
def rolled_matrix(x):
    y = np.roll(x, 1) * x + np.roll(x, 1, axis=1) * x * x + np.roll(x, 2, 0) * x
    return np.sum(y * np.roll(x, (1, 2), axis=(0, 1)) + np.roll(x, (1, 2)) * np.roll(x, 1, axis=(0, 1)))


@program(MATRIX, 2)
def rolled_by_an_argument(x, n):
    total = 0.0
    for k in range(n):
        total += np.sum(np.roll(x, k - 1, axis=-1) * x)
    return total


@program(MATRIX)
def norms_along_axes(x):
    total = np.sum(np.linalg.norm(x, axis=1) ** 3) + np.sum(np.linalg.norm(x, axis=0, keepdims=True) * x)
    total += np.sum(np.linalg.norm(x, 1, axis=0) * x[0]) + np.sum(np.linalg.norm(x, 3, 1) * x[:, 0])
    total += np.sum(np.linalg.norm(x, np.inf, 1) * x[:, 1]) + np.sum(np.linalg.norm(x, -np.inf, 0) * x[1])
    return total + np.linalg.norm(x, "fro") + np.linalg.norm(x, axis=(0, 1)) ** 2


@program(MATRIX)
def norm_of_fractional_order(x):
    return np.sum(np.linalg.norm(x, 2.5, axis=1)) + np.linalg.norm(x)


@program(MATRIX)
def differences(x):
    return np.sum(np.diff(x, axis=0) ** 2) + np.sum(np.diff(x) ** 3) + np.sum(np.diff(x, 2, axis=1) ** 2 * x[:, :1])


@program(VECTOR)
def repeated_differences(x):
    return np.sum(np.diff(x, n=3) ** 2) + np.sum(np.diff(x, 0) * x) + np.sum(np.diff(x > 0.0) * x[1:])


@program(2.0, 3)
def matrix_of_mixed_numbers(x, n):
    a = np.array([[1.0, 0], [0, 1]]) * x
    b = np.array([[x, 0], [1, n]])
    return np.sum(a @ b) + np.sum(np.array([True, 2, 0.5]) * x)


@program(VECTOR)
def arrays_of_arrays(x):
    y = np.array([[2 * x, x + 1], [x, x * x]])
    z = np.array([x, x])
    return np.sum(y * y) + np.sum(z[1] * y[0, 1])


@program(np.float64(0.5))
def polynomial_of_constants(x):
    return np.polyval([1.0, 2.0, 3.0], x) * np.polyval((2, 0), 3.0) + np.polyval([x, 1, x], x)


@program(MATRIX)
def polynomial_of_a_matrix(x):
    return np.sum(np.polyval([1.0, -2.0, x[0, 0]], x) * x)


@program(MATRIX)
def taken(x):
    y = np.take(x, [0, 5]) * 2.0
    z = np.take(x, np.array([2, 0, 2]), axis=1)
    w = np.take(x, 1, axis=0)
    w[0] = 3.0
    return np.sum(y * y) + np.sum(z * z) + np.take(x, 4) + np.sum(w * x[0]) + np.sum(x.take(-1, 1))
