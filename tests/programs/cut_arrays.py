"""Arrays that each iteration cuts at their ends: views of what was before the loop, or new arrays of fewer elements."""

import numpy as np

from collect import program

X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9, 0.6])


@program(1.2, 0.3, 4)
def trinomial_tree(s, v, n):
    u = np.exp(v * np.sqrt(2.0 / n))
    prices = s * u ** np.arange(-n, n + 1)
    values = np.maximum(1.25 - prices, 0.0)
    for _ in range(n - 1, -1, -1):
        values = 0.99 * (0.3 * values[:-2] + 0.4 * values[1:-1] + 0.3 * values[2:])
        prices = prices[1:-1]
        values = np.maximum(values, 1.23 - prices)
    return values[0]


@program(1.2, 0.3, 5)
@program(1.2, 0.3, 1)
def binomial_tree(s, v, n):
    u = np.exp(v / np.sqrt(n))
    values = np.maximum(1.25 - s * u ** np.arange(n, -n - 1, -2), 0.0)
    for _ in range(n):
        values = 0.99 * (0.45 * values[:-1] + 0.55 * values[1:])
    return values[0]


@program(X)
def first_of_what_is_left(x):
    y = np.exp(x)
    s = 0.0
    for i in range(x.shape[0]):
        s += y[0] * (i + 1) * y[-1]
        y = y[1:]
    return s


@program(X)
def more_iterations_than_elements(x):
    y = np.sin(x)
    s = 0.0
    for _ in range(5):
        s = s * 0.5 + np.sum(y * y)
        y = y[2:-1]
    return s + y.shape[0]


@program(X, 0)
@program(X, 3)
def after_the_loop(x, n):
    y = x * x
    for _ in range(n):
        y = y[:-2]
    y[0] = 3.0 * y[-1]
    return np.sum(np.cos(y))


@program(X)
def one_iteration_behind(x):
    y = np.exp(x)
    before = y
    s = 0.0
    for i in range(3):
        s += np.sum(before[: y.shape[0]] * y) * y[i]
        before = y
        y = y[1:]
    return s


@program(X)
def steps_down(x):
    y = np.tanh(x)
    s = 0.0
    for i in range(9, 0, -3):
        s += y[0] * i
        y = y[1:-1]
    return s * y[0]


@program(X)
def written_and_cut(x):
    y = np.exp(x)
    s = 0.0
    for i in range(3):
        y[0] = y[1] * y[2]
        s += y[0]
        y = y[1:]
    return s


@program(X)
def of_an_argument(x):
    s = 0.0
    for i in range(4):
        s += np.sum(x[1:] * x[:-1]) * (i + 1)
        x = x[1:]
    return s


@program(X)
def cut_again_in_each_iteration(x):
    s = 0.0
    for i in range(3):
        y = np.exp(x * i)
        while y.shape[0] > 2:
            s += y[0] * y[1]
            y = y[1:-1]
        for _ in range(2):
            y = y[:-1]
            s += np.sum(y)
    return s


@program(X)
def until_it_is_short(x):
    y = np.sinh(x)
    s = 0.0
    for i in range(10):
        if y.shape[0] < 4:
            break
        s += y[1] * y[-2]
        y = y[1:]
    return s


@program(np.linspace(0.1, 1.2, 12).reshape(4, 3))
def rows_cut(m):
    y = np.exp(m)
    s = 0.0
    for i in range(3):
        s += np.sum(y[0] * y[-1])
        y = y[1:]
    return s


@program(X)
def indices_cut(x):
    order = np.argsort(x)
    s = 0.0
    for i in range(4):
        s += x[order[0]] * x[order[-1]] * (i + 1)
        order = order[1:-1] if i < 2 else order
    places = np.arange(x.shape[0])
    for _ in range(3):
        s *= 1.0 + np.sum(x[places] ** 2)
        places = places[1:-1]
    return s


@program(X)
def differences_of_differences(x):
    d = x * 1.0
    s = 0.0
    for k in range(1, 5):
        d = (d[1:] - d[:-1]) / k
        s += d[0] * d[-1]
    return s


@program(X)
def de_casteljau(x):
    points = np.sin(x)
    while points.shape[0] > 1:
        points = 0.3 * points[:-1] + 0.7 * points[1:] * points[:-1]
    return points[0]


@program(X)
def halved(x):
    y = np.concatenate((x, x[:1]))
    while y.shape[0] > 1:
        y = y[::2] * y[1::2] + y[::2]
    return y[0]


@program(X)
def shortened_in_place_of_an_older_one(x):
    a = np.exp(x)
    b = np.cos(x)
    for i in range(3):
        a, b = b[1:], a[:-1] * b[1:]
    return np.sum(a * b)


@program(X)
def kept_twice(x):
    """For a second derivative the same array is kept on two stacks."""
    c = np.exp(x * 0.3)
    s = 0.0
    for _ in range(3):
        c = c[2:] * c[:-2]
        s = s * 0.8 + np.sum(c * c)
    return s + np.sum(c)
