"""`try`, `with`, `del`, `:=`, `match`, imports and what is written outside of a nested function."""

import sys
import warnings

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])
RATE = 3.0


@program(X)
@program(-X)
def assignment_in_an_expression(x):
    if (y := x[0] * x[1]) > 0:
        z = y * y
    else:
        z = (w := y * 2.0) * w
    total = z + y
    while (total := total / 2.0) > 0.1:
        pass
    if x[0] > 0 and (v := x[2] * x[0]) > 0:
        total = total * v
    kept = [last := a * a for a in x]
    return total * y * last + sum(kept)


@program(X, 3)
@program(X, 0)
def while_with_assignment_and_else(x, n):
    total = x[0]
    while (n := n - 1) > 0:
        if total > 5.0:
            break
        total = total * x[2] + n
    else:
        total = total * x[1]
    return total


@program(X)
def deleted_names(x):
    y = x * x
    z = np.sum(y)
    del y
    values = [x[0], x[1], x[2]]
    del values[0], values[-1]
    for i in range(2):
        t = x[i] * z
        z = z + t
        del t
    return z * values[0]


@program(X, 0, "a")
@program(X, 2, "b")
@program(X, 5, None)
@program(X, 7, (1.0, 2.0))
@program(X, 7, [1.0, 2.0, 3.0])
def matched(x, n, mode):
    match n:
        case 0:
            y = x[0]
        case 1 | 2 | 3:
            y = x[1] * x[1]
        case k if k > 6:
            y = x[2] * k
        case _:
            return x[0] * x[2]
    match mode:
        case "a":
            return y * y
        case None:
            return y
        case str() as name:
            y = y * len(name) * 3.0
        case (a, b):
            y = y * a + b * x[0]
        case [first, *rest]:
            y = y * first * sum(rest)
    return y * x[1]


@program(X)
def matched_in_a_loop(x):
    total = 0.0
    for i in range(3):
        match i:
            case 1:
                continue
            case 5:
                break
            case j:
                total += x[j] * x[j]
    return total


@program(X)
def without_warnings(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.sqrt(x), 0.0)
        if x[0] > 3.0:
            return np.sum(y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        z = y * x
    if z[0] < -9.0:
        warnings.warn("negative", stacklevel=2)
    return np.sum(z * y)


@program(X)
def with_in_a_loop(x):
    total = 0.0
    for v in x:
        with np.errstate(all="ignore"):
            if v < 0:
                continue
            total += np.log(v) * v
    return total


@program(X)
@program(-X)
def tried_without_a_cause(x):
    try:
        y = np.sum(x * x)
        if x[0] < 0:
            return y
    except TypeError:
        y = 0.0
    else:
        y = y * 2.0
    finally:
        z = x[1]
    return y * z


@program(X)
def tried_and_raised_again(x):
    total = 0.0
    for i in range(3):
        try:
            total += x[i] * x[i]
        except IndexError as error:
            print("no element", i)
            raise ValueError("too few") from error
    try:
        total = total / np.linalg.norm(x)
    except np.linalg.LinAlgError:
        raise
    finally:
        total = total * x[0]
    return total


@program(X)
def tried_arithmetic_of_arrays(x):
    try:
        y = np.exp(x) / 2.0
    except (ZeroDivisionError, FloatingPointError):
        y = x
    return np.sum(y)


@program(X)
def imports_within(x):
    import math
    import os.path
    from math import cos as c
    from math import sin

    import numpy.linalg as la

    def inner(v):
        from numpy import tanh

        return tanh(v) * math.pi

    return sin(x[0]) * c(x[1]) * la.norm(x) + inner(x[2]) * len(os.path.sep)


@program(X)
def global_is_read(x):
    global RATE
    return x[0] * RATE


@program(X, 3)
@program(X, 0)
def counters_of_a_closure(x, n):
    total, calls = 0.0, 0

    def add(v):
        nonlocal total, calls
        total = total + v * v
        calls += 1
        return total

    last = add(x[0])
    for i in range(n):
        last = add(x[i] * last)
    if x[1] < 0:
        add(x[1])
    return total * last + calls


@program(X)
def state_of_a_closure_of_a_closure(x):
    state = x[0]

    def outer(v):
        kept = v

        def inner(w):
            nonlocal state, kept
            kept = kept * w
            state = state + kept

        inner(v)
        inner(x[2])
        return kept

    return outer(x[1]) * state


@program(X)
def printed_in_many_ways(x):
    print("a", "b", sep="-", end="")
    print("value", x[0], file=sys.stderr, flush=True)
    print("{:.2f} and %s".format(x[1]) if False else "%s %5s" % (x[0], "x"))
    """A text that stands alone."""
    assert x[0] != 7.0, "seven"
    pass
    return x[0] * x[1]


@failing(X, error=ValueError)
def raised_in_a_try(x):
    try:
        if x[0] > 0:
            raise ValueError("positive")
    except ValueError:
        raise
    return x[0]


@failing(X, error=UnboundLocalError)
def read_after_del(x):
    y = x * x
    if x[0] > 0:
        del y
    return np.sum(y)
