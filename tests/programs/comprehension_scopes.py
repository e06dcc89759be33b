"""Names of comprehensions: functions from outside do not see them, and those of the inside keep them."""

import functools

import numpy as np

from collect import program

X = np.array([0.5, 1.2, 2.0])
k = 3.0


@program(2.0)
def function_from_around(x):
    k = 10.0
    scaled = lambda v: v * k
    return [scaled(x) * k for k in range(3)][1] + k


@program(X)
def function_that_reads_a_global(x):
    def scaled(v):
        return v * v * k

    return sum([scaled(v) + k for k, v in enumerate(x)]) + sum(
        scaled(v) * k for v in x for k in (1.0, 2.0) if v > k - 1.7
    )


@program(X)
def function_of_the_variable_of_the_loop(x):
    v = 5.0
    level = lambda w: w * v
    return sum(level(v) for v in x) + sum(map(lambda v: level(v) * v, x)) + max([level(v) for v in x])


@program(2.0)
def functions_of_the_last_item(x):
    k = 10.0
    scaled = [lambda v: v * k for k in range(3)]
    k = 20.0
    held = {j: lambda: j * x for j in (1, 2)}
    return scaled[0](x) * scaled[2](x) + k * x + held[1]() ** 2


@program(2.0)
def functions_of_their_own_items(x):
    scaled = [lambda v, k=k: v * v * k for k in range(3)]
    bound = [functools.partial(lambda a, b: a * b * b, k) for k in range(3)]
    return scaled[1](x) + scaled[2](x) + bound[1](x) * bound[2](x)


@program(X)
def functions_in_loops(x):
    total = 0.0
    for n in range(2):
        k = 3.0 * n
        level = lambda v: v * k
        total += sum([level(v) for k, v in enumerate(x)])
        scaled = [lambda v: v * v * k * n for k in range(3)]
        total += scaled[0](x[0])
    return total


@program(2.0)
def source_of_the_same_name(x):
    k = [x, 2.0 * x]
    return [k * k for k in k][1] + [k * j for k in [x, x * x] for j in [k, 1.0]][2] + k[0]


@program(X)
@program(X[:1])
def names_bound_around(x):
    last = 0.5
    total = 0.0
    for _ in range(2):
        total += sum([(last := v) * v * last for v in x])
    return total * last


@program(X)
def comprehension_in_a_function_of_one(x):
    def weighed(v):
        return sum([v * k for k in range(3)])

    return sum([weighed(k * v) for k, v in enumerate(x)]) + sum([[y * z for z in x] for y in x][1])
