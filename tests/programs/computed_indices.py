"""Loops that compute the indices of what they load from numbers: interpolation, histograms, warps."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(33)
V = RANDOM.uniform(0.05, 0.95, 12)
Y = RANDOM.normal(size=9)
IMAGE = RANDOM.normal(size=(2, 7))
SHIFT = 2.0 * RANDOM.normal(size=(2, 7))


@program(V, Y)
@program(V[:5], Y)
@program(V[:0], Y)
@program(np.append(V, -0.3), Y)
@failing(np.append(V, 2.0), Y, error=IndexError)
@failing(np.append(np.append(V, np.nan), 2.0), Y, error=ValueError)
def interpolated(points, table):
    total = 0.0
    for p in range(points.shape[0]):
        u = points[p] * (table.shape[0] - 1)
        k = int(np.floor(u))
        w = u - k
        total += np.exp(-(((1.0 - w) * table[k] + w * table[k + 1]) ** 2)) * (p % 3)
    return total


@program(V, 0.3)
@program(V[::-2], 0.3)
def soft_histogram(values, width):
    counts = np.zeros(12)
    for p in range(values.shape[0]):
        k = int(values[p] * 10.0)
        left = np.exp(-((values[p] * 10.0 - k) ** 2) * width)
        counts[k] += left * np.tanh(values[p])
        counts[k + 1] += (1.0 - left) * np.cos(values[p])
    return np.sum(counts * counts)


@program(IMAGE, SHIFT)
@program(np.asfortranarray(IMAGE), SHIFT[:, ::-1])
def warped_rows(image, shift):
    total = 0.0
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            x = min(max(j + shift[i, j], 0.0), image.shape[1] - 1.0)
            left = min(int(np.floor(x)), image.shape[1] - 2)
            w = x - left
            across = (1.0 - w) * image[i, left] + w * image[i, left + 1]
            total += np.sin(across) * across * (1 + (i + j) % 3)
    return total


@program(V, Y, np.arange(12) % 4)
@program(V, Y, np.arange(12) % 4 - 6)
def offsets_beside_loaded_indices(values, table, first):
    total = 0.0
    for p in range(values.shape[0]):
        k = first[p] + int(3.0 * values[p])
        if table[k] > 0.0:
            total += np.exp(values[p] * table[k + 1]) * np.tanh(table[k])
        else:
            total -= np.cos(table[k] * values[p]) * np.exp(values[p])
    return total
