"""Windows that loops move over arrays, which end in them where the arrays are as long as each other, or not at all."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(61)
SQUARE, KERNEL = RANDOM.uniform(0.3, 1.2, (4, 4)), RANDOM.uniform(-1.0, 1.0, (2, 2))
X = RANDOM.uniform(0.3, 1.2, 7)


@program(SQUARE, KERNEL)
@program(SQUARE[:3, :], KERNEL)
@program(SQUARE[:2, :2], KERNEL)
@program(SQUARE[:1, :1], KERNEL)
def convolved_by_the_number_of_rows(image, kernel):
    """The number of columns has to be at least as large."""
    n = image.shape[0] - 1
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += np.sum(image[i : i + 2, j : j + 2] * kernel) ** 2
    return total


@program(SQUARE)
@program(SQUARE[:3, :3])
def largest_of_blocks(image):
    """Where the number of rows is odd, the last blocks are cut off."""
    total = 0.0
    for i in range(0, image.shape[0], 2):
        for j in range(0, image.shape[1], 2):
            total += np.sum(image[i : i + 2, j : j + 2] ** 2) / image[i : i + 2, j : j + 2].size
    return total


@program(X, 3)
@program(X, 6)
@program(X[:4], 3)
@program(X[:2], 3)
@program(X, 0)
def cut_off_unless_it_is_long(x, n):
    """The array may be too short for what the loop takes of it."""
    total = 0.0
    for i in range(n):
        part = x[i : i + 2]
        total += np.sum(part**2) * part.shape[0]
    return total


@program(X, 3)
@program(X[:5], 3)
@program(X[:4], 3)
def in_steps_of_two(x, n):
    total = 0.0
    for i in range(0, 2 * n, 2):
        total += np.sum(np.sin(x[i : i + 2]) * (i + 1))
    return total


@program(X, 3)
@program(X[:3], 3)
@program(X[:2], 3)
def downwards(x, n):
    total = 0.0
    for i in range(n, 0, -1):
        total += x[i - 1 : i + 1] @ x[i - 1 : i + 1][::-1]
    return total


@program(X, 3)
@program(X[:4], 9)
def until_it_is_enough(x, n):
    total = 0.0
    for i in range(n):
        total += np.sum(x[i : i + 2] ** 2)
        if total > 2.0:
            break
    return total


@program(X, 2.0, 4)
@program(X[:1], 2.0, 1)
def tree_of_powers(x, up, n):
    v = np.cos(x[0] * up ** (0.2 * np.arange(n + 1) - 0.1 * n))
    for step in range(n - 1, -1, -1):
        s = x[0] * up ** (0.2 * np.arange(step + 1) - 0.1 * step)
        v = np.maximum(0.9 * (0.4 * v[1:] + 0.6 * v[:-1]), 0.3 * s)
    return v[0]


@program(X, 2)
@program(X[:5], 2)
@program(X[:3], 2)
@program(X[:2], 2)
def from_one_end_to_the_other(x, n):
    """How long these parts are depends on how long the array is: none of them has a size that may be assumed."""
    total = 0.0
    for _ in range(n):
        total += np.sum(x[-2:5] ** 2) + np.sum(x[-3:2]) + x[-4:3].shape[0] * np.sum(x[1:-1] ** 3) + np.sum(x[0::-1])
        x = x * 0.9
    return total
