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


@program(np.linspace(0.5, 1.5, 6), 3)
@program(np.linspace(0.5, 1.5, 6), 0)
@program(np.linspace(0.5, 1.5, 3), 2)
@program(np.linspace(0.5, 1.5, 2), 2)
@program(np.linspace(0.5, 1.5, 1), 2)
def ends_behind_the_inside(u, steps):
    """What is read behind the loop over the inside are its two ends, which may be one element."""
    n = u.shape[0]
    for _ in range(steps):
        v = np.empty(n)
        v[0] = 2.0 * u[0]
        v[n - 1] = u[n - 1] * u[n - 1]
        for i in range(1, n - 1):
            v[i] = u[i] * (1.0 + 0.1 * u[i + 1] * u[i - 1])
        u = v
    return np.sum(u**2)


@program(np.linspace(0.5, 1.5, 6), 3)
@program(np.linspace(0.5, 1.5, 2), 3)
def ends_that_meet_the_inside(u, steps):
    """The loop writes the second element, which has been written before."""
    n = u.shape[0]
    for _ in range(steps):
        v = np.empty(n)
        v[0] = 2.0 * u[0]
        v[1] = u[1] * u[0]
        for i in range(1, n):
            v[i] = u[i] * (1.0 + 0.1 * u[i - 1])
        v[-1] *= v[1]
        u = v
    return np.sum(u**2)


@program(np.linspace(0.5, 1.5, 20).reshape(4, 5), 2)
@program(np.linspace(0.5, 1.5, 4).reshape(2, 2), 2)
@program(np.linspace(0.5, 1.5, 3).reshape(1, 3), 2)
def corners_and_edges(u, steps):
    for _ in range(steps):
        v = np.empty_like(u)
        v[0, 0] = u[0, 0] * u[-1, -1]
        v[0, 1:] = u[0, 1:] * 2.0
        v[1:, 0] = u[1:, 0] ** 2
        for i in range(1, u.shape[0]):
            for j in range(1, u.shape[1]):
                v[i, j] = u[i, j] * u[i - 1, j - 1]
        u = v
    return np.sum(u**2)


@program(np.linspace(0.5, 1.5, 6), 2, 3)
@program(np.linspace(0.5, 1.5, 6), 5, 3)
@program(np.linspace(0.5, 1.5, 6), 0, 3)
def place_that_an_argument_says(u, place, steps):
    n = u.shape[0]
    for _ in range(steps):
        v = u.copy()
        v[place] = 2.0 * u[place] * u[0]
        for i in range(1, n - 1):
            v[i] = u[i] * (1.0 + 0.1 * u[i + 1] * u[i - 1])
        u = v
    return np.sum(u**2)
