"""Functions of several items, comprehensions, and methods of lists, dicts and strings, as far as they are known."""

import itertools
import operator
from functools import partial, reduce

import numpy as np
from numba import prange

from collect import program

X = np.array([0.5, -1.2, 2.0])
Y = np.array([1.5, 0.7, -0.4])
A = np.array([[1.0, 2.0, 0.1], [0.3, -0.7, 0.2]])


@program(X, Y)
@program(X[:0], Y)
def sums_over_generators(x, y):
    a = sum(v * w for v, w in zip(x, y))
    b = sum((v * v for v in x), 1.0) + sum([v for v in y], start=2.0)
    c = max((v for v in (y[0], y[1]) if v is not None), default=0.0) * min([], default=3.0)
    d = max((x[0:1], y), key=len)[0] * min((3, y[1]), (1, y[2]), key=lambda pair: pair[0])[1]
    return a * b * c * d + sum(range(4)) * sum(i * v for i, v in enumerate(x, 1))


@program(X, (1.0, 2.0, 3.0))
def over_tuples_of_known_length(x, values):
    doubled = tuple(2.0 * v for v in values)
    squares = list(map(lambda v: v * v, values))
    pairs = list(zip(doubled, squares, (x[0], x[1], x[2])))
    largest = max(map(abs, values))
    both = [a * b for a in doubled for b in squares if a is not None]
    return sum(both) * largest + sum(a * b * c for a, b, c in pairs) + min(reversed(values)) * sum(x)


@program(X, Y)
def map_over_arrays(x, y):
    total = 0.0
    for v in map(np.sin, x):
        total += v
    for k, v in enumerate(map(lambda v: v * v, y)):
        total += k * v
    return total * sum(map(lambda a, b: a * b, (x[0], y[1]), (2.0, y[0]))) + sum(map(np.exp, x))


@program(X, 3)
@program(X, 0)
def comprehensions_with_several_for(x, n):
    products = [a * b for a in x for b in x if a < b]
    pairs = [(i, j) for i in range(2) for j in range(2)]
    table = np.array([[x[i] * x[j] for i in range(3)] for j in range(3)])
    return sum(products) + np.sum(table * table) + len(pairs) * sum([x[i] * j for i in range(n) for j in range(i)])


@program(X)
def any_and_all(x):
    total = x[0]
    if any(v < 0 for v in x) and all([v < 3 for v in x]):
        total = total * x[1]
    if any((x[0] > 9, x[1] > 9)) or not all((x[0] > 0, x[2] > 0)):
        total = total * 5.0
    if all(()) and not any([]) and any(map(lambda v: v > 1, x)):
        total = total * x[2]
    return total + (1.0 if any(x > 1) else 2.0)


@program(X)
@program(-X)
def sorted_items(x):
    a, b, c = sorted((x[0], x[1], x[2]))
    d = sorted([x[0], 0.1], reverse=True)
    names = sorted({"b": 1, "a": 2})
    order = sorted([(2, "x"), (1, "y")], key=lambda pair: pair[0])
    values = sorted(x)
    total = a * b + c * d[0] * d[1] + values[0] * values[-1]
    return total * (2.0 if names == ["a", "b"] and order[0][1] == "y" else 3.0)


@program(X, {"w": 2.0, "b": Y, "c": 1.5})
def dicts(x, given):
    p = dict(a=x[0], b=x[1])
    q = dict(zip(("u", "v"), (x[2], 3.0)))
    r = dict([("k", x[0] * 2), ("l", 1.0)])
    p.update(q)
    p.update(r, m=x[1])
    p["n"] = p.pop("a") * p.setdefault("o", 4.0) * p.setdefault("u", 0.0)
    s = p.copy()
    s["n"] = 0.0
    del p["l"]
    squares = {name: value * value for name, value in p.items() if name not in ("m",)}
    by_number = {i: x[i] for i in range(3)}
    scaled = {name: np.sum(value) for name, value in given.items()}
    total = sum(squares.values()) + by_number[0] * by_number[2] + sum(scaled[k] for k in scaled)
    if "l" not in p and "m" in p and 2 in by_number and len(p.keys()) == 7:
        total = total * p["n"]
    for name in given:
        total = total + np.sum(given[name]) * len(name)
    return total * p.get("z", 2.0)


