"""Objects that the function makes, records with work of their own, slices, and functions that outlive others."""

from dataclasses import dataclass, field

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])


class Total:
    scale = 2.0

    def __init__(self, value):
        self.value = value
        self.count = 0

    def add(self, more):
        self.value = self.value + more
        self.count += 1
        return self

    def __add__(self, other):
        return Total(self.value + (other.value if isinstance(other, Total) else other))

    def __radd__(self, other):
        return Total(other * 3.0 + self.value)

    def __neg__(self):
        return Total(-self.value)

    def __call__(self, y):
        return self.value * y * self.scale

    def __bool__(self):
        return self.count > 0

    @property
    def half(self):
        return self.value / 2

    @half.setter
    def half(self, new):
        self.value = 2 * new

    @staticmethod
    def twice(y):
        return 2 * y

    @classmethod
    def of(cls, value):
        return cls(value * cls.scale)


@program(X)
def methods_that_change_an_object_in_a_loop(x):
    total = Total(x[0])
    for i in range(3):
        total.add(x[i] * total.value)
    return total.value * total.count


@program(X)
def properties_and_methods_of_the_class(x):
    a = Total(x[0])
    b = a
    b.half = x[1]
    a.value *= x[2]
    return b(x[0]) + b.half * Total.twice(x[1]) + Total.of(x[2]).value + (x[0] if b else x[1])


@program(X)
def operators_of_a_class(x):
    a = Total(x[0]) + Total(x[1])
    b = a + x[2]
    c = 2.0 + b
    d = -c
    return d.value * b.value


@program(X)
def array_of_an_object_in_place(x):
    a = Total(x.copy())
    a.value[0] = x[1] * x[2]
    a.value *= 2.0
    y = a.value
    y[1] = 0.0
    return np.sum(a.value**2)


@program(X)
def argument_written_through_an_object(x):
    a = Total(x)
    a.value *= 2.0
    return np.sum(x**2)


@program(X)
@program(-X)
def attributes_that_branches_set(x):
    a = Total(x[0])
    if x[1] > 0:
        a.value, a.weight = x[1], x[0]
    else:
        a.value, a.weight = x[2] * x[1], 3 * x[0]
    return a.value * a.weight


@program(-X)
@failing(X, error=AttributeError)
def attribute_that_one_branch_sets(x):
    a = Total(x[0])
    if x[1] > 0:
        a.weight = x[0]
    return a.value * a.weight


class Filter:
    def __init__(self, transition, observation):
        self.transition, self.observation = transition, observation
        self.mean, self.covariance = np.zeros(2), np.eye(2)

    def step(self, seen, noise):
        self.mean = self.transition @ self.mean
        self.covariance = self.transition @ self.covariance @ self.transition.T + 0.1 * np.eye(2)
        surprise = seen - self.observation @ self.mean
        variance = self.observation @ self.covariance @ self.observation + noise
        gain = self.covariance @ self.observation / variance
        self.mean = self.mean + gain * surprise
        self.covariance = self.covariance - np.outer(gain, self.observation @ self.covariance)
        return 0.5 * (np.log(variance) + surprise**2 / variance)


@program(X)
def filter_with_a_state(x):
    tracker = Filter(np.array([[1.0, x[0]], [0.0, 1.0]]), np.array([1.0, x[1]]))
    loss = 0.0
    for i in range(4):
        loss += tracker.step(x[i % 3] * 2.0, 0.5)
    return loss + np.sum(tracker.mean)


@program(X, 4)
@program(X, 0)
def state_bound_anew_and_written(x, n):
    tracker = Filter(np.array([[1.0, x[0]], [0.0, 1.0]]), np.array([1.0, x[1]]))
    loss = 0.0
    while loss < 3.0 and n > 0:
        loss += tracker.step(x[n % 3] * 2.0, 0.5)
        n -= 1
        old = tracker.mean
        tracker.mean = old * 1.0
        old[0] = 7.0
    return loss + np.sum(tracker.mean)


@dataclass
class Prior:
    mean: float
    width: float = 2.0
    samples: list = field(default_factory=list)

    def __post_init__(self):
        self.width = self.width * 3.0


@dataclass(frozen=True)
class Positive:
    value: float

    def __post_init__(self):
        if self.value < 0:
            raise ValueError("negative")

    def __mul__(self, other):
        return Positive(self.value * other.value)


@dataclass
class Point:
    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y * other.y)


@program(X)
def dataclass_that_completes_itself(x):
    p, q = Prior(x[0]), Prior(x[1], width=x[2])
    p.samples.append(x[1])
    return p.mean * p.width * p.samples[0] + q.width + len(q.samples)


@program(X)
@failing(-X, error=ValueError)
def dataclass_that_checks_itself(x):
    return (Positive(x[0]) * Positive(x[2])).value


@program(X)
def operators_of_a_dataclass(x):
    p = Point(x[0], x[1]) + Point(x[2], 2.0)
    return p.x * p.y


