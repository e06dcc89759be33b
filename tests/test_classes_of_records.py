"""Two paths, or two iterations, that give a name records of two classes, whose methods and fields are not the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import pullback as pb

NUMBERS = np.array([1.5, 0.5, 2.0])


@dataclass
class Circle:
    radius: float
    factor: float = 3.0

    def area(self) -> float:
        return self.factor * self.radius**2


@dataclass
class Square:
    side: float
    factor: float = 1.0

    def area(self) -> float:
        return self.side**2


class Point(NamedTuple):
    x: float
    y: float


class Polar(NamedTuple):
    y: float
    x: float


def on_two_paths(x: Any, n: int) -> Any:
    shape = Circle(x[0]) if x[1] > n else Square(x[0])
    return shape.area()


def returned_on_two_paths(x: Any, n: int) -> Any:
    def shape() -> Any:
        if x[1] > n:
            return Circle(x[0])
        return Square(x[0])

    return shape().area()


def after_an_iteration(x: Any, n: int) -> Any:
    shape: Any = Circle(x[0])
    for _ in range(n):
        shape = Square(x[0])
    return shape.area()


def a_tuple_after_an_iteration(x: Any, n: int) -> Any:
    point: Any = Point(x[0], 2.0)
    for _ in range(n):
        point = (point[1], point[0])
    return point[0] + (1.0 if hasattr(point, "x") else 0.0)


def at_an_index(x: Any, n: int) -> Any:
    points: Any = [Point(x[0], x[1]), Polar(x[0], x[1])]
    total = 0.0
    for i in range(n):
        total += points[i % 2].x
    return total


def in_a_list(x: Any, n: int) -> Any:
    points: Any = []
    for i in range(n):
        if x[i] > 1.0:
            points.append(Point(x[i], 1.0))
        else:
            points.append(Polar(x[i], 1.0))
    return points[0].x


def in_an_array(x: Any, n: int) -> Any:
    shapes = [Circle(v) for v in x]
    return np.sum(np.array(shapes))


REFUSED = {
    on_two_paths: "this is a Circle on one path that leads here, and a Square on another",
    returned_on_two_paths: "this is a Circle on one path that leads here, and a Square on another",
    after_an_iteration: "'shape' is a Circle before this loop, and a Square after an iteration",
    a_tuple_after_an_iteration: "'point' is a Point before this loop, and a tuple of 2 items after an iteration",
    at_an_index: "this is a Point on one path that leads here, and a Polar on another",
    in_a_list: "'points' is a Point on one path that leads here, and a Polar on another",
    in_an_array: "a list of objects cannot be used as an array",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
def test_records_of_two_classes_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises((pb.LanguageError, pb.TypingError), match=REFUSED[function]):
        pb.differentiable(jit=False)(function)(NUMBERS, 3)
