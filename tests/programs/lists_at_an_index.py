"""Lists that are written at the variable of a loop, or read where a branch knows that they are long enough."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0])
PARAMS = [np.array([[0.3, 0.7, -0.4], [0.1, 0.2, 0.3]]), np.array([0.5, -0.5])]


@program(X)
def items_of_a_list(x):
    ps = [x[0], x[1] * x[2]]
    gs = [np.sum(x), x[1]]
    for _ in range(3):
        for i in range(2):
            ps[i] = ps[i] - 0.1 * gs[i] * ps[1 - i]
    return ps[0] * ps[1]


@program(X, PARAMS, 2)
def parameters_of_different_ranks(x, given, n):
    ps = list(given)
    for _ in range(n):
        error = ps[0] @ x + ps[1]
        gs = [np.outer(error, x), error]
        for i in range(len(ps)):
            ps[i] = ps[i] - 0.05 * gs[i]
    penalty = 0.0
    for i in range(len(ps)):
        penalty += np.sum(ps[i] ** 2)
    return penalty + np.sum(error)


@program(X)
def until_an_item_is_large(x):
    ps = [x[0], x[1], x[2], x[0] * x[1]]
    for i in range(1, 4):
        ps[i] += ps[i - 1] ** 2
        if ps[i] > 1.9:
            break
        if i == 1:
            continue
        ps[-i] = ps[-i] * 0.5
    return ps[0] * ps[1] + ps[2] * ps[3] * i


@program(X, 1)
@program(X, -2)
def at_an_index_that_the_run_knows(x, k):
    ps = [x[0], x[1], x[2]]
    for i in range(x.shape[0]):
        ps[i] = ps[i] * ps[k]
        ps[k] += 1.0
    return ps[0] * ps[1] + ps[2]


@program(X, 4)
@program(X, 1)
def arrays_at_an_index_that_the_run_knows(x, n):
    ps = [x.copy(), 2.0 * x]
    for i in range(n):
        ps[i % 2] = np.sin(ps[i % 2]) + ps[0]
        ps[(i + 1) % 2][0] = x[1]
    return np.sum(ps[0] * ps[1])


@program(X)
@program(X[:1])
def last_item_of_a_list_that_grows(x):
    c = []
    for i in range(len(x)):
        if i > 0:
            c.append(x[i] + 0.5 * c[-1] * c[i - 1])
        else:
            c.append(x[i])
    return c[-1] * c[0]


@program(X)
def last_item_in_an_expression(x):
    c = []
    for i in range(len(x)):
        c.append(x[i] + (0.5 * c[-1] if i else 0.0))
    return sum([v**2 for v in c])


@program(X)
def two_items_back(x):
    c, d = [x[0]], []
    for i in range(1, len(x)):
        before = c[-2] if len(c) > 1 else 0.0
        c.append(x[i] * c[-1] + before)
        if len(d):
            d[-1] = d[-1] * 2.0
        d.append(c[-1])
    return c[-1] * d[0]
