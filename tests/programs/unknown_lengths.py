"""Loops whose iterations nobody knows beforehand: what they keep is kept without a place known for it."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.3])
WEIGHTS = np.array([0.4, 0.7, 0.2])


@program(0.7, 0)
@program(0.7, 1)
@program(0.7, 16)
@program(0.7, 17)
@program(0.7, 5000)
def many_iterations(a, n):
    x = a
    k = 0
    while k < n:
        x = np.sin(x) + 0.3 * a
        k += 1
    return x * a


@program(X)
def iterations_that_differ_from_element_to_element(x):
    """Of 0 to some hundred iterations, so that what an element keeps is overwritten by the next."""
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while abs(y) < 2.97:
            y = y * 1.02 + np.tanh(y) * 0.01
        total += np.exp(-y) * x[i]
    return total


@program(X)
def iterations_kept_until_the_last_element(x):
    y = 0.2
    for i in range(x.shape[0]):
        n = 0
        while y < 1.5 and n < 40:
            y = np.sqrt(y + 0.1 * np.exp(0.1 * x[i]))
            n += 1
        y = np.tanh(y) * 0.3
    return y


@program(1.3)
def branches_keep_now_and_then(a):
    """Most iterations keep nothing on the one side: the places of the others must not shift."""
    x = a
    total = 0.0
    k = 0
    while k < 70:
        x = 3.7 * x * (1.0 - x) if abs(x) < 1.0 else x * 0.5
        if k % 23 == 22:
            total += np.exp(x) * a
        elif x > 0.4:
            x = np.sin(x)
        k += 1
    return total + x


@program(0.9)
def break_and_continue(a):
    x = a
    total = 0.0
    k = 0
    while True:
        k += 1
        x = np.sin(x) + 0.01 * x
        if k % 3 == 0:
            continue
        total += x * x * a
        if total > 6.0:
            break
    return total * x


@program(0.9, 60.0)
@program(0.9, 0.0)
@program(0.9, 2.0)
def return_from_a_while(a, limit):
    x = a
    k = 0
    while k < 200:
        if x > limit:
            return np.exp(-x) * a
        x = x + np.log(x + 1.0)
        k += 1
    return x


@program(1.7, 2.0)
def whiles_within_whiles(a, b):
    total = 0.0
    x = a
    while x < 30.0:
        y = b
        while y * y < x:
            z = y
            while z > 0.6:
                z = np.sqrt(z) * 0.7
                total += z * a
            y = y * 1.2 + 0.01 * np.sin(z)
        x = x * 1.3 + np.exp(-y)
    return total + x


@program(np.array([0.7, 0.4], np.float32), 40)
def single_precision(a, n):
    x = a[0]
    k = 0
    while k < n:
        x = np.sin(x) * np.float32(1.1) + a[1]
        k += 1
    return x * a[0]


@program(X, np.array([2, 0, 3, 1]))
def integers_are_kept(x, links):
    """The walk is not known before it has been made: its indices must be kept."""
    total = 0.0
    i = 0
    k = 0
    while k < 37:
        total += x[i] ** 2 * (k + 1)
        i = (links[i] + k * k) % 4
        k += 1
    return total


@program(X)
def single_indices_are_kept(x):
    i = np.int32(1)
    total = 0.0
    k = 0
    while k < 30:
        total = np.sin(total + x[i])
        i = np.int32((i * 3 + k) % 4)
        k += 1
    return total


@program(1.1)
def truth_is_kept(a):
    x = a
    was_large = False
    total = 0.0
    k = 0
    while k < 50:
        x = np.cos(x) * 1.9
        if was_large:
            total += x * a
        was_large = x > 1.0
        k += 1
    return total


@program(X)
def arrays_are_kept(x):
    y = x.copy()
    k = 0
    while np.sum(y * y) > 1e-3 and k < 60:
        y = np.sin(y) * 0.9 + 0.01 * x
        k += 1
    return np.sum(y * x)


@program(X)
def arrays_of_many_lengths_are_kept(x):
    total = 0.0
    k = 0
    while k < 25:
        part = np.exp(x[: k % 4 + 1] * 0.3)
        total = np.tanh(total) + np.sum(part * part)
        k += 1
    return total


@program(X)
def elements_overwritten_in_a_while(x):
    y = x.copy()
    k = 0
    while k < 45:
        y[k % 4] = np.sin(y[(k + 1) % 4]) * y[k % 4] + 0.2
        k += 1
    return np.sum(y)


@program(0.8)
def captured_weights(a):
    x = a
    k = 0
    while k < 30:
        x = np.tanh(x * WEIGHTS[k % 3]) + 0.5 * a
        k += 1
    return x


def descend(a, depth):
    x = a
    while x > 0.3:
        x = np.sin(x) * 0.9
    return x if depth == 0 else x * descend(a * 0.9, depth - 1)


@program(1.4, 5)
def recursion_around_a_while(a, depth):
    return descend(a, depth) * a


@program(X, 6)
def broken_for(x, n):
    """The iterations of a `for` that is left, with a `while` inside."""
    total = 0.1
    for i in range(n):
        y = x[i % 4]
        while abs(y) > 0.25:
            y = y * 0.7 + 0.01 * np.sin(total)
        total = total * np.cos(y) + y
        if total > 0.6:
            break
    return total


@program(X)
def one_sweep_around_whiles_in_branches(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        if y > 0.0:
            while y < 2.1:
                y = y * 1.3 + 0.1 * np.sin(y)
        else:
            while y < -0.1:
                y = y * 0.5
                if y > -0.31:
                    break
        total += y * np.exp(y) * x[i]
    return total


@failing(np.array([0.5, 0.2]), error=IndexError)
@program(X)
def walk_off_the_end(x):
    total = 0.0
    i = 0
    while i < 3:
        total = np.sin(total + x[i])
        i += 1
    return total


@failing(-1.0, error=ValueError)
@program(1.5)
def raises_after_some_iterations(a):
    x = 1.0
    k = 0
    while k < 40:
        x = x + a * np.exp(-x)
        if x < 0.0:
            raise ValueError("x must stay positive")
        k += 1
    return x
