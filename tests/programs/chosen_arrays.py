"""Arrays that a branch binds anew, or leaves, and that are written afterwards."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3])
TABLE = np.array([-0.4, 0.54, 0.03])


@program(X, 1.0)
@program(X, -1.0)
def scaled_in_a_branch_and_written(x, c):
    y = x * 0.5
    if c > 0:
        y = y * c
    y[0] = x[1] * 3.0
    y[1:] *= x[:-1]
    return np.sum(y * y)


@program(X, 1.5)
@program(X, 0.2)
def scaled_in_branches_of_iterations(x, c):
    y = x * 0.5
    for i in range(4):
        if c > i:
            y = np.sin(y) * c
        y[i] += x[0] * c
        y[-1] = y[i] * y[i]
    return np.sum(y * y)


@program(X, 1.5)
@program(X, 0.2)
@program(X, -0.2)
def one_of_three(x, c):
    y = x * x
    if c > 1.0:
        y = y / c
    elif c > 0.0:
        y = y[::-1]
    y[:2] += c * x[2:]
    return np.sum(y * x)


@program(X, 0.4)
@program(X, 4.0)
def halved_until_small(x, c):
    y = x * c
    while np.sum(y * y) > 1.0:
        if y[0] > 0.2:
            y = y * 0.5
        else:
            y = y - x * 0.1
            y[0] = 0.6 * y[0]
        y[2] *= 0.7
    y[1] = y[0] * y[2]
    return np.sum(y * x)


@program(X.reshape(2, 2), 1.0)
@program(X.reshape(2, 2), -1.0)
def transposed_in_a_branch_and_written(m, c):
    a = m * 2.0
    if c > 0:
        a = a.T
    a[0, 1] = a[1, 0] * c
    a[1] += m[0]
    return np.sum(a * a * m)


def _normalised(v, limit):
    v = v.copy()
    size = np.sqrt(np.sum(v * v))
    if size > limit:
        v = v * (limit / size)
    v[0] = 0.0
    return v


@program(X, 1.0)
@program(X, 10.0)
def normalised_by_a_function(x, limit):
    return np.sum(_normalised(x, limit) * x * x)


@program(X, 1.0)
@program(X, -1.0)
def exchanged_and_one_written(x, c):
    a, b = x * 2.0, np.sin(x)
    if c > 0:
        a, b = b, a
    a[0] = c * x[3]
    return np.sum(a * a * x)


@program(X, 1.0)
@program(X, -1.0)
def part_of_itself_written(x, c):
    """In one branch, y is a part of the array that it was."""
    y = x * x
    if c > 0:
        y = y[1:]
    y[0] = y[1] * c
    return np.sum(y * y)


@program(X, 2.5)
@program(X, -1.0)
def chosen_in_nested_branches(x, c):
    y = x + 1.0
    if c > 0:
        if c > 2:
            y = y * x
        y[0] = y[1] * c
    else:
        y[1] = c
        if c < -2:
            y = x * x
    y += x
    y[2] = y[0] * y[1]
    return np.sum(y * y)


@program(np.array([0.1, 0.2, 0.3]), 1)
@program(np.array([0.1, 0.2, 0.3]), 2)
@program(np.array([0.1, 0.2, 0.3]), 0)
def exchanged_in_a_loop_and_written_behind_it(x, n):
    t = np.zeros(x.size)
    for _ in range(n):
        x, t = t, x
    row = t * 1.0
    row[0] *= 0.5
    row[...] = row + np.sin(row)
    return np.sum(x) + row[1]


@program(np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.4]), 2)
@program(np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.4]), 4)
def handed_round_in_a_loop_and_written_behind_it(x, y, n):
    a, b, c = x, np.ones(3), y
    while n > 0:
        a, b, c = b, c, a
        n -= 1
    copied = b.copy()
    copied[1] = 2.0 * copied[0]
    c = c + 0.0
    c[2] = copied[1] * a[0]
    return np.sum(copied * c)


@program(np.array([0.3, -0.5, -0.1, 0.2, 0.8]), 0.7)
@program(np.array([0.3, 0.5]), 0.7)
def from_outside_in_a_loop_in_a_branch(x, a):
    w = np.zeros(TABLE.shape[0])
    if a > 0.5:
        for item in x:
            if item <= -0.23:
                w = TABLE
            elif item < 0.0:
                w = 0.22 * np.arctan(abs(w))
    return np.sum(w) * a * x[0]


@program(X, 1.0)
@program(X, -0.7)
def written_or_scaled_in_iterations(x, c):
    """One branch writes to the argument, the other one makes arrays of its own from it."""
    if c > 0.0:
        x[0] = 0.64
    else:
        for _ in range(3):
            x = x * c
    return np.sum(x * x)


@program(X, 1.0)
@program(X, -0.7)
def scaled_in_iterations_or_written(x, c):
    if c < 0.0:
        for _ in range(3):
            x = x * c
    else:
        x[0] = 0.64
        x[1:] *= 0.5
    x[2] = c
    return np.sum(x * x)


@program(X, 1.0)
@program(X, -0.7)
def masked_or_lessened(x, c):
    if c >= 0.06:
        x[x < 0.73] = 0.64
    else:
        count = 0
        while count < 5:
            count += 1
            x = x - c
    return 0.85 * c


@program(X, 1.0)
@program(X, -0.7)
def part_written_or_both(x, c):
    """The other branch writes to the argument, too, through a view and behind a change of the name."""
    first = x
    if c > 0.0:
        x[0] = x[1] * c
    else:
        tail = x[2:]
        for _ in range(2):
            x = x * c
        tail[0] = x[3]
    return np.sum(x) + np.sum(first * first)


@program(X, 4)
@program(X, 1)
def only_memory_of_its_own_is_a_part(x, n):
    """The array behind the view has no value where the view was not taken."""
    whole = x * 0.5
    for i in range(n):
        y = whole
        if i == 2:
            if n > 3:
                z = x * 2.0
                y = z[::-1]
            z = x * 3.0
        y[0] += x[i]
    return np.sum(whole * x) + np.sum(y * x)


@program(X, 4)
@program(X, 1)
def part_in_the_other_branch_is_carried(x, n):
    y = x * 0.5
    z = y
    for i in range(n):
        if i < 2:
            z[0] *= x[1]
        else:
            y = x * 2.0
            z = y[:]
        y = x * 3.0
        z[1] = x[i]
    return np.sum(y * x) + np.sum(z * x)


@program(X, 4)
@program(X, 3)
@program(X, 1)
def one_of_two_parts_is_carried(x, n):
    whole = x * 0.5
    for i in range(n):
        y = whole
        if i == 2:
            if n > 3:
                z = x * 2.0
                y = z[::-1]
            elif n > 2:
                z = x * 2.5
                y = z[i - 1 :]
            z = x * 3.0
        y[0] += x[i]
    return np.sum(whole * x) + np.sum(y * y)