class Rate:
    def __init__(self, rate):
        self.rate = rate

    def of(self, y):
        return y * self.rate


class Damped(Rate):
    def __init__(self, rate, damping):
        super().__init__(rate * 2)
        self.damping = damping

    def of(self, y):
        return super().of(y) * self.damping


@program(X)
def inherited_methods(x):
    return Damped(x[0], x[1]).of(x[2])


class Slots:
    __slots__ = ("first", "second")

    def __init__(self, first):
        self.first = first
        self.second = first * first


@program(X)
def slots_and_attributes_by_name(x):
    made = Slots(x[0])
    other = made
    return made.second * getattr(made, "first") * (hasattr(made, "third") + 1) * (2.0 if other is made else 3.0)


@program(X)
def objects_in_a_list(x):
    totals = [Total(v) for v in (x[0], x[1])]
    for total in totals:
        total.add(x[2])
    return totals[0].value * totals[1].value


def scaled_by(a):
    b = a * 2

    def scaled(y):
        return y * b + a

    return scaled


@program(X)
def functions_that_outlive_the_function_around_them(x):
    f, g = scaled_by(x[0]), scaled_by(x[1])
    several = [scaled_by(v) for v in (x[0], x[2])]
    return f(x[2]) * g(x[1]) + several[0](x[1]) * several[1](1.0)


class Network:
    def __init__(self, *layers, activation=None):
        self.layers = layers
        self.activation = activation or (lambda v: v * 2.0)

    def __call__(self, x):
        for layer in self.layers:
            x = self.activation(layer(x))
        return x


@program(X)
def layers_that_are_functions(x):
    deep = Network(scaled_by(x[0]), scaled_by(x[1]))
    return np.sum(deep(x) + Network(scaled_by(x[0]), activation=np.tanh)(x))


@program(X)
def closures_in_a_loop(x):
    def outer(k):
        def inner(y):
            return y * k

        return inner

    total = 0.0
    for i in range(3):
        f = outer(x[i])
        total += f(x[0])
    return total


@program(np.arange(1.0, 6.0), 3)
@program(np.arange(1.0, 6.0), 0)
def slices_as_objects(x, n):
    inner, even = slice(1, n), slice(None, None, 2)
    y = x.copy()
    y[inner] *= 2.0
    table = np.outer(x, x)
    rows = np.s_[1:n, ::2]
    total = np.sum(y[even] ** 2) + inner.stop + np.sum(table[rows]) + np.sum(table[slice(1, 2), slice(None)])
    for i in range(n):
        span = slice(i, i + 2)
        total += np.sum(x[span] ** 2)
    values = [x[0], x[1], x[2]]
    return total + sum(values[slice(1, None)]) + len("abc"[slice(2)])


@program(X)
def generator_taken_apart(x):
    up, down = (np.exp(s * x) for s in (1, -1))
    return np.sum(up * down * up)


class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


@program(X)
def linked_objects(x):
    a = Node(x[0])
    b = Node(x[1], a)
    c = Node(x[2], b)
    total = c.value * c.following.value * c.following.following.value
    a.value = x[1] * 3
    return total + c.following.following.value


class Ring:
    def __init__(self, n):
        self.data, self.count, self.log = np.zeros(n), 0, []

    def push(self, value):
        self.data[self.count % len(self.data)] = value
        self.count += 1
        self.log.append(value * 2)

    def swap(self, other):
        self.data, other.data = other.data, self.data


@program(X, 4)
def buffers_of_two_objects_exchanged(x, n):
    a, b = Ring(2), Ring(2)
    kept = a.data
    for i in range(n):
        a.push(x[i % 3])
        if i % 2:
            a.swap(b)
        b.push(x[(i + 1) % 3] * 2)
    kept[0] *= x[0]
    return np.sum(a.data * np.array([1.0, 2.0])) + np.sum(b.data * np.array([3.0, 4.0])) * a.count + sum(a.log)


@program(X, 3)
def object_changed_by_a_nested_function(x, n):
    ring = Ring(3)

    def first_after(value):
        ring.push(value)
        return ring.data[0]

    total = 0.0
    for i in range(n):
        total += first_after(x[i]) * x[1]
    return total


@program(X, 3)
def object_changed_until_a_break(x, n):
    ring = Ring(3)
    i = 0
    while True:
        ring.push(x[i])
        i += 1
        if ring.data[i - 1] < 0 or i >= n:
            break
    return np.sum(ring.data) * ring.count


class Model:
    scale = 1.5
    offset = 1.0

    def __init__(self):
        self.weights = np.array([1.0, 2.0, -0.5])

    def loss(self, x):
        return self.scale * np.sum(self.weights * x**2)

    def penalty(self, x, power=2):
        return power * np.sum(x)

    @property
    def size(self):
        return np.sum(self.weights)

    @classmethod
    def scaled(cls, x):
        return cls.scale * x**2

    @staticmethod
    def cubes(x):
        return np.sum(x**3)

    def __call__(self, x):
        return self.weights[1] * np.sum(x * x)


