"""Loops along a row that load from the row before, and branches that load, compute much and store."""

import numpy as np

from collect import program

RANDOM = np.random.default_rng(12)
X = RANDOM.normal(size=9)


def letters(count: int) -> np.ndarray:
    return np.random.default_rng(count).integers(0, 4, count)


def table(steps: int) -> np.ndarray:
    return np.random.default_rng(steps).normal(size=(steps, 4))


@program(table(3), letters(70))
@program(table(4), letters(5))
@program(table(1), letters(5))
@program(table(3), letters(0) + 1)
def log_sums_of_a_row(scores, labels):
    low = np.zeros((scores.shape[0] + 1, labels.shape[0]))
    for t in range(scores.shape[0]):
        for s in range(2, labels.shape[0]):
            total = np.logaddexp(low[t, s], low[t, s - 1])
            if labels[s] != 0 and labels[s] != labels[s - 2]:
                total = np.logaddexp(total, low[t, s - 2])
            low[t + 1, s] = total + scores[t, labels[s]]
    total = 0.0
    for s in range(labels.shape[0]):
        total += low[scores.shape[0], s] * (s % 3)
    return total


@program(X, letters(70))
@program(X, letters(4))
@program(X, letters(1))
def stores_on_both_sides(x, places):
    left, right = np.zeros(9), np.ones(9)
    for p in range(places.shape[0]):
        if places[p] > 1:
            left[places[p] + 1] += np.exp(-x[p % 9] * x[places[p]]) * np.tanh(x[places[p] + 2])
        else:
            right[places[p]] += np.sin(x[p % 9]) * np.exp(x[places[p] + 3]) + np.cos(x[p % 7])
            left[p % 5] += np.exp(x[places[p]])
    return np.sum(left * right)


@program(X, letters(75))
@program(X, letters(3))
def branches_in_branches(x, places):
    y = np.zeros(9)
    for p in range(places.shape[0]):
        i = places[p]
        v = np.exp(-x[i] * x[i])
        if i > 0:
            w = v * np.tanh(x[i + 1])
            if v < 0.9:
                y[i] += w * np.exp(x[i + 3])
                w = np.sin(w) * x[i + 2]
            else:
                y[i + 4] -= np.cos(w)
            v = np.exp(w)
        y[8 - i] += v
    return np.sum(y * np.arange(9.0))


@program(X, letters(80) + 5 * (np.arange(80) % 2))
def loads_what_an_iteration_before_has_written(x, places):
    y = np.copy(x)
    for p in range(1, places.shape[0]):
        v = np.exp(-x[places[p]]) * np.sin(y[places[p - 1]])
        if v > 0.1:
            y[places[p]] = np.tanh(v) + np.exp(-v * v) * 0.3
    return np.sum(y * np.arange(9.0))


@program(table(70), letters(70))
def loads_its_own_element_before_it_stores(x, places):
    y = np.copy(x)
    total = 0.0
    for t in range(1, places.shape[0]):
        before = y[t, places[t]]
        v = np.exp(-before * before) * np.sin(x[t - 1, places[t]])
        if before < 0.5:
            total += v * np.exp(before)
        y[t, places[t]] = np.tanh(v) * before
    return np.sum(y) + total


@program(table(70), letters(70))
def loads_its_own_element_after_it_stores(x, places):
    y = np.copy(x)
    total = 0.0
    for t in range(1, places.shape[0]):
        v = np.exp(-y[t, 1]) * np.sin(x[t - 1, places[t]])
        if v < 0.5:
            y[t, places[t]] = np.tanh(v) * np.exp(v)
        total += np.exp(y[t, 1]) * np.cos(y[t, places[t]])
    return np.sum(y) + total


@program(table(70), letters(70))
def rows_in_descending_order(x, places):
    y = np.zeros((3, 75))
    for r in range(1, 3):
        for p in range(places.shape[0] - 1, -1, -1):
            v = np.exp(-y[r - 1, p + places[p]]) * np.sin(x[p, places[p]])
            if v > 0.2:
                y[r, p] = v * np.tanh(y[r - 1, p]) + np.exp(v)
            else:
                y[r, p + places[p]] += np.cos(v)
    return np.sum(y[2])
