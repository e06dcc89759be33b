"""Numbers in dicts and lists that loops change, and slices of lists that loops fill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as pb
from differences import check_by_vector

X = np.array([0.5, 1.5, 0.7])


def sums(x):
    d = {"s": 0.0, "n": 0, "w": x}
    for v in x:
        d["s"] += v * v
        d["n"] += 1
    return d["s"] * d["n"] + np.sum(d["w"])


def history(x):
    h = {"mu": [], "accepted": 0}
    m = x[0]
    for i in range(x.shape[0]):
        m = m * x[i]
        h["mu"].append(m)
        if m > 0.3:
            h["accepted"] += 1
    return np.mean(h["mu"][1:]) * h["accepted"]


def one_item_of_a_list(x):
    items = [0.0, 1, x]
    for i in range(x.shape[0]):
        items[0] = items[0] + x[i] ** 2
    return items[0] * items[1] + np.sum(items[2])


def swapped(x):
    d = {"a": x[0], "b": x[1]}
    for i in range(x.shape[0]):
        d["a"], d["b"] = d["b"] * x[i], d["a"]
    return d["a"] + 2 * d["b"]


def integer_that_becomes_a_float(x):
    d = {"a": 0}
    for i in range(x.shape[0]):
        for j in range(i):
            d["a"] = d["a"] + x[i] * x[j]
    return d["a"]


def in_a_while_loop(x):
    d, i = {"a": 0.0}, 0
    while d["a"] < 3.0:
        d["a"] += x[1] ** 2
        i += 1
    return d["a"] * i


def under_two_names(x):
    d = {"a": 1.0}
    e = d
    for v in x:
        e["a"] *= v
    return d["a"] ** 2


def slices(x):
    items = []
    for v in x:
        items.append(v * v)
    some = items[1:]
    some.append(x[0])
    items[0] = 5.0
    return np.mean(items[-2:]) + sum(some) * len(items[:1]) + items[::2][1]


def slices_of_pairs(x):
    pairs = [(v, v * v) for v in x]
    s = 0.0
    for a, b in pairs[1:]:
        s += a * b
    return s + pairs[:-1][0][1]


def slices_of_rows(x):
    rows = [[a * b for b in x] for a in x]
    r = list(rows[1])
    r.append(x[0] * 2)
    q = rows[0][1:]
    q.append(1.0)
    return r[-1] * r[2] + len(r) + sum(q)


def arrays_that_change(x):
    d = {"a": x}
    for i in range(x.shape[0]):
        d["a"] = d["a"] * x[i]
    return np.sum(d["a"])


PROGRAMS: list[Any] = [sums, history, one_item_of_a_list, swapped, integer_that_becomes_a_float, in_a_while_loop]
PROGRAMS += [under_two_names, slices, slices_of_pairs, slices_of_rows, arrays_that_change]


def check(function: Any, jit: bool) -> None:
    check_by_vector(function, X, jit, rtol=1e-13)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_differentiated(function: Any) -> None:
    check(function, jit=False)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_compiled(function: Any) -> None:
    check(function, jit=True)


def keys_that_come(x):
    d = {"a": 0.0}
    for v in x:
        d["c"] = v
        d["a"] += v**2
    return d["a"]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (keys_that_come, "the dict 'd' takes or loses keys in this loop"),
    ],
)
def test_what_changes_otherwise_is_refused(function: Any, reason: str) -> None:
    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(pb.differentiable(function, jit=False))(X)
