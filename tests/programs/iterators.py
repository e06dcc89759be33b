"""Iterators that are kept in names before they are gone over, and objects whose classes say how they are gone over."""

import itertools
from dataclasses import dataclass

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0])


class Bag:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


@dataclass
class Span:
    start: float
    end: float

    def __iter__(self):
        return iter((self.start, self.end))


class Total:
    def __init__(self, value):
        self.value = value

    def __add__(self, more):
        return Total(self.value + more)

    def __iadd__(self, more):
        self.value = self.value + 2.0 * more
        return self


@program(X)
def pairs_in_a_name(x):
    pairs = zip(x, x[::-1])
    total = 0.0
    for a, b in pairs:
        total += a * np.sin(b)
    return total


@program(X)
def an_iterator_for_each_path(x):
    numbered = enumerate(x)
    if x[0] > 0.0:
        found = [k * v * v for k, v in numbered]
    else:
        found = [v for _, v in numbered]
    return sum(found)


@program(X, 4)
def an_iterator_in_each_iteration(x, n):
    total = 0.0
    for i in range(n):
        backwards = reversed(x)
        for v in backwards:
            total = total * 0.5 + v * i
    return total


@program(X)
def iterators_over_iterators(x):
    squares = map(lambda v: v * v, x)
    kept = enumerate(zip(squares, itertools.chain((x[0], x[2]), (x[1],))), 1)
    return sum([k * a * b for k, (a, b) in kept])


def added(pairs):
    total = 0.0
    for a, b in pairs:
        total += a * b
    return total


@program(X)
def an_iterator_as_an_argument(x):
    return added(zip(x, x * x)) * added([(x[0], 2.0)])


@program(X)
def iter_of_an_array(x):
    values = iter(x)
    total = 1.0
    for v in values:
        total *= v
    return total


@program(X, 4)
def an_object_of_a_runs_length(x, n):
    bag = Bag()
    for i in range(n):
        bag.add(np.sin(x[0] * i) * x[1])
    total = 0.0
    for item in bag:
        total += item * item
    return total / len(bag) + sum(bag)


@program(X)
def a_record_taken_apart(x):
    span = Span(x[0], x[1] * x[2])
    start, end = span
    return sum([v * v for v in span]) + start * end + max(*Span(x[0], x[2]))


@program(X)
def an_object_in_a_loop_of_known_length(x):
    bag = Bag()
    bag.add(x[0])
    bag.add(x[1] * x[2])
    total = 0.0
    for k, item in enumerate(bag):
        total += (k + 1) * item
    return total


@program(X, 3)
def an_object_that_adds_in_place(x, n):
    total = Total(x[0])
    same = total
    held = {"total": Total(x[1])}
    for i in range(n):
        total += x[i]
        held["total"] += x[2] * x[i]
    return same.value * held["total"].value


JOINTS = ["turning", "sliding", "turning"]
LENSES = [dict(power=1.0, name="air"), dict(power=2.0, name="glass")]


@program(X)
def words_zipped_with_an_array(x):
    total = 0.0
    for kind, angle in zip(JOINTS, x):
        total += np.sin(angle) * total + 1.0 if kind == "turning" else angle * angle
    return total


@program(X)
def dicts_zipped_with_an_array(x):
    lenses = [dict(lens, radius=radius) for lens, radius in zip(LENSES, x)]
    total = 1.0
    for lens in lenses:
        total = total * lens["radius"] * lens["power"] + (1.0 if lens["name"] == "air" else np.cos(lens["radius"]))
    return total


@program(X)
def functions_zipped_with_an_array_that_changes(x):
    y, total = x.copy(), 0.0
    for k, (function, v) in enumerate(zip((np.sin, np.cos, np.tanh), y)):
        y[2] = y[2] * 0.5 + v
        total += function(v) * (k + 1)
        if total > 100.0:
            break
    return total + np.sum(y)


@program(X)
def pairs_of_places_zipped_with_rows(x):
    table, total = np.outer(x, x), 0.0
    for (i, j), row in zip([(0, 1), (1, 2)], table):
        row[i] = 3.0 * row[j]
        total += row @ x
    return total + np.sum(table)


@program(X, 3)
def ranges_as_arrays(x, n):
    y = np.outer(x, x + 1.0)
    y[range(n), range(n)] += x
    return np.sum(np.sin(y[range(1, n), 0])) + np.sum(y * np.array(range(n))) * np.mean(range(n))
