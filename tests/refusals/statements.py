# ruff: noqa
# fmt: off
"""Statements that are refused. A marker names words of the reason and, between backquotes, what the caret is under."""

import numpy as np


def try_except(x):
    try:  # refused: cannot replay an exception, at `try`
        y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y


def try_finally(x):
    y = x
    try:  # refused: cannot replay an exception, at `try`
        y = x * x
    finally:
        y += 1.0
    return y


def try_in_a_loop(x):
    s = 0.0
    for i in range(3):
        try:  # refused: cannot replay an exception, at `try`
            s += x[i]
        except IndexError:
            break
        else:
            s *= 2.0
    return s


def try_star(x):
    try:  # refused: cannot replay an exception, at `try`
        return np.log(x)
    except* ValueError:
        x = 0.0
    return x


def try_within_try(x):
    try:  # refused: cannot replay an exception, at `try`
        try:  # refused: cannot replay an exception, at `try`
            x = x / 2
        except ValueError:
            x = x / 3
    except TypeError:
        x = x / 4
    return x


def inside_a_handler(x):
    try:  # refused: cannot replay an exception, at `try`
        x = x / 2
    except ValueError:
        del x  # refused: 'del' is not supported, at `del x`
    return 1.0


def delete_a_name(x):
    t = x * x
    y = t + 1
    del t  # refused: 'del' is not supported, at `del t`
    return y


def delete_an_element(x):
    stack = [x, x]
    del stack[0]  # refused: 'del' is not supported, at `del stack[0]`
    return stack[0]


def delete_an_attribute(x, model):
    del model.weight  # refused: 'del' is not supported, at `del model.weight`
    return x


def import_module(x):
    import math  # refused: 'import' is not supported in a function, at `import math`

    return math.sin(x)


def import_from_module(x):
    from math import sin, cos as c  # refused: 'import' is not supported, at `from math import sin, cos as c`

    return sin(x) * c(x)


def import_after_semicolon(x):
    y = x; import math  # refused: 'import' is not supported, at `import math`
    return y * math.pi


counter = 0.0


def global_write(x):
    global counter  # refused: written to a global variable is not a result, at `global counter`
    counter = counter + x
    return counter


def two_globals(x):
    global counter, np  # refused: written to a global variable is not a result, at `global counter, np`
    return counter * x


def nonlocal_write(x):
    total = 0.0

    def add(y):
        nonlocal total  # refused: written to an outer variable is not a result, at `nonlocal total`
        total += y

    add(x)
    return total


def with_file(x):
    with open("weights") as f:  # refused: 'with' cannot be differentiated, at `with`; cannot read or write files, at `open`
        f.write("x")
    return x


def with_errstate(x):
    with np.errstate(divide="ignore"):  # refused: 'with' cannot be differentiated, at `with`
        return 1.0 / x


def with_two_contexts(x, lock, other):
    with lock, other:  # refused: 'with' cannot be differentiated, at `with`
        return x * x


def match_literal(x, n):
    match n:  # refused: 'match' is not supported, at `match`
        case 0:
            return x
        case 1 | 2:
            return x * x
    return 0.0


def match_structure(x, pair):
    match pair:  # refused: 'match' is not supported, at `match`
        case (a, *rest) if (b := a) > 0:  # refused: ':=' is not supported, at `b := a`
            return a * x
        case {"w": w, **others}:
            return w * x
    return x


def class_in_function(x):
    class Point:  # refused: a class cannot be defined, at `class`
        def __init__(self, a):
            self.a = a

    return Point(x).a


def attribute_assigned(x, model):
    model.weight = x  # refused: 'model.weight' cannot be assigned, at `model.weight`
    return model.weight


def attribute_augmented(x, model):
    model.steps += 1  # refused: 'model.steps' cannot be assigned, at `model.steps`
    return x


def attribute_of_self(self, x):
    self.total = self.total + x  # refused: 'self.total' cannot be assigned, at `self.total`
    return self.total


def attribute_in_a_tuple(x, model):
    a, model.b = x, x  # refused: 'model.b' cannot be assigned, at `model.b`
    return a


def attribute_as_loop_variable(x, model):
    for model.i in range(3):  # refused: 'model.i' cannot be assigned, at `model.i`
        x = x * 2
    return x


def attribute_annotated(x, model):
    model.weight: float = x  # refused: 'model.weight' cannot be assigned, at `model.weight`
    return x


def attribute_of_an_item(x, models):
    models[0].w = x  # refused: 'models[0].w' cannot be assigned, at `models[0].w`
    return x


def shape_assigned(x):
    x.shape = (2, 2)  # refused: 'x.shape' cannot be assigned, at `x.shape`
    return x[0, 0]


def raise_from(x):
    if x < 0:
        raise ValueError("negative") from None  # refused: does not chain, at `raise ValueError("negative") from None`
    return np.sqrt(x)


def raise_from_another(x, cause):
    if x < 0:
        raise ValueError("negative") from cause  # refused: compiled code does not chain exceptions
    return np.sqrt(x)


def bare_raise(x):
    if x < 0:
        raise  # refused: there is none to raise again, at `raise`
    return np.sqrt(x)
