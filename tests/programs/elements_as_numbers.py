"""Small arrays of known sizes in loops: compiled, their elements are numbers, wherever elements can be told."""

import numpy as np

from collect import program


def steps(n, size):
    return 0.4 * np.sin(np.arange(float(n * size)) * 1.1 + 0.2).reshape(n, size)


@program(steps(4, 2), np.array([1.0, 0.5]))
@program(steps(0, 2), np.array([1.0, 0.5]))
def turned(angles, v):
    for k in range(angles.shape[0]):
        c, s = np.cos(angles[k, 0]), np.sin(angles[k, 1])
        v = np.array([[c, -s], [s, c]]) @ v + angles[k]
    return v[0] * v[1]


@program(steps(4, 3), np.diag([1.0, 2.0, 3.0]) + 0.1, cotangent=steps(3, 3))
@program(steps(4, 3), np.asfortranarray(np.diag([1.0, 2.0, 3.0]) + 0.1), cotangent=steps(3, 3))
def covariance(e, a):
    h = np.eye(3)
    for t in range(e.shape[0]):
        h = 0.5 * a @ h @ a.T + np.outer(e[t], e[t]) + h.T * e[t]
    return h


@program(steps(5, 3))
@program(np.zeros((3, 3)))
def lengths(x):
    total = 0.0
    for t in range(x.shape[0]):
        d = x[t] - 0.1 * t
        total += np.linalg.norm(d) + np.linalg.norm(np.outer(d, d)) + np.sum(d * d)
    return total


@program(steps(5, 3))
def norm_of_zeros(x):
    total = 0.0
    for t in range(x.shape[0]):
        total += np.linalg.norm(x[t] * 0.0) + np.linalg.norm(x[t] - x[t]) * 3.0 + x[t, 0]
    return total


@program(steps(5, 3), 1.0)
def chosen_by_a_branch(x, w):
    v = np.zeros(3)
    for t in range(x.shape[0]):
        if x[t, 0] > 0.0:
            v = x[t] * w + v
        elif x[t, 1] > 0.0:
            v[1] = v[0] * x[t, 2]
            v[-1] += w
        else:
            v = v[::-1] * 0.5
    return v[0] + 2.0 * v[1] - v[2]


@program(np.array([0.3, -0.2]), 3)
@program(np.array([0.3, -0.2]), 0)
def while_it_is_short(x, n):
    v = np.array([x[0], x[1], 1.0])
    k = 0
    while v @ v < 50.0 and k < n:
        v = np.array([v[1], v[2] * 1.5, v[0] + x[1]])
        v *= 1.3
        k += 1
    return v @ v


@program(steps(4, 3), cotangent=steps(4, 3))
def rows_of_a_result(x):
    out = np.empty_like(x)
    last = np.ones(3)
    for t in range(x.shape[0]):
        last = last * x[t] + x[t, ::-1]
        out[t] = last
        out[t, 1] *= 2.0
    return out


@program(steps(4, 2), cotangent=steps(2, 2))
def nested(x):
    m = np.zeros((2, 2))
    for i in range(x.shape[0]):
        row = x[i] * 2.0
        for j in range(x.shape[0]):
            m = m + np.outer(row, x[j])
            row = m[0] * row[1]
        m[1, 0] = row[0]
    return m


@program(steps(3, 2), 1)
@program(steps(3, 2), 0)
def places_of_the_run(x, k):
    v = np.zeros(2)
    for t in range(x.shape[0]):
        w = x[t] * 3.0
        v[k] = v[1 - k] + w[k]
        w[0] = v[1]
        v = v + w * w
    return v @ v


@program(steps(3, 2))
def over_its_elements(x):
    total = 0.0
    v = np.ones(2)
    for t in range(x.shape[0]):
        v = v * x[t]
        for k in range(2):
            total += v[k] * x[t, 1 - k]
    return total


@program(steps(3, 3), np.array([1, 0, 2]))
def gathered(x, order):
    v = np.ones(3)
    for t in range(x.shape[0]):
        v = (v + x[t])[order]
    return v[0] * v[1] + v[2]


@program(steps(4, 2), np.array([[2.0, 0.3], [0.1, 1.5]]))
def solved(x, a):
    total = 0.0
    p = np.eye(2)
    for t in range(x.shape[0]):
        p = a @ p @ a.T + np.outer(x[t], x[t]) + np.eye(2)
        inverse = np.linalg.inv(p)
        sign, logarithm = np.linalg.slogdet(p)
        total += x[t] @ inverse @ x[t] + logarithm * sign + np.linalg.det(p) + x[t] @ np.linalg.solve(p, x[t])
    return total


@program(steps(4, 3), np.diag([2.0, 1.0, 3.0]) + 0.2)
@program(steps(4, 3), np.array([[0.0, 2.0, 0.1], [0.3, 0.0, 1.0], [1.5, 0.2, 0.0]]))
def solved_of_three(x, a):
    total = 0.0
    p = np.eye(3)
    for t in range(x.shape[0]):
        p = a @ p * 0.5 + np.outer(x[t], x[t])
        logarithm = np.linalg.slogdet(p)[1]
        total += logarithm + x[t] @ np.linalg.solve(p, x[t]) + np.sum(np.linalg.inv(p)) + np.linalg.det(p)
    return total


