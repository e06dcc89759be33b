"""`is`, None on some paths, and what is known of classes and attributes."""

import numpy as np

from collect import failing, program

X = np.array([0.5, -1.2, 2.0])


class Settings:
    rate = 2.0
    name = "plain"


SETTINGS = Settings()


@program(2.0, True)
@program(2.0, False)
def flag_is_true(x, flag):
    if flag is True:
        y = x * x
    else:
        y = x
    if flag is not False:
        y = y * 3.0
    return y


@program(2.0, 3)
@program(2.0, 1)
def computed_truth_value_is_true(x, n):
    flag = n > 2
    total = x * x if flag is True else x
    return total * 2.0 if flag is False else total


@program(2.0, None)
@program(2.0, X)
@program(2.0, 3.0)
def none_as_an_argument(x, w):
    if w is None:
        w = np.ones(2) * x
    return np.sum(w * x * x)


@program(X)
@program(-X)
def none_on_one_path(x):
    if x[0] > 0:
        w = None
    else:
        w = x * x
    total = np.sum(x)
    if w is not None:
        total = total + np.sum(w * x)
    return total if w is None else total * w[0]


@program(X)
@program(-X)
def none_by_an_expression_and_passed_on(x):
    def added(total, extra=None):
        if extra is None:
            return total * total
        return total + extra

    w = x[1] if x[0] > 0 else None
    y = w
    return added(x[2], y) * added(x[2], extra=w) + (0.0 if w is None else w)


@program(X)
@program(-X)
@program(np.zeros(0), wrt=(0,))
def the_best_so_far(x):
    best = None
    for v in x:
        if best is None or v * v > best:
            best = v * v
    if best is None:
        return 1.0
    return best * best


@program(X, 3)
@program(X, 0)
def none_until_the_first_iteration(x, n):
    previous = None
    total = 0.0
    for i in range(n):
        y = x * (i + 1)
        if previous is not None:
            total += np.sum(previous * y)
        previous = y * y
    return total + np.sum(x)


@program(X, 4)
def none_again_in_some_iterations(x, n):
    kept = None
    total = x[0]
    for i in range(n):
        if i % 2 == 0:
            kept = x[i % 3] * total
        elif kept is not None:
            total = total + kept * kept
            kept = None
        else:
            total = total * 2.0
    if kept is None:
        return total
    return total * kept


@program(X)
@program(-X)
def truth_of_what_may_be_none(x):
    w = x[1] if x[0] > 0 else None
    if w:
        return w * w
    return x[2] * (w or 3.0)


def described(x):
    if isinstance(x, np.ndarray):
        return np.sum(x) * x.ndim
    if isinstance(x, (list, tuple)):
        return sum(described(v) for v in x)
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return x * 2.0
    return 0.0


@program(X, 2.0)
def classes_of_arguments(x, a):
    return described(x) + described(a) + described((x, a, [a, x])) + described("no") + described(None)


@program(X, 2.0)
def types_are_known(x, a):
    y = None if type(x) is tuple else x
    z = a if not isinstance(a, np.ndarray) else None
    w = a * 2 if type((a, a)) == tuple and type([a]) is not tuple else None
    return np.sum(y) * z * w


@program(X, 2.0)
def attributes_are_known(x, a):
    total = np.sum(x)
    if hasattr(x, "shape") and not hasattr(a, "append"):
        total = total * a
    if hasattr(SETTINGS, "rate"):
        total = total * getattr(SETTINGS, "rate") * getattr(SETTINGS, "missing", 3.0)
    if hasattr(SETTINGS, "missing"):
        total = total * x
    if callable(np.sin) and callable(described) and not callable(x):
        total = total * getattr(np, "sin")(a) * getattr(x, "shape")[0]
    return total


@program(X, "square", 2.0)
@program(X, "double", None)
@program(X, "array", None)
def a_name_of_several_meanings(x, mode, a):
    if mode == "square":
        y = a * a
    elif mode == "double":
        y = (x, x)
    else:
        y = x * x
    if mode == "double":
        return np.sum(y[0] * y[1])
    return np.sum(y * x)


@program(X)
def identity_of_lists_and_dicts(x):
    a, b = [x[0]], {"k": x[1]}
    c, d = a, b
    c.append(x[2])
    return (a[1] if a is c else x[0]) * (2.0 if b is not d else 3.0) * (1.0 if a != [x] else 0.0)


@failing(X, error=TypeError)
def none_is_used(x):
    w = None if x[0] > 0 else x[1]
    return w * x[2]


@failing(X, error=TypeError)
def none_is_used_in_a_loop(x):
    w = None
    total = 0.0
    for v in x:
        total = total + w
        w = v
    return total
