"""Arrays that a loop makes and keeps, or hands to the next iteration, which keeps them."""

import numpy as np

from collect import failing, program

_RNG = np.random.default_rng(62)
U = _RNG.uniform(0.5, 1.5, 6)
B = _RNG.uniform(0.5, 1.5, (5, 4))


@program(U, 0.2, 4)
@program(U, 0.2, 1)
@program(U, 0.2, 0)
@program(U[:3], 0.2, 3)
@program(U[:2], 0.2, 3)
@program(U[:1], 0.2, 3)
def heat(u, k, steps):
    for _ in range(steps):
        v = np.empty_like(u)
        v[0] = u[0]
        v[-1] = u[-1]
        v[1:-1] = u[1:-1] * (1 + k * (u[2:] - 2 * u[1:-1] + u[:-2]))
        u = v
    return np.sum(u**2)


@program(U, U[::-1], 4)
@program(U, U[::-1], 1)
@program(U, U[::-1], 0)
def wave_of_two_rows(u, before, steps):
    n = u.shape[0]
    now = u
    energy = 0.0
    for _ in range(steps):
        after = np.empty(n)
        for i in range(1, n - 1):
            after[i] = 2 * now[i] - before[i] + 0.3 * now[i] * (now[i - 1] + now[i + 1])
        after[0] = now[1] * before[0]
        after[n - 1] = now[n - 2] * before[n - 1]
        before = now
        now = after
        energy += now[n - 1] ** 2
    return energy + np.sum(now * before)


@program(B, 3)
@program(B[:3, :3], 2)
@program(B[:2, :3], 2)
@program(B[:3, :1], 2)
@program(B[:1, :1], 2)
@program(B[:, :0], 2)
@program(B, 0)
def sweeps_over_a_plane(b, sweeps):
    u = np.ones(b.shape)
    for _ in range(sweeps):
        w = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                w[i, j] = 0.2 * (u[i - 1, j] * u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) + b[i, j]
        u = w
    return np.sum(u * u * b)


@program(U, 3)
def changed_after_the_loop(u, steps):
    u = u * 1.0
    for _ in range(steps):
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        u = v
    u[0] = u[1] * u[2]
    return np.sum(u**2)


@program(U, 3)
def changed_where_it_is_kept(u, steps):
    """An iteration changes the array that it was handed, after it has read it."""
    u = u.copy()
    total = 0.0
    for _ in range(steps):
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        u[0] = 3.0 * v[1]
        total += u[0] * u[1]
        u = v
    return total + np.sum(u**2)


@program(U, 3, 2)
@program(U, 3, 0)
@program(U, 0, 2)
def restarted_in_an_outer_loop(u, starts, steps):
    total = 0.0
    for start in range(starts):
        x = u * (1.0 + 0.1 * start)
        for _ in range(steps):
            y = np.empty(x.shape[0])
            for i in range(x.shape[0]):
                y[i] = x[i] * x[i - 1]
            x = y
        total += np.sum(x * x)
    return total


@program(U, 3, 2)
@program(U, 3, 0)
def handed_on_by_an_outer_loop(u, starts, steps):
    for _ in range(starts):
        for _ in range(steps):
            v = np.empty(u.shape[0])
            for i in range(u.shape[0]):
                v[i] = u[i] * u[i - 1] * 0.9
            u = v
        u = u / np.sum(u)
    return np.sum(u**3)


@program(U, 4, cotangent=np.arange(1.0, 31.0).reshape(5, 6))
@program(U, 0, cotangent=np.arange(1.0, 7.0).reshape(1, 6))
def path_that_is_returned(u, steps):
    path = np.empty((steps + 1, u.shape[0]))
    for t in range(steps):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        u = v
    path[steps] = u
    return path


@program(U, 4)
def row_behind_those_of_the_loop(u, steps):
    """The row that the last array would be made in has been written before the loop."""
    path = np.empty((steps + 1, u.shape[0]))
    path[steps] = u * u
    for t in range(steps):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        u = v
    return np.sum(path[steps] * path[steps - 1])


