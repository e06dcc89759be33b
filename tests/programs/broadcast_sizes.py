"""Sizes that are known by others: of broadcasts, of parts that arrays index, of stacks and of what is reshaped."""

import numpy as np

from collect import failing, program

X, Y = np.array([0.3, 0.5, -0.7]), np.array([0.2, 0.9, 0.4])
ONE = np.array([0.6])


@program(ONE, Y)
@program(X, ONE)
@program(X, Y)
def broadcast_anew_in_branches_and_behind_them(x, y):
    r = 0.0
    for k in range(2):
        if k == 0:
            z = x + y
            r += np.sum(z * x)
        w = x + y
        r += np.sum(w * w)
        y = w
    z = x + y
    return r + np.sum(z**2)


@program(ONE, Y)
@program(X, Y)
def grows_in_the_first_iteration(x, y):
    s = 0.0
    for i in range(3):
        z = x * y + i
        w = z + y if i > 1 else z * x
        s = s + np.sum(w * z)
        x = w
    return s


@program(ONE, Y)
@program(X, Y)
def indexed_by_arrays_and_numbers(x, y):
    i = np.arange(y.shape[0]) % 2
    table = np.zeros((2, y.shape[0], 3)) + y[:, None] * x[0]
    beside = table[0, i] * y[:, None]
    apart = table[0, :, np.array([0, 2])] * y
    turned = table[np.array([0, 1]), :, np.array([0, 2])] * y
    wide = table[:, i[:, None], i]
    return np.sum(beside**2) + np.sum(apart) + np.sum(turned) + np.sum(wide * x)


@program(np.arange(24.0).reshape(2, 3, 4) / 9.0, np.array([0, 2]), np.array([1]))
@program(np.arange(24.0).reshape(2, 3, 4) / 9.0, np.array([0, 2, 1]), np.array([3, 0, 2]))
def indexed_by_arrays_that_are_broadcast(x, i, j):
    part = x[:, i[:, None], np.concatenate((j, j))]
    return np.sum(part * part) + np.sum(np.tensordot(np.ones((5, 2)), part, axes=[[1], [0]]))


@program(np.array([0.7, 1.0, -0.7, -1.4, 0.6]), np.array([-1.2, -0.5, 0.7, 1.0, -1.0]), np.ones((3, 4)))
def larger_of_two_parts_in_each_row(x, b, m):
    for k in range(3):
        m[k] = np.maximum(x[:-1], b[-2::-1])
    return np.sum(m)


@program(ONE, Y)
@program(X, Y)
def stacked_joined_and_reshaped(x, y):
    pair = np.stack((x, x * 2.0), axis=-1)
    wide = np.concatenate((pair, pair), axis=1)
    rows = np.reshape(wide, (-1, 2))
    n = -1
    return np.sum(rows.reshape(2, -1) ** 2) + np.sum(np.reshape(x, (1, n)) * y) + np.sum(np.cumsum(rows, axis=1))


def exponential(x, most):
    term, total, k = 1.0, 0.0, 0
    while abs(term) > 1e-12:
        total += term
        k += 1
        term *= x / k
        if k > most:
            break
    return total


@program(0.4)
@program(-0.3)
def helpers_called_again_with_the_same_arguments(x):
    """The second call is the first; with other arguments, or on one path only, it is not."""
    a = exponential(x, 9) if x > 0.2 else exponential(-x, 9)
    b = exponential(x, 9) if x > 0.2 else 3.0
    return a * b + exponential(x, 9) + exponential(x, 4) * exponential(x, 4)


def weighted(x, a):
    s = 0.0
    for i in range(a.shape[0]):
        if a[i] > 0.2:
            s += a[i] * x
    return s


@program(0.7, np.array([0.1, 0.3, 0.5]))
def helper_called_again_behind_a_write(x, a):
    product = weighted(x, a) * weighted(x, a)
    a[0] = 0.7 * x
    return product + weighted(x, a)


@failing(X, ONE, error=ValueError)
def stack_read_for_its_size(x, y):
    return np.stack((x, y)).shape[0] * np.sum(x)


@failing(np.ones((2, 3)), np.ones((2, 4)), error=ValueError)
def product_read_for_its_size(x, y):
    return np.dot(x, y).shape[0] * np.sum(x)


@failing(X, Y, error=IndexError)
def part_read_for_its_size(x, y):
    return x[np.array([0, 5])].shape[0] * np.sum(y)


@program(np.array([0.4, -1.3, 2.1, 0.7]), 3)
@program(np.array([0.4]), 2)
@program(np.array([]), 2)
def places_counted_from_one(v, steps):
    """`np.arange(1, n + 1)` has as many elements as v."""
    n = v.shape[0]
    places = np.arange(1, n + 1)
    total = 0.0
    for _ in range(steps):
        v = np.sin(0.05 * v * places**2) + 0.1 * np.arange(0, n) * v
        total += np.sum(v[2:] * np.arange(2, n)) + np.sum(v[1:] * np.arange(n - 1))
    return total


@program(np.array([0.4, -1.3, 2.1, 0.7]), 2)
@program(np.array([0.4, -1.3]), -3)
def places_up_to_any_number(v, n):
    places = np.arange(1, n + 1)
    return np.sum(v) * (1.0 + np.sum(places * 0.5))