class Tripled(Model):
    def loss(self, x):
        return super().loss(x) * 3


class Penalised(Model):
    def penalty(self, x, power=2):
        return super().penalty(x, power=3) + super().offset


class Whole(Penalised, Tripled):
    scale = 2.5

    def loss(self, x):
        return super().loss(x) + self.penalty(x) * super().size + super().cubes(x) + super().scaled(x[1])

    def penalty(self, x, power=2):
        return super(Penalised, self).penalty(x) + super(Whole, self).penalty(x)

    @classmethod
    def scaled(cls, x):
        return super().scaled(x) + x

    def __call__(self, x):
        return super().__call__(x) * 2


WHOLE = Whole()


@program(X)
def parents_of_an_object_outside(x):
    return WHOLE.loss(x) * WHOLE(x) + Whole.scaled(x[0])


@program(X, -0.3)
def parents_of_an_object_in_a_loop(x, y):
    models = [WHOLE, Tripled(), Whole()]
    total = y
    for model in models:
        total = np.sin(total) + 0.01 * model.loss(x) * model.penalty(x)
    return total


class Grid:
    """Items by a method, with a shift; sizes and magnitudes too."""

    def __init__(self, values):
        self.values = values
        self.shift = 1
        self.reads = 0

    def __len__(self):
        return self.values.shape[0]

    def __getitem__(self, k):
        self.reads += 1
        return self.values[(k + self.shift) % len(self)]

    def __setitem__(self, k, value):
        self.values[(k + self.shift) % len(self)] = value * 2.0

    def __abs__(self):
        return np.sum(np.abs(self.values))

    def __bool__(self):
        return self.reads > 3


@program(X)
def items_by_methods(x):
    grid = Grid(x * 1.5)
    for k in range(len(grid)):
        grid[k] += grid[k - 1] * x[k]
    grid[1] = np.sin(grid[2])
    return (abs(grid) * grid[0] + grid[1]) * (grid.reads + 1 if grid else 0.0)


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, place):
        i, j = place
        return self.rows[i, j] * self.rows[j, i]

    def __setitem__(self, place, value):
        self.rows[place] = value


@program(X, 3)
def items_by_pairs(x, n):
    table = Table(np.outer(x, x + 1.0))
    total = 0.0
    for i in range(n):
        table[i, 0] = table[0, i] + x[i]
        total += table[i, (i + 1) % n] * table[i, i]
    return total


class Rows:
    def __init__(self, x):
        self.parts = [x * 1.0, x * 2.0]

    def __getitem__(self, k):
        return self.parts[k]

    def __setitem__(self, k, value):
        self.parts[k] = value + 1.0


@program(X)
def items_that_are_changed_in_place(x):
    rows = Rows(x)
    rows[0] += x * x
    rows[1] *= rows[0]
    rows[0][1] = x[0]
    return np.sum(rows[0] * rows[1])


@dataclass
class Motion:
    place: np.ndarray
    speed: np.ndarray
    time: float = 0.0

    def energy(self):
        return np.sum(self.place**2) + np.sum(self.speed**2)


def move(motion, dt):
    motion.speed -= dt * np.sin(motion.place)
    motion.place = motion.place + dt * motion.speed
    motion.time = motion.time + dt


@program(X, 3)
def attributes_of_a_dataclass(x, n):
    motion = Motion(x.copy(), x * 0.5)
    for i in range(n):
        move(motion, 0.1)
        if motion.place[0] > 0.8:
            motion.speed = -motion.speed
    return motion.energy() * motion.time


@program(X, 3)
def attributes_of_two_dataclasses(x, n):
    first, second = Motion(x, x * 2), Motion(x * 3, x)
    for i in range(n):
        first.place, second.place = second.place * x[0], first.place * 0.5
        first.time += second.energy()
    return np.sin(first.time) * second.energy()


@program(X, 3)
def dataclasses_in_a_list(x, n):
    motions = [Motion(x, x * 2), Motion(x * 0.3, x)]
    for i in range(n):
        motions[0].time += motions[1].energy() * x[i] * 0.05
        motions[1].place = np.sin(motions[0].place * motions[0].time)
    return np.sin(motions[0].time)


class Doubled:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, place):
        return self.values[place] * 2.0

    def __setitem__(self, place, value):
        self.values[place] = value

    def __contains__(self, number):
        return number == 3 or self.values[0] > 100.0


@program(X)
def items_by_slices(x):
    table = Doubled(np.outer(x, x))
    row = Doubled(x.copy())
    row[1:] = row[:2] * x[0]
    table[0, 1:] = table[1:, 0]
    within = 2.0 if 3 in row else 1.0
    return np.sum(table[:, 0] * row[::-1]) * within + np.sum(table[...] ** 2) * (3.0 if 4 not in row else 1.0)
