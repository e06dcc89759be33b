"""Nests whose inner loops access every second, third or fourth element of a row that they come back to."""

import numpy as np

from collect import program

PRICES = np.array([0.7, 1.3, 0.4, 1.9, 0.6, 1.1, 0.9, 1.7, 0.8])
VALUES = np.array([0.3, 1.2, -0.5, 0.8, 1.6])


@program(PRICES, VALUES)
def tree(prices, values):
    values = values.copy()
    n = values.shape[0] - 1
    for step in range(n):
        for j in range(n - step):
            values[j] = 0.6 * values[j] + np.sin(values[j + 1]) * prices[2 * j + step]
    return values[0] + values[1]


@program(PRICES, VALUES)
@program(PRICES.astype(np.float32), VALUES.astype(np.float32))
def tree_of_a_row_made_inside(start, values):
    n = values.shape[0] - 1
    prices = np.empty(2 * n + 1)
    for i in range(2 * n + 1):
        prices[i] = start[i] * start[0]
    total = 0.0
    for k in range(3):
        row = values * (k + 1.0)
        for step in range(n - 1, -1, -1):
            for j in range(step + 1):
                row[j] = max(prices[n - step + 2 * j] - 0.9, 0.4 * row[j + 1] + 0.5 * row[j])
        total += row[0] ** 2
    return total


@program(PRICES, VALUES)
def slices_with_a_step(prices, values):
    n = values.shape[0] - 1
    for step in range(n - 1, -1, -1):
        now = prices[n - step : n + step + 1 : 2]
        values = np.maximum(0.5 * values[1:] + 0.4 * values[:-1], 1.0 - now)
        values = np.where(now < 1.8, values, 0.0)
    return values[0]


@program(PRICES, 4)
@program(PRICES, 0)
@program(PRICES, 1)
def sums_over_three_phases(x, n):
    a = np.exp(x[:1] * -0.1 * np.arange(3 * n + 7))
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += a[3 * j] * a[3 * j + i] - np.cos(a[3 * j + 4])
    return s + x[1]


@program(PRICES)
def added_to_in_steps(x):
    y = np.zeros(2 * x.shape[0] + 3)
    for i in range(4):
        for j in range(x.shape[0]):
            y[2 * j + i] += x[j] ** 2 * (i + 1.0)
    y[0] *= 2.0
    return np.sum(y * y)


@program(PRICES)
def added_to_in_branches(x):
    y = np.ones(20)
    for i in range(3):
        if x[i] > 0.5:
            for j in range(x.shape[0]):
                if x[j] > 0.85:
                    y[2 * j + i] += x[j] * x[i]
        else:
            for j in range(3):
                y[4 * j + 1] += 0.5 * x[i]
    return np.sum(np.sin(y))


@program(PRICES)
def added_to_and_read(x):
    y = np.ones(2 * x.shape[0] + 3)
    for i in range(3):
        for j in range(x.shape[0]):
            y[2 * j + i] += x[j] * x[i]
        y[0] += np.cos(y[5])
    return np.sum(np.sin(y))


@program(PRICES)
def written_in_the_nest(x):
    y = np.exp(x)
    s = 0.0
    for i in range(2):
        for j in range(4):
            s += np.sin(y[2 * j + i]) * x[j]
        y[i] = s
    return s + y[1]


@program(PRICES)
def another_name_is_written(x):
    y = np.exp(x)
    z = y[1:]
    s = 0.0
    for i in range(2):
        for j in range(4):
            s += np.sin(y[2 * j + i]) * x[j]
        z[i] = s
    return s


@program(PRICES, np.array([1, 0, 2]))
def starts_from_a_table(x, starts):
    y = np.exp(x)
    s = 0.0
    for i in range(starts.shape[0]):
        for j in range(3):
            s += np.sin(y[2 * j + starts[i]]) * (j + 1.0)
    return s


@program(PRICES)
def backwards(x):
    y = np.exp(x)
    s = 0.0
    for i in range(3):
        for j in range(3, -1, -1):
            s = np.cos(s) + y[2 * j + (1 if i == 1 else 0)]
    return s


@program(PRICES, 3)
def negative_starts(x, n):
    y = np.exp(x)
    s = 0.0
    for i in range(n):
        for j in range(i, 3):
            s += np.sin(y[2 * j - i]) * x[j]
    return s


@program(PRICES)
@program(PRICES[::-1])
@program(PRICES[:3])
@program(PRICES.astype(np.float32))
def red_and_black(x):
    """Elements of one colour are made of their neighbours, which have the other one."""
    y = np.exp(x)
    n = (y.shape[0] - 1) // 2
    for sweep in range(3):
        for colour in range(2):
            for j in range(n - colour):
                y[2 * j + colour + 1] = 0.4 * (y[2 * j + colour] * y[2 * j + colour + 2]) + 0.1 * sweep
    return np.sum(np.sin(y))
