"""Loops in which the first or the last iterations differ from the others by a condition on the index."""

import numpy as np

from collect import failing, program

RANDOM = np.random.default_rng(21)
X = RANDOM.uniform(0.5, 1.5, 9)
M = RANDOM.uniform(0.5, 1.5, (5, 6))
LABELS = np.array([0, 2, 0, 1, 0, 2, 0])


@program(X, 0.3)
@program(X[:3], 0.3)
@program(X[:2], 0.3)
@program(X[:1], 0.3)
@program(X[:0], 0.3)
def fixed_ends(u, k):
    n = u.shape[0]
    for _ in range(3):
        new = np.empty(n)
        for i in range(n):
            left = u[i - 1] if i > 0 else 0.0
            right = u[i + 1] if i < n - 1 else 0.2
            new[i] = u[i] + k * (left - 2 * u[i] + right) - 0.1 * u[i] * u[i]
        u = new
    return np.sum(u * u)


@program(X, 0.3)
@program(X[:1], 0.3)
def insulated_ends(u, k):
    n = u.shape[0]
    total = 0.0
    for i in range(n):
        total += k * (u[max(i - 1, 0)] - 2 * u[i] + u[min(i + 1, n - 1)]) ** 2 + np.sin(u[i])
    return total


@program(X, 0.3)
@program(X[:2], 0.3)
@program(X[:1], 0.3)
def on_a_ring(u, k):
    n = len(u)
    new = np.zeros(n)
    for i in range(n):
        new[i] = u[i] + k * (u[(i - 1) % n] - 2 * u[i] + u[(i + 1) % n]) * u[i]
    return np.sum(new**3)


@program(M, 0.2)
@program(M[:1], 0.2)
@program(M[:, :1], 0.2)
@program(M[:2, :2], 0.2)
@program(M[:0], 0.2)
def plate(u, k):
    n, m = u.shape
    for _ in range(2):
        new = np.empty((n, m))
        for i in range(n):
            for j in range(m):
                total = -4.0 * u[i, j]
                if i > 0:
                    total += u[i - 1, j]
                if i < n - 1:
                    total += u[i + 1, j]
                if j > 0:
                    total += u[i, j - 1]
                if j < m - 1:
                    total += u[i, j + 1]
                new[i, j] = u[i, j] + k * total - 0.01 * u[i, j] ** 2
        u = new
    return np.sum(u * u)


@program(M, LABELS)
@program(M, LABELS[:2])
@program(M, LABELS[:1])
def alignment_of_labels(scores, labels):
    steps, states = scores.shape[0], labels.shape[0]
    alpha = np.full((steps, states), -50.0)
    alpha[0, 0] = scores[0, labels[0]]
    for t in range(1, steps):
        for s in range(states):
            total = alpha[t - 1, s]
            if s > 0:
                total = np.logaddexp(total, alpha[t - 1, s - 1])
            if s > 1 and labels[s] != 0 and labels[s] != labels[s - 2]:
                total = np.logaddexp(total, alpha[t - 1, s - 2] - 1.0)
            alpha[t, s] = total + scores[t, labels[s]]
    return np.logaddexp(alpha[steps - 1, states - 1], alpha[steps - 1, 0])


@program(X)
@program(X[:1])
def downwards(x):
    n = x.shape[0]
    y = np.zeros(n)
    carry = 0.5
    for i in range(n - 1, -1, -1):
        if i == n - 1:
            y[i] = x[i] * carry
        elif i >= 2:
            y[i] = x[i] * y[i + 1] + np.sin(carry)
        else:
            y[i] = carry - y[i + 1] * x[i]
        carry = carry * 0.9 + x[i] * 0.1
    return np.sum(y * y) + carry


@program(X, 3)
@program(X, 1)
@program(X, 0)
def index_from_a_number(x, n):
    total = 0.0
    for i in range(2, n + 4):
        if i != 2 and not i == n + 3:
            total += x[i] * x[i - 1]
        elif i <= 2:
            total -= x[i] ** 2
        else:
            total *= np.cos(x[i])
    return total


@program(X)
def trapezoidal(x):
    n = x.shape[0]
    total = 0.0
    for i in range(n):
        weight = 0.5 if i == 0 or i == n - 1 else 1.0
        total += weight * np.exp(-x[i])
    return total


@program(X)
def ends_in_the_middle(x):
    total = 0.0
    for i in range(x.shape[0]):
        if i > 0:
            total += x[i] * x[i - 1]
        if total > 3.0:
            break
    return total


@program(X, 4)
@program(X, 20)
@program(X, -3)
def divided_in_the_middle(x, where):
    total = 0.0
    for i in range(x.shape[0]):
        total = total * 0.7 + (x[i] if i < where else x[i] ** 2)
    return total


@program(X, M)
def not_set_in_the_first(x, m):
    total = 0.0
    for i in range(m.shape[0]):
        row = m[i]
        if i > 0:
            total += np.dot(row, before) * x[i]  # noqa: F821  (bound by the iteration before)
        before = row * x[i]
    return total


@failing(X, error=IndexError)
def behind_the_end(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] if i > 1 else x[i + 20]
    return total


@failing(X, error=IndexError)
def behind_the_end_at_last(x):
    total = 0.0
    n = x.shape[0]
    for i in range(n):
        total += x[i] if i < n - 1 else x[i + 1]
    return total
