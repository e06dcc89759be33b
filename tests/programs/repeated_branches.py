"""Branches that choose numbers by cheap arithmetic: the backward sweep computes them again where it can."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.3, 2.1, -0.4])
Y = np.array([0.7, -0.2, -1.6, 1.4, 0.9, 0.3])


def minmod(a, b):
    if a * b <= 0:
        return 0.0
    if abs(a) < abs(b):
        return a
    return b


@program(X, 3)
@program(X.astype(np.float32), 2)
@program(X[::-1], 0)
def limited_slopes(u, steps):
    now = u.copy()
    for _ in range(steps):
        flux = np.zeros(now.shape[0])
        for i in range(1, now.shape[0] - 1):
            slope = minmod(now[i] - now[i - 1], now[i + 1] - now[i])
            east = now[i] + slope / 2
            flux[i] = max(east, 0.1) ** 2 - min(east * slope, 0.2) ** 3
        for i in range(1, now.shape[0]):
            now[i] -= 0.1 * (flux[i] - flux[i - 1])
    return np.sum(now**2)


@program(X, Y)
def several_results(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > y[i]:
            a, b, c = x[i] * 2.0, y[i] - 1.0, 3
        else:
            a, b, c = y[i] * y[i], x[i] + 1.0, 2
        total += a * b * b * c + a * a
    return total


@program(X, Y)
def element_overwritten_afterwards(x, y):
    z = x.copy()
    total = 0.0
    for i in range(x.shape[0] - 1):
        if z[i] > 0.2:
            s = z[i] * y[i]
        else:
            s = z[i + 1] - y[i]
        z[i + 1] = np.sin(s)
        total += s * s * z[i]
    return total + np.sum(z)


@program(X)
def index_chosen(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.4:
            j, s = i - 1, x[i] * x[i]
        else:
            j, s = 0, -x[i]
        total += x[j] * s * s
    return total


@program(X, Y)
def one_of_another(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        low = min(x[i], y[i], 1.0)
        high = max(x[i], y[i] * low, low)
        middle = (low + high) / 4
        total += np.exp(low - middle) + high * middle * middle
    return total


@program(X)
def undefined_on_a_side(x):
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0:
            s = x[i] * 1.5
        if x[i] > 0.1:
            total += s * s * s
    return total


@program(2.5, X)
def in_a_while(limit, x):
    s, i = 0.0, 0
    while s < limit and i < x.shape[0]:
        step = x[i] if x[i] > 0.1 else 0.4 - x[i]
        half = step / -2 if step > 0.6 else step * step
        s += half * half + 0.3
        i += 1
    return s * s


@program(X, np.array([1, 4, 5]))
def chosen_integers(x, k):
    total = 0.0
    for i in range(k.shape[0]):
        n = k[i] if k[i] < 3 else k[i] - 2
        s = x[n] if n > 2 else x[i] * n
        total += s**n * s
    return total


@program(X)
def stored_and_set_again(x):
    y = np.zeros(x.shape[0])
    total = 0.0
    for i in range(x.shape[0]):
        y[i] = x[i] * 2.0
        total += y[i] ** 2
        y[i] = 0.0
        y[i] = 0.0
        y[i] = y[i] + x[i]
        y[i] = y[i]
    return total + y @ y


@program(X)
def zeros_of_either_sign(x):
    y = np.empty(2)
    total = 0.0
    for i in range(x.shape[0]):
        y[0] = 0.0
        y[0] = -0.0
        total += np.copysign(x[i], y[0]) * x[i]
    return total
