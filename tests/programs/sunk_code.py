"""Numbers that one side of a branch alone reads."""

import math

import numpy as np

from collect import program

_RNG = np.random.default_rng(67)
X = _RNG.uniform(0.5, 2.0, 7)
M = _RNG.uniform(0.5, 2.0, (4, 5))


@program(1.3, 1.1, 0.9, 8)
@program(1.3, 1.1, 0.9, 0)
def exercised_at_times(s, u, d, n):
    """A tree of an option that may be exercised in every third step."""
    v = np.zeros((n + 1, n + 1))
    for j in range(n + 1):
        v[n, j] = s * u**j * d ** (n - j)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            now = s * u**j * d ** (i - j)
            later = 0.6 * v[i + 1, j + 1] + 0.35 * v[i + 1, j]
            v[i, j] = max(later, now - 0.3) if i % 3 == 0 else later
    return v[0, 0]


@program(X, 0.3)
@program(X[:0], 0.3)
def discounted(x, rate):
    total = 0.0
    for i in range(x.shape[0]):
        factor = np.exp(-rate * i)
        if i % 2 == 0:
            total = total * 0.5 + x[i] * factor
    return total


@program(X, 0.3)
def either_side(x, rate):
    """Each side reads a number of its own, and both read a third."""
    total = 1.0
    for i in range(x.shape[0]):
        up, down, both = np.exp(rate * x[i]), np.log(rate + x[i]), np.sqrt(x[i])
        if total > 2.0:
            total = total * 0.5 + down * both
        else:
            total = total * 1.5 + up * both
    return total


@program(X, 0.3)
def in_branches_in_branches(x, rate):
    total = 0.2
    for i in range(x.shape[0]):
        power = x[i] ** rate
        root = np.sqrt(power + 1.0)
        if i > 1:
            total = total * 0.9
            if i % 2 == 1:
                total = total + np.sin(root)
    return total


@program(X, 0.3)
def read_by_the_condition(x, rate):
    total = 0.2
    for i in range(x.shape[0]):
        e = np.exp(rate * x[i])
        if e > 1.3:
            total = total * 0.5 + e
    return total


@program(X, 0.3)
def yielded_by_a_side(x, rate):
    e = 0.0
    for i in range(x.shape[0]):
        e = np.exp(rate * x[i] - e)
        t = np.tanh(e)
        if i == 3:
            e = t
    return e


@program(X, 0.3)
def read_after_the_branch(x, rate):
    total = 0.0
    for i in range(x.shape[0]):
        e = np.exp(rate * x[i])
        if i % 2 == 0:
            total = total * 0.5 + e
        total = total + 0.1 * e
    return total


@program(X, 0.3)
def changed_in_between(x, rate):
    """The name is bound again, and so is what it was computed from."""
    total = 0.0
    for i in range(x.shape[0]):
        r = rate * x[i]
        e = np.exp(r)
        r = -r
        if i % 2 == 0:
            total = total * 0.5 + e * r
            e = 2.0
        total = total + r
    return total


@program(X, 0.3)
def elements_overwritten_in_between(x, rate):
    x = x.copy()
    total = 0.0
    for i in range(x.shape[0]):
        e = np.exp(rate * x[i])
        x[i] = total
        if i % 2 == 0:
            total = total * 0.5 + e * x[i]
    return total


@program(X, 0.3)
def before_a_loop_in_a_branch(x, rate):
    total = 0.0
    for i in range(x.shape[0]):
        e = np.exp(rate * x[i])
        if i != 2:
            for j in range(i):
                total = total * 0.9 + e * x[j]
    return total


@program(M, 0.4)
def rows(m, rate):
    total = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            e = math.exp(rate * m[i, j])
            if i % 2 == 0:
                total += e
            else:
                total += m[i, j]
    return total


@program(0.7, 0.3)
def in_a_while(x, rate):
    steps = 0
    while x < 3.0:
        e = np.exp(rate * x)
        if steps % 2 == 0:
            x = x + 0.3 * e
        else:
            x = x * 1.1
        steps += 1
    return x


@program(0.7, 0.3)
def without_a_loop(x, rate):
    e = np.exp(rate * x)
    y = np.log(x)
    if x > 0.5:
        return e * x
    return y


@program(X - 1.2, 0.4)
def undefined_where_it_is_not_read(x, rate):
    """Where the branch is not taken, the root and its derivative are no numbers."""
    total = 0.0
    for i in range(x.shape[0]):
        positive = x[i] > 0.0
        root = np.sqrt(max(x[i], 0.0)) * rate
        if positive:
            total = total * 0.5 + root
    return total


@program(X, np.arange(7) % 3)
def integers(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        n = k[i] * 2 - 1
        weight = 1.0 / (n + 4)
        if k[i] != 1:
            total = total * 0.5 + x[i] * weight
    return total
