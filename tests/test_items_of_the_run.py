"""Items that only the run knows: dicts by integers, lists that loops fill, arrays for all parameters that are left."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from scipy import stats

import pullback as pb
from differences import check_by_vector

X = np.array([0.5, 1.5, 0.7])
NEIGHBOURS = {0: [1, 2], 1: [0], 2: [0, 1]}
RATES = {1: 0.5, 2: 2.0, 7: 1.5}


def neighbours(x):
    s = 0.0
    for i in range(x.shape[0]):
        for j in NEIGHBOURS[i]:
            s += x[i] * x[j]
    return s


def rates(x):
    s = 0.0
    for k in np.array([1, 2, 7, 1]):
        s += RATES[int(k)] * x[0] ** 2
    return s


def arrays_by_number(x):
    w, s = {0: x, 1: x * 2}, 0.0
    for i in range(x.shape[0]):
        s += np.sum(w[i % 2] ** 2)
    return s


def number_before(x):
    h = []
    for t in range(x.shape[0]):
        p = h[t - 1] if t > 0 else 1.0
        h.append(p * x[t] + 0.1)
    return h[-1]


def array_before(x):
    h = []
    for t in range(x.shape[0]):
        if t == 0:
            h.append(x * 1.0)
        else:
            h.append(h[t - 1] * x[t] + 0.1)
    return np.sum(h[-1])


def array_before_or_outside(x):
    h = []
    for t in range(x.shape[0]):
        before = h[t - 1] if t > 0 else x
        h.append(before * x[t])
    return np.sum(h[-1])


def shape_by_name(x):
    y = np.sum(stats.t.logpdf(x, df=x[0] + 2, loc=x[1], scale=x[2])) + stats.t(df=x[1]).logpdf(0.3)
    return y + np.sum(stats.beta.logpdf(x / 3, b=2.0, a=x[0] + 1)) + stats.gamma(a=2.0, scale=x[0]).cdf(x[1])


def model(t, a, b, c):
    return a * np.exp(-b * t) + c


compiled_model = numba.njit(model)


class Curve:
    def __init__(self, shift):
        self.shift = shift

    def at(self, a, b, t):
        return a * t + b + self.shift


CURVE = Curve(2.0)


def parameters(x):
    def local(u, v, w):
        return u * v + w

    y = model(2.0, *x) + compiled_model(1.0, *x) * local(*x) + (lambda a, b: a * b)(*x[1:])
    return y + model(*x, c=0.5) + CURVE.at(*x[:2], 3.0) + Curve(x[0]).at(*x)


PROGRAMS: list[Any] = [neighbours, rates, arrays_by_number, number_before, array_before, array_before_or_outside]
PROGRAMS += [shape_by_name, parameters]


def check(function: Any, jit: bool) -> None:
    check_by_vector(function, X, jit, rtol=1e-13)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_differentiated(function: Any) -> None:
    check(function, jit=False)


@pytest.mark.drawn(2)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_compiled(function: Any) -> None:
    check(function, jit=True)


def unknown_key(x):
    s = 0.0
    for i in range(x.shape[0] + 1):
        s += x[0] * NEIGHBOURS[i][0]
    return s


def empty_list(x):
    h, s = [], x[0]
    for t in range(x.shape[0]):
        s += h[t]
    return s


def changed_outside(x):
    for i in range(x.shape[0]):
        NEIGHBOURS[i].append(1)
    return x[0]


def too_many(x):
    return model(1.0, 2.0, *x)


@pytest.mark.parametrize(
    ("function", "error", "reason"),
    [
        (unknown_key, KeyError, "3"),
        (empty_list, IndexError, "list index out of range"),
        (changed_outside, pb.LanguageError, "comes from outside this function and cannot be changed"),
        (too_many, TypeError, "stands for 2 arguments, and its length is another"),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)
def test_what_does_not_fit_raises(function: Any, error: Any, reason: str) -> None:
    with pytest.raises(error, match=reason):
        pb.grad(pb.differentiable(function, jit=False))(X)
