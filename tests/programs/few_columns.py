"""Matrices of few columns, down which inner loops go again and again."""

import numpy as np

from collect import program

P = np.array([[0.5, -1.2, 0.1], [2.0, 0.3, -0.8], [1.1, -0.7, 0.6], [-0.4, 0.9, 1.7], [0.2, 1.4, -1.1]])
Q = np.array([0.7, -0.2, -0.6, 1.4, 0.3])
G = np.linspace(-1.0, 1.0, 15).reshape(5, 3)


@program(P, Q)
@program(P[:, :2], Q)
@program(P[:1], Q[:1])
@program(P[:0], Q[:0])
@program(np.asfortranarray(P), Q)
@program(P[::-1], Q[::-1])
@program(P.astype(np.float32), Q.astype(np.float32))
def energy_of_pairs(points, charges):
    total = 0.0
    for i in range(points.shape[0]):
        for j in range(i + 1, points.shape[0]):
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            total += charges[i] * charges[j] / np.sqrt(dx * dx + dy * dy + 0.1)
    return total


@program(P, Q, cotangent=G)
@program(P[:0], Q[:0], cotangent=G[:0])
@program(np.asfortranarray(P), Q, cotangent=np.asfortranarray(G))
def forces(points, charges):
    """The result is a matrix of the same kind."""
    force = np.zeros((points.shape[0], 3))
    for i in range(points.shape[0]):
        for j in range(points.shape[0]):
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            dz = points[i, 2] - points[j, 2]
            f = charges[i] * charges[j] / (dx * dx + dy * dy + dz * dz + 0.2)
            force[j, 0] += f * dx
            force[j, 1] += f * dy
            force[j, 2] -= f * dz
    return force


@program(P, Q)
def sums_of_a_whole_matrix(points, charges):
    """The matrix is read as a whole, too."""
    weights = np.empty((points.shape[0], 2))
    for i in range(points.shape[0]):
        for j in range(points.shape[0]):
            weights[j, 0] = np.sin(points[j, 0] * charges[i])
            weights[j, 1] = np.cos(points[j, 1] + charges[i])
    return np.sum(weights * weights) + np.sum(points)


@program(P, Q, 3)
def steps_in_time(points, charges, steps):
    """Positions and velocities of every step."""
    n = points.shape[0]
    x, v = points.copy(), np.zeros((n, 3))
    for _ in range(steps):
        for i in range(n):
            ax, ay = 0.0, 0.0
            for j in range(n):
                dx, dy = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1]
                ax += charges[j] * dx / (dx * dx + dy * dy + 0.5)
                ay += charges[j] * dy / (dx * dx + dy * dy + 0.5)
            v[i, 0] += 0.1 * ax
            v[i, 1] += 0.1 * ay
        for i in range(n):
            x[i, 0] += 0.1 * v[i, 0]
            x[i, 1] += 0.1 * v[i, 1]
    total = 0.0
    for i in range(n):
        total += x[i, 0] ** 2 + x[i, 1] * v[i, 2] + v[i, 1] ** 2
    return total


@program(P, Q, np.array([3, 1, 1, 0, 4]))
def some_found_by_an_index(points, charges, near):
    total = 0.0
    for i in range(points.shape[0]):
        for j in range(points.shape[0]):
            total += np.sin(points[j, 0] * points[near[j], 1]) * charges[i] + points[i, 2] ** 2
    return total


@program(P, Q)
def columns_of_the_run(points, charges):
    total = 0.0
    for i in range(points.shape[0]):
        for c in range(3):
            for j in range(points.shape[0] - 1):
                total += np.sin(points[j + 1, c] * charges[i]) + points[j, 0] * points[j, 2]
    return total


@program(P, Q)
def an_argument_that_is_changed(points, charges):
    for i in range(points.shape[0]):
        for j in range(points.shape[0]):
            points[j, 0] += 0.1 * np.sin(points[j, 1] * charges[i])
    return np.sum(points * points)


@program(P, Q, 0.7)
@program(P, Q, -0.7)
def chosen_matrices(points, charges, s):
    """The matrix is one of two."""
    a, b = np.zeros((points.shape[0], 2)), np.ones((points.shape[0], 2))
    chosen = a if s > 0 else b
    total = 0.0
    for i in range(points.shape[0]):
        for j in range(points.shape[0]):
            chosen[j, 0] += points[j, 0] * charges[i] * s
            total += chosen[j, 0] * points[j, 1] + a[j, 0] * b[j, 1]
    return total
