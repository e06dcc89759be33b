"""Objects that loops carry are records of their attributes: where that is not what Python has, they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb

NUMBERS = np.array([0.5, 1.5, 2.5])


class Vector:
    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)


class Counter:
    def __init__(self, value: Any) -> None:
        self.value = value

    def more(self) -> Counter:
        self.value = self.value + 1.0
        return self


class Listed:
    def __init__(self, value: Any, known: list[Any]) -> None:
        self.value = value
        known.append(self)


class Lazy:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.twice = lambda: 2.0 * self.value


class Sometimes:
    def __init__(self, value: Any) -> None:
        if value > 1.0:
            self.value = value
        self.other = 1.0


def assigned_outside(x: Any, n: int) -> Any:
    point = old = Vector(x[0], x[1])
    for i in range(n):
        point.x = point.x * x[i]
        point = point + Vector(1.0, 2.0)
    return point.x * old.x


def changed_by_a_method(x: Any, n: int) -> Any:
    counter = Counter(x[0])
    for i in range(n):
        counter = Counter(counter.more().value * x[i])
    return counter.value


def known_elsewhere(x: Any, n: int) -> Any:
    known: list[Any] = []
    one = Listed(x[0], known)
    for i in range(n):
        one = Listed(one.value * x[i], [])
    return one.value + known[0].value


def kept_by_a_function(x: Any, n: int) -> Any:
    one = Lazy(x[0])
    for i in range(n):
        one = Lazy(one.twice() * x[i])
    return one.value


def without_an_attribute(x: Any, n: int) -> Any:
    one = Sometimes(x[0])
    for i in range(n):
        one = Sometimes(one.other * x[i])
    return one.value


def compared_by_identity(x: Any, n: int) -> Any:
    first = point = Vector(x[0], x[1])
    for i in range(n):
        if point is not first:
            point = point + Vector(x[i], 1.0)
        point = point + first
    return point.x


def with_a_typo(x: Any, n: int) -> Any:
    point = Vector(x[0], x[1])
    for _ in range(n):
        point = point + point
    return point.z  # type: ignore[attr-defined]


def taken_for_a_tuple(x: Any, n: int) -> Any:
    point = Vector(1, 2)
    for _ in range(n):
        point = Vector(point.y, point.x)
    return np.outer(x, x)[point]  # type: ignore[index]


def returned(x: Any, n: int) -> Any:
    point = Vector(x[0], x[1])
    for _ in range(n):
        point = point + point
    return point


@pytest.mark.parametrize(
    "function",
    [
        assigned_outside,
        changed_by_a_method,
        known_elsewhere,
        kept_by_a_function,
        without_an_attribute,
        compared_by_identity,
        returned,
    ],
    ids=lambda function: function.__name__,
)
def test_what_no_record_stands_for_is_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(pb.LanguageError, match=r"is an object of class '.*' before this loop, and bound anew in it"):
        pb.differentiable(jit=False)(function)(NUMBERS, 3)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (with_a_typo, "'Vector' object has no attribute 'z'"),
        (taken_for_a_tuple, "a Vector is no index"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_record_is_not_is_told_at_its_place(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises((pb.LanguageError, pb.TypingError), match=reason):
        pb.differentiable(jit=False)(function)(NUMBERS, 3)


class Counted:
    made = 0.0

    def __init__(self, value: Any, items: list[Any] | None = None) -> None:
        self.value = value
        self.items = [] if items is None else items

    def with_item(self, item: Any) -> Counted:
        return Counted(self.value + item, self.items)


def test_a_list_that_several_records_hold_is_one() -> None:
    def function(x: Any, n: int) -> Any:
        one = Counted(x[0])
        two = one.with_item(x[1])
        one.items.append(x[2])
        for _ in range(n):
            one = one.with_item(x[1] * len(two.items))
        return one.value * two.items[0]

    value, gradient = pb.value_and_grad(pb.differentiable(jit=False)(function))(NUMBERS, 3)
    assert value == function(NUMBERS, 3) == 12.5
    np.testing.assert_allclose(gradient, [2.5, 7.5, 5.0])
