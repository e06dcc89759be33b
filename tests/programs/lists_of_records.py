"""Records in lists whose length is a matter of the run, and what the classes of records have."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.8])


@dataclass
class Vector:
    x: float
    y: float

    weight = 1.5

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    @property
    def square(self):
        return self.x * self.x + self.y * self.y

    @staticmethod
    def half(number):
        return 0.5 * number

    @classmethod
    def along(cls, x):
        return cls(x, cls.weight)


class Step(NamedTuple):
    place: np.ndarray
    speed: np.ndarray


class Segment(NamedTuple):
    start: Vector
    end: Vector


@program(X)
def records_made_by_a_comprehension(x):
    vectors = [Vector(v, v * v) for v in x]
    total = 0.0
    for vector in vectors:
        total += np.sin(vector.x) * vector.square
    return total + vectors[-1].y


@program(X)
def records_appended_and_added_up(x):
    vectors = []
    for v in x:
        vectors.append(Vector(v, x[0]) * v)
    end = Vector(0.0, 1.0)
    for vector in vectors:
        end = end + vector * vector.x
    return end.x * end.y + len(vectors)


@program(X, 3)
def records_written_in_a_loop(x, n):
    vectors = [Vector.along(v) for v in x]
    for _ in range(n):
        for i in range(len(vectors)):
            vectors[i] = vectors[i] * 0.5 + vectors[i - 1] * 0.1
    last = vectors.pop()
    return last.x * last.y + sum([vector.square for vector in vectors])


@program(X, 5)
def records_of_arrays(x, n):
    steps = [Step(x, np.zeros(4))]
    for _ in range(n):
        place, speed = steps[-1]
        speed = speed - 0.1 * place
        steps.append(Step(place + 0.1 * speed, speed))
    return np.sum(steps[-1].place * steps[1].speed) + np.sum(steps[n // 2].place ** 2)


@program(X)
def records_of_records(x):
    segments = []
    for i in range(len(x) - 1):
        segments.append(Segment(Vector(x[i], 0.5 * i), Vector(x[i + 1], x[0])))
    length = 0.0
    for segment in segments:
        across = segment.end + segment.start * -1.0
        length += np.sqrt(across.square)
    return length


@program(X)
def what_the_class_of_a_record_has(x):
    vector = Vector(x[0], x[1])
    return vector.weight * vector.half(x[2]) + vector.along(x[3]).y * vector.x + Vector.half(vector.square)
