"""`max`, `min`, `sorted` and `sort` by keys that only the run knows, of items whose number only the run may know."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0, 0.8])


@program(X)
def the_place_of_the_greatest(x):
    k = max(range(len(x)), key=lambda i: x[i])
    j = min(range(len(x)), key=lambda i: abs(x[i] - 0.7))
    return x[k] * np.sin(x[j]) + k + 10 * j


@program(X)
def the_nearest_with_its_place(x):
    near = min([(abs(v - 2.1), v) for v in x], key=lambda pair: pair[0])
    far = max([(abs(v - 2.1), v) for v in x], key=lambda pair: pair[0])
    return near[0] * far[1] + near[1] * far[0]


@program(X)
def the_greatest_of_some(x):
    some = [v for v in x if v < 1.0]
    return max(some) * max([v for v in x if v < -5.0], default=x[2]) + min((v * v for v in x if v > 0.6), default=0.0)


@program(X)
def places_in_order(x):
    total = 0.0
    for rank, k in enumerate(sorted(range(len(x)), key=lambda i: x[i], reverse=True)):
        total += x[k] ** 2 * (rank + 1)
    return total


@program(X)
def tuples_in_order(x):
    pairs = [(v, 0.5 * k) for k, v in enumerate(x)]
    pairs.sort(key=lambda pair: -pair[0])
    total = 1.0
    for value, weight in pairs:
        total = total * value + weight
    return total


@program(X, np.array([1.0, 3.0, 0.2]))
def a_simplex_in_order(x, y):
    def cost(point):
        return np.sum((point - 1.0) ** 2)

    simplex = [x[:3], y, x[1:] * y]
    simplex.sort(key=cost)
    best, middle, worst = simplex
    simplex = sorted([worst + best, middle * 2.0, best], key=cost, reverse=True)
    return cost(simplex[0]) * np.sum(best * middle) + np.sum(simplex[2])


@program(np.array([[0.5, 1.0], [2.0, -0.3], [0.7, 0.1]]))
def rows_in_order(rows):
    ordered = sorted([row for row in rows], key=np.sum)
    return np.sum(ordered[0] * ordered[-1]) + max(ordered, key=lambda row: row[1])[0]


@failing(X, error=ValueError)
def the_greatest_of_none(x):
    return max([v for v in x if v > 5.0], key=lambda v: v * v)
