"""Loops over bands: bounds that are the larger or the smaller of two integers, or a remainder."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(67)
X, Y = RANDOM.uniform(0.3, 1.2, 6), RANDOM.uniform(0.3, 1.2, 6)
SQUARE, KERNEL = RANDOM.uniform(0.3, 1.2, (3, 3)), RANDOM.uniform(-1.0, 1.0, (3, 3))


@program(X, Y, 2, wrt=(0, 1))
@program(X, Y, 0, wrt=(0, 1))
@program(X, Y, 100, wrt=(0, 1))
@failing(X, Y[:5], 0, error=IndexError)
def within_a_band(x, y, width):
    total = 1.0
    for i in range(len(x)):
        for j in range(max(0, i - width), min(len(x), i + width + 1)):
            total = np.sin(total * x[i] + y[j]) * (1 + i % 3)
    return total


@program(X, Y, 2, wrt=(0, 1))
@program(X, Y, 100, wrt=(0, 1))
def between_conditions(x, y, width):
    """The same bounds by branches, and by conditional expressions."""
    total = 1.0
    for i in range(len(x)):
        low = i - width
        if low < 0:
            low = 0
        high = i + width if i + width <= len(x) else len(x)
        for j in range(low, high):
            total = np.sin(total * x[i] + y[j]) * (1 + j % 3)
    return total


@program(SQUARE, 1)
@program(SQUARE, 2)
@program(SQUARE, 7)
def factor_of_a_band(a, width):
    """Two loops within each other, each over a band."""
    n = a.shape[0]
    factor = np.zeros((n, n))
    total = 0.0
    for j in range(n):
        pivot = a[j, j] + 4.0
        for k in range(max(0, j - width), j):
            pivot -= factor[j, k] ** 2
        factor[j, j] = np.sqrt(pivot)
        total += np.log(factor[j, j])
        for i in range(j + 1, min(n, j + width + 1)):
            rest = a[i, j]
            for k in range(max(0, i - width), j):
                rest -= factor[i, k] * factor[j, k]
            factor[i, j] = rest / factor[j, j]
    return total


@program(X, Y[:5])
def first_values(y, weights):
    """An autoregressive filter, whose first values have fewer before them."""
    errors = np.zeros(len(y))
    total = 0.0
    for t in range(len(y)):
        guess = 0.5
        for i in range(min(t, 2)):
            guess += weights[i] * y[t - 1 - i]
        for i in range(min(3, t)):
            guess += np.tanh(weights[2 + i] * errors[t - 1 - i])
        errors[t] = y[t] - guess
        total += errors[t] ** 2
    return total


@program(RANDOM.uniform(0.3, 1.2, (4, 3)), 0.7, 2, wrt=(0, 1))
@program(RANDOM.uniform(0.3, 1.2, (3, 4)), 0.7, 2, wrt=(0, 1))
def red_and_black(u, weight, sweeps):
    """Every other cell of a row, from a first one that the number of the row decides."""
    u = u.copy()
    for _ in range(sweeps):
        for colour in range(2):
            for i in range(1, u.shape[0] - 1):
                for j in range(1 + (i + colour) % 2, u.shape[1] - 1, 2):
                    u[i, j] += weight * np.sin(u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
    return np.sum(u * u)


@program(RANDOM.uniform(0.3, 1.2, (3, 4)), KERNEL)
@program(RANDOM.uniform(0.3, 1.2, (1, 2)), KERNEL)
def up_to_the_edges(image, kernel):
    total = 1.0
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            for a in range(max(0, 1 - i), min(3, image.shape[0] + 1 - i)):
                for b in range(max(0, 1 - j), min(3, image.shape[1] + 1 - j)):
                    total = np.sin(total + kernel[a, b] * image[i + a - 1, j + b - 1]) * (1 + (i + b) % 2)
    return total


@program(X, np.array([2, 0, 5, 1, 3, 2]), wrt=(0,))
def up_to_what_an_array_says(x, counts):
    """Of the two bounds one is only known in its iteration: the nest has no room that is known before."""
    total = 1.0
    for i in range(len(x)):
        for j in range(min(i + 1, counts[i])):
            total = np.sin(total * x[i] + x[j])
    return total


@program(X, 3)
@program(X, 0)
def downwards_from_the_smaller(x, width):
    total = 1.0
    for i in range(len(x)):
        for j in range(min(i + width, len(x)) - 1, max(i - width, -1), -2):
            total = np.sin(total * x[i] + x[j]) * (1 + j % 3)
    return total


@program(X, 3)
@program(X[:1], 3)
@program(X[:0], 3)
def from_before_what_may_be_empty(x, n):
    """A slice is not shorter than nothing, which its ends would make of an empty array."""
    rest = x[1:]
    total = 1.0 + np.sum(x)
    for i in range(n):
        for j in range(-i, rest.shape[0]):
            total = np.sin(total + 0.3 * j)
    return total
