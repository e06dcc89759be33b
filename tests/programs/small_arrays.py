"""What programs do with small arrays in loops, function by function: compiled, the elements are numbers."""

import numpy as np

from collect import failing, program


def steps(n, size):
    return 0.4 * np.sin(np.arange(float(n * size)) * 1.1 + 0.2).reshape(n, size) + 0.3


@program(steps(4, 3))
@program(np.asfortranarray(steps(4, 3)))
@program(steps(0, 3))
def joined(x):
    v = np.ones(3)
    for t in range(x.shape[0]):
        a = np.stack((v, x[t]), axis=1)
        b = np.concatenate((v[:2], x[t, 1:]))
        c = np.vstack((v, x[t] * v[0]))
        d = np.hstack((x[t], v))
        e = np.column_stack((v, x[t]))
        f = np.append(v[1:], x[t, 0])
        v = np.sin(a[:, 1] * c[1] + d[1:4] - e[:, 0] * f) + b[::-1][:3] * b[3]
    return v[0] * v[1] - v[2]


@program(steps(4, 3))
def taken_apart(x):
    v = np.ones(3)
    m = np.eye(3) * 0.2
    for t in range(x.shape[0]):
        m = np.outer(v, x[t]) + 0.1 * m[::-1, 1:3] @ m[:2, ::-1]
        u = np.diag(m) + np.diag(v)[:, 1] + m[:, 0] - m.T[1] + m[-1]
        w = np.tril(m) @ v - np.triu(m, 1)[0] + np.roll(v, 1) + np.flip(x[t])
        v = np.cos(u) * m.ravel()[2:5] + np.tanh(w) * m.flatten()[::4] + m.reshape(9)[-3:] * m[..., 2]
    return np.trace(m) + np.sum(v) + m[1:, 1:][0, 1]


@program(steps(4, 3))
def reduced(x):
    v = np.ones(3)
    total = 0.0
    for t in range(x.shape[0]):
        m = np.outer(v, x[t])
        centred = m - np.mean(m, axis=0) + m.sum(axis=1, keepdims=True) * 0.1
        v = np.cumsum(centred[0]) * np.prod(x[t]) + np.sum(m, axis=-1) - m.mean(axis=1)
        total += np.inner(v, x[t]) - np.vdot(x[t], v) * 0.5 + np.mean(v) * np.prod(m, axis=1)[2]
    return total


@program(steps(4, 3))
@program(steps(4, 3) - 0.3)
def chosen(x):
    v = np.ones(3)
    total = 0.0
    for t in range(x.shape[0]):
        low, high = v < x[t], v > 0.9
        v = np.where(low, v * x[t], np.where(np.logical_or(high, x[t] < 0.1), np.sqrt(np.abs(x[t])), 2))
        total += np.sum(v, where=True) if np.any(low) else v[0] * 2
        total += np.sum(np.where(low, 1, v))
        v = np.clip(v + 0.1 * np.sum(low), -0.5, 1.5)
    return total * v[1]


@program(steps(4, 3))
def behind_a_choice(x):
    """Where nothing is chosen, the derivative of a logarithm is not asked for."""
    v = np.zeros(3)
    for t in range(x.shape[0]):
        inside = v > 0.5
        v = np.where(inside, np.log(np.where(inside, v, 1.0)), v + x[t])
    return np.sum(v**2)


@program(steps(4, 3))
def written_in_parts(x):
    total = 0.0
    m = np.zeros((2, 3))
    for t in range(x.shape[0]):
        m[0] = x[t] * 2.0
        m[1, 1:] = x[t, :2]
        m[:, 0] += x[t, 1]
        m[-1, -1] *= x[t, 0]
        m[:, ::2] -= 0.3 * m[:, 1:2]
        w = m[1]
        w[1] += 0.5
        m.T[2] += x[t, 2]
        total += np.sum(m * m) + w[1] * m[1, 1]
    return total


@program(steps(4, 3))
def added_to(x):
    v = np.full(3, 0.5)
    w = np.full_like(v, 2)
    for t in range(x.shape[0]):
        v[1] += x[t, 0] * v[0]
        v[:2] += v[1:]
        w[0] += v[2]
        w += x[t]
        v *= 0.7
    return v @ w


@program(steps(4, 3))
def crossed(x):
    v = np.ones(3)
    for t in range(x.shape[0]):
        v = np.cross(v, x[t]) + v * 0.5
    return v @ v


@program(steps(4, 3))
def with_new_axes(x):
    v = np.ones(3)
    for t in range(x.shape[0]):
        differences = v[:, None] - x[t][None, :]
        v = np.sum(differences**2, axis=1) * 0.2 + np.expand_dims(v, 0)[0] + v[np.newaxis][0, ::-1]
    return np.sum(v)


