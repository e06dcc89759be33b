"""Steps in time, each of which makes the next state of the last one: some states are needed again, some are not."""

import numpy as np

from collect import program

U = np.array([0.5, -1.2, 2.0, 0.3, 1.1, -0.7])
V = np.array([0.7, -0.2, -0.6, 1.4, 0.3])
W = np.array([0.4, 0.9, -0.3, 1.3, -0.5, 0.6])
M = np.array([[0.4, -0.3, 1.2, 0.8], [-0.8, 0.5, 0.9, -0.1], [1.5, 0.2, -1.1, 0.6]])


@program(U, V, 3)
@program(U, V, 0)
@program(U[::-1], V[::-1], 2)
@program(U.astype(np.float32), V.astype(np.float32), 2)
@program(U[:1], V[:0], 2)
@program(U[:0], V[:0], 2)
def of_a_copy(u, v, steps):
    now = u.copy()
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * now[i] * now[i + 1]
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return np.sum(now**2)


@program(U, V, 3)
@program(U, V, 0)
@program(U[::-1], V[::-1], 2)
@program(U[:0], V[:0], 2)
def of_an_argument(u, v, steps):
    now = u
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * now[i] * now[i + 1]
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return np.sum(now**2)


@program(U, V, 3, cotangent=(W, np.float64(0.5)))
@program(U, V, 0, cotangent=(W, np.float64(0.5)))
def returned_as_it_is(u, v, steps):
    now = u.copy()
    start = now
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return now, np.sum(start * start)


@program(U, V, 3)
def all_states_are_kept(u, v, steps):
    now = u.copy()
    states = []
    for _ in range(steps):
        states.append(now)
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        now = after
    total = 0.0
    for state in states:
        total += state[1] * now[2]
    return total


@program(U, V, 4)
def the_state_before_is_read_after_the_step(u, v, steps):
    now = u.copy()
    total = 0.0
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        total += np.sum(after * now)
        now = after
    return total


@program(U, V, 4)
def steps_that_do_not_replace_the_state(u, v, steps):
    now = u.copy()
    for k in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        if k % 2 == 0:
            now = after
    return np.sum(now**2)


@program(U, V, 4)
def best_state_so_far(u, v, steps):
    now = u.copy()
    best, least = now, 100.0
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        size = np.sum(after**2)
        if size < least:
            best, least = after, size
        now = after
    return np.sum(best * now)


@program(U, V, 9)
def left_early(u, v, steps):
    now = u.copy()
    for k in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        if k == 2:
            break
        now = after
    return np.sum(now**2) + after[1]


@program(U, V, 0.1)
def until_it_is_small(u, v, limit):
    now = u.copy()
    while np.sum(np.abs(now)) > limit * 40:
        after = 0.8 * now
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= 0.1 * flux
            after[i + 1] += 0.1 * flux
        now = after
    return np.sum(now**2)


@program(U, V, 3)
@program(U, V, 0)
def part_of_the_state_is_held(u, v, steps):
    now = u.copy()
    held = now[1:3]
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        now = after
    return np.sum(now[1:3] * held)


@program(U, V, 3)
def part_of_the_state_before_is_held(u, v, steps):
    now = u.copy()
    held = now[1:3]
    total = 0.0
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        total += np.sum(held * after[1:3])
        held = now[1:3]
        now = after
    return total


@program(U, V, 3)
def written_back_to_the_argument(u, v, steps):
    now = u.copy()
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            flux = v[i] * np.sin(now[i])
            after[i] -= flux
            after[i + 1] += flux
        now = after
    u[:] = now
    return np.sum(u * now)


def stepped(now, v):
    after = now.copy()
    for i in range(now.shape[0] - 1):
        flux = v[i] * np.sin(now[i])
        after[i] -= flux
        after[i + 1] += flux
    return after


@program(U, V, 3)
@program(U, V, 0)
def by_a_function(u, v, steps):
    now = u
    for _ in range(steps):
        now = stepped(now, v)
    return np.sum(now**2)


@program(U, V, 3)
def two_half_steps(u, v, steps):
    now = u.copy()
    for _ in range(steps):
        half = stepped(now, v)
        now = stepped(half, v)
    return np.sum(now**2)


@program(U, V, 3)
def predicted_and_corrected(u, v, steps):
    now = u.copy()
    for _ in range(steps):
        guess = stepped(now, v)
        now = 0.5 * (now + stepped(guess, v))
    return np.sum(now**2)


