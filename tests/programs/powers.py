"""Powers whose exponent only the run knows: alone, in branches, and in loops whose iterations wait for each other."""

import numpy as np

from collect import program

_RNG = np.random.default_rng(83)
X = _RNG.uniform(0.5, 2.0, 7)
X32 = X.astype(np.float32)


@program(1.7, 2.3)
@program(0.0, 2.0)
@program(-1.5, 3.0, wrt=(0,))
def one_power(x, n):
    return x**n


@program(1.7, 2.3)
@program(1.7, 3, wrt=(0,))
def hill(x, n):
    return 2.0 / (1.0 + x**n)


@program(0.8, 1.4)
def power_of_a_power(x, n):
    return (x**n) ** (x * n)


@program(1.3)
def one_number_to_itself(x):
    return np.sin(x**x)


@program(X, 2.3)
@program(X32, np.float32(2.3))
@program(X[:0], 2.3)
def repressed(x, n):
    """What is raised comes from the iteration before."""
    y = 1.0
    for i in range(x.shape[0]):
        y = y + 0.1 * (x[i] / (1.0 + y**n) - y)
    return y


@program(X, 2.3)
def leaky_sum(x, n):
    """What is raised comes from no other iteration; the sum does."""
    y = 1.0
    for i in range(x.shape[0]):
        y = np.tanh(0.5 * y + x[i] ** n)
    return y


@program(X, 2.3)
@program(X, np.array(2.3))
def trajectory(x, n):
    y = np.empty(x.shape[0] + 1)
    y[0] = 1.0
    for i in range(x.shape[0]):
        y[i + 1] = y[i] + 0.1 * (x[i] - y[i] ** n)
    return np.sum(y * y)


@program(X, X[::-1].copy())
def side_by_side(x, n):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i] ** n[i])
    return total


@program(0.4, 1.5)
def until_it_is_large(x, n):
    steps = 0
    while x < 3.0 and steps < 40:
        x = x + 0.2 * x**n
        steps += 1
    return x * n


@program(X, 2.3)
def in_a_branch(x, n):
    y = 0.5
    for i in range(x.shape[0]):
        if y < x[i]:
            y = y + 0.3 * y**n
        else:
            y = 0.5 * y
    return y


@program(X, 2.5, cotangent=np.ones(7))
@program(X - 0.9, 3.0, wrt=(0,), cotangent=np.ones(7))
def behind_where(x, n):
    y = np.empty(x.shape[0])
    last = 0.0
    for i in range(x.shape[0]):
        last = 0.5 * last + np.where(x[i] > 0.0, x[i] ** n, 0.0)
        y[i] = last
    return y


@program(X[:3], 1.7)
def three_elements_each(x, n):
    """Short arrays become numbers of their own."""
    y = x.copy()
    for _ in range(40):
        y = y + 0.05 * (2.0 / (1.0 + np.array([y[2], y[0], y[1]]) ** n) - x * y)
    return np.sum(y)
