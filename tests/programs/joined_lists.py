"""Lists of which only the run knows how long they are: joined, reversed, changed in the middle."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.8])


@program(X)
def inserted_at_the_begin(x):
    path = []
    for v in x:
        path.insert(0, v * x[0])
    total = 0.0
    for k, v in enumerate(path):
        total += np.sin(v) * k
    return total


@program(X, 2, -1, 9)
def inserted_anywhere(x, middle, end, beyond):
    values = [v * v for v in x]
    values.insert(middle, x[1])
    values.insert(end, x[2] * 3.0)
    values.insert(beyond, x[3])
    values.insert(-20, 1)
    values.insert(1, x[0])
    total = 0.0
    for v in values:
        total = total * 0.7 + v
    return total * values[0]


@program(X, 4)
def taken_from_the_begin(x, n):
    waiting, total = [x[0], x[1]], 0.0
    for k in range(n):
        first = waiting.pop(0)
        total += first * (k + 1)
        waiting.append(first * waiting[0] + x[3])
    return total + waiting[0] * waiting[1]


@program(X, 1)
def taken_from_the_middle(x, k):
    values = [np.cos(v) for v in x]
    second, last = values.pop(k), values.pop(-1)
    return second * last + len(values) * values[1]


@program(X)
def extended_and_joined(x):
    values = [v for v in x]
    values += [x[0] * x[1], 2.0]
    values.extend(x[1:3])
    more = values + [v * v for v in values[:2]]
    more.extend([])
    total = 0.0
    for a, b in zip(more, more[1:] + more[:1]):
        total += a * b
    return total + len(more)


@program(X, 3)
def joined_in_a_loop(x, n):
    values = []
    for k in range(n):
        values = values + [x[k], x[k] * k]
    values += values
    return sum([v * v for v in values]) * values[-1]


@program(X)
def traced_back(x):
    cells, k = [], len(x) - 1
    while k >= 0:
        cells.append((x[k], 0.5 * k))
        k -= 1 if x[k] > 0.6 else 2
    cells.reverse()
    total = 1.0
    for value, weight in cells:
        total = total * value + weight
    return total


@program(X, 3)
def rows_inserted_and_joined(x, n):
    rows = [x]
    for k in range(n):
        rows.insert(0, rows[0] * 0.5 + k)
        rows += [x * k, rows[-1] + 1.0]
    rows.reverse()
    return np.sum(rows[0] * rows[2]) + np.sum(rows[-1] ** 2)


@program(X, 3)
def ints_and_floats_joined(x, n):
    counts = [0] * n
    counts += [1, 2]
    sizes = counts + [x[0]]
    return sizes[-1] * len(counts) + sizes[n] * x[1]


@program(X, 5)
def inserted_in_the_middle_of_what_grows(x, n):
    values = []
    for k in range(n):
        values.insert(k // 2, x[k % 4] + k)
    total = 0.0
    for k, v in enumerate(values):
        total += k * v * v
    return total


@program(X)
def appended_behind_a_join(x):
    values = [v for v in x]
    values += [3.0]
    values.append(7.0 * x[0])
    values.insert(0, x[1])
    values.append(x[2])
    return len(values) * sum([v * v for v in values]) + values[-1]


@program(X)
def a_queue(x):
    waiting, total = [0], 0.0
    while len(waiting) > 0:
        k = waiting.pop(0)
        total += x[k] * (k + 1)
        if k < 3:
            waiting.append(k + 1)
        if k == 1:
            waiting.extend([2, 3])
    return total


@program(X)
def a_list_to_which_an_array_is_added(x):
    values = [v for v in x]
    same = values
    values += np.sin(x)
    return np.sum(values * x) + sum(same) * len(same)


@program(X, 4)
def rows_put_into_an_empty_list(x, n):
    first, last, pairs = [], [], []
    for k in range(n):
        first.insert(0, x * k)
        last += [x * k, x]
        pairs = pairs + [(x[0] * k, x[1])]
    return np.sum(first[0] * last[2]) + pairs[-1][0] * pairs[1][1] * len(last)


@program(X)
@program(np.array([0.1, 0.2, 0.3, 0.4]))
def rows_that_may_be_none(x):
    kept = []
    for k in range(4):
        if x[k] > 0.6:
            kept.extend([x * k])
    kept.reverse()
    total = x[0]
    for k, row in enumerate(kept):
        total += np.sum(row) * (k + 1)
    return total * (1 + len(kept))


@program(X, 5)
def the_last_rows(x, n):
    rows = []
    for k in range(n):
        rows = rows[-2:]
        rows.append(x * k)
    first = rows.pop(0)
    return np.sum(first * rows[-1]) + len(rows) * np.sum(rows[:1][0])


@program(X, -3, 2)
def slices_of_tuples(x, start, stop):
    pairs = [(v, 2.0 * k) for k, v in enumerate(x)]
    total = 0.0
    for k, (v, w) in enumerate(pairs[start:] + pairs[:stop] + pairs[start:stop] + pairs[1:-1]):
        total += v * w * (k + 1)
    return total