@program(U, 4)
def row_read_in_the_loop(u, steps):
    path = np.empty((steps + 1, u.shape[0]))
    path[:] = 1.0
    total = 0.0
    for t in range(steps):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        total += path[t + 1, 0] * v[1]
        u = v
    return total + np.sum(u * u)


@program(U, B, 4)
def kept_in_the_iteration_that_makes_it(u, b, steps):
    """Each state is kept as it is made, a part of the argument the first."""
    h = u[:4]
    for t in range(steps):
        h = np.tanh(b[t] * h + np.sum(h))
    return np.sum(h**2)


@program(U, 3)
def broken_off(u, most):
    for _ in range(most):
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1]
        u = v
        if u[0] > 0.8:
            break
    return np.sum(u**2)


@program(U, 1, 5)
def from_an_index_on(u, first, last):
    for t in range(first, last):
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * u[i - 1] / t
        u = v
    return np.sum(u**2)


@program(U, 4)
def two_that_change_places(u, steps):
    x, y = u, u * u
    for _ in range(steps):
        z = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            z[i] = x[i] * y[i - 1]
        x, y = y, z
    return np.sum(x * y)


@program(U[:4], B)
@program(U[:4], B[:1])
def last_row_counted_from_the_end(u, b):
    path = np.empty(b.shape)
    for t in range(b.shape[0]):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * b[t, i] + u[i - 1] * 0.9
        u = v
    return path[-1, 0] * path[-1, 2] + np.sum(u * u)


@program(U[:4], B, -1)
@program(U[:4], B, -5)
@program(U[:4], B, 2)
def row_that_an_argument_says(u, b, k):
    path = np.empty(b.shape)
    for t in range(b.shape[0]):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * b[t, i] + u[i - 1] * 0.9
        u = v
    return path[k, 0] * path[k, 1] + np.sum(u * u)


@program(U[:4], B)
@program(U[:4], B[:1])
def row_before_the_first(u, b):
    """The first iteration of the second loop reads the last row."""
    path = np.empty(b.shape)
    for t in range(b.shape[0]):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * b[t, i] + u[i - 1] * 0.9
        u = v
    total = 0.0
    for t in range(b.shape[0]):
        for i in range(u.shape[0]):
            total += path[t - 1, i] * path[t, i] * path[-t - 1, i]
    return total + np.sum(u * u)


@program(U[:4], B)
def rows_by_an_index_array(u, b):
    path = np.empty(b.shape)
    for t in range(b.shape[0]):
        path[t] = u
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * b[t, i] + u[i - 1] * 0.9
        u = v
    total = np.sum(path[np.array([0, -1, -2])] ** 2)
    for k in [0, -1, -2]:
        total += path[k, 1] * path[k, 0]
    return total + np.sum(u * u)


@failing(U[:4], B, np.zeros(3), 9, error=IndexError)
@program(U[:4], B, np.zeros(3), 4)
def more_steps_than_rows(u, b, last, steps):
    """What is written before the row keeps its check from standing before the loop."""
    path = np.empty(b.shape)
    for t in range(steps):
        last[t % 3] = u[0]
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * 0.9 + u[i - 1] * 0.1
        path[t] = v
        u = v
    return path[0, 0] * path[1, 1] + np.sum(u)


@failing(U[:4], B, np.zeros(3), 9, error=IndexError)
@program(U[:4], B, np.zeros(3), 4)
def more_steps_than_rows_of_what_is_handed_on(u, b, last, steps):
    path = np.empty(b.shape)
    for t in range(steps):
        last[t % 3] = u[0]
        v = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            v[i] = u[i] * 0.9 + u[i - 1] * 0.1
        path[t] = u
        u = v
    return path[0, 0] * path[1, 1] + np.sum(u)
