"""Nests whose inner loops run between bounds that an array has: rows of sparse matrices, lists of neighbours."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.7])
W = np.array([0.7, -0.2, -0.6, 1.4, 0.3, 0.9, 1.3])
FIRST = np.array([0, 3, 3, 5, 7])  # the second row is empty
NEAR = np.array([1, 2, 5, 0, 4, 3, -1])  # the last counts from the end
POINTS = np.stack([X, X[::-1] * 0.8, np.cos(X)], axis=1)


@program(X, FIRST, NEAR)
@program(X, FIRST[:1], NEAR)
@program(X, np.zeros(4, int), NEAR[:0])
@program(X[::2], FIRST, NEAR % 3)
@program(X.astype(np.float32), FIRST, NEAR)
@program(X, FIRST.astype(np.int32), NEAR.astype(np.int32))
def carried_through_rows(x, first, near):
    """What every iteration hands to the next is kept for each of them."""
    s = 0.3
    for i in range(first.shape[0] - 1):
        for k in range(first[i], first[i + 1]):
            s = np.sin(s * x[near[k]]) + 0.1 * s
        s = s * np.cos(s)
    return s


@program(POINTS, FIRST, NEAR, 1.9)
@program(POINTS, FIRST[:1], NEAR, 1.9)
@program(POINTS, FIRST, NEAR, 0.0)
@program(POINTS[:, ::-1], FIRST, NEAR, 1.9)
@program(np.asfortranarray(POINTS), FIRST, NEAR, 1.9)
def energy_of_neighbours(points, first, near, cutoff):
    """A sum over some neighbours for each atom, then a function of it (embedded atoms)."""
    n = first.shape[0] - 1
    density = np.zeros(n)
    pairs = 0.0
    for i in range(n):
        for k in range(first[i], first[i + 1]):
            j = near[k]
            dx = points[i, 0] - points[j, 0]
            dy = points[i, 1] - points[j, 1]
            dz = points[i, 2] - points[j, 2]
            r = np.sqrt(dx * dx + dy * dy + dz * dz + 0.1)
            if r < cutoff:
                density[i] += (r - cutoff) ** 2 + 0.1 * (r - cutoff) ** 3 / cutoff
            pairs += np.exp(-r) * r
    total = pairs
    for i in range(n):
        total += np.sqrt(density[i] + 1.0)
    return total


@program(X, np.array([1, 2, 1]), FIRST)
@program(X, np.array([0, 0, 0]), FIRST)
def three_deep(x, counts, first):
    """The rows of a row: the bounds of the innermost loop are found by the index of the loop around it."""
    s = 0.2
    for i in range(counts.shape[0]):
        for j in range(counts[i] + 1):
            for k in range(first[i + j], first[i + j + 1]):
                s = np.tanh(s + x[k % 6] * (i + 1))
    return s


@program(X, FIRST)
def in_steps_and_downwards(x, first):
    s = 0.2
    for i in range(first.shape[0] - 2, -1, -1):
        for k in range(first[i + 1] + 3, first[i] - 1, -2):
            s = np.sin(s + x[k % 6])
    return s


@program(X, FIRST, np.array([True, False, True, True]))
def in_some_rows(x, first, chosen):
    """Which rows run only the run tells."""
    s = 0.2
    for i in range(chosen.shape[0]):
        if chosen[i]:
            for k in range(first[i], first[i + 1]):
                s = np.sin(s + x[k % 6])
    return s


@program(X, FIRST)
def bounds_that_change(x, first):
    """The bounds are computed by the iterations before: they cannot be known before the nest."""
    ends = np.zeros(first.shape[0])
    s = 0.2
    count = 0
    for i in range(first.shape[0] - 1):
        for k in range(first[i], first[i] + count):
            s = np.sin(s + x[k % 6])
        count = (count + first[i]) % 3 + 1
        ends[i] = s
    return np.sum(ends)


@program(X, W, FIRST)
def two_nests(x, w, first):
    """The second nest counts for itself."""
    s = 0.2
    for i in range(first.shape[0] - 1):
        for k in range(first[i], first[i + 1]):
            s = np.sin(s + x[k % 6])
    for i in range(first.shape[0] - 1):
        for k in range(first[i]):
            s = np.cos(s * w[k])
    return s


@program(X, FIRST, cotangent=np.array([0.3, -0.4, 0.9, 1.1]))
def branches_that_add(x, first):
    """To one element, in one of two branches, in both, and to -0.0."""
    y = np.array([0.0, -0.0, 0.0, -0.0])
    for i in range(y.shape[0]):
        for k in range(6):
            if x[k] > 0.4:
                y[i] += np.exp(-x[k]) * (i + 1)
            if x[k] < 0.0:
                y[i] += np.sin(x[k])
            else:
                y[i] += x[k] ** 2
    return y


@program(X, np.array([2, 9, 1]))
def an_element_that_a_branch_guards(x, places):
    """places[1] is outside of y, and nothing is added there."""
    y = np.zeros(3)
    for i in range(places.shape[0]):
        for k in range(6):
            if places[i] < 3 and x[k] > 0.0:
                y[places[i]] += np.exp(x[k])
    return np.sum(y * y)


@program(np.abs(X) + 0.1, np.array([2.0, 2.0, 5.0, 5.0, 5.0, 1.0]))
@program(np.abs(X[::2]) + 0.1, np.array([3.0, 2.0, 1.0]))
@program(np.abs(X[:1]) + 0.1, np.array([3.0]))
@program(np.abs(X[:0]), np.zeros(0))
@program(np.abs(X).astype(np.float32) + np.float32(0.1), np.array([2, 2, 5, 5, 5, 1], np.float32))
def quotients_of_ties(x, days):
    """A quotient and a root follow from the index and from what the outer loop keeps: there is no buffer for them."""
    total, risk, i = 0.0, 1.0, 0
    while i < x.shape[0]:
        day, count, tied = days[i], 0, 0.0
        while i < x.shape[0] and days[i] == day:
            risk += x[i]
            tied += x[i]
            count += 1
            i += 1
        for k in range(count):
            total += np.log(risk - k / count * tied) + np.sqrt(risk + k)
    return total


@program(np.abs(X) + 0.1, np.array([1, 3, 0]))
@program(np.abs(X) + 0.1, np.array([0, 0]))
def quotients_beside_states(x, lengths):
    """What the loop hands on needs a buffer, and so the quotient is kept as well."""
    total, i = 0.0, 0
    while i < lengths.shape[0]:
        length = lengths[i]
        for k in range(length):
            total = np.sin(total) + np.exp(x[k] * x[i]) / (1.0 + x[k])
        i += 1
    return total