@program(U, W, 4)
@program(U, W, 1)
@program(U, W, 0)
@program(U[:2], W[:2], 3)
def three_states_in_turn(u, w, steps):
    n = u.shape[0]
    before = u.copy()
    now = u.copy()
    energy = 0.0
    for _ in range(steps):
        after = np.empty(n)
        for i in range(1, n - 1):
            after[i] = 2 * now[i] - before[i] + w[i] * (now[i - 1] - 2 * now[i] + now[i + 1])
        after[0] = now[1] * w[0]
        after[n - 1] = now[n - 2] * w[1]
        before = now
        now = after
        energy += now[n - 1] ** 2
    return energy + np.sum(now * before)


@program(U, W, 3)
@program(U, W, 0)
def both_start_from_one_array(u, w, steps):
    before = u.copy()
    now = before
    for _ in range(steps):
        after = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            after[i] = np.sin(now[i]) * w[i] - 0.5 * before[u.shape[0] - 1 - i]
        before = now
        now = after
    return np.sum(now * before)


@program(U, W, 3)
def the_first_one_is_read_later(u, w, steps):
    now = u * w
    first = now
    for _ in range(steps):
        after = np.zeros(u.shape[0])
        for i in range(1, u.shape[0]):
            after[i] = np.sin(now[i - 1]) * w[i]
        now = after
    return np.sum(now * first)


@program(U, W, 3)
def every_other_element_is_zero(u, w, steps):
    now = u * w
    for _ in range(steps):
        after = np.zeros(u.shape[0])
        for i in range(0, u.shape[0] - 1, 2):
            after[i] = np.sin(now[i + 1]) * w[i] + now[i]
        now = after
    return np.sum(now**2)


@program(U, W, 5)
def one_that_lags_behind(u, w, steps):
    now = u * w
    lagging = now
    total = 0.0
    for k in range(steps):
        after = np.empty(u.shape[0])
        for i in range(u.shape[0]):
            after[i] = np.sin(now[u.shape[0] - 1 - i]) * w[i] + 0.1 * lagging[i]
        if k % 2 == 1:
            lagging = now
        now = after
        total += lagging[1]
    return np.sum(now) + total


@program(M, 3)
@program(M, 0)
@program(M[:, :0], 2)
@program(M.T, 2)
def on_a_grid(u, steps):
    now = u.copy()
    for _ in range(steps):
        after = now.copy()
        for i in range(now.shape[0] - 1):
            for j in range(now.shape[1] - 1):
                flux = 0.1 * np.sin(now[i, j]) * now[i + 1, j + 1]
                after[i, j] -= flux
                after[i, j + 1] += flux
                after[i + 1, j] += flux * flux
        now = after
    return np.sum(now**2)


@program(M, 3)
def row_by_row(u, steps):
    now = u.copy()
    for _ in range(steps):
        for k in range(now.shape[0]):
            row = now[k].copy()
            for i in range(now.shape[1] - 1):
                flux = 0.2 * np.sin(now[k, i])
                row[i] -= flux
                row[i + 1] += flux
            now[k] = row
    return np.sum(now**2)


@program(U, W, 3)
def two_states_exchanged(u, w, steps):
    a, b = u.copy(), w.copy()
    for _ in range(steps):
        after = a.copy()
        for i in range(u.shape[0] - 1):
            flux = 0.2 * np.sin(a[i]) * b[i]
            after[i] -= flux
            after[i + 1] += flux
        a, b = b, after
    return np.sum(a * b * b)


@program(M, M[::-1] + 0.1, 2)
@program(M[:2], M[:2] + 0.1, 2)
@program(M.T, M.T[::-1] + 0.1, 1)
def two_fields(u, v, steps):
    """Both fields are read at neighbours in rows and columns, by both equations."""
    u, v = u.copy(), v.copy()
    for _ in range(steps):
        a, b = u.copy(), v.copy()
        inner = a[1:-1, 1:-1]
        u[1:-1, 1:-1] = (
            inner - 0.2 * inner * (inner - a[1:-1, :-2]) - 0.1 * b[1:-1, 1:-1] * (a[2:, 1:-1] - a[:-2, 1:-1])
        )
        inner = b[1:-1, 1:-1]
        v[1:-1, 1:-1] = inner - 0.2 * a[1:-1, 1:-1] * (b[1:-1, 2:] - inner) - 0.1 * inner * (inner - b[:-2, 1:-1])
    return np.sum(u * u) + np.sum(v * u)