@program(X)
def lists(x):
    values = [x[0], x[1]]
    values.extend((x[2], 2.0))
    values.extend(v * v for v in (x[0], 3.0))
    values.insert(1, x[2] * x[0])
    del values[0]
    values += [1.0, x[1]]
    other = values.copy()
    other.clear()
    names = ["b", "a", "b"]
    names.sort()
    names.remove("b")
    last = values.pop()
    total = last * names.index("b") * names.count("a")
    for k, value in enumerate(values):
        total = total + k * value
    return total + len(other)


@program(X, "mean")
@program(X, "SUM")
def texts(x, mode):
    words = "sum,mean,max".split(",")
    label = mode.lower().strip()
    if label not in words or not label.isalpha():
        return 0.0
    name = "{}-{:>5}".format(label, 3) + "%s %d%%" % (label, 7) + f"{label!r}" + "-".join(["a", "b"])
    y = getattr(np, label)(x * x)
    if label.startswith("me") and label > "a" and label[0] == "m":
        y = y * len(name)
    return y * (2.0 if "b" in name else 1.0)


@program(X, 7)
@program(X, 3)
def sets(x, k):
    allowed = {1, 2, 3}
    total = x[0]
    if 2 in allowed and len(allowed | {7}) == 4 and "a" in {"a", "b"}:
        total = total * x[1]
    for n in sorted({3, 1} & allowed):
        total = total + n * x[2]
    for n in {5}:
        total = total + n
    return total * len({v * v for v in (1, -1, 2)}) * (1.0 if k in {5, 7} else 2.0)


@program(X, 2)
def from_itertools(x, n):
    total = 0.0
    for i, j in itertools.product(range(n), range(3)):
        total += x[i] * x[j]
    for a, b in itertools.combinations((x[0], x[1], x[2]), 2):
        total += a * b * b
    for v in itertools.chain((x[0], 2.0), [x[1]]):
        total = total * v
    for a, b in itertools.product((x[0], x[1]), repeat=2):
        total += a * b
    return total * reduce(operator.mul, (x[0], x[1], x[2])) + reduce(lambda a, b: a + b * b, [x[0], x[2]], 1.0)


@program(A, np.ones((2, 3)))
def all_places_of_an_array(a, b):
    total = 0.0
    for i, j in np.ndindex(a.shape):
        total += a[i, j] * b[i, j] * (i + 1) * (j + 1)
    for place, v in np.ndenumerate(a):
        total += v * v * place[1]
    for place in np.ndindex(2, 3):
        total += a[place] * b[place]
    return total


@program(X, 3)
def loops_of_numba(x, n):
    total = 0.0
    for i in prange(n):
        total += x[i] * x[i]
    return total


@program(X, 3)
@program(X, 2)
def zipped_with_numbers_of_known_count(x, n):
    total = 0.0
    for v, w in zip(x, (1.0, 2.0, 3.0)):
        total += v * v * w
    for i, (v, k) in enumerate(zip([x[0], x[1]], range(n))):
        total += v * k * (i + 1)
    return total


@program(X, 2.0)
def partial_functions(x, a):
    def scaled(x, a, b=1.0, *more, c=0.0):
        return np.sum(x) * a * b + c + sum(more)

    f = partial(scaled, x, c=a)
    g = partial(f, a)
    return (
        f(2.0) + g(3.0, 4.0) + g(b=a) + partial(np.multiply, a)(x[0]) + sum(map(partial(operator.mul, a), (x[1], x[2])))
    )
