"""Slices with steps, whose lengths are halves and thirds of that of their array."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(71)
U, V = RANDOM.uniform(0.3, 1.2, 7), RANDOM.uniform(0.3, 1.2, 8)
X_AND_H, W = RANDOM.uniform(-0.6, 0.9, (3, 5)), RANDOM.uniform(-0.6, 0.9, (3, 6))
GRID, SOURCE = RANDOM.uniform(0.3, 1.2, (3, 4)), RANDOM.uniform(0.3, 1.2, (3, 4))


@program(U, 0.7, 2)
@program(V, 0.7, 2)
@program(U[:3], 0.7, 2)
@program(U[:2], 0.7, 1)
@program(U[:1], 0.7, 1)
@program(V[::-1], 0.7, 1)
@program(np.float32(V), 0.7, 1)
def red_then_black(u, weight, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        u[1:-1:2] = (1 - weight) * u[1:-1:2] + weight * np.sin(u[:-2:2] * u[2::2])
        u[2:-1:2] = (1 - weight) * u[2:-1:2] + weight * np.sin(u[1:-2:2] * u[3::2])
    return np.sum(u * u)


@program(GRID, SOURCE, 1.3)
@program(GRID[:, :3], SOURCE[:, :3], 1.3)
@program(GRID[:2, :2], SOURCE[:2, :2], 1.3)
@program(np.asfortranarray(GRID), SOURCE[::-1], 1.3)
def coloured_cells(u, source, omega):
    """Cells of four colours, one after the other, of which none has a neighbour of its own colour."""
    u = u.copy()
    for i, j in ((1, 1), (2, 2), (1, 2), (2, 1)):
        around = u[i - 1 : -2 : 2, j:-1:2] * u[i + 1 :: 2, j:-1:2] + u[i:-1:2, j - 1 : -2 : 2] * u[i:-1:2, j + 1 :: 2]
        u[i:-1:2, j:-1:2] += omega * (around + source[i:-1:2, j:-1:2] - u[i:-1:2, j:-1:2])
    return np.sum(u * u * u)


@program(V)
@program(V[:2])
@program(V[:0])
@failing(U, error=ValueError)
def sums_and_differences(x):
    """One step of the Haar transform, of an even number of elements."""
    return np.sum(np.sin(x[::2] + x[1::2]) * (x[::2] - x[1::2]) ** 2)


@program(V)
@program(U)
@program(U[:1])
@program(U[:2])
def coarser_and_coarser(x):
    """Slices of slices, of arrays that become shorter."""
    total = 0.0
    fine = x
    for _ in range(2):
        coarse = fine[::2] * 0.5
        total += np.sum(coarse[1:] * coarse[:-1]) + np.sum(fine[1::2] ** 2)
        fine = coarse
    return total + np.sum(fine[::3])


@program(V, U[:3])
@program(V, U[:3][::-1])
@program(U, U[:3])
def thirds(x, y):
    """Stored beside each other, read in the other order."""
    z = np.zeros(9)
    z[::3] = y
    z[1::3] = y * x[2::2][:3]
    z[2::3] = x[:7:3] + z[1::3] * z[::3]
    return np.sum(z[::2] ** 2) + np.sum(z[8:0:-2] * x[0])


@program(U, V[:7], 3)
@program(U, V[:7], 1)
@program(U[:5], V[:5], 2)
def to_the_left_of_each_other(x, y, step):
    """A step that the call gives."""
    total = np.sum(x[::step] * y[::step])
    for k in range(2):
        total += np.sum(x[k::2] ** 2) * np.sum(y[k::2])
    return total


@program(V, 3)
@program(V, 0)
@program(V[:0], 1)
@program(V[:0], 0)
@program(V[:1], 2)
def to_ends_that_may_be_negative(x, n):
    """An end below 0 is counted from the end; a loop without iterations takes no slice of any length."""
    y = np.zeros(x.shape[0] + 3)
    for _ in range(n):
        y[-3 : x.shape[0] - 1 : 2] = np.sum(x[2 : 2 * n : 2]) * y[-3 : x.shape[0] - 1 : 2] + 0.5
    return np.sum(y * y) + np.sum(x * x)


@program(X_AND_H, W, 2)
@program(X_AND_H[::-1], W[::-1], 2)
@failing(X_AND_H, W[:, :5], 1, error=ValueError)
def gates_in_sections(xs, w, size):
    """A gated cell whose gates are equal parts of one product, for a state of a size that is known or not."""
    h, other = np.zeros(2), np.zeros(size)
    for x in xs:
        r, z, c = np.split(x[:3] @ w, 3)
        h = z * h + np.tanh(c * r)
        other = np.sin(other * r) + z
    return np.sum(h * other)
