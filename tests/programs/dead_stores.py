"""Elements that are written over by what was read of them: their adjoints are set to 0, and then added to."""

import numpy as np

from collect import program

X = np.array([0.5, -1.3, 0.8, 0.2])


@program(X, np.array([0, 2, 2, 1]), 2)
@program(X, np.array([3, 3, 3]), 3)
def positions_given_twice(x, places, steps):
    y = x.copy()
    for _ in range(steps):
        y[places] = y[places] * 0.5 + 0.1
    return np.sum(y * y)


@program(X, np.array([0, 2, 2, 1]), 2)
def the_same_at_positions_given_twice(x, places, steps):
    y = x.copy()
    for _ in range(steps):
        y[places] = y[places]
        y[places] += y[places] * x[places]
    return np.sum(y * y)


@program(X.reshape(2, 2), np.array([[0, 1], [1, 0], [1, 1]]), 3)
def both_ends_of_springs(x, ends, steps):
    y = x.copy()
    v = np.zeros(x.shape)
    for _ in range(steps):
        force = np.zeros(x.shape)
        for s in range(ends.shape[0]):
            i, j = ends[s, 0], ends[s, 1]
            d = y[j, 0] - y[i, 0]
            e = y[j, 1] - y[i, 1]
            force[i, 0] += np.sin(d)
            force[i, 1] += e * d
            force[j, 0] -= np.sin(d)
            force[j, 1] -= e * d
        for i in range(x.shape[0]):
            v[i, 0] += 0.1 * force[i, 0]
            v[i, 1] += 0.1 * force[i, 1]
            y[i, 0] += 0.1 * v[i, 0]
            y[i, 1] += 0.1 * v[i, 1]
    return np.sum(v * v) + np.sum(y * y)


@program(X, 2)
def written_over_by_itself(x, steps):
    y = x.copy()
    for _ in range(steps):
        for i in range(x.shape[0]):
            y[i] = y[i]
            y[i] = y[i] * x[i]
            y[i - 1] = y[i] + y[i - 1]
    return np.sum(y * x)


@program(X, 3)
def halves_of_slices(x, steps):
    y = x.copy()
    for _ in range(steps):
        y[1:] = y[1:] * 0.5
        y[:2] -= y[2:] * x[:2]
    return np.sum(y * y)
