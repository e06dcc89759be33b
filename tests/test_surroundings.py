"""What programs do besides computing: local classes, progress bars, log records, clocks, settings of warnings."""

from __future__ import annotations

import dataclasses
import logging
import time
from typing import Any

import numpy as np
import pytest

import pullback as pb
from differences import check_by_vector

X = np.array([0.5, 1.5, 0.7])


def empty_class(x):
    class Place:
        pass

    p = Place()
    p.a, p.b = x * 2, 3.0
    return np.sum(p.a**2) * p.b


def class_of_values(x):
    class Config:
        """What the steps are."""

        rate = 0.5
        steps: int = 3

    y = x
    for _ in range(Config.steps):
        y = y - Config.rate * y**2
    return np.sum(y)


def class_with_methods(x):
    class Base:
        def __init__(self, s):
            self.s, self.n = s, 0

        @property
        def mean(self):
            return self.s / self.n

    class Total(Base):
        def __init__(self, s):
            super().__init__(s)
            self.weight = 2.0

        def add(self, v):
            self.s += self.weight * v * v
            self.n += 1
            return self

        @staticmethod
        def start():
            return 0.0

    total = Total(Total.start())
    for v in x:
        total.add(v)
    return total.mean


def local_dataclass(x):
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class State:
        pos: float
        vel: float = 1.0

    s = State(x[0])
    for _ in range(3):
        s = State(s.pos + 0.1 * s.vel, s.vel - 0.1 * s.pos * x[1])
    return s.pos


@dataclasses.dataclass
class Filter:
    x: np.ndarray
    P: np.ndarray
    updates: int = 0

    def update(self, z, r):
        K = self.P[:, 0] / (self.P[0, 0] + r)
        self.x = self.x + K * (z - self.x[0])
        self.P = self.P - np.outer(K, self.P[0])
        self.updates += 1
        return (z - self.x[0]) ** 2


def dataclass_that_changes_itself(x):
    f, total = Filter(x[:2] * 2.0, np.eye(2) * x[0]), 0.0
    for k in range(4):
        total += f.update(0.1 * k, x[2])
    return total * f.updates + np.sum(f.P)


def class_in_a_loop(x):
    total = 0.0
    for i in range(x.shape[0]):

        class Pair:
            def __init__(self, a, b):
                self.a, self.b = a, b

        p = Pair(x[i], 2.0 * x[i])
        total += p.a * p.b
    return total


def named_tuple(x):
    from collections import namedtuple

    State = namedtuple("State", ["a", "b"], defaults=[2.0])
    s = State(x[0])
    for _ in range(3):
        s = State(s.a * s.b, s.b + x[1])
    return s.a


def namespace(x):
    from types import SimpleNamespace

    p = SimpleNamespace(a=x[0], b=2.0)
    for _ in range(3):
        p.a = p.a * p.b
    p.c = x[1]
    return p.a + p.c**2


def bars(x):
    from tqdm import tqdm, trange

    s = 0.0
    for i in trange(3, desc="a", leave=False):
        s += x[i] ** 2
    for v in tqdm(x, total=3, disable=True):
        s += v
    for k, v in enumerate(tqdm(x)):
        s += k * v
    for v, w in tqdm(zip(x, x, strict=True)):
        s += w * v
    bar = tqdm(range(3))
    for i in bar:
        s += x[i] ** 3
        bar.set_description("x")
        bar.set_postfix(loss=s)
    bar.close()
    with tqdm(total=3) as bar, np.errstate(all="ignore"):
        for i in range(3):
            s += x[i] ** 2
            bar.update(1)
    return s


LOGGER = logging.getLogger(__name__)


def logs_and_clocks(x):
    log = logging.getLogger("steps")
    log.info("x %s", 3)
    LOGGER.debug("value %g", x[0])
    logging.debug("v")
    start = time.perf_counter()
    y = np.sum(x)
    seconds = time.perf_counter() - start
    return y if seconds >= 0.0 else 0.0


def settings_of_warnings(x):
    old = np.seterr(all="ignore")
    y = np.where(x > 0.6, np.log(x), 0) * 2
    np.seterr(**old)
    return np.sum(y)


PROGRAMS: list[Any] = [empty_class, class_of_values, class_with_methods, local_dataclass, class_in_a_loop]
PROGRAMS += [dataclass_that_changes_itself]
PROGRAMS += [named_tuple, namespace, bars, logs_and_clocks, settings_of_warnings]


def check(function: Any, jit: bool) -> None:
    if function is bars:
        pytest.importorskip("tqdm")
    check_by_vector(function, X, jit, rtol=1e-14)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_differentiated(function: Any) -> None:
    check(function, jit=False)


@pytest.mark.drawn(3)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs_are_compiled(function: Any) -> None:
    check(function, jit=True)


def with_a_local_variable(x):
    rate = 2.0 * x

    class Config:
        def scaled(self):
            return rate * 2.0

    return Config().scaled()


def with_a_value(x):
    class Config:
        rate = x * 2.0

    return Config.rate


def with_a_loop(x):
    class Config:
        rate = 2.0
        for k in range(2):
            rate += k

    return x * Config.rate


def with_a_metaclass(x):
    from enum import Enum

    class Config(Enum):
        rate = 2.0

    return x * Config.rate.value


def with_a_decorator(x):
    from functools import total_ordering

    @total_ordering
    class Config:
        rate = 2.0

    return x * Config.rate


RATE = 2.0


def with_a_number_from_outside(x):
    class Config:
        rate = RATE

    return x * Config.rate


def with_errors_that_raise(x):
    np.seterr(all="raise")
    return x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (with_a_local_variable, "the class 'Config' uses the local variable 'rate' of the function"),
        (with_a_value, "the class 'Config' holds what is no method and no value written in it"),
        (with_a_loop, "the class 'Config' holds what is no method and no value written in it"),
        (with_a_metaclass, "the class 'Config' is derived from what is no plain class"),
        (with_a_decorator, "the class 'Config' has a decorator that cannot be followed"),
        (with_a_number_from_outside, "the class 'Config' uses a value that is known in the run alone"),
        (with_errors_that_raise, "a floating point error that raises an exception cannot be followed"),
    ],
)
def test_what_cannot_be_followed_is_refused(function: Any, reason: str) -> None:
    with pytest.raises(pb.LanguageError, match=reason):
        pb.grad(pb.differentiable(function, jit=False))(2.0)


def test_the_first_error_of_a_changed_list_is_found_behind_a_bar() -> None:
    tqdm = pytest.importorskip("tqdm").tqdm

    def f(x):
        values = [x, 2.0 * x]
        for v in tqdm(values):
            if len(values) < 4:
                values.append(v * x)
        return values[-1]

    with pytest.raises(pb.LanguageError, match="changes while a loop goes over it"):
        pb.grad(pb.differentiable(f, jit=False))(2.0)
