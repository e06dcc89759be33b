"""Arrays, lists and dicts that change while a loop goes over them, where that is well defined."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3])


@program(X)
def array_written_ahead(x):
    y = x * 2.0
    t = 0.0
    for i, e in enumerate(y):
        y[3] = 4.0 * x[1] * i
        t += e * e
    return t + np.sum(y)


@program(X)
def array_bound_anew(x):
    """The loop goes on over the first array."""
    y = x * 2.0
    t = 0.0
    for e in y:
        y = y * 1.5
        t += e * y[0]
    return t


@program(X)
def items_replaced(x):
    items = [x[0], x[1], x[2]]
    for i, e in enumerate(items):
        items[i] = e * e * x[3]
    return items[0] + items[1] * items[2]


@program(X)
def items_replaced_in_some_iterations(x):
    items = [x[0], x[1], x[2]]
    t = 0.0
    for i, e in enumerate(items):
        t += e * e
        if t > 0.5:
            items[i] = t
    return t + items[0] * items[2]


@program(X)
def array_in_a_list_written(x):
    items = [x * 1.0, x * 2.0]
    t = 0.0
    for e in items:
        items[1][0] = x[2] * x[2]
        t += np.sum(e * e)
    return t


@program(X)
def copy_gone_over(x):
    items = [x[0], x[1], x[2]]
    t = 0.0
    for e in list(items):
        items.append(e * e)
        t += e
    return t + items[4]


@program(X)
def entries_replaced(x):
    entries = {"a": x[0], "b": x[1]}
    for key, value in entries.items():
        entries[key] = value * value * x[2]
    for key in entries:
        entries[key] = entries[key] * 3.0
    return entries["a"] * entries["b"]


@program(X)
def long_list_replaced(x):
    items = []
    for i in range(x.shape[0]):
        items.append(x[i])
    t = 0.0
    for i, e in enumerate(items):
        t += e * e
        items[i] = t
    return t + items[2]


@program(X)
def grown_before_the_loop_ends_early(x):
    items = [x[0], x[1], x[2]]
    t = 0.0
    for e in items:
        t += e * x[3]
        if len(items) == 3:
            items.append(e)
            break
    return t + items[3]
