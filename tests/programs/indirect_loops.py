"""Loops that find elements by indices of the run, compute much, and add to elements found so."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=7)
Y = RANDOM.normal(size=7)
P = RANDOM.normal(size=(7, 3))


def pairs(count: int) -> np.ndarray:
    first = np.random.default_rng(count).integers(0, 7, count)
    return np.stack([first, (first + 1 + np.arange(count) % 5) % 7], axis=1)


@program(X, Y, pairs(9), 0.7)
@program(X, Y, pairs(70), 0.7)
@program(X, Y, pairs(0), 0.7)
@program(X, Y, pairs(9) - 7, 0.7)
def energy_of_bonds(x, y, bonds, stiffness):
    energy = 0.0
    for p in range(bonds.shape[0]):
        i = bonds[p, 0]
        j = bonds[p, 1]
        dx = x[i] - x[j]
        dy = y[i] - y[j]
        a = 1.0 - np.exp(-stiffness * (np.sqrt(dx * dx + dy * dy) - 1.0))
        energy += a * a * (p + 1)
    return energy


@program(X, pairs(9)[:, 0].copy(), pairs(9)[:, 1].copy(), np.arange(9) % 2 == 0)
def ratings(rating, home, away, won):
    loss = 0.0
    for g in range(1, home.shape[0]):
        p = 1.0 / (1.0 + np.exp(rating[away[g]] - rating[home[g]]))
        if won[g]:
            loss -= np.log(p)
        else:
            loss -= np.log(1.0 - p)
    return loss


@program(P, np.array([[0, 1, 2], [2, 3, 4], [5, 3, 0], [6, 1, 4], [1, 0, 6]]))
def angles(p, triples):
    energy = 0.0
    for k in range(triples.shape[0]):
        a = triples[k, 0]
        b = triples[k, 1]
        c = triples[k, 2]
        dot = 0.0
        u = 0.0
        v = 0.0
        for axis in range(3):
            dot += (p[a, axis] - p[b, axis]) * (p[c, axis] - p[b, axis])
            u += (p[a, axis] - p[b, axis]) ** 2
            v += (p[c, axis] - p[b, axis]) ** 2
        energy += (dot / np.sqrt(u * v) - 0.3) ** 2
    return energy


def rows_of(*lengths: int) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of rows of these lengths, and the neighbours in them, some of them twice in a row."""
    offsets = np.cumsum([0, *lengths])
    return offsets, (3 * np.arange(offsets[-1]) ** 2 + 1) % 7


@program(X, Y, *rows_of(3, 0, 9, 1, 70, 0, 2), 0.8)
@program(X, Y, *rows_of(0, 0, 0, 0, 0, 0, 0), 0.8)
def energy_of_neighbours(x, y, offsets, neighbours, length):
    energy = 0.0
    for i in range(x.shape[0]):
        for k in range(offsets[i], offsets[i + 1]):
            j = neighbours[k]
            dx = x[i] - x[j]
            dy = y[i] - y[j]
            r2 = dx * dx + dy * dy + 0.1
            if r2 < 4.0:
                r = np.sqrt(r2)
                energy += np.exp(-r / length) / r * np.cos(r) + np.tanh(length * r2) * (k + 1)
    return energy


@program(X, Y, *rows_of(3, 0, 9, 1, 70, 0, 2), cotangent=np.linspace(-1.0, 1.0, 7))
def smoothed_over_neighbours(x, y, offsets, neighbours):
    force = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        for k in range(offsets[i], offsets[i + 1]):
            j = neighbours[k]
            d = x[j] - x[i]
            w = np.exp(-d * d) * np.sin(y[j] * d) + np.exp(-y[i] * y[i] - d * d)
            force[j] += w * d
            force[i] -= w * d
    return force


@program(X, pairs(9))
def reads_what_it_writes(x, steps):
    y = x.copy()
    for p in range(steps.shape[0]):
        i = steps[p, 0]
        y[steps[p, 1]] += np.sin(np.exp(-y[i] * y[i])) * np.cos(y[i]) + np.tanh(y[i])
    return np.sum(y * y)


@program(X, pairs(9))
def writes_elements(x, steps):
    y = np.zeros(7)
    z = np.ones(7)
    for p in range(steps.shape[0]):
        i = steps[p, 0]
        v = np.exp(-x[i] * x[i]) * np.cos(x[i] * (p + 1))
        y[i] = v
        z[steps[p, 1]] += np.tanh(v) * x[i]
        y[steps[p, 1]] = v * 2.0
    return np.sum(y * y * z)


@program(X, Y, pairs(9))
def index_that_is_computed(x, y, steps):
    total = 0.0
    for p in range(steps.shape[0]):
        place = abs(x[steps[p, 0]]) * 3.0
        i = min(int(place), 5)
        w = place - i
        v = np.exp(w * y[i + 1] + (1.0 - w) * y[i])
        total += np.log(1.0 + v * v) * np.sqrt(1.0 + v)
    return total
