"""Nests of loops over numbers that the text names, with loops of run-time lengths in them: read as nests, not copied.

Where the numbers must be known (axes, items of lists of different things), the iterations are read one by one.
"""

import numpy as np

from collect import program

POSITIONS = np.array(
    [
        [0.2, 0.3, 0.4],
        [1.1, 0.2, 0.5],
        [0.4, 1.2, 0.1],
        [1.3, 1.4, 1.6],
        [2.1, 0.6, 1.1],
        [0.7, 2.2, 1.9],
        [2.3, 1.9, 0.4],
    ]
)
X = np.array([0.3, -0.7, 1.2, 0.4])
TABLE = np.array([[0.5, -0.2, 0.8, 1.1], [0.1, 0.9, -0.4, 0.3], [1.3, 0.2, 0.6, -0.5], [0.4, 0.7, -0.3, 0.2]])


@program(POSITIONS, 3.0, 3)
def cell_list(positions, box, cells):
    n = positions.shape[0]
    head = np.full((cells, cells, cells), -1)
    following = np.full(n, -1)
    for i in range(n):
        a, b, c = [int(positions[i, k] / box * cells) % cells for k in range(3)]
        following[i] = head[a, b, c]
        head[a, b, c] = i
    energy = 0.0
    for i in range(n):
        a, b, c = [int(positions[i, k] / box * cells) % cells for k in range(3)]
        for da in (-1, 0, 1):
            for db in (-1, 0, 1):
                for dc in (-1, 0, 1):
                    j = head[(a + da) % cells, (b + db) % cells, (c + dc) % cells]
                    while j >= 0:
                        if j > i:
                            d = positions[i] - positions[j]
                            d -= box * np.round(d / box)
                            r2 = np.sum(d * d)
                            if r2 < 1.5:
                                energy += (1.5 - r2) ** 2
                        j = following[j]
    return energy


@program(TABLE, X)
def axes(table, x):
    total = 0.0
    for axis in (0, 1):
        for shift in (-1, 0, 1):
            for weight in (1, 2):
                moved = np.roll(table, shift, axis=axis)
                for i in range(x.shape[0]):
                    total += np.sin(moved[i, 0] * x[i]) * weight * (shift + 2)
    return total


@program(X, 2)
def left_and_skipped(x, most):
    total = 0.0
    for a in [2, 1, 0, -1]:
        if a == most:
            continue
        for b in (0, 2, 4):
            if a + b > 3:
                break
            s = 1.0
            for i in range(x.shape[0]):
                s += x[i] * x[(i + a) % x.shape[0]] * (b + 1)
            total += np.sin(s)
    return total * (a + 2) + b


@program(X, [0.3, 1.7, -0.4])
def weights_by_number(x, weights):
    total = 0.0
    for a in (0, 1, 2):
        for b in (0, 1, 2):
            s = 0.0
            for i in range(x.shape[0]):
                s += weights[a] * x[i] * np.cos(weights[b] * x[i - b])
            total += s * s
    return total


@program(X, [np.array([0.3, 0.2]), 1.7, np.array([[0.4, 0.1, 0.9]])])
def different_things_by_number(x, parts):
    total = 0.0
    for a in (0, 1, 2):
        for b in (0, 1, 2):
            s = np.sum(parts[a]) * np.sum(parts[b])
            for i in range(x.shape[0]):
                s += s * x[i] ** 2
            total += s
    return total


@program(X)
def numbers_kept_in_a_list(x):
    parts = []
    for a in (1, 2, 3):
        for b in (1, 2, 3):
            s = 0.0
            for i in range(x.shape[0]):
                s += np.exp(x[i] / (a + b))
            parts.append(s)
    return parts[0] * parts[-1] + sum(parts) ** 2


@program(X)
def first_set_inside(x):
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            last = x[a] * x[b]
            for i in range(x.shape[0]):
                last = np.sin(last + x[i] * a)
    return last * b


@program(X)
def powers_of_two(x):
    total = 0.0
    for a in (-1, 0, 1):
        for b in (-1, 0, 1):
            for i in range(x.shape[0]):
                total += x[i] * 2.0**a + np.abs(x[i]) ** b
    return total


@program(X)
def divided_numbers(x):
    total = 0.0
    for a in (1, 2, 3):
        for b in (-2, -1, 0):
            for i in range(x.shape[0]):
                total += x[i] ** 2 * (a / (b - a)) + x[i] * (b // a) - x[i] ** 3 * (b % a)
    return total


@program(X)
def functions_made_in_iterations(x):
    functions = []
    for k in range(3):
        functions.append(lambda y, k=k: y * x[k] + k)
    late = []
    for k in range(3):
        late.append(lambda y: y * x[k] * k)
    return sum(f(2.0) for f in functions) * late[0](x[3])


@program(TABLE)
def axes_of_a_range(table):
    total = 0.0
    for axis in range(2):
        for i in range(table.shape[0]):
            total += np.sin(np.sum(np.cumsum(table, axis=axis)[i])) * (axis + 1)
    return total


@program(TABLE, 0.3)
def rank_falls(table, y):
    part = table
    for k in range(2):
        part = np.sin(np.sum(part * y, axis=0))
    return part * y


@program(X)
def rank_falls_until_a_break(x):
    part = x * np.ones((3, 4))
    for k in range(5):
        if k == 2:
            break
        part = part[0] * x[k]
    return part * 1.0


@program(X)
def item_of_each_kind(x):
    parts = [x[0], x[1:3], np.outer(x, x)]
    total = 1.0
    for k in range(3):
        total += np.sum(parts[k]) * total
        parts.append(parts[k])
    return total * np.sum(parts[-1])
