"""Objects from outside of which the run chooses one: the nearest, the greatest, that at an index."""

from dataclasses import dataclass

import numpy as np

from collect import program


class Sphere:
    def __init__(self, center, radius, color, name="ball"):
        self.center, self.radius, self.color, self.name = np.array(center), radius, color, name

    def distance(self, direction):
        along = self.center @ direction
        beside = self.center @ self.center - along * along
        if beside > self.radius**2:
            return None
        return along - np.sqrt(self.radius**2 - beside)

    @property
    def across(self):
        return 2.0 * self.radius


@dataclass
class Weight:
    mass: float
    count: int = 1

    def times(self, x):
        return self.mass * x * self.count


SPHERES = [
    Sphere([0.0, 0.0, 5.0], 1.0, 0.3),
    Sphere([0.2, 0.0, 4.0], 0.5, 0.9),
    Sphere([5.0, 0.0, 4.0], 0.5, 0.1, "far"),
]
WEIGHTS = [Weight(1.0), Weight(3.0, 2), Weight(2.0, 3)]
NAMED = {"light": WEIGHTS[0], "heavy": WEIGHTS[1]}


@program(np.array([0.01, 0.02]))
@program(np.array([2.0, 0.2]))
def the_nearest(x):
    direction = np.array([x[0], x[1], 1.0])
    direction = direction / np.sqrt(direction @ direction)
    nearest, hit = 1e9, None
    for sphere in SPHERES:
        t = sphere.distance(direction)
        if t is not None and t < nearest:
            nearest, hit = t, sphere
    if hit is None:
        return x[0] * x[1]
    normal = (nearest * direction - hit.center) / hit.radius
    return hit.color * (normal @ np.array([0.3, 0.5, -1.0])) + hit.across * x[0]


@program(np.array([0.7, 0.2]), 4)
def the_greatest_so_far(x, n):
    best, total = WEIGHTS[0], 0.0
    for k in range(n):
        for weight in WEIGHTS:
            if weight.mass * x[0] * k > best.mass * x[1] + 0.05:
                best = weight
        total += best.times(x[0]) + best.count
    return total


@program(np.array([0.7, 0.2]), 4)
def one_at_an_index(x, n):
    total, last = 0.0, WEIGHTS[0]
    for k in range(n):
        last = WEIGHTS[k % 3]
        total += last.times(x[0]) * x[k % 2]
    return total + last.mass * x[1]


@program(np.array([0.7, 0.2]))
@program(np.array([-0.7, 0.2]))
def one_of_two(x):
    weight = NAMED["light"]
    if x[0] > 0:
        weight = NAMED["heavy"]
    other = weight if x[1] > 1.0 else Weight(x[0], 3)
    sphere = SPHERES[0] if x[0] > 0 else SPHERES[2]
    return weight.times(x[0]) + other.times(x[1]) + np.sum(sphere.center * x[0]) * sphere.radius