@program(steps(4, 2), np.array([[2.0, 0.3], [0.1, 1.5]]))
@program(steps(4, 3), np.array([[0.0, 2.0, 0.1], [0.3, 0.0, 1.0], [1.5, 0.2, 0.0]]))
@program(steps(4, 1), np.array([[0.7]]))
def log_determinants(x, a):
    loss = 0.0
    p = np.eye(a.shape[0]) * 0.3
    for t in range(x.shape[0]):
        p = a @ p @ a.T + np.outer(x[t], x[t]) + np.eye(a.shape[0])
        sign, logarithm = np.linalg.slogdet(2.0 * a + p)
        loss += np.log(np.linalg.det(p)) + sign * logarithm
    return loss


@program(steps(3, 3), -300.0)
@program(steps(3, 3), 280.0)
def logarithm_of_what_is_no_float(x, exponent):
    total = 0.0
    for t in range(x.shape[0]):
        h = np.diag(np.array([1.5, 0.0, -0.5])) + np.outer(x[t], np.array([1.0, 2.0, -1.0])) + 0.3 * np.eye(3)
        sign, logarithm = np.linalg.slogdet(h * np.exp(exponent))
        total += sign * logarithm * x[t, 1]
    return total


@program(steps(4, 3).astype(np.float32))
def in_single_precision(x):
    v = np.ones(3, np.float32)
    for t in range(x.shape[0]):
        v = v * x[t] + np.float32(0.5)
    return v[0] + v[1] * v[2]


@program(steps(4, 2), cotangent=steps(1, 2)[0])
def two_names_of_one_array(x):
    v = np.zeros(2)
    w = v
    for t in range(x.shape[0]):
        w[0] += x[t, 1]
        v[1] += w[0] * x[t, 0]
    return v


@program(steps(4, 2))
def kept_in_a_list(x):
    past = []
    v = np.ones(2)
    for t in range(x.shape[0]):
        v = v * x[t] + 0.5
        past.append(v @ v)
    return sum(past)


@program(steps(4, 2))
def reads_of_what_was(x):
    v = np.ones(2)
    total = 0.0
    for t in range(x.shape[0]):
        before = v.copy()
        v[0] = v[1] * x[t, 0]
        v[1] = before[0] + x[t, 1]
        total += before @ v
    return total


@program(steps(4, 3))
def comparisons(x):
    v = np.ones(3)
    total = 0.0
    for t in range(x.shape[0]):
        v = np.where(x[t] > 0.0, v * x[t], np.abs(x[t]) - v)
        total += np.max(v) + np.mean(v) + np.min(np.maximum(v, 0.2))
    return total


@program(steps(4, 3), cotangent=steps(1, 3)[0])
def several_shapes(x):
    v = np.ones(3)
    for t in range(x.shape[0]):
        column = np.reshape(v, (3, 1))
        v = np.sum(column * x[t] + column, axis=0) * 0.2 + (x[t] @ np.ones((3, 3))) * v
    return v


@program(steps(6, 2), 0.9)
@program(steps(6, 2), 100.0)
def left_early(x, bound):
    v = np.zeros(2)
    for t in range(x.shape[0]):
        v = 0.5 * v + np.abs(x[t])
        if v[0] > bound:
            break
        if v[1] > 0.5:
            continue
        v[1] += x[t, 0]
    return v @ v


@program(steps(4, 3))
def rows_of_other_functions(x):
    total = 0.0
    for t in range(x.shape[0]):
        row = np.sort(x[t])
        total += row[0] * np.sum(np.cumsum(x[t])) + np.prod(row)
    return total


@program(steps(3, 3), steps(3, 3))
def rows_before_they_change(x, y):
    x = x.copy()
    total = 0.0
    for t in range(x.shape[0]):
        before = x[t] + 0.0
        row = x[t]
        x[t] = y[t] * 2.0
        x[t, 0] += before[1]
        total += before @ row + x[t] @ row
    return total


@program(0.7, 0.0, 3)
def numbers_of_python(a, b, n):
    v = np.array([a, 1.0])
    w = np.array([b, 2.0])
    for _ in range(n):
        v = v / (w + 3.0) + np.array([1.0, a])
    return v[0] * v[1]


@program(steps(3, 2), steps(1, 2)[0])
def changes_its_argument(x, v):
    for t in range(x.shape[0]):
        v[0] = v[1] * x[t, 0]
        v[1] += x[t, 1]
    return v @ v


@program(np.round(steps(5, 3), 1) + 0.02)
def truth_values(x):
    total, seen = 0.0, np.zeros(3, bool)
    for t in range(x.shape[0]):
        v = x[t] * 2.0
        m = v > 0.0
        seen = seen | m
        total += (m @ m) * v[0] + (m * 1.0) @ v + np.sum(m * m) * v[2] + np.sum(~m) * v[0]
        total += np.sum(np.where(seen, v, 0.5)) * (1 + np.sum(seen))
    return total


@program(np.round(steps(5, 3), 1))
@program(np.round(steps(3, 12), 1))
def sums_of_truth_values(x):
    """For NumPy, true + true is true."""
    total = 0.0
    for t in range(x.shape[0]):
        either = (x[t] > 0.0) + (x[t] < 0.2)
        one = (x[t, 0] > 0.0) + (x[t, 1] < 0.2)
        total += np.sum(either) * x[t, 0] + (either * x[t]) @ x[t] + one * x[t, 1] + (one * one) * x[t, 2]
    return total


@program(steps(4, 3), cotangent=steps(1, 3)[0])
def arithmetic_behind_the_loop(x):
    v = np.zeros(3)
    for t in range(x.shape[0]):
        v = v * 0.5 + x[t]
    return v * np.ones(3) + 2.0 * v
