"""`*args` and `**options`, in signatures and in calls, and stars in assignments, tuples, lists and dicts."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])
A = np.array([[1.0, 2.0], [0.3, -0.7]])


@program(2.0)
@program(2.0, X)
@program(2.0, X, 3.0, wrt=(0, 1, 2))
def of_any_number_of_arguments(x, *rest):
    total = x * x
    for k, value in enumerate(rest):
        total = total + (k + 1) * np.sum(value * value * x)
    return total * (1 + len(rest))


def scaled(x, *factors, power=1, **options):
    y = x**power
    for factor in factors:
        y = y * factor
    if options.get("shift") is not None:
        y = y + options["shift"]
    for name, value in options.items():
        if name != "shift":
            y = y * value
    return y


@program(X, 2.0)
def called_with_all_of_them(x, a):
    one = scaled(x, a, a + 1.0, power=2, shift=a, other=x[0])
    return np.sum(one) + np.sum(scaled(x)) + np.sum(scaled(x, a, shift=1.0))


@program(X, 2.0)
def passed_on(x, a):
    def outer(*args, **options):
        return scaled(*args, **options) + scaled(args[0], *args[1:], **{**options, "shift": a * a})

    values = (a, x[1])
    options = {"power": 2, "last": a}
    return np.sum(outer(x, *values, **options)) + np.sum(outer(x))


@program(X, (1.0, 1.7))
@program(X, [1.0, 1.7])
def spread_from_an_argument(x, pair):
    return np.sum(x) * np.hypot(*pair) + np.sum(np.clip(x, *pair))


@program(X)
def lambdas_with_stars(x):
    f = lambda *values, **named: values[0] * values[-1] + named.get("c", 1.0) * len(values)
    g = lambda first, *others, scale=2.0: scale * first * sum(others)
    return f(x[0], x[1], c=x[2]) + f(x[2]) + g(x[0], x[1], x[2]) + g(x[0])


@program(X)
def in_tuples_lists_and_dicts(x):
    a, b = (x[0], x[1]), [x[2], 2.0]
    values = [*a, 1.0, *b]
    nested = (*a, *b, *(3.0,))
    settings = {**{"u": x[0], "v": 2.0}, "v": x[1], **dict(w=x[2])}
    empty = [*(), *[]]
    return np.sum(np.array(values)) * nested[3] + settings["u"] * settings["v"] * settings["w"] + len(empty)


@program(X)
def joined_with_what_is_behind_the_star(x):
    def stacked(*parts):
        return np.hstack(parts + (np.ones(2) * x[0],))

    y = stacked(x, x[1:] * x[0])
    return np.sum(y * y)


@program(X, (0.5, 2.0, 3.0, -1.0))
def unpacked_with_a_star(x, values):
    first, *middle, last = values
    head, *rest = [x[0], x[1]]
    *all_but_one, one = x[0], x[1], x[2]
    (a, *b), c = (x[0], x[1], x[2]), 2.0
    return first * last * sum(middle) + head * rest[0] + sum(all_but_one) * one + a * sum(b) * c


@program(X, ((1.0, 2.0, 3.0), (0.5, 0.7, 0.9)))
def unpacked_in_a_loop(x, rows):
    total = 0.0
    for first, *others in rows:
        total += first * x[0] * sum(others)
    return total


@program(X, 3)
def star_of_a_shape(x, n):
    y = np.zeros((*x.shape, 2))
    y[:, 0] = x
    y[:, 1] = x * x
    z = np.reshape(y, (2, *x.shape))
    rows = (*range(2),)
    return np.sum(z[rows[0]] * z[rows[1]]) * n


@program(X, 2.0)
def keywords_into_functions_of_numpy(x, a):
    options = {"axis": 0, "keepdims": True}
    where = dict(axis=0)
    return np.sum(np.sum(np.outer(x, x), **options) * np.sum(A, **where)[0]) * a


@program(X, (0, 1))
def an_index_with_a_star(x, index):
    y = np.outer(x, x)
    return y[*index] * y[(*index,)] + np.sum(y[*index[:1]])


@program(X)
def zipped_rows_of_a_table(x):
    table = ((x[0], x[1]), (x[2], 2.0), (1.0, x[0]))
    left, right = zip(*table)
    return sum(left) * sum(v * v for v in right)


@program(2.0, 3.0)
def default_and_star(x, y=2.0, *rest, z=1.0):
    return x * y + z * sum(rest)


def weighted(f, x, *args, **options):
    return f(x, *args, **options) * 2.0


@program(X, 0.5)
def a_function_with_its_arguments(x, a):
    def model(x, slope, offset=0.0):
        return np.sum(slope * x + offset * x * x)

    return weighted(model, x, a) + weighted(model, x, a, offset=a) + weighted(model, x, **{"slope": a})


@program(X, 2.0)
def names_that_are_taken_twice(x, a):
    def f(a, /, **options):
        return a * options["a"]

    return f(a, a=x[0]) + f(x[1], **{"a": a})


@failing(1.0, error=TypeError)
def too_few(x):
    def f(a, b, *c):
        return a

    return f(x)


@failing(1.0, error=TypeError)
def twice(x):
    def f(a, **options):
        return a

    return f(x, a=x)


@failing(1.0, error=TypeError)
def twice_by_a_dict(x):
    def f(a, **options):
        return a

    return f(x, b=x, **{"b": x})
