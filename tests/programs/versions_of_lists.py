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