@program(steps(4, 2), np.array([1.0, 0.5]), 2.0)
@program(steps(4, 3), np.array([1.0, 0.5, 0.2]), 0.01)
def start_replaced_in_a_branch(x, start, limit):
    y = start
    t = 0
    k = np.sin(y)
    total = 0.0
    while t < x.shape[0]:
        proposed = y + 0.1 * k * x[t]
        size = np.sqrt(np.mean((proposed - y) ** 2))
        if size <= limit:
            y = proposed
            k = np.cos(y)
        total += size
        t += 1
    return np.sum(y * k) + total


@program(steps(4, 3), 1)
def slices_that_the_run_chooses(x, k):
    v = np.ones(3)
    for t in range(x.shape[0]):
        w = v * x[t]
        v = w + np.sum(w[k:])
    return v @ v


@program(steps(4, 3))
def truth_values_kept(x):
    v = np.ones(3)
    flags = np.zeros(3, dtype=bool)
    total = 0.0
    for t in range(x.shape[0]):
        flags = np.logical_or(flags, x[t] > 0.5)
        total += np.sum(x[t][flags]) + np.sum(flags) * v[0]
        v = np.where(flags, x[t], v) * 1.1
    return total + np.sum(v)


@program(steps(5, 3))
@program(steps(5, 2))
@program(steps(1, 3))
def filled_in_loops(x):
    """Differences of neighbours, as programs of particles compute them."""
    d = np.empty(x.shape[1])
    force = np.zeros(x.shape)
    energy = 0.0
    for i in range(x.shape[0]):
        for j in range(i):
            r = 0.3
            for k in range(x.shape[1]):
                d[k] = x[i, k] - x[j, k]
                r += d[k] ** 2
            energy += 1 / r
            for k in range(x.shape[1]):
                force[i, k] += d[k] / r
                force[j, k] -= d[k] / r
    return energy + np.sum(force**2)


@program(steps(4, 3), steps(3, 3))
def products_in_loops(x, a):
    v = np.ones(3)
    for t in range(x.shape[0]):
        w = np.zeros(3)
        for i in range(3):
            for j in range(3):
                w[i] += a[i, j] * v[j]
            w[i] *= x[t, i]
        for i in range(3):
            v[i] = np.tanh(w[(i + 1) % 3])
    return v[0] - v[2] * v[1]


@program(steps(4, 3), 2)
def one_element_that_the_run_chooses(x, place):
    v = np.ones(3)
    for t in range(x.shape[0]):
        for k in range(3):
            v[k] = v[k] * x[t, k] + v[place]
    return v @ v


@program(steps(4, 3))
def left_early(x):
    v = np.ones(3)
    total = 0.0
    for t in range(x.shape[0]):
        for k in range(3):
            if v[k] > 1.2:
                break
            v[k] += x[t, k]
            total += v[k] ** 2
    return total


@program(steps(4, 3))
def tested_for_all(x):
    v = np.ones(3)
    for t in range(x.shape[0]):
        v = v * x[t] if np.all(v > 0.5) else v + x[t]
        if np.any(v > 1.0):
            v = v * 0.5
    return np.sum(v)


@program(steps(4, 3))
def masks(x):
    """Truth values in small arrays stay truth values, however they are made and written."""
    first, second = np.ones(3, dtype=bool), np.full(3, True)
    total = 0.0
    for t in range(x.shape[0]):
        third = np.array([x[t, 0] > 0.3, True, x[t, 1] < 0.5])
        total += np.sum(x[t][first]) + 2 * np.sum(x[t][second]) + 3 * np.sum(x[t][third])
        first[1] = x[t, 2] > 0.4
        second = second.copy()
        second[:2] = third[1:]
        total += np.sum(first) * x[t, 0] + np.sum(third & second) * x[t, 1]
        total += np.sum(np.where(first, x[t], 0.0)) * np.sum(x[t][np.logical_not(third)])
    return total


@program(steps(4, 3))
def chosen_by_numbers(x):
    """A number that is not 0 counts as true."""
    v = np.array([0.0, 1.0, 2.0])
    for t in range(x.shape[0]):
        v = np.where(v - 1.0, v * x[t], 1.0)
    return np.sum(v)


@program(steps(1, 3)[0], 0)
@failing(steps(1, 3)[0], 1, error=ValueError)
def sizes_that_do_not_fit(x, n):
    w = x * np.arange(1.0, 4.0)
    for _ in range(n):
        w = w * w[1:]
    return np.sum(w * w)
