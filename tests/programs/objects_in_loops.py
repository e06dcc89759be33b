"""Objects of classes whose methods make new ones: loops carry them, lists hold them, branches choose between them."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0])


class Vector:
    def __init__(self, x, y, z=0.0):
        self.x = x
        self.y = y
        self.z = z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return self + other * -1.0

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    __rmul__ = __mul__

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    @property
    def length(self):
        return np.sqrt(self @ self)

    def unit(self):
        return self * (1.0 / self.length)


class Dual:
    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    __rmul__ = __mul__

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)


class Quaternion:
    def __init__(self, parts):
        self.parts = parts

    def __mul__(self, other):
        a, b = self.parts, other.parts
        vector = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
        return Quaternion(np.concatenate((np.array([a[0] * b[0] - a[1:] @ b[1:]]), vector)))


class Body:
    rate = 0.1

    def __init__(self, place, speed, mass=1.0):
        self.place = place
        self.speed = speed
        self.mass = mass

    def moved(self, force):
        speed = self.speed + force * (self.rate / self.mass)
        return type(self)(self.place + speed * self.rate, speed, self.mass)


class Falling(Body):
    def __init__(self, place, speed, mass=1.0):
        super().__init__(place, speed, mass)
        self.energy = 0.5 * mass * (speed @ speed)


@program(X, 6)
def an_orbit(x, n):
    place, speed = Vector(x[0], 0.5), Vector(0.0, 1.0, x[1])
    for _ in range(n):
        speed = speed + place * (-x[2] / place.length**3) * 0.01
        place = place + 0.01 * speed
    return place.x + place.y * speed.z


@program(X, 5)
def dual_numbers(x, n):
    value = Dual(x[0], 1.0)
    for k in range(n):
        value = (value * x[1] + k * 0.1).sin()
    return value.value * value.slope


@program(X)
def a_while_loop_over_objects(x):
    point, steps = Vector(x[0] + 3.0, x[2], 1.0), 0
    while point.length > 1.5:
        point = point - 0.3 * point.unit()
        steps += 1
    return point.x * point.y + steps


@program(X, 4)
def rotations(x, n):
    turn = Quaternion(np.array([np.cos(x[0]), np.sin(x[0]), 0.1, x[1]]))
    total = Quaternion(np.array([1.0, 0.0, 0.0, 0.0]))
    for _ in range(n):
        total = total * turn
    return np.sum(total.parts * x[2] ** np.arange(4.0))


@program(X, 4)
def objects_in_objects(x, n):
    body = Falling(Vector(x[0], x[1]), Vector(0.1, 0.2, x[2]), mass=2.0)
    lost = 0.0
    for _ in range(n):
        body = body.moved(Vector(0.0, 0.0, -9.81) - body.speed)
        lost = lost + body.energy
    return lost + body.place.z * body.mass


@program(X)
def objects_in_a_list(x):
    points = [Vector(v, v * v, x[0]) for v in x]
    middle = Vector(0.0, 0.0)
    for point in points:
        middle = middle + point * (1.0 / len(points))
    return sum([(point - middle) @ point for point in points])


@program(X, 5)
def objects_that_a_loop_appends(x, n):
    points = [Vector(x[0], x[1])]
    for k in range(n):
        last = points[-1]
        points.append(Vector(last.y * 0.5, last.x + k, x[2]) if last.x > 0.2 else last * 1.1 + Vector(0.2, x[0]))
    return points[n // 2] @ points[-1]


@program(X, 5)
def the_best_of_objects(x, n):
    best = Vector(x[0], x[1])
    for k in range(n):
        other = Vector(x[2] * np.sin(1.0 * k), x[0] + 0.1 * k)
        if other.length > best.length:
            best = other
    return best.x * best.y


def power(value, n):
    if n == 0:
        return Dual(1.0)
    half = power(value, n // 2)
    return half * half * value if n % 2 == 1 else half * half


@program(X, 5)
def objects_that_functions_hand_on(x, n):
    total = Dual(0.0)
    for k in range(n):
        total = total + power(Dual(x[0], x[1]), 3) * (1.0 + k)
    return total.value + x[2] * total.slope


class Weighted(Vector):
    def __init__(self, x, y, z=0.0, weight=1.0):
        super().__init__(x, y, z)
        self.weight = weight

    def __add__(self, other):
        made = super().__add__(other)
        return self.__class__(made.x, made.y, made.z, self.weight + 1.0)

    @property
    def length(self):
        return super().length * self.weight


@program(X, 5)
def derived_objects(x, n):
    point = Weighted(x[0], x[1], weight=x[2])
    for k in range(n):
        point = point + Weighted(0.1 * k, x[0])
    return point.length * point.weight


@program(X)
def parts_and_sums_of_objects(x):
    points = [Vector(v, v * v, x[0]) for v in x]
    total = sum(points[1:], Vector(0.0, 1.0))
    nearest = min(points, key=lambda point: point @ Vector(1.0, 2.0, 0.5))
    return total @ nearest + len(points[:2])
