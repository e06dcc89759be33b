"""Joined lists, records with other fields, square roots by `**`, and lists that are no operands."""

import dataclasses
from typing import NamedTuple

import numpy as np

from collect import failing, program

X = np.array([0.5, 1.2, 2.0])
A = np.array([[1.0, 2.0, 0.4], [0.3, 0.7, 1.5]])


@program(2.0)
def sum_of_lists(x):
    joined = sum([[1.0], [x, x * x]], [x])
    return len(joined) * joined[0] * joined[-1]


class Pair(NamedTuple):
    a: np.ndarray
    b: float


@dataclasses.dataclass(frozen=True)
class Bounds:
    low: float
    high: float = 3.0
    count: int = 2


@program(Pair(X, 2.0))
def other_fields_of_a_namedtuple(p):
    q = p._replace(b=p.b * p.a[0])
    fields = q._asdict()
    fields["a"] = fields["a"] * q.b
    return np.sum(fields["a"]) * fields["b"] * len(fields)


@program(2.0, 0.7)
def other_fields_of_a_dataclass(low, high):
    bounds = Bounds(low)
    wider = dataclasses.replace(bounds, high=high * bounds.high, count=4)
    return wider.low * wider.high * wider.count + bounds.high


@program(X)
@program(X.astype(np.float32))
@program(np.array(1.7))
def root_by_a_power(x):
    y = x * 2.0
    y **= 0.5
    return np.sum(y * x**0.5)


@program(A)
def root_of_a_part(a):
    b = a.copy()
    b[:, 1:] **= 0.5
    return np.sum((b.T**0.5)[::-1] * a.T)


@failing(X, 2.0, error=TypeError)
def list_times_float(x, a):
    return np.sum([1.0, 2.0] * a) * x[0]


@failing(X, 2.0, error=TypeError)
def tuple_times_number_of_numpy(x, a):
    return np.sum((1.0, a) * x[0])


@failing(X, 2.0, error=TypeError)
def list_less_tuple(x, a):
    return np.sum([a, 1.0] - (1.0, a)) * x[0]


@failing(X, error=TypeError)
def negative_list(x):
    items = []
    for v in x:
        items.append(v * v)
    return np.sum(-items)


@failing(X, 2.0, error=TypeError)
def power_of_a_list(x, a):
    return np.sum(pow([a], 2)) + x[0]


@failing(X, 2.0, error=TypeError)
def absolute_tuple(x, a):
    return np.sum(abs((a, -a))) + x[0]


@failing(X, 2.0, error=TypeError)
def rounded_list(x, a):
    return np.sum(round([a], 1)) + x[0]


@failing(X, 2.0, error=TypeError)
def list_less_than_a_number(x, a):
    return np.sum([a] < 3) + x[0]


@failing(X, error=TypeError)
def shape_times_float(x):
    return np.sum(x.shape * 2.0) * x[0]


@failing(np.array(2.0), error=TypeError)
def length_without_axes(x):
    return x * len(x)


@failing(X, error=ValueError)
def rows_of_other_lengths(x):
    rows = []
    for i in range(1, 4):
        rows.append(x[:i] * 2.0)
    return sum([np.sum(row) for row in rows]) + np.array(rows)[1][0]


@program(2.7, np.array([3, -2, 5], dtype=np.int8), wrt=(0,))
@program(2.7, np.array([3, -2, 5]), wrt=(0,))
def numbers_stored_among_integers(x, n):
    m = n.copy()
    m[0] = x * 7.0
    m[1:] = -3.9
    m[2] += n[0]
    return x * x * m[0] + x * m[1] + np.int8(x * 3.0) * x * m[2]


@failing(2.7, np.zeros(2, dtype=np.int8), 300.7, error=OverflowError)
@failing(2.7, np.zeros(2, dtype=np.int8), 300, error=OverflowError)
@failing(2.7, np.zeros(2, dtype=np.int8), np.int64(300), error=OverflowError)
@failing(2.7, np.zeros(2, dtype=np.uint8), -1, error=OverflowError)
@failing(2.7, np.zeros(2, dtype=int), np.inf, error=OverflowError)
@failing(2.7, np.zeros(2, dtype=int), np.nan, error=ValueError)
def number_beyond_integers(x, n, v):
    m = n.copy()
    for i in range(2):
        m[i] = v
    return x * m[0]


@failing(2.7, 300.0, error=OverflowError)
@failing(2.7, 300, error=OverflowError)
@failing(2.7, np.nan, error=ValueError)
def number_beyond_a_class_of_integers(x, v):
    return x * np.int8(v)


@program(X)
def slices_of_lists(x):
    items = [x[0], 2.0, x[1], 4.0]
    same = items
    items[1:2] = []
    items[0:0] = [x[2], 7.0]
    items[::2] = [x[0] * 2.0, 3.0, x[1]]
    items[-1:] = (1.0, x[0])
    items[:2] += [x[2]]
    items[:1] *= 2
    return sum([v * (k + 1) for k, v in enumerate(same)]) * len(same)


@program(2.0, 3, wrt=(0,))
def slices_of_lists_in_a_loop(x, n):
    items = [x, 1.0, 2.0]
    for _ in range(n):
        items[:2] = [items[1] * x, items[0]]
    return items[0] * items[1] * items[2]
