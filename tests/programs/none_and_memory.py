"""Names that are None on some paths, and on others an array that somebody else has too, and that is written."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])


@program(X, 3)
@program(X, 0)
def best_row_is_written(x, n):
    best = None
    for i in range(n):
        row = x * float(i + 1)
        if best is None or np.sum(row) > 2:
            best = row
        best[0] = x[1] * i
    return np.sum(best**2) if best is not None else x[0]


@program(X, 3)
@program(X, 1)
@program(X, 0)
def array_of_the_iteration_before(x, n):
    a = x.copy()
    last = None
    for i in range(n):
        if last is not None:
            last[i] *= 3.0
        last = a if i % 2 == 0 else x * 2.0
    return np.sum(a**2) + (np.sum(last) if last is not None else 0.0)


@program(X, 3)
@program(X, 2)
@program(X, 0)
def none_again_in_between(x, n):
    a = x.copy()
    last = None
    for i in range(n):
        if i == 1:
            last = None
        elif last is None:
            last = a
        else:
            last[i] = 7 * x[i]
    a[0] = x[1]
    return np.sum(a**2) + (last[2] if last is not None else 1.0)


@program(X)
@program(-X)
def written_under_another_name(x):
    w = x * 2 if x[0] > 0 else None
    v = w
    if w is not None:
        w[0] = 5 * x[1]
    return np.sum(v**2) if v is not None else x[1]


@program(X)
@program(-X)
def argument_or_none_is_written(x):
    y = None
    if x[0] > 0:
        y = x
    if y is not None:
        y[1] = 3.0
    return np.sum(x**2)


@program(X, 3)
@failing(X, 0, error=TypeError)
def tuple_or_none(x, n):
    state = None
    for _ in range(n):
        if state is None:
            state = (x[0], x * 1.0)
        a, b = state
        b[0] += a
        state = (a * x[1], b)
    return state[0] * np.sum(state[1])


@program(X, 2)
@program(X, 0)
def functions_of_what_may_be_none(x, n):
    last = None
    for i in range(n):
        last = x * x[i]
    if last is None:
        return x[0]
    y = np.where(last > 0, last, 2 * last) + np.stack([last, last])[0] + np.concatenate([last, x])[:3]
    y = y + np.maximum(last, x) + np.clip(last, -1, 1) + last.sum() + np.linalg.norm(last)
    return np.sum(y) + np.dot(last, x) + max(last) + sum(last) + len(last) + np.sort(last)[0] + last[-1]


@program(X, 3)
@failing(X, 1, error=TypeError)
def number_that_may_be_none(x, n):
    v = None
    if n > 2:
        v = x[0]
    return np.sin(v) * np.maximum(v, x[1]) + abs(v) + v**2 + (-v) + min(v, 3.0)
