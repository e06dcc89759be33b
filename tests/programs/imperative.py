"""The twelve ordinary imperative programs p1 to p12 on which other libraries fail."""

import numpy as np

from collect import program

X = np.array([0.5, -1.2, 2.0, 0.7])


@program(X)
def p1(x):
    """In-place recurrence over an array."""
    y = x * 1.0
    for i in range(1, len(y)):
        y[i] = y[i] * y[i - 1] + np.sin(y[i])
    return np.sum(y)


@program(X)
def p2(x):
    """Overwrite after use, three sweeps."""
    y = x * 1.0
    for sweep in range(3):
        for i in range(1, len(y) - 1):
            y[i] = 0.5 * y[i - 1] * y[i + 1] + 0.1 * y[i] * y[i]
    return np.sum(y * y)


@program(np.array([0.0, 1.0, 2.0, 3.0]))
@program(X)
def p3(x):
    """A view is scaled in place."""
    y = x * 1.0
    v = y[1:3]
    v *= 3.0
    return np.sum(y**2)


@program(X)
def p4(x):
    """An alias is changed in place."""
    y = x * 1.0
    z = y
    z += 1.0
    return np.sum(y**2)


@program(0.3)
@program(1.7)
def p5(a):
    """A while loop whose end depends on data."""
    steps = 0
    while a < 10.0:
        a = a * a + 1.0
        steps += 1
    return a * steps


@program(X)
@program(np.array([-1.0, 0.5, -0.2, 0.3]))
def p6(x):
    """`break` and `continue`."""
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0.0:
            continue
        total += x[i] * x[i]
        if total > 3.0:
            break
    return total


@program(X)
def p7(x):
    """Two elements are swapped."""
    y = x * 1.0
    y[0], y[2] = y[2], y[0]
    return y[0] ** 3 + 2.0 * y[2] ** 2 + y[1] * y[3]


@program(X)
def p8(x):
    """The argument is changed in place."""
    x[0] = x[1] * x[2]
    x[3] *= x[0]
    return np.sum(x**2)


@program(X)
def p9(x):
    """Two accumulators in a fresh array, by turns."""
    h = np.zeros(2)
    for i in range(len(x)):
        h[i % 2] += x[i] * x[i] + h[(i + 1) % 2]
    return h[0] * h[1]


@program(X)
def p10(x):
    """Overlapping slices."""
    y = x * 1.0
    y[1:] = y[:-1] * y[1:]
    return np.sum(y**2)


@program(X)
def p11(x):
    """Values collected in a list."""
    parts = []
    for i in range(len(x)):
        parts.append(x[i] * x[i])
    total = 0.0
    for i in range(len(parts) - 1):
        total += parts[i] * parts[i + 1]
    return total


@program(np.array([1.0, 2.0, 3.0, 4.0]))
def p12(x):
    """The branch of `where` that is not taken is singular."""
    return np.sum(np.where(x > 2.5, np.sqrt(x - 2.5), 0.0))
