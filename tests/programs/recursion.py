"""Functions that call themselves, once or twice a call, with one result or more, with numbers or arrays."""

import numpy as np

from collect import program

X = np.array([0.5, -0.2, 0.7, 0.3])


@program(0.7, 5)
@program(0.7, 0)
def product_of_what_is_left(x, n):
    if n == 0:
        return x
    return np.sin(x * product_of_what_is_left(x * 0.9, n - 1))


def total(x, start, stop):
    if stop - start == 0:
        return 0.0
    if stop - start == 1:
        return x[start] * x[start]
    middle = (start + stop) // 2
    return total(x, start, middle) + np.sin(total(x, middle, stop))


@program(X)
@program(X[:1])
@program(X[:0])
@program(X[::-1])
def over_halves_of_an_array(x):
    return total(x, 0, x.shape[0]) * 2.0


def rotated(a, b, n):
    if n == 0:
        return a, b
    c, d = rotated(b, a * 0.5, n - 1)
    return c * d, d + a


@program(0.7, 1.2, 3)
def with_two_results(a, b, n):
    c, d = rotated(a, b, n)
    return c * d + a


def inner(x, n):
    return x if n == 0 else np.cos(x) * inner(x * 0.8, n - 1)


def outer(x, n):
    return inner(x, n) if n == 0 else x + inner(x, n) * outer(x * x, n - 1)


@program(0.7, 3)
def one_that_calls_another(x, n):
    return outer(x, n) * inner(x, n)


def inner_with_partials(x, n):
    return x if n == 0 else np.sin(x) * inner_with_partials(x * 0.7, n - 1)


def inner_pullback(x, n):
    return x if n == 0 else x * inner_pullback(x * 0.6, n - 1)


@program(0.7, 3)
def names_like_those_of_derivatives(x, n):
    return inner_with_partials(x, n) * inner(x, n) + inner_pullback(x, n)


@program(X, 2)
def in_a_loop(x, n):
    s = 0.3
    for i in range(x.shape[0]):
        s = product_of_what_is_left(x[i] * s, n) + s
    return s


@program(X, 2)
def in_a_loop_of_independent_iterations(x, n):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            s += product_of_what_is_left(x[i], n) ** 2
    return s


def rows(m, n):
    if n == 0:
        return np.sum(m[0])
    return np.sum(m[n] * m[n - 1]) * rows(m * 0.5, n - 1)


@program(np.cos(np.arange(6.0)).reshape(3, 2))
def arrays_made_anew(m):
    return rows(m, 2)


@program(0.3, 2)
def only_the_value_is_needed(x, n):
    steps = int(product_of_what_is_left(4.0, n) * 3.0)
    s = x
    for _ in range(steps):
        s = s * s + 0.1
    return s * x


@program(np.float32(0.7), 2)
def narrow_number(x, n):
    return np.float64(product_of_what_is_left(x, n)) * 0.0 + np.float64(x)


def of_many(a, b, c, n):
    if n == 0:
        return a * b + c
    return np.sin(of_many(b, c * 0.5, a, n - 1)) * a


@program(X, 2)
def functions_of_many_numbers(x, n):
    s = 0.0
    for i in range(x.shape[0]):
        s += of_many(x[i], x[-i], x[i] * x[1], n) ** 2
    return s
