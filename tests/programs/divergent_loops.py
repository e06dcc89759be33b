"""Loops of which iterations run side by side, around `while` loops that they leave one by one."""

import numpy as np

from collect import program


def numbers(n):
    return 1.5 + np.sin(np.arange(float(n)) * 1.3)


@program(numbers(66), 0.8)
@program(numbers(4), 0.8)
@program(numbers(3), 0.8)
@program(numbers(0), 0.8)
@program(numbers(12)[::2], 0.8)
def fixed_points(x, a):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        change = 1.0
        while abs(change) > 1e-12:
            change = np.cos(a * y) - y
            y += change
        total += y * x[i]
    return total


@program(numbers(7))
def without_iterations_for_some(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 1.0:
            y = np.log(y) + 1.0 / (y * y + 1.0)
        total += y * y
    return total


@program(np.concatenate([numbers(6), [1.0, -0.5, -1.0]]))
def singular_where_it_ends(x):
    """A lane that is done is at 0 or below, where the next iteration divides by 0."""
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 0.0:
            y = y - np.exp(-1.0 / y) - 0.5 * y**0.5 - 0.25
            if y < 0.0:
                y = 0.0
        total += y + x[i] * 2.0
    return total


@program(numbers(7), 7)
def counted_and_limited(x, most):
    total, steps = 0.0, 0
    for i in range(x.shape[0]):
        y = x[i]
        k = 0
        while k < most and y > 0.7:
            y = y * np.exp(-0.1 * y)
            k += 1
        steps += k
        total += y * k
    return total * steps


@program(numbers(7), numbers(9))
def reading_a_table(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        k = 0
        while k < w.shape[0] and y < 6.0:
            y += np.log(w[k] * x[i] + 1.0)
            k += 1
        total += y
    return total


@program(numbers(7))
def with_a_choice(x):
    total = 0.0
    for i in range(x.shape[0]):
        y, z = x[i], 1.0
        while y * z < 3.0:
            if y > 1.51:
                z = z + np.sqrt(y)
            else:
                y = np.exp(0.5 * y)
            z = z * 1.1
        total += y / z
    return total


@program(numbers(7), 3)
def in_another_loop(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        for j in range(n):
            z = y
            while z > 0.9:
                z = np.log(z + 0.5)
            y = y * 0.5 + z * x[j]
        total += y
    return total


@program(numbers(7))
def one_after_another(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 1.2:
            y = np.log(y + 0.5)
        z = y * x[i]
        while z < 2.0:
            z = np.exp(z) * 1.5 + y
        total += z
    return total


@program(numbers(7), np.zeros(7))
def written_to_arrays(x, out):
    for i in range(x.shape[0]):
        y = x[i]
        while y > 1.2:
            y = np.log(y + 0.5)
        out[i] = y * x[i]
    return np.sum(out * out)


@program(numbers(7))
def started_by_the_one_before(x):
    y = 1.0
    for i in range(x.shape[0]):
        y += 0.1 * x[i]
        while y > 1.2:
            y = np.log(y + 0.5)
    return y


@program(numbers(7))
def adding_up_inside(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 1.2:
            y = np.log(y + 0.5)
            total += y
    return total


@program(numbers(7))
def left_by_a_break(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 0.2:
            y = np.log(y + 0.5)
            if y < 0.6:
                break
        total += y
    return total


@program(numbers(7).astype(np.float32))
def of_single_precision(x):
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i]
        while y > 1.2:
            y = np.log(y + np.float32(0.5))
        total += y
    return total


@program(numbers(7), 1.7)
def carried_by_name_alone(x, k):
    """What a lane hands on is not read in the loop."""
    total = 0.0
    for i in range(x.shape[0]):
        y, last, flag = x[i], k, False
        while y > 1.2:
            last = y
            flag = not flag
            y = np.log(y + 0.5)
        if flag:
            total += last * y
        else:
            total -= last
    return total


@program(np.sin(np.arange(12.0)).reshape(4, 3), numbers(3))
@program(np.sin(np.arange(198.0)).reshape(66, 3), numbers(3))
@program(np.zeros((0, 3)), numbers(3))
def behind_a_loop_along_a_line(x, w):
    total = 0.0
    for p in range(x.shape[0]):
        s = 0.1
        for t in range(x.shape[1]):
            s = 0.5 * s + np.sin(x[p, t] * w[t])
        y = s + 2.0
        while y > 1.0:
            y = np.log(y)
        total += y * s
    return total
