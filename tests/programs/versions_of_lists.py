"""Lists that go on from one list: each has adjoints for the elements of the first one, and some for more."""

import numpy as np

from collect import program

X = np.array([0.3, 0.4, 0.5, 0.6])


@program(X, 0)
@program(X, 1)
@program(X, 3)
def copies_of_rows_that_grow(x, n):
    a = [x]
    while len(a) <= n:
        a.append(np.sin(a[-1] * x[1]))
    b = list(a)
    c = list(a)
    while len(b) < 2 * n + 2:
        b.append(np.cos(b[-1] * x[2]) + b[0])
    while len(c) < 3 * n + 2:
        c.append(np.cos(c[-1] * x[2]) + b[-1])
    return np.sum(b[-1] * a[-1] + c[0] * c[-1])


@program(X, 1)
@program(X, 3)
def copy_that_one_branch_appends_to(x, n):
    a = [x]
    while len(a) <= n:
        a.append(np.sin(a[-1] * x[1]))
    b = a
    if n > 1:
        b = list(a)
        b.append(b[-1] * x)
    return np.sum(b[-1] * a[-1] * a[0])


@program(X, 0, 5)
@program(X, 1, 5)
@program(X, 2, 2)
def one_grows_and_one_changes(x, m, n):
    a = [x]
    while len(a) <= m:
        a.append(np.sin(a[-1] * x[1]))
    b = list(a)
    while len(a) <= n:
        a.append(np.sin(a[-1] * x[1]))
        b[0] = b[0] * x
    return np.sum(b[0] * a[-1] * a[0] * a[1])


@program(X, 0, 4)
@program(X, 1, 5)
def one_changes_and_one_grows(x, m, n):
    b = [x]
    while len(b) <= m:
        b.append(np.sin(b[-1] * x[1]))
    a = list(b)
    for _ in range(n):
        b[0] = b[0] * x
        a.append(np.sin(a[-1] * x[1]))
    return np.sum(b[0] * a[-1] * a[0] * a[1])


@program(X, 2, 5)
def in_a_branch(x, m, n):
    a = [x]
    while len(a) <= m:
        a.append(np.sin(a[-1] * x[1]))
    b = list(a)
    if n > 1:
        while len(a) <= n:
            a.append(np.sin(a[-1] * x[1]))
        b[0] = b[0] * x
    return np.sum(b[0] * a[-1] * a[0] * a[1])


@program(X, 1)
@program(X, 5)
def stacked_in_each_iteration(x, n):
    a = [x]
    s = 0.0
    for i in range(n):
        a.append(np.sin(a[-1] * x))
        s += np.sum(np.stack(a) ** 2) * a[0][i % 4]
    return s


@program(np.array([0.7, 0.3, 1.4]), 3)
def two_lists_begin_with_one_array(x, n):
    first, second = [x], [x]
    for i in range(n):
        first.append(first[-1] * 0.5)
        second.append(np.sin(second[-1]) * 2.0)
    return np.sum(first[-1] * second[-1] * second[0])


@program(np.array([0.7, 0.3, 1.4]), 3)
def two_lists_take_one_array(x, n):
    first, second = [], []
    for i in range(n):
        first.append(x)
        x = x * x[0]
        second.append(x)
    return np.sum(first[-1] * second[-1] * first[0])


@program(np.array([0.7, 0.3, 1.4]), 3)
def list_and_dict_hold_one_array(x, n):
    rows, kept = [x], {"last": x, "sum": 0.0}
    for i in range(n):
        rows.append(kept["last"] * rows[0])
        kept["last"] = np.sin(rows[-1] + kept["last"])
        kept["sum"] += np.sum(kept["last"])
    return kept["sum"] * np.sum(rows[-1])
